import type { FreeMessages } from '../../core/money/wallet.js'
import { makeBatcher } from './batcher.js'
import type { Database } from './database.js'
import { decideTakes, readTakes, type TakeItem, writeTakes } from './free-message-takes.js'
import { portTasks } from './port-tasks.js'
import { select } from './sql.js'
import { transact } from './transact.js'

/**
 * The free messages of senders over SQL.
 *
 * Most texts find that none is left, and most messages that give one back have taken none. That costs two reads; only a change needs a transaction, which
 * is not that of the group commit: there a take would wait for the settlements of other sends.
 */
export const makeFreeMessages = (database: Database): FreeMessages => {
  const { db, dialect } = database
  const batcher = makeBatcher<TakeItem, boolean>(async (items, signal) => {
    const { answers, changes } = decideTakes(await readTakes(db, dialect, items), items)
    return changes.length === 0 ? answers : transact(database, (trx) => writeTakes(trx, dialect, items), { signal })
  })
  return {
    take: (taking) => tasks.value(() => batcher.load({ _tag: 'Take', ...taking })),
    giveBack: ({ workspace, message }) => tasks.value(async () => { await batcher.load({ _tag: 'GiveBack', workspace, message }) }),
    taken: (phoneNumberId, month) =>
      tasks.value(async () => {
        const [row] = await select(db, 'SELECT taken FROM free_message_counts WHERE phone_number_id = ? AND in_month = ?', [phoneNumberId, month])
        return Number(row?.['taken'] ?? 0)
      }),
  }
}

const tasks = portTasks('FreeMessages')
