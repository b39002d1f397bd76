// Slow: kills and stops processes of gateways that send a batch, on each database. BATCH_LINES and BATCH_KILLS set how many, 400 and 4 by default.
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../../adapters/knex/index.js'
import { startSimulator } from '../../../apps/simulator/simulator.js'
import type { BatchLine } from '../../../core/batches/lines.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import type { BatchId, WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { type Batching, makeBatching } from '../../../core/batching.js'
import { createAccount } from '../../support/account.js'
import { readBooks, reconcileAtOnce, withDatabase } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { SECRET } from '../../support/gateway.js'
import { rightOf } from '../../support/right-of.js'
import { type ServerProcess, startServer, startServers } from '../../support/server-process.js'

const LINES = Number(process.env['BATCH_LINES'] ?? 400)
const KILLS = Number(process.env['BATCH_KILLS'] ?? 4)
const GATEWAYS = 3
const PRICE = 7n
const FUNDS = PRICE * BigInt(LINES)
/** How long a gateway takes over the work of one that was killed on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000
/** What one pass of a kill waits for, so that some lines wait whenever a process is killed. */
const STEP = Math.floor(LINES / (KILLS + 3))
/** The second limit is that of gateways that were started again. */
const LIMITS = LINES > 1_000 ? ['400', '600'] : ['40', '60']

await describeEachDatabase('Gateways that send a batch', (server) => {
  it('send each line once, and lose none, however they are killed, stopped and paused', async function () {
    this.timeout((KILLS + 4) * PATIENCE_MS + LINES * 50)
    await using database = await server.createMigrated()
    const simulator = await startSimulator()
    const env = {
      DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url, PAIR_LIMIT: 'off',
      // A batch is done once the messages of the killed processes are known to be unconfirmed.
      UNCONFIRMED_AFTER_MS: '30000', RECONCILE_EVERY_MS: '1000',
    }
    const [first = '', second = ''] = LIMITS
    const gateways: ServerProcess[] = []
    try {
      const batch = await withDatabase(database.url, confirmedBatch)
      const { by, workspace } = batch
      const act = (does: (batching: Batching) => Promise<E.Either<unknown, unknown>>): Promise<unknown> =>
        withDatabase(database.url, async (storage) => rightOf(await does(batchingOver(storage))))
      gateways.push(...await startServers(new Array(GATEWAYS).fill({ ...env, SENDER_LIMIT: first })))

      const stateOf = (): Promise<string> => withDatabase(database.url, async ({ batches }) =>
        O.toUndefined(rightOf(await batches.find(batch)))?.state ?? 'gone')
      const more = async (count: number): Promise<void> => {
        const before = simulator.received().length
        await eventually('more lines', async () =>
          simulator.received().length >= Math.min(before + count, LINES) || await stateOf() === 'done' || undefined, PATIENCE_MS)
      }
      for (let kill = 0; kill < KILLS; kill += 1) {
        await more(STEP)
        const index = kill % GATEWAYS
        const gateway = gateways[index] ?? assert.fail('there is no such gateway')
        if (kill % 2 === 0 || server.name === 'SQLite') {
          await gateway.kill()
          gateways[index] = await startServer({ ...env, SENDER_LIMIT: second })
        } else {
          // Longer than the lease of the batches, so that another process goes on meanwhile.
          gateway.signal('SIGSTOP')
          await more(STEP)
          gateway.signal('SIGCONT')
        }
        if (kill >= 2) continue
        await act((batching) => batching.pause({ by, workspace, batch: batch.batch }))
        await act((batching) => batching.resume({ by, workspace, batch: batch.batch }))
      }
      await eventually('the end of the batch', async () => await stateOf() === 'done' || undefined, PATIENCE_MS + LINES * 20)
      await Promise.all(gateways.splice(0).map((gateway) => gateway.kill()))

      const received = simulator.received()
      const seen = new Set(received.map(({ callback }) => callback))
      assert.lengthOf(received, seen.size, 'a message was sent twice')
      await reconcileAtOnce(env)
      const { audit, balance, messages } = await readBooks(database.url, workspace)
      assert.deepEqual(audit.broken, [])
      assert.lengthOf(messages, LINES, 'each line has one message')
      const paid = [...messages].filter(([, state]) => state === 'accepted')
      assert.deepEqual(paid.filter(([message]) => !seen.has(message)), [], 'a message that was not sent is accepted')
      // A process that is killed between the claim and the answer leaves a message of unknown outcome, whose money is released.
      const others = [...messages].filter(([, state]) => state !== 'accepted')
      assert.deepEqual(others.filter(([, state]) => state !== 'released' && state !== 'refused'), [])
      assert.isAtMost(others.length, KILLS * 256)
      assert.deepInclude(balance, { available: FUNDS - BigInt(paid.length) * PRICE, held: 0n })
      await withDatabase(database.url, async (storage) => {
        const { results } = rightOf(await batchingOver(storage).readResults({ by, workspace, batch: batch.batch }))
        let [count, charged] = [0, 0n]
        for await (const result of results) {
          const { message, price, state } = rightOf(result)
          if (message === undefined) assert.fail('a line has no message')
          assert.equal(state, messages.get(message.id))
          assert.equal(state === 'accepted', price === PRICE)
          count += 1
          charged += price
        }
        assert.deepEqual([count, charged], [LINES, BigInt(paid.length) * PRICE])
      })
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.kill()))
      await simulator.close()
    }
  })
})

type Confirmed = { readonly by: typeof SYSTEM; readonly workspace: WorkspaceId; readonly batch: BatchId }

/** A workspace with a confirmed batch whose total is its whole balance. */
const confirmedBatch = async (storage: KnexStorage): Promise<Confirmed> => {
  const [by, batching] = [SYSTEM, batchingOver(storage)]
  const { id: workspace } = await createAccount(storage, { micros: FUNDS, phoneNumberId: '1000' })
  // What a process refuses that has slept does not pause the batch here.
  const brake = { share: 1, of: 200 }
  const given = { by, workspace, templateName: 'order_update', language: 'en', timing: { until: Date.now() + HOUR_MS }, brake }
  const { id: batch } = rightOf(await batching.create(given))
  rightOf(await batching.addRecipients({ by, workspace, batch, lines: lines() }))
  const { total, sendable } = rightOf(await batching.preflight({ by, workspace, batch }))
  assert.deepEqual([total, sendable], [FUNDS, LINES])
  rightOf(await batching.confirm({ by, workspace, batch, total }))
  return { by, workspace, batch }
}

async function* lines(): AsyncGenerator<E.Either<never, BatchLine>> {
  for (let index = 0; index < LINES; index += 1) {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }, { type: 'text', text: String(index) }] }]
    yield await Promise.resolve(E.right({ line: index + 2, to: `49151${10_000_000 + index}` as PhoneNumber, components }))
  }
}

/** The batches over a storage, without a platform: nothing is sent by this process. */
const batchingOver = (storage: KnexStorage): Batching =>
  makeBatching(storage, {
    priceOf: async () => E.right({ micros: PRICE, currency: 'USD' as Currency, category: 'marketing' }), newUuid: uuidv7,
    retryLater: () => undefined, unconfirmedAfterMs: 2 * MINUTE_MS, releaseAfterMs: HOUR_MS,
  }) ?? assert.fail('the storage has no batches')
