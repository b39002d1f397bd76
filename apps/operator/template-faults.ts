import { catalogueFault, type TemplateSourceError } from '../../core/templates/catalogue.js'

/** Why a list of templates cannot be read, without a full stop, and what to do about it. */
export const readingFault = (error: TemplateSourceError): { readonly fault: string; readonly remedy: string } =>
  ({ fault: catalogueFault(error).replace(/\.$/, ''), remedy: remedyOf(error) })

const remedyOf = (error: TemplateSourceError): string => {
  switch (error._tag) {
    case 'PlatformRejected':
      return 'See that it is the id of the WhatsApp business account, not of a number or an app; `postern sender set` stores another one.'
    case 'CredentialsRefused': return 'Give the access token the permission whatsapp_business_management, or store another one with `postern sender set`.'
    case 'PlatformThrottled':
      return error.retryAfterSeconds === undefined ? 'Try again in an hour.' : `Try again in ${error.retryAfterSeconds} seconds.`
    case 'PlatformUnreachable': return 'See that PLATFORM_URL is right and the platform can be reached.'
  }
}
