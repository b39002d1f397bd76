import { csvLine } from './csv.js'
import { formatMicros, type Currency } from './money.js'
import type { Entry } from './ports/ledger.js'

/** The first line of a CSV file of a wallet's movements, with its line end. */
export const STATEMENT_CSV_HEADER = csvLine(['id', 'at', 'kind', 'amount', 'currency', 'message', 'reference', 'note'])

/** One line of a CSV file of a wallet's movements, with its line end. The moment is in UTC (ISO 8601). */
export const statementCsvLine = ({ id, at, kind, micros, message, reference = '', note = '' }: Entry, currency: Currency): string =>
  csvLine([id, new Date(at).toISOString(), kind, formatMicros(micros), currency, message ?? '', reference, note])
