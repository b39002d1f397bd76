import * as E from 'fp-ts/lib/Either.js'
import type { WindowClock } from '../customers/window.js'
import type { PortFailure } from '../kernel/failure.js'
import type { JsonObject } from '../kernel/json.js'
import { type Instant, notAhead } from '../kernel/time.js'
import type { TemplateCatalogue } from '../templates/catalogue.js'
import type { ChangedPart } from '../templates/template.js'
import { alongTemplates, type TemplateEventsDeps } from '../templates/use-cases.js'

/** What the platform's notices on an account are about. */
export const ACCOUNT_FIELDS = [
  'message_template_status_update', 'message_template_quality_update', 'template_category_update', 'account_update', 'phone_number_quality_update',
  'business_capability_update',
] as const

/** What a notice is about: a template's state, quality or category, the account, a number's quality, or the account's limits. */
export type AccountField = (typeof ACCOUNT_FIELDS)[number]

/** What the platform said of a business account. */
export type AccountNotice = {
  /** The platform's id of the business account, up to 64 characters. */
  readonly accountId: string
  readonly field: AccountField
  /** What of the account it is about, up to 255 printable ASCII characters: a template's id, a phone number, an event; empty for the whole account. */
  readonly subject: string
  /** What the platform said, as it said it. */
  readonly value: JsonObject
  readonly at: Instant
}

/** How many notices of one account are kept; of more, the oldest are dropped. */
export const NOTICES_KEPT = 1_000

/** Whether a notice takes the place of the one that was kept of the same account, field and subject: it does unless it is older. */
export const supersedes = (notice: AccountNotice, kept: AccountNotice | undefined): boolean => kept === undefined || notice.at >= kept.at

/** What the platform last said of each business account. */
export interface AccountNotices {
  /**
   * Keeps a notice instead of the one before it of the same account, field and subject; one that is older than that changes nothing.
   *
   * Of one account the latest `NOTICES_KEPT` are kept.
   */
  readonly record: (notice: AccountNotice) => Promise<E.Either<PortFailure, void>>
  /** The notices of an account, latest first; empty where there are none. */
  readonly latest: (accountId: string) => Promise<E.Either<PortFailure, ReadonlyArray<AccountNotice>>>
}

/** A report about a business account. */
export type AccountReport = AccountNoticeReport | TemplateChanged

/** The platform said something of a business account; `at` is absent where it does not say when. */
export type AccountNoticeReport = Omit<AccountNotice, 'at'> & { readonly _tag: 'AccountNotice'; readonly at?: Instant }

/** A template of a business account has changed; `at` is absent where the platform does not say when. */
export type TemplateChanged = {
  readonly _tag: 'TemplateChanged'
  readonly accountId: string
  readonly at?: Instant
  /** What it is now; absent where only the platform's list says so. */
  readonly change?: { readonly name: string; readonly language: string } & ChangedPart
}

/**
 * What came of a report about an account. `notice_dropped`, `template_dropped`: there is nothing to keep it in. `unknown_template`: the catalogue does
 * not have the template, or the report does not say what it is now; the platform's list does.
 */
export type AccountOutcome = 'notice_kept' | 'notice_dropped' | 'template_changed' | 'template_dropped' | 'unknown_template'

/** What taking in such a report needs. */
export type AccountReportDeps = TemplateEventsDeps & {
  readonly windowClock: Pick<WindowClock, 'now'>
  /** Where what the platform says of accounts is kept; where absent, nothing is. */
  readonly accountNotices?: Pick<AccountNotices, 'record'>
  /** Where templates are kept; where absent, none are. */
  readonly templateCatalogue?: Pick<TemplateCatalogue, 'change'>
}

/** Keeps what a report says of an account or of one of its templates. */
export const receiveAccountReport = (deps: AccountReportDeps, report: AccountReport): Promise<E.Either<PortFailure, AccountOutcome>> => {
  switch (report._tag) {
    case 'AccountNotice': return keepNotice(deps, report)
    case 'TemplateChanged': return changeTemplate(deps, report)
  }
}

const keepNotice = async (
  { accountNotices, windowClock }: AccountReportDeps, { accountId, field, subject, value, at }: AccountNoticeReport,
): Promise<E.Either<PortFailure, AccountOutcome>> => {
  if (accountNotices === undefined) return E.right('notice_dropped')
  const kept = await accountNotices.record({ accountId, field, subject, value, at: momentOf(windowClock, at) })
  return E.map((): AccountOutcome => 'notice_kept')(kept)
}

const changeTemplate = async (deps: AccountReportDeps, { accountId, change, at }: TemplateChanged): Promise<E.Either<PortFailure, AccountOutcome>> => {
  const { templateCatalogue, windowClock } = deps
  if (templateCatalogue === undefined) return E.right('template_dropped')
  if (change === undefined) return E.right('unknown_template')
  const entriesOf = await alongTemplates(deps, accountId)
  if (E.isLeft(entriesOf)) return entriesOf
  const changed = await templateCatalogue.change(accountId, { ...change, at: momentOf(windowClock, at) }, entriesOf.right)
  return E.map((isKnown: boolean): AccountOutcome => (isKnown ? 'template_changed' : 'unknown_template'))(changed)
}

/** When a report says that something happened; its arrival, where it does not say. */
const momentOf = ({ now }: AccountReportDeps['windowClock'], at: Instant | undefined): Instant => notAhead(now(), at ?? now())
