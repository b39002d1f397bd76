import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WindowClock } from '../customers/window.js'
import type { PortFailure } from '../kernel/failure.js'
import type { AppId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import { type Instant, notAhead } from '../kernel/time.js'
import { numberDigits, type NumberHealth, READ_SOON_MS } from '../senders/number-health.js'
import type { SenderAccounts, SenderDirectory } from '../senders/sender.js'
import type { TemplateCatalogue } from '../templates/catalogue.js'
import type { ChangedPart } from '../templates/template.js'
import { alongTemplates, type TemplateEventsDeps } from '../templates/use-cases.js'

/** The subjects of the platform's notices on an account. */
export const ACCOUNT_FIELDS = [
  'message_template_status_update', 'message_template_quality_update', 'template_category_update', 'account_update',
  'phone_number_quality_update', 'business_capability_update',
] as const

/** The subject of a notice: a template's state, quality or category, the account, a number's quality, or the account's limits. */
export type AccountField = (typeof ACCOUNT_FIELDS)[number]

/** A notice of the platform about a business account. */
export type AccountNotice = {
  /** The platform's id of the business account, up to 64 characters. */
  readonly accountId: string
  readonly field: AccountField
  /** The part of the account that it is about, up to 255 printable ASCII characters: a template's id, a phone number, an event; empty for the whole account. */
  readonly subject: string
  /** The platform's data, unchanged. */
  readonly value: JsonObject
  readonly at: Instant
}

/** How many notices of one account are kept; the oldest ones beyond this number are removed. */
export const NOTICES_KEPT = 1_000

/** Whether a notice replaces the stored notice of the same account, field and subject: it does unless it is older. */
export const supersedes = (notice: AccountNotice, kept: AccountNotice | undefined): boolean => kept === undefined || notice.at >= kept.at

/** The latest notices of the platform about each business account. */
export interface AccountNotices {
  /**
   * Stores a notice and replaces the previous one of the same account, field and subject; a notice that is older than the stored one changes nothing.
   *
   * The latest `NOTICES_KEPT` notices of an account are kept.
   */
  readonly record: (notice: AccountNotice) => Promise<E.Either<PortFailure, void>>
  /** The notices of an account, latest first; empty if there are none. */
  readonly latest: (accountId: string) => Promise<E.Either<PortFailure, ReadonlyArray<AccountNotice>>>
}

/** A report about a business account. */
export type AccountReport = AccountNoticeReport | TemplateChanged

/** The platform reported something about a business account; `at` is absent if the report has no date. */
export type AccountNoticeReport = Omit<AccountNotice, 'at'> & { readonly _tag: 'AccountNotice'; readonly at?: Instant }

/** A template of a business account has changed; `at` is absent if the report has no date. */
export type TemplateChanged = {
  readonly _tag: 'TemplateChanged'
  readonly accountId: string
  readonly at?: Instant
  /** Its new value; absent if only the platform's list contains it. */
  readonly change?: { readonly name: string; readonly language: string } & ChangedPart
}

/**
 * The result of a report about an account. `notice_dropped`, `template_dropped`: there is no store for it. `unknown_template`: the catalogue does
 * not have the template, or the report does not contain the new value; the platform's list does.
 */
export type AccountOutcome = 'notice_kept' | 'notice_dropped' | 'template_changed' | 'template_dropped' | 'unknown_template'

/** The dependencies of finding the apps of a business account. Without `sharing` every account belongs to every app. */
export type AccountAppDeps = {
  readonly senders: Pick<SenderDirectory, 'ownerOf'> & Partial<Pick<SenderAccounts, 'sharing' | 'notSharing'>>
  readonly windowClock: Pick<WindowClock, 'now'>
}

/**
 * Whether a business account has a sender of an app, so that the reports of this app about it count; `undefined` is the app of the environment, to which an account
 * without a sender belongs.
 */
export const isAccountOfApp = async (
  { senders: { ownerOf, sharing, notSharing }, windowClock }: AccountAppDeps, accountId: string, app: AppId | undefined,
): Promise<E.Either<PortFailure, boolean>> => {
  if (sharing === undefined) return E.right(true)
  const listed = E.sequenceArray(await Promise.all([sharing(accountId), ...(notSharing === undefined ? [] : [notSharing(accountId)])]))
  if (E.isLeft(listed)) return listed
  const now = windowClock.now()
  const owners = E.sequenceArray(await Promise.all(listed.right.flat().map(({ sender }) => ownerOf(sender, now))))
  if (E.isLeft(owners)) return owners
  return E.right(owners.right.length === 0 ? app === undefined : owners.right.some((owner) => O.isSome(owner) && owner.value.app === app))
}

/** The dependencies of processing such a report. */
export type AccountReportDeps = TemplateEventsDeps & {
  readonly windowClock: Pick<WindowClock, 'now'>
  /** Where the platform's notices about accounts are stored; if absent, none are stored. */
  readonly accountNotices?: Pick<AccountNotices, 'record'>
  /** Where it is stored that numbers are read again soon; if absent, they are read only at their usual times. */
  readonly numberHealth?: Pick<NumberHealth, 'want'>
  /** Where templates are stored; if absent, none are stored. */
  readonly templateCatalogue?: Pick<TemplateCatalogue, 'change'>
}

/** Stores the contents of a report about an account or one of its templates. */
export const receiveAccountReport = (deps: AccountReportDeps, report: AccountReport): Promise<E.Either<PortFailure, AccountOutcome>> => {
  switch (report._tag) {
    case 'AccountNotice': return keepNotice(deps, report)
    case 'TemplateChanged': return changeTemplate(deps, report)
  }
}

/** The notices after which the numbers of an account are read again. Such a notice does not contain everything, and some of its fields have several meanings. */
const ABOUT_NUMBERS: ReadonlySet<AccountField> = new Set(['phone_number_quality_update', 'business_capability_update'])

const keepNotice = async (
  { accountNotices, numberHealth, windowClock }: AccountReportDeps, { accountId, field, subject, value, at }: AccountNoticeReport,
): Promise<E.Either<PortFailure, AccountOutcome>> => {
  if (numberHealth !== undefined && ABOUT_NUMBERS.has(field)) {
    // The subject of a notice about a number is the number.
    const digits = numberDigits(subject)
    const wanted = await numberHealth.want({ accountId, ...(digits !== '' && { digits }) }, windowClock.now() + READ_SOON_MS)
    if (E.isLeft(wanted)) return wanted
  }
  if (accountNotices === undefined) return E.right('notice_dropped')
  const kept = await accountNotices.record({ accountId, field, subject, value, at: momentOf(windowClock, at) })
  return E.map((): AccountOutcome => 'notice_kept')(kept)
}

const changeTemplate = async (
  deps: AccountReportDeps, { accountId, change, at }: TemplateChanged,
): Promise<E.Either<PortFailure, AccountOutcome>> => {
  const { templateCatalogue, windowClock } = deps
  if (templateCatalogue === undefined) return E.right('template_dropped')
  if (change === undefined) return E.right('unknown_template')
  const outboxEntries = await alongTemplates(deps, accountId)
  if (E.isLeft(outboxEntries)) return outboxEntries
  const changed = await templateCatalogue.change(accountId, { ...change, at: momentOf(windowClock, at) }, outboxEntries.right)
  return E.map((isKnown: boolean): AccountOutcome => (isKnown ? 'template_changed' : 'unknown_template'))(changed)
}

/** The time of the event according to the report; the time of its arrival, if the report has no date. */
const momentOf = ({ now }: AccountReportDeps['windowClock'], at: Instant | undefined): Instant => notAhead(now(), at ?? now())
