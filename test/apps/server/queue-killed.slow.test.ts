// Slow: kills and stops processes of gateways that send what is queued, on each database. QUEUE_KILLS sets how many, 6 by default.
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
import { describeEachDatabase } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { SECRET } from '../../support/gateway.js'
import { rightOf } from '../../support/right-of.js'
import { type ServerProcess, startServer, startServers } from '../../support/server-process.js'

const KILLS = Number(process.env['QUEUE_KILLS'] ?? 6)
const SENDERS = ['1000', '1001', '1002'] as const
const [GATEWAYS, CUSTOMERS] = [3, 20]
/** Enough that some wait whenever a process is killed. */
const MESSAGES = 60 + 15 * KILLS
const [PRICE, FUNDS] = [7n, 1_000_000n]
/** How long a gateway takes over the messages of one that was killed on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000
/** Longer than the lease of a process that was stopped, in milliseconds. */
const STOPPED_MS = 20_000

await describeEachDatabase('Gateways that send what is queued', (server) => {
  it('send each message at most once and before its end, and lose none, however they are killed and stopped', async function () {
    this.timeout(2 * PATIENCE_MS + KILLS * PATIENCE_MS)
    await using database = await server.createMigrated()
    const simulator = await startSimulator()
    const env = {
      DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url, SENDER_LIMIT: '10', PAIR_LIMIT: 'off',
    }
    const gateways: ServerProcess[] = []
    try {
      const ends = new Map<MessageId, Instant>()
      const accounts: Account[] = []
      await withDatabase(database.url, async (storage) => {
        for (const phoneNumberId of SENDERS) {
          const account = await createAccount(storage, { name: phoneNumberId, micros: FUNDS, phoneNumberId })
          accounts.push(account)
          const customers = Array.from({ length: CUSTOMERS }, (_, index) => `49151${phoneNumberId}${100 + index}` as PhoneNumber)
          await Promise.all(customers.map(async (phoneNumber) => {
            rightOf(await storage.windowClock.recordInbound(account.id, { phoneNumber }, Date.now()))
          }))
          await Promise.all(Array.from({ length: MESSAGES }, async (_, index) => {
            const at = Date.now()
            const [id, to = customers[0]] = [messageIdOf(uuidv7()), customers[index % CUSTOMERS]]
            const endsAt = at + (index % 3 === 0 ? 20 * SECOND_MS : 60 * MINUTE_MS)
            ends.set(id, endsAt)
            rightOf(await storage.messageLog.open({
              id, workspace: account.id, sender: senderIdOf(phoneNumberId), at,
              message: { _tag: 'Text', to: to as PhoneNumber, text: 'Hello' },
              price: { micros: PRICE, currency: 'USD' as Currency, category: 'service' }, queue: { dueAt: at, endsAt },
            }))
          }))
        }
      })
      gateways.push(...await startServers(new Array(GATEWAYS).fill(env)))

      const waiting = (): Promise<number> => withDatabase(database.url, async ({ messageQueue }) =>
        rightOf(await messageQueue.waiting({ at: Date.now() })).reduce((sum, { waiting: count }) => sum + count, 0))
      const more = async (count: number, patienceMs = PATIENCE_MS): Promise<void> => {
        const before = simulator.received().length
        await eventually('more messages', async () =>
          simulator.received().length >= before + count || await waiting() === 0 || undefined, patienceMs)
      }
      const empty = async (patienceMs = PATIENCE_MS): Promise<void> => {
        await eventually('an empty queue', async () => await waiting() === 0 || undefined, patienceMs)
      }
      // A stopped process may hold the write lock of a file. Then the others send nothing until it continues.
      const whileStopped = (others: (patienceMs?: number) => Promise<void>): Promise<void> =>
        server.name === 'SQLite' ? others(STOPPED_MS).catch(() => undefined) : others()
      for (let kill = 0; kill < KILLS; kill += 1) {
        await more(10)
        const index = kill % GATEWAYS
        const gateway = gateways[index] ?? assert.fail('there is no such gateway')
        if (kill % 2 === 0) {
          await gateway.kill()
          gateways[index] = await startServer(env)
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
      await whileStopped(empty)
      sleeper?.signal('SIGCONT')
      await empty()
      await eventually('the sleeper awake', async () => (await fetch(`${sleeper?.url}/health/live`)).ok || undefined, PATIENCE_MS)
      await Promise.all(gateways.splice(0).map((gateway) => gateway.kill()))

      const received = simulator.received()
      const seen = new Set(received.map(({ callback }) => callback))
      assert.lengthOf(received, seen.size, 'a message was sent twice')
      const late = received.filter(({ callback, at }) => at >= (ends.get(callback as MessageId) ?? 0) + SECOND_MS)
      assert.deepEqual(late.map(({ callback }) => callback), [], 'a message was sent after its end')
      await reconcileAtOnce(env)
      for (const { id } of accounts) {
        const { audit, balance, messages } = await readBooks(database.url, id)
        assert.deepEqual(audit.broken, [])
        assert.lengthOf(messages, MESSAGES)
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
  })
})
