import DataLoader from 'dataloader'
import type { Knex } from 'knex'

// A transaction waits for each statement's answer, and in a busy process much longer than the database takes. So what does
// not need an answer is asked for at once, and goes off as each driver can send it, in the order it was asked for:
// - `pg` sends the next before the last is answered (`pipeline`), and PostgreSQL does none after one that failed.
// - mysql2 takes several in one text, of which MySQL does none after one that failed.
// - SQLite is asked for one after the other, until one fails.
// None may be done after one that failed: a deadlock or a full disk ends the transaction, and what came then would stand outside.

/** A statement and what is bound for it. */
type Statement = { readonly sql: string; readonly bindings: ReadonlyArray<unknown> }

/** What was asked of each transaction at once; each statement is answered as if it had been asked for alone. */
const asked = new WeakMap<Knex, DataLoader<Statement, unknown>>()

/** Asks a database, or its transaction, for a statement. */
export const ask = (db: Knex, statement: Statement): Promise<unknown> => {
  const driver = (db.client as { readonly driverName?: string }).driverName
  if (db.isTransaction !== true || driver === 'pg') return one(db, statement)
  const loader = asked.get(db) ?? inTurns((statements) => (driver === 'mysql2' ? inOneText(db, statements) : oneByOne(db, statements)))
  asked.set(db, loader)
  return loader.load(statement)
}

/** Does what was asked for at once, and what came while it was under way after that, unless it failed. */
const inTurns = (askFor: (statements: ReadonlyArray<Statement>) => Promise<ReadonlyArray<unknown>>): DataLoader<Statement, unknown> => {
  let last: Promise<ReadonlyArray<unknown>> = Promise.resolve([])
  return new DataLoader<Statement, unknown>((statements) => (last = last.then(() => askFor(statements))), { cache: false })
}

const inOneText = async (trx: Knex, statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<unknown>> => {
  const answer = await one(trx, { sql: statements.map(({ sql }) => sql).join('; '), bindings: statements.flatMap(({ bindings }) => bindings) })
  return statements.length === 1 ? [answer] : (answer as readonly [ReadonlyArray<unknown>])[0].map((result) => [result])
}

const oneByOne = async (trx: Knex, statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<unknown>> => {
  const answers: Array<unknown> = []
  for (const statement of statements) answers.push(await one(trx, statement))
  return answers
}

const one = (db: Knex, { sql, bindings }: Statement): Promise<unknown> => db.raw<unknown>(sql, bindings as ReadonlyArray<Knex.Value>)
