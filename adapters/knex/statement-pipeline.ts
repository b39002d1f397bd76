import DataLoader from 'dataloader'
import type { Knex } from 'knex'

// In a busy process a transaction waits for each answer much longer than the database works. So statements that do not depend on
// each other are started together, and each driver sends them in that order in the way it can:
// - `pg` sends a statement before the previous one is answered (`pipeline`). After a failed statement PostgreSQL rejects the others.
// - mysql2 sends several statements in one text. MySQL stops at the first statement that fails.
// - SQLite gets one statement at a time, and none after a failed one.
// No statement may run after one that failed: a deadlock or a full disk ends the transaction, and a later statement would commit by itself.

/** A statement and its bindings. */
type Statement = { readonly sql: string; readonly bindings: ReadonlyArray<unknown> }

/** One loader for each open transaction, which gathers the statements that are started together. */
const loaders = new WeakMap<Knex, DataLoader<Statement, unknown>>()

/** Runs a statement in a database or in its transaction, and returns the driver's answer. */
export const runStatement = (db: Knex, statement: Statement): Promise<unknown> => {
  const driver = (db.client as { readonly driverName?: string }).driverName
  if (db.isTransaction !== true || driver === 'pg') return send(db, statement)
  const loader = loaders.get(db) ?? makeLoader((statements) => (driver === 'mysql2' ? sendInOneText(db, statements) : sendOneByOne(db, statements)))
  loaders.set(db, loader)
  return loader.load(statement)
}

/** Runs the batches of statements one after the other; after a batch that fails, all later ones fail too. */
const makeLoader = (sendAll: (statements: ReadonlyArray<Statement>) => Promise<ReadonlyArray<unknown>>): DataLoader<Statement, unknown> => {
  let last: Promise<ReadonlyArray<unknown>> = Promise.resolve([])
  return new DataLoader<Statement, unknown>((statements) => (last = last.then(() => sendAll(statements))), { cache: false })
}

const sendInOneText = async (trx: Knex, statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<unknown>> => {
  const answer = await send(trx, { sql: statements.map(({ sql }) => sql).join('; '), bindings: statements.flatMap(({ bindings }) => bindings) })
  return statements.length === 1 ? [answer] : (answer as readonly [ReadonlyArray<unknown>])[0].map((result) => [result])
}

const sendOneByOne = async (trx: Knex, statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<unknown>> => {
  const answers: Array<unknown> = []
  for (const statement of statements) answers.push(await send(trx, statement))
  return answers
}

const send = (db: Knex, { sql, bindings }: Statement): Promise<unknown> => db.raw<unknown>(sql, bindings as ReadonlyArray<Knex.Value>)
