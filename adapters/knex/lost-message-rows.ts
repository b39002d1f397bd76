import type { CustomerDigest, CustomerId } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { MessageId, PlatformId } from '../../core/messages/message.js'
import type { LostMessage, LostState } from '../../core/reports/status.js'
import type { Table } from './schema-changes.js'
import { type Bound, instant, type Row, textOrNone } from './sql.js'
import { storableText } from './storable-text.js'

const CATEGORY = 64
/** A user id: a country, a dot, `ENT.`, and 128 letters and digits. */
const CUSTOMER_ID = 135

/** The table of lost messages. Our ids in it come from statuses, so two workspaces may get the same one. */
export const LOST_MESSAGES: Readonly<Record<string, Table>> = {
  lost_messages: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('message_id', 36).notNullable()
    table.string('platform_id', 255).notNullable()
    table.string('phone_number_id', 64).notNullable()
    table.string('customer', CUSTOMER_ID)
    table.string('state', 12).notNullable()
    table.string('category', CATEGORY)
    table.integer('billable')
    table.bigInteger('first_at').notNullable()
    table.bigInteger('last_at').notNullable()
    table.bigInteger('settled_at')
    table.primary(['workspace_id', 'message_id'])
  },
}

/** The columns of a new row. */
export const LOST_COLUMNS = [
  'workspace_id', 'message_id', 'platform_id', 'phone_number_id', 'customer', 'state', 'category', 'billable', 'first_at', 'last_at',
] as const

/** The values of `LOST_COLUMNS`. */
export const lostRow = ({ workspace, message, platformId, phoneNumberId, to, state, category, billable, firstAt, lastAt }: LostMessage): ReadonlyArray<Bound> => [
  workspace, message, platformId, phoneNumberId, to ?? null, state, category === undefined ? null : storableText(category, CATEGORY),
  billable === undefined ? null : Number(billable), firstAt, lastAt,
]

/** The condition of a row that is to be settled: `isDue`, and not settled. */
export const WAITS = "settled_at IS NULL AND state <> 'failed'"

/** The lost message of a row. */
export const lostMessageOf = (row: Row): LostMessage => ({
  workspace: row['workspace_id'] as WorkspaceId,
  message: row['message_id'] as MessageId,
  platformId: row['platform_id'] as PlatformId,
  phoneNumberId: String(row['phone_number_id']),
  to: textOrNone(row['customer']) as CustomerId | CustomerDigest | undefined,
  state: row['state'] as LostState,
  category: textOrNone(row['category']),
  billable: row['billable'] === null ? undefined : Number(row['billable']) === 1,
  firstAt: instant(row['first_at']),
  lastAt: instant(row['last_at']),
})
