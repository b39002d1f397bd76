import * as E from 'fp-ts/lib/Either.js'
import type { TemplateAccount } from '../../core/kernel/sender.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import { ANY_TEMPLATE, type CatalogueState, isTooOld, type TemplateCatalogue, type TemplateSource } from '../../core/templates/catalogue.js'
import type { TemplateRecord } from '../../core/templates/template.js'
import { type CheckResult, failed, passed } from './check-result.js'
import { listed, printable } from './lines.js'
import { statusCounts } from './status-counts.js'
import { everyItem, stored } from './stored.js'
import { readingFault } from './template-faults.js'

/** Checks that a sender may read the templates of its business account, which costs one call; no line where it may. */
export const checkTemplateAccess = async (
  workspace: string, account: TemplateAccount, templateSource: TemplateSource,
): Promise<ReadonlyArray<CheckResult>> => {
  const answer = await templateSource.list(account, ANY_TEMPLATE)()
  if (E.isRight(answer)) return []
  const { fault, remedy } = readingFault(answer.left)
  const outcome = 'without the list templates are neither checked nor priced by their own category, and messages are still sent'
  return [failed(`templates of ${workspace}`, `business account ${account.businessAccountId}: ${fault}; ${outcome}`, remedy)]
}

/** Says how old the catalogue of a business account is, and which templates the platform has paused or disabled. */
export const showCatalogue = async (
  workspace: string, accountId: string, templateCatalogue: Pick<TemplateCatalogue, 'stateOf' | 'list'>, now: Instant,
): Promise<CheckResult> => {
  const state = await stored(templateCatalogue.stateOf(accountId))
  const templates = await everyItem((query) => stored(templateCatalogue.list(accountId, query)))
  return passed(`catalogue of ${workspace}`, [ageOf(state, now, templates), ...saidOf(templates)].join('; '))
}

/** Says that the workspace sees nothing of the catalogue of its business account. */
export const showRefused = (workspace: string, accountId: string, since: Instant): CheckResult =>
  passed(`catalogue of ${workspace}`, `not used since ${new Date(since).toISOString()}: business account ${accountId} could not be read with this token, but with that of another workspace; ` +
    'the next reading of the list by a gateway or `postern template sync` asks again')

const ageOf = ({ listedAt, fault }: CatalogueState, now: Instant, templates: ReadonlyArray<TemplateRecord>): string => {
  const failure = fault === undefined ? [] : [`the last reading failed ${agoOf(now - fault.at)}: ${printable(fault.sentence).replace(/\.$/, '')}`]
  if (listedAt === undefined) return ['the list was never read, which a gateway does at its start', ...failure].join('; ')
  const read = `${statusCounts(templates)} read ${agoOf(now - listedAt)}`
  const old = isTooOld(listedAt, now) ? ['WARNING, a list that is older than a day checks nothing; see that a gateway runs, and TEMPLATE_SYNC_MINUTES'] : []
  return [read, ...old, ...failure].join('; ')
}

const agoOf = (ms: number): string => {
  if (ms < 2 * MINUTE_MS) return ms < MINUTE_MS ? 'less than a minute ago' : 'a minute ago'
  if (ms < 2 * HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} minutes ago`
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} hours ago` : `${Math.floor(ms / DAY_MS)} days ago`
}

/** The platform pauses and disables templates that it had approved, and lowers the quality of those it is about to pause. */
const saidOf = (templates: ReadonlyArray<TemplateRecord>): ReadonlyArray<string> => [
  ...['paused', 'disabled'].flatMap((status) => listed(status, namesOf(templates.filter((template) => template.status === status)))),
  ...['red', 'yellow'].flatMap((quality) =>
    listed(`of ${quality} quality`, namesOf(templates.filter((template) => template.status === 'approved' && template.quality === quality)))),
]

const namesOf = (templates: ReadonlyArray<TemplateRecord>): ReadonlyArray<string> =>
  templates.map(({ name, language }) => printable(`${name} (${language})`))
