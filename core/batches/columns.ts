import * as E from 'fp-ts/lib/Either.js'
import type { LinesForm, ValueProblem } from '../kernel/lines.js'
import type { Template } from '../templates/template.js'
import { type BatchRecipient, placeholderColumns, templateColumns } from './lines.js'

/** Which column of a file, by its name in the head, fills each column of a batch: `to`, `timezone`, and the placeholders of its template, such as `body.1`. */
export type ColumnMatch = ReadonlyMap<string, string>

/** The choice of a person that no column of the file fills a column of the batch. */
export const NO_COLUMN = '-'

/** Names of columns with phone numbers and with time zones in the spreadsheets of people, in the languages of the console, folded. */
const KNOWN: Readonly<Record<string, ReadonlyArray<string>>> = {
  to: [
    'to', 'recipient', 'phone', 'phonenumber', 'mobile', 'mobilephone', 'mobilenumber', 'cell', 'cellphone', 'tel', 'telephone', 'whatsapp',
    'whatsappnumber', 'msisdn', 'number', 'telefon', 'telefonnummer', 'rufnummer', 'handy', 'handynummer', 'mobil', 'mobilnummer',
    'mobiltelefon', 'nummer', 'empfanger',
    'telefono', 'telefonomovil', 'movil', 'celular', 'numero', 'destinatario', 'telefone', 'numerodetelefone',
    'numerodetelefono', 'fone',
  ],
  timezone: ['timezone', 'tz', 'zeitzone', 'zonahoraria', 'husohorario', 'fusohorario', 'fuso'],
}

/** A name without the differences that do not count: case, accents, spaces, dashes. */
const folded = (name: string): string => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The columns of a batch that a file can fill, in their order: the customer, the placeholders of the template, and the time zone. */
export const batchColumns = (template: Template): ReadonlyArray<string> => ['to', ...placeholderColumns(template) ?? [], 'timezone']

const isNote = (name: string): boolean => /^metadata\../i.test(name)

/** A name of a column of batches, which is never taken for another one: it may belong to another template. */
const isOwnName = (name: string): boolean => /^(?:header|body|button)\./i.test(name)

/**
 * Matches the columns of a file with those of a batch. What a person chose counts first. Otherwise a column is found by its name: that of the batch, the name of the placeholder, or a
 * word for phone numbers or time zones. If as many columns are left as placeholders, they are taken in their order.
 */
export const matchColumns = (
  names: ReadonlyArray<string>, template: Template, chosen: Readonly<Record<string, string>> = {},
): ColumnMatch => {
  const wanted = batchColumns(template)
  const match = new Map<string, string>()
  const decided = new Set<string>()
  for (const column of wanted) {
    const choice = Object.hasOwn(chosen, column) ? chosen[column] : undefined
    if (choice === NO_COLUMN) decided.add(column)
    else if (choice !== undefined && names.includes(choice)) match.set(column, choice)
  }
  const free = (): ReadonlyArray<string> => names.filter((name) => !isNote(name) && ![...match.values()].includes(name))
  const open = (): ReadonlyArray<string> => wanted.filter((column) => !match.has(column) && !decided.has(column))
  for (const isSame of [isItself, isNameOf, isKnownFor]) {
    for (const column of open()) {
      const found = free().find((name) => isSame(column, name))
      if (found !== undefined) match.set(column, found)
    }
  }
  const [columns, places] = [free().filter((name) => !isOwnName(name)), open().filter((column) => !Object.hasOwn(KNOWN, column))]
  if (columns.length === places.length) places.forEach((column, at) => match.set(column, columns[at] ?? ''))
  return match
}

const isItself = (column: string, name: string): boolean => name.toLowerCase() === column

const isNameOf = (column: string, name: string): boolean => {
  const key = folded(column.split('.').at(-1) ?? '')
  return column.includes('.') && /\p{L}/u.test(key) && folded(name) === key
}

const isKnownFor = (column: string, name: string): boolean => Object.hasOwn(KNOWN, column) && KNOWN[column]?.includes(folded(name)) === true

/**
 * Lines of which the columns of the file are matched first. Columns that fill nothing are not read, apart from `metadata.KEY`. A problem names the column of the
 * file. If `match` returns a problem, the file is refused.
 */
export const matchedLines = (
  form: LinesForm<BatchRecipient>, match: (names: ReadonlyArray<string>) => E.Either<ValueProblem, ColumnMatch>,
): LinesForm<BatchRecipient> => ({
  ...form,
  ofHead: (names) => {
    const matched = match(names)
    if (E.isLeft(matched)) return matched
    const read = [
      ...[...matched.right].map(([column, name]) => ({ column, at: names.indexOf(name) })),
      ...names.flatMap((name, at) => (isNote(name) ? [{ column: name, at }] : [])),
    ]
    const named = (problem: ValueProblem): ValueProblem => {
      const name = problem.column === undefined ? undefined : matched.right.get(problem.column)
      return name === undefined ? problem : { ...problem, column: name, message: problem.message.replace(/^to\b/, () => name) }
    }
    const ofRow = form.ofHead(read.map(({ column }) => column))
    return E.isLeft(ofRow)
      ? E.left(named(ofRow.left))
      : E.right((values) => E.mapLeft(named)(ofRow.right(read.map(({ at }) => values[at] ?? ''))))
  },
})

/** What is wrong with a file that has no column for a column of the batch. */
export const columnMissing = (column: string): ValueProblem =>
  ({ column, code: 'missing_column', message: `No column of the file was chosen for ${column}` })

/** The columns of a batch that a match lacks, although every line needs them: the customer, and each placeholder that is not optional. */
export const missingColumns = (template: Template, match: ColumnMatch): ReadonlyArray<string> =>
  ['to', ...(templateColumns(template) ?? []).flatMap(({ name, isOptional }) => (isOptional ? [] : [name]))]
    .filter((column) => !match.has(column))
