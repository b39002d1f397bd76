import DataLoader from 'dataloader'
import type { Knex } from 'knex'

// Statements of knex itself: those of the schema, and those of a SQLite database in memory, of which only knex has the connection. There, too, no statement
// may run after one that failed: a full disk ends a transaction, and a later statement would commit by itself.

/** A statement and its bindings. */
type Statement = { readonly sql: string; readonly bindings: ReadonlyArray<unknown> }

/** One loader for each open transaction, which gathers the statements that are started together. */
const loaders = new WeakMap<Knex, DataLoader<Statement, unknown>>()

/** Runs a statement in a database or in its transaction, and returns the driver's answer. */
export const runStatement = (db: Knex, statement: Statement): Promise<unknown> => {
  if (db.isTransaction !== true) return send(db, statement)
  const loader = loaders.get(db) ?? makeLoader(db)
  loaders.set(db, loader)
  return loader.load(statement)
}

/** Runs the statements one after the other; after one that fails, all later ones fail too. */
const makeLoader = (trx: Knex): DataLoader<Statement, unknown> => {
  let last: Promise<ReadonlyArray<unknown>> = Promise.resolve([])
  return new DataLoader<Statement, unknown>((statements) => (last = last.then(() => sendOneByOne(trx, statements))), { cache: false })
}

const sendOneByOne = async (trx: Knex, statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<unknown>> => {
  const answers: Array<unknown> = []
  for (const statement of statements) answers.push(await send(trx, statement))
  return answers
}

const send = (db: Knex, { sql, bindings }: Statement): Promise<unknown> => db.raw<unknown>(sql, bindings as ReadonlyArray<Knex.Value>)
