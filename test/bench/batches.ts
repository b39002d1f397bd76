import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { machine } from '../../adapters/machine/machine.js'
import type { BatchLine } from '../../core/batches/lines.js'
import { type Batching, makeBatching } from '../../core/batching.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { TestServer } from '../support/databases.js'
import { rightOf } from '../support/right-of.js'
import { type Child, startChild } from './child.js'
import type { Cleanup } from './cleanup.js'
import { findCores } from './cores.js'
import { type BenchDatabase, makeDatabase } from './database.js'
import { type LoadResult, median } from './load-result.js'
import type { Options } from './options.js'
import { over } from './ratios.js'
import { FEW_CONNECTIONS } from './rows.js'
import { benchServers } from './servers.js'
import { startGateway, type Target } from './targets.js'
import { requestsOf, SECRET } from './tenants.js'

/** Messages in a second by the clock, and in a second of the gateway's processor time. */
type Speed = { readonly perSecond: number; readonly perCore: number }

/** A batch and single requests on one database, through one gateway. */
export type BatchFigures = {
  readonly database: string
  readonly lines: number
  readonly batch: Speed
  readonly single: Speed
  /** By processor time. */
  readonly batchToSingle: number | null
  /** The most memory of the gateway while it sent a batch, beyond that before it, in MiB. */
  readonly batchMib: number
}

const LINES = 20_000
const WARM_UP_LINES = 2_000
const POLL_MS = 20
const PATIENCE_MS = 10 * MINUTE_MS
const PRICE = 62_500n

/** Measures how fast a gateway sends a batch where no limit is in the way, and single requests of 32 callers. */
export const benchBatches = async (
  options: Options, cleanup: Cleanup, log: (line: string) => void,
): Promise<ReadonlyArray<BatchFigures>> => {
  const cores = await findCores()
  await cores.pin(process.pid, 'rest')
  const { found } = await benchServers(cleanup, new Set(['MySQL', 'PostgreSQL']))
  const platform = await startChild(cores, 'rest', { program: { file: 'platform-stub.ts' } })
  const load = await startChild(cores, 'rest', { program: { file: 'load.ts' } })
  for (const child of [platform, load]) cleanup.defer(child.stop)
  const figures: BatchFigures[] = []
  for (const server of found.filter(({ name }) => options.only?.test(name) ?? true)) figures.push(await measureOn(server))
  return figures

  async function measureOn(server: TestServer): Promise<BatchFigures> {
    const database = await makeDatabase(server, { tenants: 1, filled: false }, cleanup)
    const target = await startGateway({ cores, cleanup, platform, profile: options.profile }, database, 'undici', `batches-${server.name}`)
    const storage = openStorage({ url: database.url, secret: SECRET })
    cleanup.defer(storage.close)
    const system: System = { target, database, load, storage, seconds: options.seconds }
    await sendBatch(system, WARM_UP_LINES)
    await sendSingly(system)
    const runs: Array<{ readonly batch: Speed & { readonly mib: number }; readonly single: Speed }> = []
    for (let round = 1; round <= options.rounds; round += 1) {
      runs.push({ batch: await sendBatch(system, LINES), single: await sendSingly(system) })
      log(`${server.name}, round ${round} of ${options.rounds}: ${JSON.stringify(runs.at(-1))}`)
    }
    await target.finalCheck()
    await target.child.stop()
    const batch = medians(runs.map((run) => run.batch))
    const single = medians(runs.map((run) => run.single))
    return {
      database: server.name, lines: LINES, batch, single, batchToSingle: over(batch.perCore, single.perCore),
      batchMib: Math.max(...runs.map((run) => run.batch.mib)),
    }
  }
}

type System = {
  readonly target: Target; readonly database: BenchDatabase; readonly load: Child; readonly storage: KnexStorage; readonly seconds: number
}

const medians = (speeds: ReadonlyArray<Speed>): Speed => ({
  perSecond: Math.round(median(speeds.map(({ perSecond }) => perSecond))),
  perCore: Math.round(median(speeds.map(({ perCore }) => perCore))),
})

/** Does some work and counts the messages that the platform takes until it is done. Throws if some message is missing or was sent twice. */
const measured = async ({ target: { child, platform, check } }: System, work: () => Promise<number>): Promise<Speed> => {
  const before = Number(await platform.ask('taken'))
  const taken = async (): Promise<number> => Number(await platform.ask('taken')) - before
  const [cpuBefore = NaN, begun] = [await child.cpuSeconds(), performance.now()]
  const sent = await work()
  const [cpuAfter = NaN, seconds] = [await child.cpuSeconds(), (performance.now() - begun) / SECOND_MS]
  if (await taken() !== sent) throw new Error(`the platform took ${await taken()} messages of ${sent}`)
  await check(sent)
  return { perSecond: sent / seconds, perCore: sent / (cpuAfter - cpuBefore) }
}

const sendSingly = (system: System): Promise<Speed> => measured(system, async () => {
  const { database, load, seconds, target } = system
  const requests = requestsOf(database.tenants, 'send-template')
  const { succeeded, failed } = (await load.ask({ url: target.child.url, connections: FEW_CONNECTIONS, seconds, requests })) as LoadResult
  if (failed > 0) throw new Error(`${failed} requests failed`)
  return succeeded
})

/** Confirms a batch and waits until it is done. */
const sendBatch = async (system: System, count: number): Promise<Speed & { readonly mib: number }> => {
  const { database: { tenants: [tenant] }, storage, target } = system
  if (tenant === undefined) throw new Error('there is no workspace')
  const [batching, of] = [batchingOver(storage), { by: SYSTEM, workspace: tenant.workspace }]
  const batch = await preparedBatch(batching, of, count)
  const memoryBefore = await target.child.memoryMib() ?? NaN
  await target.child.forgetPeak()
  const speed = await measured(system, async () => {
    rightOf(await batching.confirm({ ...of, batch, total: PRICE * BigInt(count) }))
    const until = performance.now() + PATIENCE_MS
    while (O.toUndefined(rightOf(await storage.batches.find({ workspace: of.workspace, batch })))?.state !== 'done') {
      if (performance.now() > until) throw new Error('a batch was not done in time')
      await delay(POLL_MS)
    }
    return count
  })
  return { ...speed, mib: Math.round((await target.child.peakMib() ?? NaN) - memoryBefore) }
}

const preparedBatch = async (batching: Batching, of: { readonly by: typeof SYSTEM; readonly workspace: WorkspaceId }, count: number) => {
  const timing = { until: Date.now() + HOUR_MS }
  const { id: batch } = rightOf(await batching.create({ ...of, templateName: 'order_update', language: 'en_US', timing }))
  rightOf(await batching.addRecipients({ ...of, batch, lines: lines(count) }))
  rightOf(await batching.preflight({ ...of, batch }))
  return batch
}

async function* lines(count: number): AsyncGenerator<E.Either<never, BatchLine>> {
  const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: 'A-17' }] }]
  for (let index = 0; index < count; index += 1) {
    yield await Promise.resolve(E.right({ line: index + 2, to: `1555${String(index).padStart(7, '0')}` as PhoneNumber, components }))
  }
}

/** The batches over a storage, without a platform: this process sends nothing. */
const batchingOver = (storage: KnexStorage): Batching => {
  const batching = makeBatching(storage, {
    priceOf: async () => E.right({ micros: PRICE, currency: 'USD' as Currency, category: 'marketing' }), ...machine,
    retryLater: () => undefined, unconfirmedAfterMs: 2 * MINUTE_MS, releaseAfterMs: HOUR_MS,
  })
  if (batching === undefined) throw new Error('the storage has no batches')
  return batching
}

/** The figures as text. */
export const batchesText = (figures: ReadonlyArray<BatchFigures>): string => figures.flatMap((of) => [
  `${of.database}: a batch of ${of.lines} lines: ${speedText(of.batch)}; ${of.batchMib} MiB more memory`,
  `  single requests of ${FEW_CONNECTIONS} callers: ${speedText(of.single)}`,
  `  batch ÷ single requests, by processor time: ${of.batchToSingle}`, '',
]).join('\n')

const speedText = ({ perSecond, perCore }: Speed): string => `${perSecond} messages a second, ${perCore} a second of processor time`
