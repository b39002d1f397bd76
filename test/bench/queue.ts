import type { Knex } from 'knex'
import { uuidv7 } from 'uuidv7'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { DAY_MS, HOUR_MS } from '../../core/kernel/time.js'
import type { Currency } from '../../core/kernel/money.js'
import type { CustomerId } from '../../core/customers/customer.js'
import { messageIdOf } from '../../core/messages/message.js'
import type { QueuedMessage, QueuePosition } from '../../core/messages/queue.js'
import { senderIdOf } from '../../core/senders/sender.js'
import type { TestServer } from '../support/databases.js'
import { rightOf } from '../support/right-of.js'
import type { Cleanup } from './cleanup.js'
import { makeDatabase, openKnex } from './database.js'
import { percentile } from './load-result.js'
import type { Options } from './options.js'
import { benchServers } from './servers.js'
import { SECRET, type Tenant } from './tenants.js'

/** How long reading what is due and claiming a message takes, in milliseconds. */
type Latencies = {
  readonly dueP50: number
  readonly dueP99: number
  /** Reading from the beginning of the queue, as a turn does every two seconds; other reads go on where the last one ended. */
  readonly firstDue: number
  readonly claimP50: number
  readonly claimP99: number
  readonly claims: number
}

/** The queue of one sender with many waiting messages, beside a transaction that stays open, as a backup's does. */
export type QueueFigures = {
  readonly database: string
  readonly waiting: number
  readonly before: Latencies
  /** The first and the last claims beside the open transaction. */
  readonly first: Latencies
  readonly last: Latencies
  /** How many messages were claimed beside it, and in how many seconds. */
  readonly claimed: number
  readonly seconds: number
}

const WAITING = 1_000_000
const CLAIMED = 100_000
const PART = 5_000
/** How many messages are read together, and how many claims are under way at the same time. */
const READ = 100
const AT_ONCE = 32
const STORED_AT_ONCE = 256
const SENDER = senderIdOf('106540000000000')

/** Measures how fast messages leave a long queue while another transaction keeps every deleted row. */
export const benchQueue = async (
  { only }: Pick<Options, 'only'>, cleanup: Cleanup, log: (line: string) => void,
): Promise<ReadonlyArray<QueueFigures>> => {
  const { found } = await benchServers(cleanup, new Set(['MySQL', 'PostgreSQL']))
  const figures: Array<QueueFigures> = []
  for (const server of found.filter(({ name }) => name !== 'SQLite' && (only?.test(name) ?? true))) {
    figures.push(await measureOn(server, cleanup, log))
  }
  return figures
}

const measureOn = async (server: TestServer, cleanup: Cleanup, log: (line: string) => void): Promise<QueueFigures> => {
  const { url, tenants: [tenant] } = await makeDatabase(server, { tenants: 1, filled: false }, cleanup)
  if (tenant === undefined) throw new Error('there is no workspace')
  const storage = openStorage({ url, secret: SECRET })
  cleanup.defer(storage.close)
  const knex = openKnex(url)
  cleanup.defer(() => knex.destroy())
  await store(storage, tenant, CLAIMED + 2 * PART)
  log(`${server.name}: the messages that will leave are stored`)
  await copyOne(knex, server.name, WAITING)
  log(`${server.name}: ${WAITING} more are stored`)
  const before = await claimSome(storage, tenant, PART)
  const reader = openKnex(url)
  cleanup.defer(() => reader.destroy())
  const open = await reader.transaction(undefined, { isolationLevel: 'repeatable read' })
  await open('workspaces').count()
  const begun = performance.now()
  const first = await claimSome(storage, tenant, PART)
  await claimSome(storage, tenant, CLAIMED - 2 * PART)
  const last = await claimSome(storage, tenant, PART)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  await open.rollback()
  const figures = { database: server.name, waiting: WAITING, before, first, last, claimed: CLAIMED, seconds }
  log(JSON.stringify(figures))
  return figures
}

/** Queues messages that are due first. */
const store = async ({ messageLog }: KnexStorage, { workspace }: Tenant, count: number): Promise<void> => {
  const from = Date.now() - DAY_MS
  for (let done = 0; done < count; done += STORED_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(STORED_AT_ONCE, count - done) }, async (_, index) => {
      const to = `1555${String(done + index).padStart(7, '0')}` as CustomerId
      return rightOf(await messageLog.open({
        id: messageIdOf(uuidv7()), workspace, sender: SENDER, message: { _tag: 'Template', to, name: 'order_update', language: 'en_US' },
        price: { micros: 1n, currency: 'USD' as Currency, category: 'marketing' }, at: from,
        queue: { dueAt: from + done + index, endsAt: from + 30 * DAY_MS, isHeld: true },
      }))
    }))
  }
}

/** Copies a queued message by SQL. Nothing reads the copies, which are due later than all others. */
const copyOne = async (knex: Knex, server: string, count: number): Promise<void> => {
  const [numbers, number] = server === 'MySQL' ? [`seq_1_to_${count}`, 'seq'] : [`generate_series(1, ${count}) AS n`, 'n::text']
  const dueAt = Date.now() - HOUR_MS
  const one: { readonly message_id: string } = await knex('queued_messages').first()
  for (const [table, idColumn] of [['messages', 'id'], ['queued_messages', 'message_id'], ['queued_contents', 'message_id']] as const) {
    const columns = Object.keys(await knex(table).first() as object)
    const values = columns.map((column) =>
      (column === idColumn ? `concat('msg_f', lpad(${number}, 31, '0'))` : column === 'due_at' ? String(dueAt) : column))
    await knex.raw(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table} CROSS JOIN ${numbers} WHERE ${idColumn} = ?`,
      [one.message_id],
    )
    await knex.raw(`ANALYZE ${server === 'MySQL' ? 'TABLE ' : ''}${table}`)
  }
}

/** Reads and claims messages in their order. */
const claimSome = async ({ messageQueue }: KnexStorage, { workspace }: Tenant, count: number): Promise<Latencies> => {
  const [dues, claims]: [Array<number>, Array<number>] = [[], []]
  const timed = async <A>(of: Array<number>, work: () => Promise<A>): Promise<A> => {
    const begun = performance.now()
    const done = await work()
    of.push(performance.now() - begun)
    return done
  }
  let after: QueuePosition | undefined
  while (claims.length < count) {
    const query = { workspace, sender: SENDER, at: Date.now(), limit: READ, after }
    const due = rightOf(await timed(dues, () => messageQueue.due(query)))
    const last = due.at(-1)
    if (last === undefined) throw new Error('nothing is due')
    after = { dueAt: last.place.dueAt, id: last.record.id }
    const left = [...due]
    const claimOne = async ({ record: { id } }: QueuedMessage): Promise<void> => {
      const claimed = await timed(claims, () => messageQueue.claim({ workspace, message: id, sender: SENDER }, Date.now()))
      if (!rightOf(claimed)) throw new Error(`${id} could not be claimed`)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await claimOne(next)
    }))
  }
  const ms = (values: ReadonlyArray<number>, share: number): number => Math.round(percentile(values, share) * 10) / 10
  const [firstDue = NaN, ...others] = dues
  return {
    dueP50: ms(others, 0.5), dueP99: ms(others, 0.99), firstDue: ms([firstDue], 0), claimP50: ms(claims, 0.5), claimP99: ms(claims, 0.99),
    claims: claims.length,
  }
}

/** The figures as text. */
export const queueText = (figures: ReadonlyArray<QueueFigures>): string => figures.flatMap((of) => [
  `${of.database}: one sender with ${of.waiting} waiting messages; ${of.claimed} leave beside an open transaction in ${of.seconds} s`,
  ...(['before', 'first', 'last'] as const).map((part) => `  ${NAMES[part]}: ${latenciesText(of[part])}`), '',
]).join('\n')

const NAMES = { before: 'without the transaction', first: `its first ${PART} claims`, last: `its last ${PART} claims` }

const latenciesText = ({ dueP50, dueP99, firstDue, claimP50, claimP99 }: Latencies): string =>
  `reading ${READ} takes ${dueP50} ms (p99 ${dueP99}; ${firstDue} from the beginning), a claim ${claimP50} ms (p99 ${claimP99}) with ${AT_ONCE} at the same time`
