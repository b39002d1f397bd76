import { describeCause } from './cause.js'
import type { JsonObject } from './json.js'
import type { TemplateSourceError } from './ports/template-source.js'

/**
 * Why the list of templates of a business account could not be read, in a sentence for the operator.
 *
 * Of the platform's error it quotes the code alone, since its texts may quote the access token.
 */
export const catalogueFault = (error: TemplateSourceError): string => {
  switch (error._tag) {
    case 'PlatformRejected': return `The platform knows no business account of this id, or does not show it to this access token${codeOf(error.error)}.`
    case 'CredentialsRefused': return `The platform does not let this access token read templates${codeOf(error.error)}.`
    case 'PlatformThrottled': return `The platform is asked too often for the templates of this business account${codeOf(error.error)}.`
    case 'PlatformUnreachable': return `The list of templates could not be read: ${describeCause(error.cause).message}.`
  }
}

const codeOf = ({ code }: JsonObject): string => (typeof code === 'number' ? ` (error code ${code})` : '')
