import type { Database } from '../../adapters/knex/engine/database.js'

/** Counts how often callers wait for a database. */
export type RoundTrips = {
  /** The database to use. */
  readonly database: Database
  /** How often callers have waited since `reset`, until the first transaction began: statements that wait at the same time count once. */
  readonly counted: () => number
  /** How many transactions have begun since `reset`. */
  readonly transactions: () => number
  readonly reset: () => void
}

/** The methods that wait for a response outside a transaction. */
const STATEMENTS = ['run', 'runTogether', 'select', 'execute']

/** Watches an open database. */
export const countRoundTrips = (opened: Database): RoundTrips => {
  let waiting = 0
  let counted = 0
  let transactions = 0
  const watched = <Db extends object>(db: Db): Db => new Proxy(db, {
    get: (target, name, proxy: Db) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: ReadonlyArray<unknown>): unknown => {
        if (name === 'transaction') transactions += 1
        // Called on the proxy, so that queries that share a round trip are counted when they are sent.
        const answer: unknown = Reflect.apply(member, proxy, given)
        if (!STATEMENTS.includes(String(name))) return answer
        if (waiting === 0 && transactions === 0) counted += 1
        waiting += 1
        return Promise.resolve(answer).finally(() => { waiting -= 1 })
      }
    },
  })
  return {
    database: { ...opened, db: watched(opened.db) },
    counted: () => counted,
    transactions: () => transactions,
    reset: () => {
      counted = 0
      transactions = 0
    },
  }
}
