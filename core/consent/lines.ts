import * as E from 'fp-ts/lib/Either.js'
import { MAX_REPORTED, parseCellCustomerId } from '../customers/cell.js'
import type { CustomerId } from '../customers/customer.js'
import { csvLine } from '../kernel/csv.js'
import type { Json, JsonObject } from '../kernel/json.js'
import type { LinesForm, LinesType, ValueProblem } from '../kernel/lines.js'
import { beginningOf } from '../kernel/text.js'
import { type Instant, iso, parseMoment } from '../kernel/time.js'
import { CONSENT_STATUSES, CONSENT_TOPICS, type ConsentFact, type ListedConsent } from './consent.js'
import { parseConsent } from './record.js'

/** The columns of a file of consents, in the order in which they are exported. */
export const CONSENT_COLUMNS = ['to', 'of', 'status', 'source', 'at', 'note'] as const

type ConsentColumn = (typeof CONSENT_COLUMNS)[number]

/** What a line of a file says of a customer. */
export type ConsentLine = { readonly to: CustomerId; readonly fact: ConsentFact }

/** The source of a line that names none. */
const DEFAULT_SOURCE = 'import'

/** What the lines of a file of consents mean. A line without a time counts from `now`, and one without a source has the source `import`. */
export const consentLines = (now: Instant): LinesForm<ConsentLine> => ({
  ofHead: (names) => {
    const columns: Array<ConsentColumn> = []
    for (const name of names) {
      const column = CONSENT_COLUMNS.find((one) => one === name.toLowerCase())
      if (column === undefined) return E.left(unknownColumn(name))
      columns.push(column)
    }
    const absent = NEEDED.find((column) => !columns.includes(column))
    if (absent !== undefined) {
      const message = `The first line must name the columns, and one of them must be ${absent}; the columns are ${CONSENT_COLUMNS.join(', ')}`
      return E.left({ column: absent, code: 'missing_column', message })
    }
    return E.right((values) => lineOf(Object.fromEntries(columns.map((column, at) => [column, values[at] ?? ''])), now))
  },
  ofObject: (object) => ofObject(object, now),
})

const NEEDED = ['to', 'of', 'status'] as const

const unknownColumn = (name: string): ValueProblem =>
  ({ column: name, code: 'unknown_column', message: `${name} is not known; the columns are ${CONSENT_COLUMNS.join(', ')}` })

const ofObject = (object: JsonObject, now: Instant): E.Either<ValueProblem, ConsentLine> => {
  const given: Partial<Record<ConsentColumn, string>> = {}
  for (const [name, value] of Object.entries(object)) {
    const column = CONSENT_COLUMNS.find((one) => one === name)
    if (column === undefined) {
      return E.left({ code: 'unknown_column', message: `A field is not known; the fields are ${CONSENT_COLUMNS.join(', ')}` })
    }
    if (typeof value === 'string') given[column] = value
    else if (value !== null) return E.left(fault(column, 'a string', object['to']))
  }
  return lineOf(given, now)
}

const lineOf = (given: Partial<Record<ConsentColumn, string>>, now: Instant): E.Either<ValueProblem, ConsentLine> => {
  const { to = '', note = '' } = given
  const id = parseCellCustomerId(to)
  if (E.isLeft(id)) return id
  const invalid = (column: ConsentColumn, must: string): E.Either<ValueProblem, never> => E.left(fault(column, must, to))
  const topic = CONSENT_TOPICS.find((one) => one === wordIn(given.of))
  if (topic === undefined) return invalid('of', CONSENT_TOPICS.join(' or '))
  const status = CONSENT_STATUSES.find((one) => one === wordIn(given.status))
  if (status === undefined) return invalid('status', CONSENT_STATUSES.join(' or '))
  const at = textIn(given.at)
  const since = at === undefined ? now : parseMoment(at)
  if (since === undefined) return invalid('at', 'a date or a time such as 2026-11-28 or 2026-11-28T10:00:00Z')
  const line = oneLine(note)
  const fact = parseConsent(
    { topic, status, source: textIn(given.source) ?? DEFAULT_SOURCE, at: since, ...(line !== '' && { note: line }) }, now,
  )
  return E.isRight(fact)
    ? E.right({ to: id.right, fact: fact.right })
    : E.left({ column: fact.left.field, code: 'invalid_parameter', message: fact.left.reason, to: beginningOf(to, MAX_REPORTED) })
}

const textIn = (cell: string | undefined): string | undefined => (cell === undefined || cell.trim() === '' ? undefined : cell.trim())

const wordIn = (cell: string | undefined): string | undefined => textIn(cell)?.toLowerCase()

/** A cell may have line breaks and tabs. */
const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')

const fault = (column: string, must: string, to: Json | undefined): ValueProblem => ({
  column, code: 'invalid_parameter', message: `${column} must be ${must}`,
  ...(typeof to === 'string' && to !== '' && { to: beginningOf(to, MAX_REPORTED) }),
})

/** The first line of an export as CSV. */
export const CONSENTS_CSV_HEADER = csvLine(CONSENT_COLUMNS)

/** A consent as a line of an export, with its line end. It can be imported again. */
export const exportedLine = (type: LinesType, { id, topic, status, source, since, note = '' }: ListedConsent): string => {
  const fields: Readonly<Record<ConsentColumn, string>> = { to: id, of: topic, status, source, at: iso(since), note }
  return type === 'csv' ? csvLine(CONSENT_COLUMNS.map((column) => fields[column])) : `${JSON.stringify(fields)}\n`
}
