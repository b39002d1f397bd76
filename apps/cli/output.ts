import { formatMicros } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Shell } from './shell.js'

/** The `--json` of a command line. */
export type JsonFlag = { readonly json?: boolean }

/** Writes what a command found: as JSON where that was asked for, else as lines for people. */
export const print = ({ stdout }: Pick<Shell, 'stdout'>, { json }: JsonFlag, value: unknown, lines: () => ReadonlyArray<string>): void => {
  for (const line of json === true ? [JSON.stringify(value)] : lines()) stdout.write(`${line}\n`)
}

/** Rows under a heading, with the columns aligned; columns of amounts to the right. */
export const table = (heading: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const right = heading.map((_, column) => rows.length > 0 && rows.every((row) => /^-?[0-9]+(\.[0-9]+)?$/.test(row[column] ?? '')))
  return all.map((row) =>
    row
      .map((cell, column) => (right[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** A moment as ISO 8601 in UTC; `null` where there is none. */
export const iso = <At extends Instant | undefined>(at: At): At extends Instant ? string : string | null =>
  (at === undefined ? null : new Date(at).toISOString()) as At extends Instant ? string : string | null

/** An amount for people: six decimals and the currency. */
export const amount = (micros: bigint, currency: string): string => `${formatMicros(micros)} ${currency}`
