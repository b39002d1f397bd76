import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { KnexStorage } from '../../../adapters/knex/index.js'
import { machine } from '../../../adapters/machine/machine.js'
import { startSimulator } from '../../../apps/simulator/simulator.js'
import type { BatchLine } from '../../../core/batches/lines.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import type { BatchId, WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { type Batching, makeBatching } from '../../../core/batching.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { createAccount } from '../../support/account.js'
import { readBooks, reconcileAtOnce, withDatabase } from '../../support/books.js'
import { eventually } from '../../support/eventually.js'
import { SECRET } from '../../support/gateway.js'
import { rightOf } from '../../support/right-of.js'
import { type ServerProcess, startServer, startServers } from '../../support/server-process.js'

const GATEWAYS = 3
const PRICE = 7n
const NUMBER = '1000'
/** How long a gateway takes over the work of one that was killed on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000

/** A database, what is done to its gateways, and what is done to it. */
export type KilledBatch = {
  /** The migrated database; the gateways use the URLs in turn. */
  readonly urls: readonly [string, ...ReadonlyArray<string>]
  readonly lines: number
  readonly kills: number
  /** Kills each gateway, and stops none. */
  readonly onlyKills?: boolean
  /** Kills the database in the middle, and starts it again. */
  readonly restartDatabase?: (() => Promise<void>) | undefined
}

/** The longest duration of such a test, in milliseconds. */
export const patienceOf = ({ lines, kills }: Pick<KilledBatch, 'kills' | 'lines'>): number => (kills + 6) * PATIENCE_MS + lines * 50

/**
 * Sends a batch through three gateways that are killed with SIGKILL, or stopped and continued, in turn, and pauses it twice; the rate of the sender changes meanwhile. Then checks
 * that each line has one message that was sent at most once, that the books are exact, and that the results are what the platform saw.
 */
export const sendThroughKills = async ({ urls, lines: count, kills, onlyKills = false, restartDatabase }: KilledBatch): Promise<void> => {
  const [url] = urls
  const funds = PRICE * BigInt(count)
  /** What one pass of a kill waits for, so that some lines wait whenever a process is killed. */
  const step = Math.floor(count / (kills + 3))
  const simulator = await startSimulator()
  /** The rates of the number, as the platform reports them first and in the middle. Few lines leave slowly, so that some are left when the last process is killed. */
  const [rate, changedRate] = count > 1_000 ? [1_000, 500] : [20, 10]
  const envOf = (index: number) => ({
    DATABASE_URL: urls[index % urls.length] ?? url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url,
    PAIR_LIMIT: 'off', SENDER_LIMIT: String(rate),
    // A batch is done once the messages of the killed processes are known to be unconfirmed.
    UNCONFIRMED_AFTER_MS: '30000', RECONCILE_EVERY_MS: '1000',
  })
  const gateways: ServerProcess[] = []
  try {
    const batch = await withDatabase(url, (storage) => confirmedBatch(storage, count))
    const { by, workspace } = batch
    /** The gateways read the number from the platform six hours later. They read what is known of it when they are started, and each minute. */
    const report = (messagesPerSecond: number): Promise<boolean> => withDatabase(url, async ({ numberHealth }) =>
      rightOf(await numberHealth.note({ workspace, sender: senderIdOf(NUMBER) }, { at: Date.now(), messagesPerSecond })))
    await report(rate)
    const act = (does: (batching: Batching) => Promise<E.Either<unknown, unknown>>): Promise<unknown> =>
      withDatabase(url, async (storage) => rightOf(await does(batchingOver(storage))))
    gateways.push(...await startServers(Array.from({ length: GATEWAYS }, (_, index) => envOf(index))))

    const stateOf = (): Promise<string> => withDatabase(url, async ({ batches }) =>
      O.toUndefined(rightOf(await batches.find(batch)))?.state ?? 'gone')
    // To ask opens a database, which takes processor time that the gateways need.
    let askedAt = 0
    const isDone = async (): Promise<true | undefined> => {
      if (Date.now() < askedAt + SECOND_MS) return undefined
      const state = await stateOf()
      askedAt = Date.now()
      return state === 'done' || undefined
    }
    const more = async (lines: number): Promise<void> => {
      const before = simulator.received().length
      const isReached = (): boolean => simulator.received().length >= Math.min(before + lines, count)
      await eventually('more lines', async () => isReached() || await isDone(), 2 * PATIENCE_MS)
    }
    for (let kill = 0; kill < kills; kill += 1) {
      await more(step)
      const index = kill % GATEWAYS
      const gateway = gateways[index] ?? assert.fail('there is no such gateway')
      if (kill % 2 === 0 || onlyKills) {
        await gateway.kill()
        gateways[index] = await startServer(envOf(index))
      } else {
        // Longer than the lease of the batches, so that another process goes on meanwhile.
        gateway.signal('SIGSTOP')
        await more(step)
        gateway.signal('SIGCONT')
      }
      if (kill === Math.floor(kills / 2)) await restartDatabase?.()
      if (kill === 1 || kill === 2) await report(kill === 1 ? changedRate : rate)
      if (kill >= 2) continue
      await act((batching) => batching.pause({ by, workspace, batch: batch.batch }))
      await act((batching) => batching.resume({ by, workspace, batch: batch.batch }))
    }
    await eventually('the end of the batch', isDone, 2 * PATIENCE_MS + count * 20)
    await Promise.all(gateways.splice(0).map((gateway) => gateway.kill()))

    const received = simulator.received()
    const seen = new Set(received.map(({ callback }) => callback))
    assert.lengthOf(received, seen.size, 'a message was sent twice')
    await reconcileAtOnce(envOf(0))
    const { audit, balance, messages } = await readBooks(url, workspace)
    assert.deepEqual(audit.broken, [])
    assert.lengthOf(messages, count, 'each line has one message')
    const paid = [...messages].filter(([, state]) => state === 'accepted')
    assert.deepEqual(paid.filter(([message]) => !seen.has(message)), [], 'a message that was not sent is accepted')
    // A process that is killed between the claim and the answer leaves a message of unknown outcome, whose money is released.
    const others = [...messages].filter(([, state]) => state !== 'accepted')
    assert.deepEqual(others.filter(([, state]) => state !== 'released' && state !== 'refused'), [])
    assert.isAtMost(others.length, (kills + (restartDatabase === undefined ? 0 : GATEWAYS)) * 256)
    assert.deepInclude(balance, { available: funds - BigInt(paid.length) * PRICE, held: 0n })
    await withDatabase(url, async (storage) => {
      const { results } = rightOf(await batchingOver(storage).readResults({ by, workspace, batch: batch.batch }))
      let [read, charged] = [0, 0n]
      for await (const result of results) {
        const { message, price, state } = rightOf(result)
        if (message === undefined) assert.fail('a line has no message')
        assert.equal(state, messages.get(message.id))
        assert.equal(state === 'accepted', price === PRICE)
        read += 1
        charged += price
      }
      assert.deepEqual([read, charged], [count, BigInt(paid.length) * PRICE])
    })
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await simulator.close()
  }
}

type Confirmed = { readonly by: typeof SYSTEM; readonly workspace: WorkspaceId; readonly batch: BatchId }

/** A workspace with a confirmed batch whose total is its whole balance. */
const confirmedBatch = async (storage: KnexStorage, count: number): Promise<Confirmed> => {
  const [by, batching] = [SYSTEM, batchingOver(storage)]
  const { id: workspace } = await createAccount(storage, { micros: PRICE * BigInt(count), phoneNumberId: NUMBER })
  // What a process refuses that has slept does not pause the batch here.
  const brake = { share: 1, of: 200 }
  const given = { by, workspace, templateName: 'order_update', language: 'en', timing: { until: Date.now() + HOUR_MS }, brake }
  const { id: batch } = rightOf(await batching.create(given))
  rightOf(await batching.addRecipients({ by, workspace, batch, lines: lines(count) }))
  const { total, sendable } = rightOf(await batching.preflight({ by, workspace, batch }))
  assert.deepEqual([total, sendable], [PRICE * BigInt(count), count])
  rightOf(await batching.confirm({ by, workspace, batch, total }))
  return { by, workspace, batch }
}

async function* lines(count: number): AsyncGenerator<E.Either<never, BatchLine>> {
  for (let index = 0; index < count; index += 1) {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }, { type: 'text', text: String(index) }] }]
    yield await Promise.resolve(E.right({ line: index + 2, to: `49151${10_000_000 + index}` as PhoneNumber, components }))
  }
}

/** The batches over a storage, without a platform: nothing is sent by this process. */
const batchingOver = (storage: KnexStorage): Batching =>
  makeBatching(storage, {
    priceOf: async () => E.right({ micros: PRICE, currency: 'USD' as Currency, category: 'marketing' }), ...machine,
    retryLater: () => undefined, unconfirmedAfterMs: 2 * MINUTE_MS, releaseAfterMs: HOUR_MS,
  }) ?? assert.fail('the storage has no batches')
