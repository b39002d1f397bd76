import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { type Category, type Currency, reportedCategory } from '../../core/kernel/money.js'
import { type Draft, reportedType } from '../../core/messages/message-log.js'
import {
  isOutcomeUnknown, MESSAGE_STATES, type MessageId, type MessageProgress, type MessageRecord, type MessageState, openRecord, type PlatformId,
} from '../../core/messages/message.js'
import { type Bound, instant, micros, type Row, textOrNone } from './sql.js'
import { storableText } from './storable-text.js'

/** The states with a column for their moment, each before those that it leads to. */
export const DATED_STATES = MESSAGE_STATES.filter((state) => state !== 'pending')

/** The columns that are written when a message is opened. */
export const OPENED_COLUMNS = [
  'workspace_id', 'id', 'kind', 'customer', 'state', 'price', 'currency', 'category', 'template_name', 'language', 'created_at', 'open_since',
] as const

/** The values of `OPENED_COLUMNS` for a draft, without the text's body and the template's variables. */
export const openedRow = (draft: Draft): ReadonlyArray<Bound> => {
  const { workspace, id, kind, to, state, price, templateName, language, createdAt } = openRecord(draft)
  return [
    workspace, id, kind, to, state, price.micros, price.currency, price.category,
    templateName ?? null, language ?? null, createdAt, createdAt,
  ]
}

/** The record of a row of `messages`. */
export const recordOf = (row: Row): MessageRecord => ({
  id: row['id'] as MessageId,
  workspace: row['workspace_id'] as WorkspaceId,
  kind: row['kind'] as MessageRecord['kind'],
  to: row['customer'] as PhoneNumber,
  price: { micros: micros(row['price']), currency: row['currency'] as Currency, category: row['category'] as Category },
  templateName: textOrNone(row['template_name']),
  language: textOrNone(row['language']),
  createdAt: instant(row['created_at']),
  ...progressOf(row),
})

/** The columns that `progressOf` reads. */
export const PROGRESS_COLUMNS = ['state', 'platform_id', 'pricing', 'error', 'created_at', ...DATED_STATES.map((state) => `${state}_at`)] as const

/** The part of a row that changes after the message was opened. */
export const progressOf = (row: Row): MessageProgress => ({
  platformId: textOrNone(row['platform_id']) as PlatformId | undefined,
  state: row['state'] as MessageState,
  error: jsonOrNone(row['error']),
  pricing: jsonOrNone(row['pricing']),
  history: historyOf(row),
})

/** The columns that differ between two states of a message's progress, with their new values. */
export const changedColumns = (before: MessageProgress, after: MessageProgress): Map<string, Bound> => {
  const columns = new Map<string, Bound>()
  for (const { state, at } of after.history) {
    if (!before.history.some((entry) => entry.state === state)) columns.set(`${state}_at`, at)
  }
  if (after.platformId !== undefined && before.platformId === undefined) columns.set('platform_id', after.platformId)
  if (after.pricing !== undefined && before.pricing === undefined) {
    columns.set('pricing', JSON.stringify(after.pricing))
    const [category, type] = [reportedCategory(after.pricing), reportedType(after.pricing)]
    if (category !== undefined) columns.set('reported_category', storableText(category, REPORTED_LENGTH))
    if (type !== undefined) columns.set('reported_type', storableText(type, REPORTED_LENGTH))
  }
  if (after.error !== before.error) columns.set('error', after.error === undefined ? null : JSON.stringify(after.error))
  if (after.state !== before.state) {
    columns.set('state', after.state)
    if (!isOutcomeUnknown(after.state)) columns.set('open_since', null)
  }
  return columns
}

/** The length of the columns `reported_category` and `reported_type`. */
const REPORTED_LENGTH = 64

const historyOf = (row: Row): MessageRecord['history'] => [
  { state: 'pending', at: instant(row['created_at']) },
  ...DATED_STATES.flatMap((state) => (row[`${state}_at`] === null ? [] : [{ state, at: instant(row[`${state}_at`]) }])),
]

const jsonOrNone = (value: Row[string] | undefined): JsonObject | undefined =>
  typeof value === 'string' ? (JSON.parse(value) as JsonObject) : undefined
