import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { Page, PageQuery } from '../../core/kernel/page.js'
import { type Instant, iso, SECOND_MS } from '../../core/kernel/time.js'
import type { AccountNotice } from '../../core/reports/account.js'
import type { KnownNumber } from '../../core/senders/number-health.js'
import type { TemplateRecord } from '../../core/templates/template.js'
import { causeOf } from './package.js'

/** The number of templates, and the number for each status: `3 templates (2 approved, 1 paused)`. */
export const statusCounts = (templates: ReadonlyArray<TemplateRecord>): string => {
  const counts = new Map<string, number>()
  for (const { status } of templates) counts.set(status, (counts.get(status) ?? 0) + 1)
  const each = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([status, count]) => `${count} ${status}`)
  return `${templates.length === 1 ? 'one template' : `${templates.length} templates`}${each.length === 0 ? '' : ` (${each.join(', ')})`}`
}

/** A text of the platform in one line, without characters that a terminal would interpret as a command or a change of writing direction. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, '')

/** The maximum number of names in a line. */
const NAMED = 10

/** Names after their title, as a part of a line; empty if there are no names. */
export const listed = (title: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`${title}: ${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`]

/**
 * The platform's latest notices about a business account, as one line without a full stop: restrictions, limits, the quality of its numbers, and
 * templates that cannot be sent or are about to be paused.
 */
export const summaryOf = (notices: ReadonlyArray<AccountNotice>, now: Instant): string => {
  const said = [
    ...notices.flatMap(accountSays(now)), ...notices.flatMap(limitSays), ...notices.flatMap(numberSays), ...templatesSay(notices),
  ]
  return said.length === 0 ? 'the platform has reported neither restrictions nor limits, quality or paused templates' : said.join('; ')
}

type Says = (notice: AccountNotice) => ReadonlyArray<string>

/** Account events after which messages are no longer delivered, or will soon stop being delivered. */
const TROUBLE: ReadonlySet<string> = new Set([
  'ACCOUNT_RESTRICTION', 'ACCOUNT_VIOLATION', 'ACCOUNT_DELETED', 'ACCOUNT_OFFBOARDED', 'DISABLED_UPDATE',
])

const accountSays = (now: Instant): Says => ({ field, subject, value, at }) => {
  if (field !== 'account_update' || !TROUBLE.has(subject)) return []
  const restrictions = listIn(value['restriction_info']).filter((one) => !isOver(one, now))
  if (subject === 'ACCOUNT_RESTRICTION' && restrictions.length === 0 && listIn(value['restriction_info']).length > 0) return []
  const details = [
    ...restrictions.map((one) => textIn(one, 'restriction_type')), textIn(value['ban_info'], 'waba_ban_state'),
    textIn(value['violation_info'], 'violation_type'),
  ].filter((detail) => detail !== '')
  return [`${subject}${details.length === 0 ? '' : ` (${details.join(', ')})`} on ${dayOf(at)}`]
}

const isOver = (restriction: unknown, now: Instant): boolean => {
  const seconds = Number(textIn(restriction, 'expiration'))
  return seconds > 0 && seconds * SECOND_MS <= now
}

const limitSays: Says = ({ field, value }) => {
  const limit = field === 'business_capability_update'
    ? textIn(value, 'max_daily_conversations_per_business') || textIn(value, 'max_daily_conversation_per_phone')
    : ''
  return limit === '' ? [] : [limit === '-1' ? 'no limit of customers a day' : `limit of ${limit} customers a day`]
}

const numberSays: Says = ({ field, subject, value, at }) => {
  if (field !== 'phone_number_quality_update') return []
  const limit = textIn(value, 'max_daily_conversations_per_business') || textIn(value, 'current_limit')
  return [`number ${subject} is ${textIn(value, 'event') || 'changed'}${limit === '' ? '' : ` with ${limit}`} on ${dayOf(at)}`]
}

/** What is known of a number, as one line without a full stop: its quality, how many customers a day and messages a second it may send, and when that was read. */
export const numberSummary = (
  { displayNumber, quality, qualitySince, customersPerDay, messagesPerSecond, readAt }: KnownNumber,
): string => [
  ...(displayNumber === undefined ? [] : [printable(displayNumber)]),
  `quality ${quality ?? 'not reported'}${qualitySince === undefined ? '' : ` since ${dayOf(qualitySince)}`}`,
  customersPerDay === undefined
    ? 'no limit of customers reported'
    : customersPerDay === 'unlimited' ? 'no limit of customers a day' : `${customersPerDay} customers a day`,
  ...(messagesPerSecond === undefined ? [] : [`${messagesPerSecond} messages a second`]),
  `read at ${iso(readAt)}`,
].join(', ')

/** States in which a template can be sent. */
const SENT: ReadonlySet<string> = new Set(['APPROVED', 'REINSTATED', 'UNARCHIVED', ''])

const templatesSay = (notices: ReadonlyArray<AccountNotice>): ReadonlyArray<string> => {
  const stopped = notices.filter(({ field, value }) => field === 'message_template_status_update' && !SENT.has(textIn(value, 'event')))
  const poor = notices.filter(({ field, value }) =>
    field === 'message_template_quality_update' && ['RED', 'YELLOW'].includes(textIn(value, 'new_quality_score')))
  return [
    ...listed('templates that are not sent', stopped.map((notice) => `${templateOf(notice)} ${textIn(notice.value, 'event')}`)),
    ...listed('templates of low quality', poor.map((notice) => `${templateOf(notice)} ${textIn(notice.value, 'new_quality_score')}`)),
  ]
}

const templateOf = ({ subject, value }: AccountNotice): string => textIn(value, 'message_template_name') || subject

const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10)

const LONGEST_TEXT = 100

/** Printable text of a property, without characters that a terminal would interpret as a command. */
const textIn = (value: unknown, name: string): string => {
  const text: unknown = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
  return typeof text === 'string' || typeof text === 'number' ? String(text).replace(/[^ -~]/g, '').slice(0, LONGEST_TEXT) : ''
}

const listIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const PAGE_SIZE = 100

/** The result of a storage; its failure is thrown, with a sentence. */
export const stored = async <A>(step: Promise<E.Either<PortFailure, A>>): Promise<A> => {
  const result = await step
  if (E.isLeft(result)) throw new Error(`The database failed: ${causeOf(result.left.cause).message}.`)
  return result.right
}

/** Every item of a list, page after page, or only the first `limit` items. */
export const everyItem = async <Item>(
  page: (query: PageQuery) => Promise<Page<Item>>, limit = Number.POSITIVE_INFINITY,
): Promise<ReadonlyArray<Item>> => {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const { items: more, next } = await page({ limit: Math.min(PAGE_SIZE, limit - items.length), ...(cursor !== undefined && { cursor }) })
    items.push(...more)
    cursor = next
  } while (cursor !== undefined && items.length < limit)
  return items
}
