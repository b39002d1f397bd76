import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { CredentialsRefused, PlatformRejected, PlatformThrottled, PlatformUnreachable } from '../errors.js'
import type { Template } from '../template.js'

export type { CredentialsRefused, PlatformRejected, PlatformThrottled, PlatformUnreachable } from '../errors.js'
export type { JsonObject } from '../json.js'
export type { Template } from '../template.js'

/** The platform's own list of templates. */
export interface TemplateSource {
  /**
   * The templates of an account, of every status and in every language: all of them, or those of one exact name.
   *
   * Each name and language comes once. The answer comes within a deadline, which is short for one name because a send waits for it. A list that breaks
   * off is none. `reading` follows a long list; a reading that is stopped is `PlatformUnreachable`, and an adapter that reads all at once may ignore it.
   */
  readonly list: (account: TemplateAccount, name?: string, reading?: ListReading) => TaskEither<TemplateSourceError, ReadonlyArray<Template>>
}

/** A name to ask for where only the answer matters: the templates of one name are a small answer, whether there are any or not. */
export const ANY_TEMPLATE = 'hello_world'

/** A list that is being read. */
export type ListReading = {
  /** Called after each part with how many templates there are so far. */
  readonly onPage: (templates: number) => void
  /** Once it is true, no other part is read. */
  readonly isStopped: () => boolean
}

/** The business account whose templates are read. The access token is secret. */
export type TemplateAccount = { readonly businessAccountId: string; readonly accessToken: string }

/**
 * Why the list could not be read; then nothing of it was.
 *
 * `PlatformRejected`: the account does not exist, or the platform does not answer for it. `CredentialsRefused`: the access token is not valid, or may
 * not read templates. `PlatformThrottled`: the platform was asked too often. `PlatformUnreachable`: no answer in time, or one that is no list.
 */
export type TemplateSourceError = PlatformRejected | PlatformThrottled | CredentialsRefused | PlatformUnreachable
