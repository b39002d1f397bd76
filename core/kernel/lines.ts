import type { Either } from 'fp-ts/lib/Either.js'
import type { JsonObject } from './json.js'

/** The maximum number of lines of data in one file. */
export const MAX_LINES = 100_000

/** The maximum number of bytes of one line. */
export const MAX_LINE_BYTES = 64 * 1024

/** What is wrong with a line of a file, or with the file. Further codes may be added. */
export type LineCode =
  /** A line, or the text in it, that cannot be read: quotes that do not close, a surplus field, or text that is not a JSON object. */
  | 'malformed_line'
  /** Bytes that are not UTF-8, as of a file in Windows-1252. */
  | 'not_utf8'
  | 'line_too_long'
  | 'too_many_lines'
  /** The head of a CSV has a column that is not known, twice, or without a name; or it lacks a column that every line needs. */
  | 'unknown_column'
  | 'duplicate_column'
  | 'missing_column'
  /** A value that is absent, or that breaks the rule of its field. */
  | 'missing_parameters'
  | 'invalid_parameter'
  | 'invalid_phone_number'
  /** A spreadsheet wrote a phone number as `4.91512E+12`, so its last digits are lost. */
  | 'number_in_scientific_notation'

/** What is wrong with one value; `column` is the name of its column or field. */
export type ValueProblem = {
  readonly column?: string
  readonly code: LineCode
  /** One sentence with what is wrong, and what to do. It does not contain values of the line. */
  readonly message: string
  /** The customer as the line names it; absent if the line cannot be read that far. */
  readonly to?: string
}

/** What is wrong with a line. `line` is its number in the file; the head of a CSV is line 1. */
export type LineProblem = {
  readonly line: number
  readonly column?: string
  /** A `LineCode`, or the code of a later check of the line. */
  readonly code: string
  readonly message: string
  readonly to?: string
  /** The rest of the file cannot be read, so this problem is the last. */
  readonly isLast?: true
}

/** A line of a file, as read. */
export type Line<A> = A & { readonly line: number }

/** The type of a file: CSV, or a JSON object on each line (NDJSON). */
export type LinesType = 'csv' | 'ndjson'

/** What the lines of a file mean. */
export type LinesForm<A> = {
  /** Reads the head of a CSV; its names are neither empty nor repeated. Right: reads the values of a line, one for each name, in the order of the names. */
  readonly ofHead: (names: ReadonlyArray<string>) => Either<ValueProblem, (values: ReadonlyArray<string>) => Either<ValueProblem, A>>
  /** Reads a line of NDJSON. */
  readonly ofObject: (object: JsonObject) => Either<ValueProblem, A>
}
