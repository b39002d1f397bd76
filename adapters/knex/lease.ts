import type { Database } from './database.js'
import { insert } from './many-rows.js'
import { sqlErrorKind } from './sql-error.js'
import { execute } from './sql.js'
import { transact } from './transact.js'

/** Something that one gateway at a time may do, until a moment. */
export type LeaseRequest = { readonly name: string; readonly holder: string; readonly now: number; readonly ttlMs: number }

/** Takes a lease that is free, run out or already the holder's; `false` where another one has it. */
export const takeLease = async (database: Database, { name, holder, now, ttlMs }: LeaseRequest): Promise<boolean> => {
  try {
    return await transact(database, async (trx) => {
      const renewed = await execute(
        trx, 'UPDATE leases SET holder = ?, until = ? WHERE name = ? AND (holder = ? OR until <= ?)', [holder, now + ttlMs, name, holder, now],
      )
      if (renewed === 0) await insert(trx, database.dialect, 'leases', ['name', 'holder', 'until'], [[name, holder, now + ttlMs]])
      return true
    })
  } catch (error) {
    if (sqlErrorKind(error) === 'conflict') return false
    throw error
  }
}
