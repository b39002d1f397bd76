import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  CredentialsRefused, JsonObject, ListReading, PlatformRejected, PlatformThrottled, PlatformUnreachable, Template, TemplateAccount, TemplateSource, TemplateSourceError,
} from '../../../core/ports/template-source.js'

const error: JsonObject = { code: 100 }
const faults: ReadonlyArray<TemplateSourceError> = [
  { _tag: 'PlatformRejected', error } satisfies PlatformRejected, { _tag: 'PlatformThrottled', error } satisfies PlatformThrottled,
  { _tag: 'CredentialsRefused', error } satisfies CredentialsRefused, { _tag: 'PlatformUnreachable', cause: 'no answer' } satisfies PlatformUnreachable,
]

export const templateSource = (listed: ReadonlyArray<Template>): TemplateSource => ({
  list: ({ accessToken }: TemplateAccount, name?: string, reading?: ListReading) => {
    reading?.onPage(listed.length)
    const fault = accessToken === '' ? faults[0] : undefined
    return fault === undefined ? TE.right(listed.filter((template) => name === undefined || template.name === name)) : TE.left(fault)
  },
})
