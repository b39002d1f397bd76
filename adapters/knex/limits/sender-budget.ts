import * as E from 'fp-ts/lib/Either.js'
import {
  inboundAhead, NO_SLOTS_TAKEN, rateOf, type SenderBudget, type SenderLimitReached, type SenderSlot, type SenderSlots, slotLength,
  slowedDown, type SlotTaking, takeSenderSlot,
} from '../../../core/senders/sender-budget.js'
import type { SenderOf } from '../../../core/senders/sender.js'
import { makeBatcher, portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { type Bound, type EachUpdate, inList, insert, type Queryable, type Row, select, together, updateAll } from '../engine/sql.js'
import type { GroupCommit, Write } from '../writes.js'
import { makeAtLimit, MAX_REMEMBERED } from './at-limit.js'

/** The slots of some senders in a transaction: takes one, or returns why not; and the writes, which return the slots that were taken. */
export type SlotBook = {
  readonly take: (taking: SlotTaking) => SenderLimitReached | undefined
  readonly write: () => Promise<ReadonlyMap<SlotTaking, SenderSlot>>
}

/**
 * Opens the slots of senders in the caller's transaction.
 *
 * Usually slots are free, so the first try takes all of them by an update that is guarded by how long a message may wait, and reads in the same round trip which they are. If the
 * guard fails, or the platform has slowed a sender down, the update is a `WriteConflict`: the transaction runs again, and reads the rows first. After that, such senders are
 * read first for some time.
 */
export type OpenSlots = (trx: Queryable, takings: ReadonlyArray<SlotTaking>, verifyReads: boolean) => Promise<SlotBook>

/** How long a sender at its limit is read first, in milliseconds. */
const READ_FIRST_MS = 1_000

export const makeOpenSlots = (dialect: Dialect): OpenSlots => {
  const atLimit = makeAtLimit()
  /** The senders whose rows this process has seen or inserted, so that they need not be inserted again. If a row is missing, the update conflicts, and it is inserted. */
  const stored = new Set<string>()
  return async (trx, takings, verifyReads) => {
    const groups = groupsOf(takings)
    if (groups.length === 0) return NOTHING_TAKEN
    const taken: Array<SlotTaking> = []
    if (!verifyReads && groups.every((group) => !atLimit.has(group.key) && quickWrite(group) !== undefined)) {
      return {
        take: (taking) => {
          taken.push(taking)
          return undefined
        },
        write: async () => {
          const of = groupsOf(taken)
          const missing = of.filter(({ key }) => !stored.has(key))
          if (stored.size >= MAX_REMEMBERED) stored.clear()
          for (const { key } of missing) stored.add(key)
          return addSlots(dialect, trx, of, missing)
        },
      }
    }
    await insertMissing(dialect, trx, groups)
    const read = await lockSlots(dialect, trx, groups)
    const after = new Map<string, SenderSlots>()
    const slots = new Map<SlotTaking, SenderSlot>()
    return {
      take: (taking) => {
        const key = keyOf(taking)
        const { budget, now } = read.get(key) ?? { budget: NO_SLOTS_TAKEN, now: 0 }
        if (budget.slowed !== undefined) atLimit.remember(key, READ_FIRST_MS)
        const next = takeSenderSlot(taking, after.get(key) ?? budget, now)
        if (E.isLeft(next)) {
          atLimit.remember(key, READ_FIRST_MS)
          return next.left
        }
        after.set(key, next.right.after)
        slots.set(taking, { slot: next.right.slot, now })
        return undefined
      },
      write: async () => {
        await setSlots(dialect, trx, groups.flatMap((group) => {
          const budget = after.get(group.key)
          return budget === undefined ? [] : [{ ...group, budget }]
        }))
        return slots
      },
    }
  }
}

const NOTHING_TAKEN: SlotBook = { take: () => undefined, write: async () => new Map() }

/** The takings of one sender, or the messages of its customers, in their order. */
type SenderGroup<Taking = SlotTaking> = SenderOf & { readonly key: string; readonly takings: ReadonlyArray<Taking> }

const keyOf = ({ workspace, sender }: SenderOf): string => `${workspace} ${sender}`

/** The senders in the order of their keys: two transactions that take slots of the same senders lock them in the same order. */
const groupsOf = <Taking extends SenderOf>(takings: ReadonlyArray<Taking>): ReadonlyArray<SenderGroup<Taking>> => {
  const groups = new Map<string, SenderGroup<Taking>>()
  for (const taking of takings) {
    const { workspace, sender } = taking
    const key = keyOf(taking)
    groups.set(key, { key, workspace, sender, takings: [...groups.get(key)?.takings ?? [], taking] })
  }
  return [...groups.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

const MS_US = 1_000

/** The length of all slots of a sender, and how far ahead of the clock they may begin; `undefined` if that is too far, or if the takings differ. */
const quickWrite = ({ takings }: SenderGroup): { readonly added: number; readonly ahead: number } | undefined => {
  const [first, ...others] = takings
  if (first === undefined || others.some((one) => one.perSecond !== first.perSecond || one.maxWaitMs !== first.maxWaitMs)) return undefined
  const length = slotLength(first.perSecond)
  const ahead = first.maxWaitMs * MS_US - (takings.length - 1) * length
  return ahead < 0 ? undefined : { added: takings.length * length, ahead }
}

const KEY = ['workspace_id', 'phone_number_id'] as const

const insertMissing = (dialect: Dialect, trx: Queryable, groups: ReadonlyArray<SenderOf>): Promise<void> =>
  insert(
    trx, dialect, 'sender_slots', [...KEY, 'next_slot'], groups.map(({ workspace, sender }) => [workspace, sender, 0]),
    dialect.insertIgnore('sender_slots', KEY, 'next_slot'),
  )

type StoredBudget = { readonly budget: SenderSlots; readonly now: number }

/** The current time of the database, in microseconds; exact to the millisecond. */
const nowIn = (dialect: Dialect): string => `${dialect.now} * ${MS_US}`

const readSlots = async (
  dialect: Dialect, trx: Queryable, groups: ReadonlyArray<SenderGroup>, lock: string,
): Promise<ReadonlyMap<string, StoredBudget>> => {
  const { sql, bindings } = inList(dialect, KEY, groups.map(({ workspace, sender }) => [workspace, sender]))
  const rows = await select(
    trx,
    `SELECT workspace_id, phone_number_id, next_slot, slowed_to, slowed_at, ${nowIn(dialect)} AS now_at
     FROM ${dialect.byPrimaryKey('sender_slots')} WHERE ${sql} ORDER BY workspace_id, phone_number_id ${lock}`,
    bindings,
  )
  return new Map(rows.map((row) => [`${row['workspace_id']} ${row['phone_number_id']}`, storedIn(row)]))
}

const storedIn = (row: Row): StoredBudget => ({
  budget: {
    nextSlot: Number(row['next_slot']),
    ...(row['slowed_to'] !== null && { slowed: { perSecond: Number(row['slowed_to']), at: Number(row['slowed_at']) } }),
  },
  now: Number(row['now_at']),
})

const lockSlots = (dialect: Dialect, trx: Queryable, groups: ReadonlyArray<SenderGroup>): Promise<ReadonlyMap<string, StoredBudget>> =>
  readSlots(dialect, trx, groups, dialect.forUpdate)

const CHANGED = 'the slots of a sender are not free'

/** Takes the slots of senders without reading them first. They end where the row now says. */
const addSlots = async (
  dialect: Dialect, trx: Queryable, groups: ReadonlyArray<SenderGroup>, missing: ReadonlyArray<SenderGroup>,
): Promise<ReadonlyMap<SlotTaking, SenderSlot>> => {
  if (groups.length === 0) return new Map()
  const rows = groups.map((group): ReadonlyArray<Bound> => {
    const { added = 0, ahead = 0 } = quickWrite(group) ?? {}
    return [group.workspace, group.sender, added, ahead]
  })
  const [, , read] = await together([
    insertMissing(dialect, trx, missing), updateAll(trx, dialect, addUpdate(dialect), rows, CHANGED), readSlots(dialect, trx, groups, ''),
  ])
  return new Map(groups.flatMap(({ key, takings }) => {
    const { budget: { nextSlot }, now } = read.get(key) ?? { budget: NO_SLOTS_TAKEN, now: 0 }
    return takings.map((taking, index) =>
      [taking, { slot: nextSlot - (takings.length - index) * slotLength(taking.perSecond), now }] as const)
  }))
}

const addUpdate = (dialect: Dialect): EachUpdate => ({
  table: 'sender_slots',
  key: KEY,
  columns: [{ name: 'added', type: 'integer' }, { name: 'ahead', type: 'integer' }],
  set: [['next_slot', `CASE WHEN t.next_slot > ${nowIn(dialect)} THEN t.next_slot ELSE ${nowIn(dialect)} END + v.added`]],
  where: `t.slowed_to IS NULL AND t.next_slot <= ${nowIn(dialect)} + v.ahead`,
})

const setSlots = async (
  dialect: Dialect, trx: Queryable, groups: ReadonlyArray<SenderOf & { readonly budget: SenderSlots }>,
): Promise<void> => {
  if (groups.length === 0) return
  const columns = ['next_slot', 'slowed_to', 'slowed_at']
  await insert(
    trx, dialect, 'sender_slots', [...KEY, ...columns],
    groups.map(({ workspace, sender, budget: { nextSlot, slowed } }) =>
      [workspace, sender, nextSlot, slowed?.perSecond ?? null, slowed?.at ?? null]),
    dialect.upsert(KEY, columns),
  )
}

/**
 * Counts the messages of customers. The row need not be read first. The statements are sent before those of `reserve` in the same transaction, so that a send which reads the row sees the count.
 */
const countInboundWrite = (dialect: Dialect): Write<SlotTaking, void> => {
  const stored = new Set<string>()
  return {
    kind: 'count-inbound',
    run: async (trx, items, verifyReads) => {
      const groups = groupsOf(items)
      const missing = verifyReads ? groups : groups.filter(({ key }) => !stored.has(key))
      if (stored.size >= MAX_REMEMBERED) stored.clear()
      for (const { key } of missing) stored.add(key)
      const rows = groups.map(({ workspace, sender, takings }): ReadonlyArray<Bound> => {
        const added = takings.reduce((sum, { perSecond }) => sum + slotLength(perSecond), 0)
        return [workspace, sender, added, Math.max(...takings.map(inboundAhead))]
      })
      await together([insertMissing(dialect, trx, missing), updateAll(trx, dialect, inboundUpdate(dialect), rows, CHANGED)])
      return items.map(() => undefined)
    },
  }
}

/** The rule of `countInbound` in SQL, for several messages together. */
const inboundUpdate = (dialect: Dialect): EachUpdate => {
  const now = nowIn(dialect)
  return {
    table: 'sender_slots',
    key: KEY,
    columns: [{ name: 'added', type: 'integer' }, { name: 'most', type: 'integer' }],
    set: [['next_slot', `CASE WHEN t.next_slot >= ${now} + v.most THEN t.next_slot
      WHEN (CASE WHEN t.next_slot > ${now} THEN t.next_slot ELSE ${now} END) + v.added > ${now} + v.most THEN ${now} + v.most
      ELSE (CASE WHEN t.next_slot > ${now} THEN t.next_slot ELSE ${now} END) + v.added END`]],
    where: '1 = 1',
  }
}

/**
 * The budgets of senders over SQL. A send takes its slot in the transaction that opens its message; `take` is for storage that an app has combined from several. The messages of customers are counted in
 * the transactions of the group commit.
 */
export const makeSenderBudget = (database: Database, { write }: GroupCommit): SenderBudget => {
  const { dialect } = database
  const [openSlots, counting] = [makeOpenSlots(dialect), countInboundWrite(dialect)]
  const batcher = makeBatcher<SlotTaking, E.Either<SenderLimitReached, SenderSlot>>((takings, signal) =>
    transact(database, async (trx, attempt) => {
      const book = await openSlots(trx, takings, attempt > 1)
      const refusals = takings.map(book.take)
      const slots = await book.write()
      return takings.map((taking, index) => {
        const [refusal, slot] = [refusals[index], slots.get(taking)]
        if (refusal !== undefined) return E.left(refusal)
        return slot === undefined ? new Error('a slot that was taken was not found') : E.right(slot)
      })
    }, { signal }))
  return {
    take: (taking) => tasks.either(() => batcher.load({ ...taking })),
    slowDown: ({ workspace, sender, perSecond }, why) => tasks.value(() => transact(database, async (trx) => {
      const group: SenderGroup = { key: keyOf({ workspace, sender }), workspace, sender, takings: [] }
      await insertMissing(dialect, trx, [group])
      const { budget, now } = (await lockSlots(dialect, trx, [group])).get(group.key) ?? { budget: NO_SLOTS_TAKEN, now: 0 }
      const after = slowedDown(budget, why, perSecond, now)
      if (after !== budget) await setSlots(dialect, trx, [{ workspace, sender, budget: after }])
    })),
    countInbound: (of) => tasks.value(() => write(counting, of)),
    presentRates: (senders) => tasks.value(async () => {
      if (senders.length === 0) return []
      const stored = await readSlots(dialect, database.db, senders.map((of) => ({ ...of, key: keyOf(of), takings: [] })), '')
      return senders.map((of) => {
        const { budget, now } = stored.get(keyOf(of)) ?? { budget: NO_SLOTS_TAKEN, now: 0 }
        return rateOf(budget, of.perSecond, now)
      })
    }),
  }
}

const tasks = portTasks('SenderBudget')
