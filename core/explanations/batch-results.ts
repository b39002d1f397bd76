import type { BatchResult } from '../batches/results.js'
import { csvLine } from '../kernel/csv.js'
import { formatMicros } from '../kernel/money.js'
import { isoOrNull } from '../kernel/time.js'
import { messageView, type MessageState } from '../messages/message.js'
import { explainLine } from './line-problems.js'

/** The result of a line of a batch as JSON. Amounts are decimal strings; what is not known, or did not happen, is null. */
export type BatchResultView = {
  /** The number of the line in the file; the head of a CSV is line 1. */
  readonly line: number
  readonly to: string
  readonly state: string
  readonly code: number | string | null
  /** What the code means, and what to do. */
  readonly reason: string | null
  readonly cure: string | null
  /** What was charged. */
  readonly price: string
  readonly message_id: string | null
  readonly platform_id: string | null
  readonly queued_at: string | null
  readonly sent_at: string | null
  readonly delivered_at: string | null
  readonly read_at: string | null
  readonly failed_at: string | null
  readonly replied_at: string | null
  readonly opted_out_at: string | null
}

/** Shows the result of a line. */
export const batchResultView = ({ line, to, state, code, price, message, repliedAt, optedOutAt }: BatchResult): BatchResultView => {
  const reached = (...states: ReadonlyArray<MessageState>): string | null =>
    isoOrNull(message?.history.find((entry) => states.includes(entry.state))?.at)
  const entry = code === undefined ? undefined : explainLine(code)
  return {
    line, to, state, code: code ?? null, reason: entry?.means ?? null, cure: entry?.fix ?? null, price: formatMicros(price),
    message_id: message?.id ?? null, platform_id: message === undefined ? null : messageView(message).platform_id,
    queued_at: reached('queued'), sent_at: reached('accepted', 'sent'), delivered_at: reached('delivered'),
    read_at: reached('read', 'played'), failed_at: reached('failed', 'refused'), replied_at: isoOrNull(repliedAt),
    opted_out_at: isoOrNull(optedOutAt),
  }
}

const COLUMNS = [
  'line', 'to', 'state', 'code', 'reason', 'cure', 'price', 'message_id', 'platform_id', 'queued_at', 'sent_at', 'delivered_at', 'read_at',
  'failed_at', 'replied_at', 'opted_out_at',
] as const satisfies ReadonlyArray<keyof BatchResultView>

/** The head of a CSV file of results, with its line end. */
export const BATCH_RESULTS_CSV_HEADER = csvLine(COLUMNS)

/** The result of a line in a CSV file, with its line end. */
export const batchResultCsvLine = (result: BatchResult): string => {
  const view = batchResultView(result)
  return csvLine(COLUMNS.map((column) => String(view[column] ?? '')))
}
