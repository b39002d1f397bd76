import * as E from 'fp-ts/lib/Either.js'
import type { SharedHold, SharedHoldRef, SharedHolds } from '../../../core/money/shared-holds.js'
import type { HoldState } from '../../../core/money/wallet.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { micros, type Queryable, select } from '../engine/sql.js'
import { refusedBy, reservedIn, setAside, sharedHoldOf, type WalletWrites } from './wallet.js'

/** The shared holds over SQL. */
export const makeSharedHolds = ({ db }: Database, writes: WalletWrites): SharedHolds => ({
  hold: ({ hold: message, ...hold }, outboxEntries) =>
    tasks.either(async () => setAside(writes, { ...hold, message }, outboxEntries)),
  split: (part) => tasks.either(async () =>
    E.map(() => undefined)(refusedBy(['NoSuchSharedHold', 'SharedHoldReleased', 'ExceedsHold'], await writes.split(part)))),
  release: ({ hold: message, ...of }) => tasks.value(async () => {
    await writes.move({ move: 'release', ...of, message })
    return findShared(db, { ...of, hold: message })
  }),
  find: (of) => tasks.value(() => findShared(db, of)),
})

const findShared = async (db: Queryable, { workspace, hold }: SharedHoldRef): Promise<SharedHold | undefined> => {
  const [row] = await select(db, 'SELECT state, amount, reserved FROM holds WHERE workspace_id = ? AND message_id = ?', [workspace, hold])
  return row && sharedHoldOf({ state: row['state'] as HoldState, reserved: reservedIn(row), left: micros(row['amount']) })
}

const tasks = portTasks('SharedHolds')
