import type { MessageState } from '../../core/delivery.js'
import type { JsonObject } from '../../core/json.js'
import type { MessageId, PhoneNumber, PlatformId } from '../../core/message.js'
import type { Currency } from '../../core/money.js'
import type { Draft, MessageRecord } from '../../core/ports/message-log.js'
import type { Category } from '../../core/rate-card.js'
import type { WorkspaceId } from '../../core/workspace.js'
import { instant, micros, textOrNone, type Bound, type Row } from './sql.js'

/**
 * The states that leave a moment in a row, each in a column of its own, so that a state can be entered only once; one that
 * leads to another stands before it.
 */
export const MARKED = ['unconfirmed', 'refused', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read'] as const

/** The columns an opened message fills. */
export const OPENED_COLUMNS = [
  'workspace_id', 'id', 'kind', 'customer', 'state', 'price', 'currency', 'category', 'template_name', 'language', 'created_at', 'open_since',
] as const

/** The values of `OPENED_COLUMNS` for a draft; neither a text's body nor a template's variables are among them. */
export const openedRow = ({ workspace, id, message, price, at }: Draft): ReadonlyArray<Bound> => {
  const template = message._tag === 'Template' ? message : undefined
  return [
    workspace, id, template ? 'template' : 'text', message.to, 'pending', price.micros, price.currency, price.category,
    template?.name ?? null, template?.language ?? null, at, at,
  ]
}

/** A row of `messages` as the record it stands for. */
export const recordOf = (row: Row): MessageRecord => ({
  id: row['id'] as MessageId,
  workspace: row['workspace_id'] as WorkspaceId,
  platformId: textOrNone(row['platform_id']) as PlatformId | undefined,
  kind: row['kind'] as MessageRecord['kind'],
  to: row['customer'] as PhoneNumber,
  state: row['state'] as MessageState,
  price: { micros: micros(row['price']), currency: row['currency'] as Currency, category: row['category'] as Category },
  templateName: textOrNone(row['template_name']),
  language: textOrNone(row['language']),
  error: jsonOrNone(row['error']),
  pricing: jsonOrNone(row['pricing']),
  createdAt: instant(row['created_at']),
  history: historyOf(row),
})

const historyOf = (row: Row): MessageRecord['history'] => [
  { state: 'pending', at: instant(row['created_at']) },
  ...MARKED.flatMap((state) => (row[`${state}_at`] === null ? [] : [{ state, at: instant(row[`${state}_at`]) }]))
    .sort((a, b) => a.at - b.at),
]

const jsonOrNone = (value: Row[string] | undefined): JsonObject | undefined =>
  typeof value === 'string' ? (JSON.parse(value) as JsonObject) : undefined
