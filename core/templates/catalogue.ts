import type * as E from 'fp-ts/lib/Either.js'
import {
  type CredentialsRefused, describeCause, describePlatformCode, type PlatformRejected, type PlatformThrottled, type PlatformUnreachable, type PortFailure,
} from '../kernel/failure.js'
import type { Page, PageQuery } from '../kernel/json.js'
import type { EntriesOf } from '../kernel/outbox.js'
import type { TemplateAccount } from '../kernel/sender.js'
import { DAY_MS, type Instant } from '../kernel/time.js'
import type { Template, TemplateChange, TemplateDiff, TemplateRecord } from './template.js'

/** The place of a template in a list that is ordered by name and language. */
export type TemplatePlace = { readonly name: string; readonly language: string }

/** The cursor of the part of a list after a template. */
export const templateCursor = ({ name, language }: TemplatePlace): string => JSON.stringify([name, language])

/** The place that a cursor names. A text that is no cursor counts as a name. */
export const templatePlace = (cursor: string): TemplatePlace => {
  const [name, language] = partsOf(cursor)
  return typeof name === 'string' && typeof language === 'string' ? { name, language } : { name: cursor, language: '' }
}

const partsOf = (cursor: string): ReadonlyArray<unknown> => {
  try {
    const parts: unknown = JSON.parse(cursor)
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

/** The age of an account's catalogue; `fault` is set while the latest reading failed. */
export type CatalogueState = { readonly listedAt: Instant | undefined; readonly fault: CatalogueFault | undefined }

/** Why a reading of an account's list failed, in a sentence for the operator, and when. */
export type CatalogueFault = { readonly sentence: string; readonly at: Instant }

/** Whether a list is too old, or was never read, for a template to be refused on its account: it is from a day on. */
export const isTooOld = (listedAt: Instant | undefined, now: Instant): boolean => listedAt === undefined || now - listedAt > DAY_MS

/** The state of an account whose list was never read. */
export const NEVER_LISTED: CatalogueState = { listedAt: undefined, fault: undefined }

/** The state after the whole list was read at a moment: it removes a fault that is not later, and never goes back in time. */
export const listedState = ({ listedAt, fault }: CatalogueState, at: Instant): CatalogueState => ({
  listedAt: Math.max(listedAt ?? at, at),
  fault: fault !== undefined && fault.at > at ? fault : undefined,
})

/** The state after a reading failed; a fault that is older than the list or than another fault changes nothing. */
export const faultedState = (before: CatalogueState, fault: CatalogueFault): CatalogueState =>
  fault.at >= (before.listedAt ?? fault.at) && fault.at >= (before.fault?.at ?? fault.at) ? { ...before, fault } : before

/** A copy of the platform's list of templates, for each business account. */
export interface TemplateCatalogue {
  /**
   * The templates of an account under one name, in every language, ordered by language, and when the whole list was last read.
   *
   * Names, languages and account ids compare exactly, with letter case.
   */
  readonly find: (accountId: string, name: string) => Promise<E.Either<PortFailure, NamedTemplates>>
  /**
   * The templates of an account, or those of one name, ordered by name and language; texts are ordered by their UTF-8 bytes.
   *
   * A cursor names the last template of its page (`templateCursor`) and continues after it, even if templates were added or removed since. An
   * unknown cursor never fails. The last page has no next, even if it is full.
   */
  readonly list: (accountId: string, query: TemplateQuery) => Promise<E.Either<PortFailure, Page<TemplateRecord>>>
  /** The names of an account's templates, each once, in the order of `list`. */
  readonly names: (accountId: string) => Promise<E.Either<PortFailure, ReadonlyArray<string>>>
  /**
   * Takes in the whole list of an account, as it was at a moment.
   *
   * `listedTemplate` is the rule for each template, `isGone` for those that the list does not have, `listedState` for the account. A list that was
   * read before the one that is kept changes nothing. All of it is seen at once or none. A template with a name or a language that no
   * catalogue keeps (`isCatalogued`) is left out; of two with one name and language the last counts.
   * `entriesOf` is called where known templates have changed as `hasChanged` says, once for all of them; its entries may be for several workspaces.
   */
  readonly replaceAll: (
    accountId: string, listed: ReadonlyArray<Template>, at: Instant, entriesOf?: EntriesOf<ReadonlyArray<TemplateDiff>>,
  ) => Promise<E.Either<PortFailure, void>>
  /**
   * The same for the templates of one name; others that are listed are left out. It does not count as a reading of the whole list, and changes nothing
   * if the whole list was read after it. What it removes is not remembered: a whole list that was read before and arrives after brings it back.
   */
  readonly replaceNamed: (
    accountId: string, name: string, listed: ReadonlyArray<Template>, at: Instant, entriesOf?: EntriesOf<ReadonlyArray<TemplateDiff>>,
  ) => Promise<E.Either<PortFailure, void>>
  /** Changes a template; `changedTemplate` is the rule. `false`: the catalogue does not have it. `entriesOf` is called as by `replaceAll`. */
  readonly change: (accountId: string, change: TemplateChange, entriesOf?: EntriesOf<ReadonlyArray<TemplateDiff>>) => Promise<E.Either<PortFailure, boolean>>
  /** Notes why the list of an account could not be read, in a sentence for the operator (`faultedState`). A later `replaceAll` removes the note. */
  readonly noteFault: (accountId: string, fault: string, at: Instant) => Promise<E.Either<PortFailure, void>>
  /** When the list of an account was last read, and why a later reading failed. */
  readonly stateOf: (accountId: string) => Promise<E.Either<PortFailure, CatalogueState>>
}

/** The templates of one name and when the whole list of the account was last read; `undefined` if never. */
export type NamedTemplates = { readonly templates: ReadonlyArray<TemplateRecord>; readonly listedAt: Instant | undefined }

/** Which templates to list. */
export type TemplateQuery = PageQuery & { readonly name?: string }

/** The platform's own list of templates. */
export interface TemplateSource {
  /**
   * The templates of an account, of every status and in every language: all of them, or those of one exact name.
   *
   * Each name and language comes once. The answer comes within a deadline, which is short for one name because a send waits for it. A list that breaks
   * off is none. `reading` follows a long list; a reading that is stopped is `PlatformUnreachable`, and an adapter that reads all at once may ignore it.
   */
  readonly list: (account: TemplateAccount, name?: string, reading?: ListReading) => Promise<E.Either<TemplateSourceError, ReadonlyArray<Template>>>
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

/**
 * Why the list could not be read; then nothing of it was.
 *
 * `PlatformRejected`: the account does not exist, or the platform does not answer for it. `CredentialsRefused`: the access token is not valid, or may
 * not read templates. `PlatformThrottled`: the platform was asked too often. `PlatformUnreachable`: no answer in time, or one that is no list.
 */
export type TemplateSourceError = PlatformRejected | PlatformThrottled | CredentialsRefused | PlatformUnreachable

/**
 * Why the list of templates of a business account could not be read, in a sentence for the operator.
 *
 * Of the platform's error it quotes the code alone, since its texts may quote the access token.
 */
export const catalogueFault = (error: TemplateSourceError): string => {
  switch (error._tag) {
    case 'PlatformRejected': return `The platform knows no business account of this id, or does not show it to this access token${describePlatformCode(error.error)}.`
    case 'CredentialsRefused': return `The platform does not let this access token read templates${describePlatformCode(error.error)}.`
    case 'PlatformThrottled': return `The platform is asked too often for the templates of this business account${describePlatformCode(error.error)}.`
    case 'PlatformUnreachable': return `The list of templates could not be read: ${describeCause(error.cause).message}.`
  }
}
