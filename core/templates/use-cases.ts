import * as E from 'fp-ts/lib/Either.js'
import type { WindowClock } from '../customers/window.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { rememberedNearestNames } from '../kernel/nearest.js'
import { type MakeOutboxEntries, entriesAlways, type EventDeps, hasListener } from '../kernel/outbox.js'
import { type Instant, MINUTE_MS, SECOND_MS } from '../kernel/time.js'
import type { TemplateMessage } from '../messages/message.js'
import {
  chosenSender, readableAccount, type Sender, type SenderAccounts, type SenderChoice, type SenderDirectory, type TemplateAccount,
  type UnknownSender,
} from '../senders/sender.js'
import {
  type CatalogueState, isTooOld, type NamedTemplates, NEVER_LISTED, type TemplateCatalogue, templateCursor, type TemplateQuery,
  type TemplateSource,
} from './catalogue.js'
import { checkTemplate, type TemplateNotApproved, type TemplateNotFound, type TemplateParameters } from './check.js'
import { isApproved, isSendable, type Template, type TemplateDiff, type TemplateRecord, templatesChanged } from './template.js'

/** Lists the templates in the catalogue that a sender may send; none if its business account is unknown, or if its token may not read it. */
export type ListTemplates = (
  choice: SenderChoice, query: TemplateQuery,
) => Promise<E.Either<UnknownSender | PortFailure, Page<TemplateRecord>>>

/** The dependencies of listing templates. */
export type ListTemplatesDeps = {
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'list'>
}

export const makeListTemplates =
  ({ senders, templateCatalogue }: ListTemplatesDeps): ListTemplates =>
  async (choice, query) => {
    const sender = await chosenSender(senders, choice)
    if (E.isLeft(sender)) return sender
    const accountId = readableAccount(sender.right)
    return accountId === undefined ? E.right({ items: [], next: undefined }) : templateCatalogue.list(accountId, query)
  }

/** Shows the templates of a sender's business account to people: filtered, and with the state of the catalogue. */
export type BrowseTemplates = (choice: SenderChoice, query: BrowseQuery) => Promise<E.Either<UnknownSender | PortFailure, BrowsedTemplates>>

/** The templates to show: those whose name contains a text, in any letter case, and those in a status. */
export type BrowseQuery = PageQuery & { readonly named?: string; readonly status?: string }

/** A page of templates, which may have fewer than requested and still a `next`. */
export type BrowsedTemplates = {
  /** The business account; absent if the sender names none, or if its token may not read it. */
  readonly account: string | undefined
  /** Since when the token may not read the account. */
  readonly refusedSince: Instant | undefined
  readonly state: CatalogueState
  readonly page: Page<TemplateRecord>
}

/** The dependencies of browsing. */
export type BrowseTemplatesDeps = {
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'list' | 'stateOf'>
}

/** No index supports a filter, so a page looks at this number of templates at most. */
const LOOKED_AT = 1_000
const READ_AT_ONCE = 200

export const makeBrowseTemplates =
  (deps: BrowseTemplatesDeps): BrowseTemplates =>
  async (choice, query) => {
    const sender = await chosenSender(deps.senders, choice)
    if (E.isLeft(sender)) return sender
    const [account, refusedSince] = [readableAccount(sender.right), sender.right?.accountRefusedSince]
    if (account === undefined) return E.right({ account, refusedSince, state: NEVER_LISTED, page: { items: [], next: undefined } })
    const [state, page] = await Promise.all([deps.templateCatalogue.stateOf(account), look(deps, account, query)])
    if (E.isLeft(state)) return state
    return E.isLeft(page) ? page : E.right({ account, refusedSince, state: state.right, page: page.right })
  }

const look = async (
  { templateCatalogue }: BrowseTemplatesDeps, account: string, query: BrowseQuery,
): Promise<E.Either<PortFailure, Page<TemplateRecord>>> => {
  const { limit, cursor, named, status } = query
  const wanted = (template: TemplateRecord): boolean =>
    (named === undefined || template.name.toLowerCase().includes(named.toLowerCase()))
    && (status === undefined || template.status === status)
  const found: Array<TemplateRecord> = []
  let next = cursor
  for (let looked = 0; looked < LOOKED_AT; looked += READ_AT_ONCE) {
    const read = await templateCatalogue.list(account, { limit: READ_AT_ONCE, ...(next !== undefined && { cursor: next }) })
    if (E.isLeft(read)) return read
    found.push(...read.right.items.filter(wanted))
    if (found.length > limit) {
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return E.right({ items, next: last && templateCursor(last) })
    }
    next = read.right.next
    if (next === undefined) break
  }
  return E.right({ items: found, next })
}

/** What making the events of templates needs; if `sharing` is absent, no events are made. */
export type TemplateEventsDeps = EventDeps & { readonly senders?: Partial<Pick<SenderAccounts, 'sharing'>> }

/**
 * Makes the events of an account's templates, for each workspace that sends through the account and that has a listener; `undefined` if
 * there is no such workspace.
 */
export const alongTemplates = async (
  { events, senders }: TemplateEventsDeps, accountId: string,
): Promise<E.Either<PortFailure, MakeOutboxEntries<ReadonlyArray<TemplateDiff>> | undefined>> => {
  if (events === undefined || senders?.sharing === undefined) return E.right(undefined)
  const sharing = await senders.sharing(accountId)
  if (E.isLeft(sharing)) return sharing
  const sending = [...new Set(sharing.right.map(({ workspace }) => workspace))]
  const heard = await Promise.all(sending.map(async (workspace) => ((await hasListener(events, workspace)) ? [workspace] : [])))
  const workspaces: ReadonlyArray<WorkspaceId> = heard.flat()
  return E.right(workspaces.length === 0 ? undefined : entriesAlways(events, templatesChanged(workspaces, accountId)))
}

/** Reads the templates of one name from the platform into the catalogue, in every language. `false`: the catalogue is as it was. */
export type RefreshTemplate = (account: TemplateAccount, name: string) => Promise<boolean>

/** The dependencies of rereading a template. */
export type RefreshTemplateDeps = TemplateEventsDeps & {
  readonly templateCatalogue: Pick<TemplateCatalogue, 'replaceNamed'>
  readonly templateSource: TemplateSource
  readonly windowClock: Pick<WindowClock, 'now'>
}

/** The maximum number of readings of an account in `FRESH_MS`. The platform allows 5,000 calls an hour for an account, and each process counts separately. */
const MAX_READINGS = 60

/** How long a reading is valid, even a failed one, so that a wrong name in every send costs one call a minute. */
const FRESH_MS = MINUTE_MS

/** How long an account is not read if the platform throttles without naming a time. */
const THROTTLED_SECONDS = 60

type Reading = { readonly accountId: string; readonly at: Instant; readonly isRead: Promise<boolean> }

/**
 * Makes the function that reads. It remembers its results: a name is read at most once a minute, and simultaneous callers share one reading. An account that
 * the platform throttles is not read again before the time that the platform names.
 */
export const makeRefreshTemplate = (deps: RefreshTemplateDeps): RefreshTemplate => {
  const readings = new Map<string, Reading>()
  const throttled = new Map<string, Instant>()
  return async (account, name) => {
    const at = deps.windowClock.now()
    const { businessAccountId: accountId } = account
    const key = `${accountId} ${name}`
    forgetOld(readings, at)
    const known = readings.get(key)
    if (known !== undefined) return known.isRead
    if (isExhausted(readings, accountId) || at < (throttled.get(accountId) ?? at)) return false
    const isRead = read(deps, account, name, at, (until) => throttled.set(accountId, until))
    readings.set(key, { accountId, at, isRead })
    return isRead
  }
}

/** The readings are ordered by their timestamps. If the clock goes back, they are forgotten too. */
const forgetOld = (readings: Map<string, Reading>, now: Instant): void => {
  for (const [key, { at }] of readings) {
    if (Math.abs(now - at) < FRESH_MS) return
    readings.delete(key)
  }
}

const isExhausted = (readings: ReadonlyMap<string, Reading>, accountId: string): boolean =>
  [...readings.values()].filter((reading) => reading.accountId === accountId).length >= MAX_READINGS

const read = async (
  deps: RefreshTemplateDeps, account: TemplateAccount, name: string, at: Instant, onThrottled: (until: Instant) => void,
): Promise<boolean> => {
  const listed = await deps.templateSource.list(account, name)
  if (E.isRight(listed)) {
    const outboxEntries = await alongTemplates(deps, account.businessAccountId)
    return E.isRight(outboxEntries)
      && E.isRight(await deps.templateCatalogue.replaceNamed(account.businessAccountId, name, listed.right, at, outboxEntries.right))
  }
  if (listed.left._tag === 'PlatformThrottled') onThrottled(at + (listed.left.retryAfterSeconds ?? THROTTLED_SECONDS) * SECOND_MS)
  return false
}

/** The reasons for which the platform would refuse a template. */
export type PreflightRefusal = TemplateNotFound | TemplateNotApproved | TemplateParameters

/** The catalogue's templates with one name in a business account, or why they could not be read. */
export type ListedTemplates = { readonly accountId: string; readonly found: E.Either<PortFailure, NamedTemplates> }

/** The dependencies of checking templates. */
export type PreflightDeps = {
  /** The copy of the platform's templates; if absent, no template is known. */
  readonly templateCatalogue?: Pick<TemplateCatalogue, 'find' | 'names'>
  /** Queries the platform before a template is refused; if absent, a template that the catalogue does not have is not refused. */
  readonly refreshTemplate?: RefreshTemplate
  /** `off`: no template is refused; its category still determines its price. Default: `on`. */
  readonly templatePreflight?: 'on' | 'off'
  readonly windowClock: Pick<WindowClock, 'now'>
}

/**
 * Looks a template up, unless `listed` already has the catalogue's result, and checks it before money is held for it. Right: the template; `undefined` if it is not
 * known with certainty, so that the platform decides.
 *
 * A wrong refusal is worse than the platform's own, which costs nothing. So before the catalogue refuses a template, its name is read again from
 * the platform. If that fails, a template that the catalogue does not have is not refused.
 */
export const preflight = async (
  deps: PreflightDeps, sender: Sender, message: TemplateMessage, listed?: ListedTemplates,
): Promise<E.Either<PreflightRefusal | PortFailure, Template | undefined>> => {
  const accountId = readableAccount(sender)
  const { templateCatalogue: catalogue, refreshTemplate = notRefreshed, templatePreflight = 'on', windowClock } = deps
  if (catalogue === undefined || accountId === undefined) return E.right(undefined)
  const found = listed?.accountId === accountId ? listed.found : await catalogue.find(accountId, message.name)
  if (E.isLeft(found)) return found
  if (templatePreflight === 'off' || isTooOld(found.right.listedAt, windowClock.now())) return E.right(templateOf(found.right, message))
  const checked = check(found.right, message)
  if (E.isRight(checked)) return checked
  const isRefreshed = await refreshTemplate({ businessAccountId: accountId, accessToken: sender.accessToken }, message.name)
  if (!isRefreshed) return checked.left._tag === 'TemplateNotFound' ? E.right(undefined) : checked
  const fresh = await catalogue.find(accountId, message.name)
  return E.isLeft(fresh) ? fresh : withNearest(catalogue, accountId, check(fresh.right, message), windowClock.now())
}

const notRefreshed: RefreshTemplate = () => Promise.resolve(false)

const templateOf = ({ templates }: NamedTemplates, { language }: TemplateMessage): Template | undefined =>
  templates.find((template) => template.language === language)

const check = (found: NamedTemplates, message: TemplateMessage): E.Either<PreflightRefusal, Template> => {
  const { name, language, components } = message
  const languages = found.templates.filter(isApproved).map((template) => template.language)
  const template = templateOf(found, message)
  if (template === undefined) return E.left({ _tag: 'TemplateNotFound', name, language, languages, nearest: [] })
  if (!isSendable(template)) return E.left({ _tag: 'TemplateNotApproved', name, language, status: template.status, languages })
  const filled = checkTemplate(template, components)
  return E.isLeft(filled) ? filled : E.right(template)
}

/** A name that exists in no language may be misspelt. */
const withNearest = async (
  catalogue: Pick<TemplateCatalogue, 'names'>, accountId: string, checked: E.Either<PreflightRefusal, Template>, now: Instant,
): Promise<E.Either<PreflightRefusal, Template>> => {
  if (E.isRight(checked) || checked.left._tag !== 'TemplateNotFound' || checked.left.languages.length > 0) return checked
  const names = await catalogue.names(accountId)
  return E.isLeft(names) ? checked : E.left({ ...checked.left, nearest: rememberedNearestNames(checked.left.name, names.right, now) })
}
