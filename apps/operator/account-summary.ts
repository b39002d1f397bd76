import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { AccountNotice } from '../../core/reports/account.js'
import { listed } from './lines.js'

/**
 * What the platform last said of a business account, as one line without a full stop: restrictions, limits, the quality of its numbers, and
 * templates that cannot be sent or are about to be paused.
 */
export const summaryOf = (notices: ReadonlyArray<AccountNotice>, now: Instant): string => {
  const said = [...notices.flatMap(accountSays(now)), ...notices.flatMap(limitSays), ...notices.flatMap(numberSays), ...templatesSay(notices)]
  return said.length === 0 ? 'the platform has reported neither restrictions nor limits, quality or paused templates' : said.join('; ')
}

type Says = (notice: AccountNotice) => ReadonlyArray<string>

/** Events of the account after which messages are not delivered, or not for long. */
const TROUBLE: ReadonlySet<string> = new Set(['ACCOUNT_RESTRICTION', 'ACCOUNT_VIOLATION', 'ACCOUNT_DELETED', 'ACCOUNT_OFFBOARDED', 'DISABLED_UPDATE'])

const accountSays = (now: Instant): Says => ({ field, subject, value, at }) => {
  if (field !== 'account_update' || !TROUBLE.has(subject)) return []
  const restrictions = listIn(value['restriction_info']).filter((one) => !isOver(one, now))
  if (subject === 'ACCOUNT_RESTRICTION' && restrictions.length === 0 && listIn(value['restriction_info']).length > 0) return []
  const details = [
    ...restrictions.map((one) => textIn(one, 'restriction_type')), textIn(value['ban_info'], 'waba_ban_state'), textIn(value['violation_info'], 'violation_type'),
  ].filter((detail) => detail !== '')
  return [`${subject}${details.length === 0 ? '' : ` (${details.join(', ')})`} on ${dayOf(at)}`]
}

const isOver = (restriction: unknown, now: Instant): boolean => {
  const seconds = Number(textIn(restriction, 'expiration'))
  return seconds > 0 && seconds * SECOND_MS <= now
}

const limitSays: Says = ({ field, value }) => {
  const limit = field === 'business_capability_update' ? textIn(value, 'max_daily_conversations_per_business') || textIn(value, 'max_daily_conversation_per_phone') : ''
  return limit === '' ? [] : [limit === '-1' ? 'no limit of customers a day' : `limit of ${limit} customers a day`]
}

const numberSays: Says = ({ field, subject, value, at }) => {
  if (field !== 'phone_number_quality_update') return []
  const limit = textIn(value, 'max_daily_conversations_per_business') || textIn(value, 'current_limit')
  return [`number ${subject} is ${textIn(value, 'event') || 'changed'}${limit === '' ? '' : ` with ${limit}`} on ${dayOf(at)}`]
}

/** States of a template in which it is sent. */
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

/** Printable text of a property, without what a terminal would take as a command. */
const textIn = (value: unknown, name: string): string => {
  const text: unknown = typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  return typeof text === 'string' || typeof text === 'number' ? String(text).replace(/[^ -~]/g, '').slice(0, LONGEST_TEXT) : ''
}

const listIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
