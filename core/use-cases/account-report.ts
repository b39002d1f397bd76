import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AccountNotice } from '../account-notice.js'
import type { PortFailure } from '../errors.js'
import type { AccountNotices } from '../ports/account-notices.js'
import type { TemplateCatalogue } from '../ports/template-catalogue.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { ChangedPart } from '../template.js'
import { notAhead, type Instant } from '../time.js'
import { alongTemplates, type TemplateEventsDeps } from './template-events.js'

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
export const receiveAccountReport = (deps: AccountReportDeps, report: AccountReport): TE.TaskEither<PortFailure, AccountOutcome> => {
  switch (report._tag) {
    case 'AccountNotice': return keepNotice(deps, report)
    case 'TemplateChanged': return changeTemplate(deps, report)
  }
}

const keepNotice = (
  { accountNotices, windowClock }: AccountReportDeps, { accountId, field, subject, value, at }: AccountNoticeReport,
): TE.TaskEither<PortFailure, AccountOutcome> =>
  async () => {
    if (accountNotices === undefined) return E.right('notice_dropped')
    const kept = await accountNotices.record({ accountId, field, subject, value, at: momentOf(windowClock, at) })()
    return E.map((): AccountOutcome => 'notice_kept')(kept)
  }

const changeTemplate = (deps: AccountReportDeps, { accountId, change, at }: TemplateChanged): TE.TaskEither<PortFailure, AccountOutcome> =>
  async () => {
    const { templateCatalogue, windowClock } = deps
    if (templateCatalogue === undefined) return E.right('template_dropped')
    if (change === undefined) return E.right('unknown_template')
    const along = await alongTemplates(deps, accountId)
    if (E.isLeft(along)) return along
    const changed = await templateCatalogue.change(accountId, { ...change, at: momentOf(windowClock, at) }, along.right)()
    return E.map((isKnown: boolean): AccountOutcome => (isKnown ? 'template_changed' : 'unknown_template'))(changed)
  }

/** When a report says that something happened; its arrival, where it does not say. */
const momentOf = ({ now }: AccountReportDeps['windowClock'], at: Instant | undefined): Instant => notAhead(now(), at ?? now())
