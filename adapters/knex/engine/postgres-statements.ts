import { hash } from 'node:crypto'

/** A statement as `pg` takes it. A statement with a name is parsed once for each connection. */
export type PostgresQuery = { readonly text: string; readonly values?: ReadonlyArray<unknown>; readonly name?: string }

/** The maximum number of texts with numbered placeholders that are kept. */
const MAX_NUMBERED = 1_000
/** The maximum number of names. PostgreSQL keeps each parsed statement in the memory of each connection. */
const MAX_NAMES = 250

/** PostgreSQL cuts names to 63 characters. */
const DIGEST_LENGTH = 32

const numberedTexts = new Map<string, string>()
const names = new Map<string, string>()
/** How many names were forgotten. It is a part of each new name. */
let forgotten = 0

/**
 * Numbers the placeholders of a statement, and names it if it has values. The texts of sends are few and always the same, since lists are arrays.
 *
 * A name saves parsing only. The session makes a plan for each execution (`force_custom_plan`): a plan that PostgreSQL made while a table was small would scan the table
 * for hours after it has grown.
 */
export const postgresQuery = (sql: string, values: ReadonlyArray<unknown>): PostgresQuery => {
  const text = numbered(sql)
  if (values.length === 0) return { text }
  const name = names.get(text) ?? newName(text)
  return name === undefined ? { text, values } : { text, values, name }
}

const numbered = (sql: string): string => {
  const known = numberedTexts.get(sql)
  if (known !== undefined) return known
  let count = 0
  const text = sql.replaceAll('?', () => `$${(count += 1)}`)
  if (numberedTexts.size < MAX_NUMBERED) numberedTexts.set(sql, text)
  return text
}

const newName = (text: string): string | undefined => {
  if (names.size >= MAX_NAMES) return undefined
  // A pooler may lend one connection to several gateways. The same name must mean the same text for all of them.
  const name = `postern_${hash('sha256', text).slice(0, DIGEST_LENGTH)}_${forgotten}`
  names.set(text, name)
  return name
}

/** Gives a statement a new name at its next use, so that each connection parses it again. */
export const forgetName = ({ text }: PostgresQuery): void => {
  if (names.delete(text)) forgotten += 1
}

/** `invalid_sql_statement_name` and `duplicate_prepared_statement`. */
const STALE = new Set(['26000', '42P05'])
/** The message of a `feature_not_supported`. */
const CHANGED_RESULT = /cached plan must not change result type/

/**
 * Whether PostgreSQL refused a named statement before it ran: a migration has changed the type of a column that the statement reads, or a pooler has
 * changed the connection, and the new one does not know the name or knows it already.
 */
export const isStaleName = (error: unknown): boolean => {
  const { code, message } = error instanceof Error ? (error as Error & { readonly code?: unknown }) : { code: undefined, message: '' }
  return (typeof code === 'string' && STALE.has(code)) || (code === '0A000' && CHANGED_RESULT.test(message))
}
