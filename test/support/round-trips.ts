import type { Database } from '../../adapters/knex/engine/database.js'
import { ServerDatabase } from '../../adapters/knex/engine/server.js'
import { SqliteConnection } from '../../adapters/knex/engine/sqlite.js'

/** Counts how often callers wait for a database. */
export type RoundTrips = {
  /** The database to use. */
  readonly database: Database
  /** How often there was a wait since `reset`, until the first transaction began: statements that wait at the same time count once. */
  readonly counted: () => number
  readonly reset: () => void
}

/** The methods that wait for an answer outside of a transaction. */
const STATEMENTS = ['run', 'runTogether', 'select', 'execute']

/** Watches an open database. */
export const countRoundTrips = (opened: Database): RoundTrips => {
  let waiting = 0
  let counted = 0
  let hasBegun = false
  const watched = <Db extends object>(db: Db): Db => new Proxy(db, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: ReadonlyArray<unknown>): unknown => {
        if (name === 'transaction') hasBegun = true
        const answer: unknown = Reflect.apply(member, target, given)
        if (!STATEMENTS.includes(String(name))) return answer
        if (waiting === 0 && !hasBegun) counted += 1
        waiting += 1
        return Promise.resolve(answer).finally(() => { waiting -= 1 })
      }
    },
  })
  const { db } = opened
  if (!(db instanceof ServerDatabase || db instanceof SqliteConnection)) throw new Error('there is no such database in the tests')
  return {
    database: { ...opened, db: watched(db) },
    counted: () => counted,
    reset: () => {
      counted = 0
      hasBegun = false
    },
  }
}
