import * as E from 'fp-ts/lib/Either.js'
import {
  type CredentialsRefused, describeCause, describePlatformCode, type PlatformRejected, type PlatformThrottled, type PlatformUnreachable,
  type PortFailure,
} from '../kernel/failure.js'
import type { Page, PageQuery } from '../kernel/page.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import { DAY_MS, type Instant } from '../kernel/time.js'
import type { TemplateAccount } from '../senders/sender.js'
import type { Template, TemplateChange, TemplateDiff, TemplateRecord } from './template.js'

/** The place of a template in a list that is ordered by name and language. */
export type TemplatePlace = { readonly name: string; readonly language: string }

/** The cursor of the part of a list after a template. */
export const templateCursor = ({ name, language }: TemplatePlace): string => JSON.stringify([name, language])

/** The place that a cursor names. A text that is not a cursor counts as a name. */
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

/** The age of an account's catalogue; `fault` is set if the latest reading failed. */
export type CatalogueState = { readonly listedAt: Instant | undefined; readonly fault: CatalogueFault | undefined }

/** Why a reading of an account's list failed, in a sentence for the operator, and when. */
export type CatalogueFault = { readonly sentence: string; readonly at: Instant }

/** Whether a list is too old, or was never read, to refuse a template because of it: it is too old after a day. */
export const isTooOld = (listedAt: Instant | undefined, now: Instant): boolean => listedAt === undefined || now - listedAt > DAY_MS

/** The state of an account whose list was never read. */
export const NEVER_LISTED: CatalogueState = { listedAt: undefined, fault: undefined }

/** The state after the whole list was read at a given time: it removes a fault that is not later, and never goes back in time. */
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
   * Names, languages and account ids are compared exactly, including letter case.
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
   * Stores the whole list of an account, as of a given time.
   *
   * `listedTemplate` is the rule for each template, `isGone` for templates that are not in the list, `listedState` for the account. A list that was
   * read before the stored one changes nothing. Readers see either all of it or nothing. A template with a name or a language that no
   * catalogue stores (`isCatalogued`) is left out; of two with the same name and language the last counts.
   * If known templates have changed according to `hasChanged`, `outboxEntries` is called once for all of them; its entries may be for
   * several workspaces.
   */
  readonly replaceAll: (
    accountId: string, listed: ReadonlyArray<Template>, at: Instant, outboxEntries?: MakeOutboxEntries<ReadonlyArray<TemplateDiff>>,
  ) => Promise<E.Either<PortFailure, void>>
  /**
   * The same for the templates of one name; listed templates with other names are ignored. It does not count as a reading of the whole list, and changes nothing
   * if the whole list was read after it. Removals are not remembered: a whole list that was read before and arrives later restores the removed templates.
   */
  readonly replaceNamed: (
    accountId: string, name: string, listed: ReadonlyArray<Template>, at: Instant,
    outboxEntries?: MakeOutboxEntries<ReadonlyArray<TemplateDiff>>,
  ) => Promise<E.Either<PortFailure, void>>
  /**
   * Changes a template; `changedTemplate` is the rule. `false`: the catalogue does not have it. `outboxEntries` is called as in
   * `replaceAll`.
   */
  readonly change: (
    accountId: string, change: TemplateChange, outboxEntries?: MakeOutboxEntries<ReadonlyArray<TemplateDiff>>,
  ) => Promise<E.Either<PortFailure, boolean>>
  /** Records why the list of an account could not be read, in a sentence for the operator (`faultedState`). A later `replaceAll` removes the record. */
  readonly noteFault: (accountId: string, fault: string, at: Instant) => Promise<E.Either<PortFailure, void>>
  /** When the list of an account was last read, and why a later reading failed. */
  readonly stateOf: (accountId: string) => Promise<E.Either<PortFailure, CatalogueState>>
}

/** The templates of one name and when the whole list of the account was last read; `undefined` if never. */
export type NamedTemplates = { readonly templates: ReadonlyArray<TemplateRecord>; readonly listedAt: Instant | undefined }

/** The templates to list. */
export type TemplateQuery = PageQuery & { readonly name?: string }

/** The platform's own list of templates. */
export interface TemplateSource {
  /**
   * The templates of an account, of every status and in every language: all of them, or those of one exact name.
   *
   * Each name and language occurs once. The call returns before a deadline, which is short for one name because a send waits for it. An incomplete list counts as
   * a failure. `reading` follows a long list; a reading that is stopped is `PlatformUnreachable`, and an adapter that reads everything in one call may ignore it.
   */
  readonly list: (
    account: TemplateAccount, name?: string, reading?: ListReading,
  ) => Promise<E.Either<TemplateSourceError, ReadonlyArray<Template>>>
}

/** A name to query if only the response matters: the templates of one name are a small response, whether there are any or not. */
export const ANY_TEMPLATE = 'hello_world'

/** Makes the function that checks whether the platform lets a token read the templates of a business account. Left: one sentence without a full stop. */
export const makeCheckAccount =
  (source: Pick<TemplateSource, 'list'>) =>
  async (account: TemplateAccount): Promise<E.Either<string, void>> => {
    const listed = await source.list(account, ANY_TEMPLATE)
    return E.isLeft(listed) ? E.left(catalogueFault(listed.left).replace(/\.$/, '')) : E.right(undefined)
  }

/** A running reading of a list. */
export type ListReading = {
  /** Called after each part with the number of templates so far. */
  readonly onPage: (templates: number) => void
  /** Once it returns true, no further part is read. */
  readonly isStopped: () => boolean
}

/**
 * Why the list could not be read; no part of it is used then.
 *
 * `PlatformRejected`: the account does not exist, or the platform does not give access to it. `CredentialsRefused`: the access token is not valid, or may
 * not read templates. `PlatformThrottled`: the platform received too many requests. `PlatformUnreachable`: no response before the deadline, or one that is not a list.
 */
export type TemplateSourceError = PlatformRejected | PlatformThrottled | CredentialsRefused | PlatformUnreachable

/**
 * Why the list of templates of a business account could not be read, in a sentence for the operator.
 *
 * It quotes only the code of the platform's error, because its texts may quote the access token.
 */
export const catalogueFault = (error: TemplateSourceError): string => {
  switch (error._tag) {
    case 'PlatformRejected': return `The business account does not exist, or this access token has no access to it${describePlatformCode(error.error)}.`
    case 'CredentialsRefused': return `This access token may not read templates${describePlatformCode(error.error)}.`
    case 'PlatformThrottled': return `There were too many requests for the templates of this business account${describePlatformCode(error.error)}.`
    case 'PlatformUnreachable': return `The list of templates could not be read: ${describeCause(error.cause).message}.`
  }
}
