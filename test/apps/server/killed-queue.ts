import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { startSimulator } from '../../../apps/simulator/simulator.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { Currency } from '../../../core/kernel/money.js'
import { type Instant, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { type MessageId, messageIdOf } from '../../../core/messages/message.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { type Account, createAccount } from '../../support/account.js'
import { readBooks, reconcileAtOnce, withDatabase } from '../../support/books.js'
import { eventually } from '../../support/eventually.js'
import { SECRET } from '../../support/gateway.js'
import { rightOf } from '../../support/right-of.js'
import { type ServerProcess, startServer, startServers } from '../../support/server-process.js'

/** What every test of it promises. */
export const QUEUE_PROMISE = 'send each message at most once, not before it is due and not after its end, and lose none, however they are killed and stopped'

const SENDERS = ['1000', '1001', '1002'] as const
const [GATEWAYS, CUSTOMERS] = [3, 20]
const [PRICE, FUNDS] = [7n, 1_000_000n]
/** How long a gateway takes over the messages of one that was killed on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000
/** Longer than the lease of a process that was stopped, in milliseconds. */
const STOPPED_MS = 20_000

/** Processes that send what is queued, and are killed and stopped. */
export type KilledQueue = {
  /** The addresses of the database; the processes use them in turns. */
  readonly urls: readonly [string, ...Array<string>]
  readonly kills: number
  /** For how long one of them is stopped at the end at least, in milliseconds; absent: until the others have sent everything. */
  readonly sleepMs?: number
  /** The storage is a file. A stopped process may hold its write lock, and then the others send nothing. */
  readonly isFile?: boolean
}

/** Scheduled messages are due this many milliseconds apart, as fast as a sender sends. */
const SCHEDULED_EVERY_MS = 100

/** How long it takes at most, in milliseconds. */
export const patienceOf = ({ kills, sleepMs = 0 }: Pick<KilledQueue, 'kills' | 'sleepMs'>): number => (2 + kills) * PATIENCE_MS + sleepMs

/** Sends what is queued, some of it scheduled, while the processes are killed and stopped, and checks every message and the books. */
export const sendQueueThroughKills = async ({ urls, kills, sleepMs = 0, isFile = false }: KilledQueue): Promise<void> => {
  /** Enough that some wait whenever a process is killed. */
  const count = 60 + 15 * kills
  const simulator = await startSimulator()
  const [url] = urls
  const envOf = (index: number) => ({
    DATABASE_URL: urls[index % urls.length] ?? url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url,
    SENDER_LIMIT: '10', PAIR_LIMIT: 'off',
  })
  const gateways: ServerProcess[] = []
  try {
    const times = new Map<MessageId, { readonly dueAt: Instant; readonly endsAt: Instant }>()
    const accounts: Account[] = []
    await withDatabase(url, async (storage) => {
      for (const phoneNumberId of SENDERS) {
        const account = await createAccount(storage, { name: phoneNumberId, micros: FUNDS, phoneNumberId })
        accounts.push(account)
        const customers = Array.from({ length: CUSTOMERS }, (_, index) => `49151${phoneNumberId}${100 + index}` as PhoneNumber)
        await Promise.all(customers.map(async (phoneNumber) => {
          rightOf(await storage.windowClock.recordInbound(account.id, { phoneNumber }, Date.now()))
        }))
        await Promise.all(Array.from({ length: count }, async (_, index) => {
          const at = Date.now()
          const [id, to = customers[0]] = [messageIdOf(uuidv7()), customers[index % CUSTOMERS]]
          const dueAt = at + (index % 4 === 1 ? index * SCHEDULED_EVERY_MS : 0)
          const endsAt = dueAt + (index % 3 === 0 ? 20 * SECOND_MS : 60 * MINUTE_MS)
          times.set(id, { dueAt, endsAt })
          rightOf(await storage.messageLog.open({
            id, workspace: account.id, sender: senderIdOf(phoneNumberId), at,
            message: { _tag: 'Text', to: to as PhoneNumber, text: 'Hello' },
            price: { micros: PRICE, currency: 'USD' as Currency, category: 'service' }, queue: { dueAt, endsAt },
          }))
        }))
      }
    })
    gateways.push(...await startServers(Array.from({ length: GATEWAYS }, (_, index) => envOf(index))))

    const waiting = (): Promise<number> => withDatabase(url, async ({ messageQueue }) =>
      rightOf(await messageQueue.waiting({ at: Date.now() })).reduce((sum, { waiting: due, scheduled }) => sum + due + scheduled, 0))
    const more = async (wanted: number, patienceMs = PATIENCE_MS): Promise<void> => {
      const before = simulator.received().length
      await eventually('more messages', async () =>
        simulator.received().length >= before + wanted || await waiting() === 0 || undefined, patienceMs)
    }
    const empty = async (patienceMs = PATIENCE_MS): Promise<void> => {
      await eventually('an empty queue', async () => await waiting() === 0 || undefined, patienceMs)
    }
    // A stopped process may hold the write lock of a file. Then the others send nothing until it continues.
    const whileStopped = (others: (patienceMs?: number) => Promise<void>): Promise<void> =>
      isFile ? others(STOPPED_MS).catch(() => undefined) : others()
    for (let kill = 0; kill < kills; kill += 1) {
      await more(10)
      const index = kill % GATEWAYS
      const gateway = gateways[index] ?? assert.fail('there is no such gateway')
      if (kill % 2 === 0) {
        await gateway.kill()
        gateways[index] = await startServer(envOf(index))
      } else {
        gateway.signal('SIGSTOP')
        await whileStopped((patienceMs) => more(20, patienceMs))
        gateway.signal('SIGCONT')
      }
    }
    // One sleeps until the others have sent everything, which takes longer than its lease lasts.
    const [sleeper] = gateways
    await more(10)
    sleeper?.signal('SIGSTOP')
    await Promise.all([whileStopped(empty), delay(sleepMs)])
    sleeper?.signal('SIGCONT')
    await empty()
    await eventually('the sleeper awake', async () => (await fetch(`${sleeper?.url}/health/live`)).ok || undefined, PATIENCE_MS)
    await Promise.all(gateways.splice(0).map((gateway) => gateway.kill()))

    const received = simulator.received()
    const seen = new Set(received.map(({ callback }) => callback))
    assert.lengthOf(received, seen.size, 'a message was sent twice')
    const timesOf = (callback: string | undefined) => times.get(callback as MessageId) ?? { dueAt: Infinity, endsAt: 0 }
    assert.isEmpty(received.filter(({ callback, at }) => at < timesOf(callback).dueAt), 'a message was sent before it was due')
    assert.isEmpty(received.filter(({ callback, at }) => at >= timesOf(callback).endsAt + SECOND_MS), 'a message was sent after its end')
    await reconcileAtOnce(envOf(0))
    for (const { id } of accounts) {
      const { audit, balance, messages } = await readBooks(url, id)
      assert.deepEqual(audit.broken, [])
      assert.lengthOf(messages, count)
      const paid = [...messages].filter(([, state]) => state === 'accepted')
      assert.deepEqual(paid.filter(([message]) => !seen.has(message)), [], 'a message that was not sent is accepted')
      // A process that is killed between the claim and the answer leaves a message of unknown outcome, whose money is released.
      const others = [...messages].filter(([, state]) => state !== 'accepted')
      assert.deepEqual(others.filter(([, state]) => state !== 'released' && state !== 'refused'), [])
      const refused = others.filter(([message, state]) => state === 'refused' && seen.has(message))
      assert.deepEqual(refused, [], 'a message that was sent is refused')
      assert.deepInclude(balance, { available: FUNDS - BigInt(paid.length) * PRICE, held: 0n })
    }
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await simulator.close()
  }
}
