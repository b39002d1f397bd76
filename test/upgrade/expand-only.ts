import type { Column, Schema, TableSchema } from './schema.js'

/**
 * What stands in the way of the previous release in a schema that later steps have changed, one sentence each.
 *
 * Every table, column and unique key that it knows must be there, as wide as before and not stricter, and its inserts must not lack a value.
 */
export const whatBreaksBefore = (before: Schema, after: Schema): ReadonlyArray<string> =>
  [...before].flatMap(([name, table]) => {
    const now = after.get(name)
    return now === undefined ? [`table ${name} is gone`] : tableFaults(name, table, now)
  })

const tableFaults = (name: string, before: TableSchema, now: TableSchema): ReadonlyArray<string> => [
  ...[...before.columns].flatMap(([column, was]) => {
    const is = now.columns.get(column)
    return is === undefined ? [`column ${name}.${column} is gone`] : columnFaults(`column ${name}.${column}`, was, is)
  }),
  ...[...now.columns].flatMap(([column, is]) =>
    (before.columns.has(column) || is.isNullable || is.hasDefault ? [] : [`column ${name}.${column} is new, and an insert that does not know it fails`])),
  ...[...before.uniqueKeys].flatMap((key) => (now.uniqueKeys.has(key) || UNUSED_KEYS.has(`${name} (${key})`)
    ? []
    : [`unique key ${name} (${key}) is gone`])),
  ...[...now.uniqueKeys].flatMap((key) => ([...before.uniqueKeys].some((known) => isWithin(known, key))
    ? []
    : [`unique key ${name} (${key}) is new, and refuses rows that were allowed`])),
]

/** Unique keys without which the previous release works: it sets a sender by deleting and inserting its row, and never by an upsert. */
const UNUSED_KEYS: ReadonlySet<string> = new Set(['senders (workspace_id)'])

/** Whether a key has every column of another one. Rows with different values of the other one then differ in this one, too. */
const isWithin = (known: string, key: string): boolean => {
  const columns = key.split(', ')
  return known.split(', ').every((column) => columns.includes(column))
}

const columnFaults = (column: string, was: Column, is: Column): ReadonlyArray<string> => [
  ...(was.type === is.type ? [] : [`${column} was ${was.type} and is ${is.type}`]),
  ...((is.length ?? Infinity) < (was.length ?? Infinity) ? [`${column} is shorter`] : []),
  ...(was.isNullable && !is.isNullable ? [`${column} may no longer be null`] : []),
  ...(was.hasDefault && !is.hasDefault ? [`${column} has lost its default`] : []),
]
