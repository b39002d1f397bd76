import { mkdir } from 'node:fs/promises'
import type { TestServer } from '../support/databases.js'
import { startChild, type Child } from './child.js'
import type { Cleanup } from './cleanup.js'
import { findCores, type Cores } from './cores.js'
import { makeDatabase, type BenchDatabase } from './database.js'
import { describeMachine } from './machine.js'
import { measureAll, type Measurable, type Row, type MeasureContext } from './measure.js'
import type { Options } from './options.js'
import { IN_FLIGHT, measureProcesses, START } from './process-figures.js'
import type { Report } from './report.js'
import {
  atPace, MANY_CONNECTIONS, fullPlan, gatewayName, MANY_WALLETS, ONE_WALLET, quickPlan, RELAY_NAMES, SLOW_PLATFORM_MS, type PlatformMs,
  type RowPlan, type Subject,
} from './rows.js'
import { benchServers } from './servers.js'
import { measureStorageCost, type StorageCosts } from './storage-cost.js'
import { platformAlone, startGateway, startMemoryGateway, startRelay, type TargetContext, type Target } from './targets.js'

/** The report of a run, and remarks about it. */
export type BenchResult = { readonly report: Report; readonly remarks: ReadonlyArray<string> }

/** Sets everything up and measures every requested row; the steps to undo it are added to `cleanup`. */
export const bench = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<BenchResult> => {
  const cores = await findCores()
  const failures: string[] = []
  const fail = (error: unknown): void => {
    const sentence = error instanceof Error ? error.message : String(error)
    log(`FAILED: ${sentence}`)
    failures.push(sentence)
  }
  /** If a part fails, the run loses only the figures of that part. */
  const part = async <Result>(name: string, measure: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await measure()
    } catch (error) {
      fail(new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`))
      return undefined
    }
  }
  await cores.pin(process.pid, 'rest')
  if (options.profile !== undefined) await mkdir(options.profile, { recursive: true })
  const asked = (options.quick ? quickPlan() : fullPlan()).filter(({ name }) => options.only?.test(name) ?? true)
  const wants = (name: string): boolean => !options.quick && (options.only?.test(name) ?? true)
  // This comes first, while the machine runs no other gateway.
  const processes = wants(START) || wants(IN_FLIGHT)
    ? await part('start, rest and sends in flight', () => measureProcesses(options, cleanup, log))
    : undefined
  const stores = new Set(asked.flatMap(({ subject }) => ('store' in subject ? [subject.store] : [])))
  const { found, missing, sentence } = await benchServers(cleanup, wants(STORAGE_ROW) ? stores.add('MySQL') : stores)
  const load = await startChild(cores, 'rest', { program: { file: 'load.ts' } })
  cleanup.defer(load.stop)
  const platforms = await startPlatforms(cores, cleanup)
  const measuring: MeasureContext = { load, log, fail }

  const plans = asked.filter(({ subject }) => isAtHand(subject, found))
  const rows = await withTargets(plans, found, { cores, cleanup, profile: options.profile, platforms }, log)
  const measured = await measureAll(rows, options, measuring)
  const paced = await measureAtHalfPeak(rows, measured, options, measuring)
  const mysql = found.find(({ name }) => name === 'MySQL')
  const storage = wants(STORAGE_ROW) && mysql !== undefined
    ? await part(STORAGE_ROW, () => measureStorageCost(mysql, { cores, cleanup }, options, log))
    : undefined

  for (const target of new Set(rows.map((row) => row.target))) await target.finalCheck().catch(fail)

  return {
    report: {
      machine: await describeMachine(found, `${cores.sentence}${sentence}`),
      rounds: options.rounds, rows: measured, paced, storageCpu: storage?.ratio ?? null, processes, failures,
    },
    remarks: [
      `${options.rounds === 1 ? 'One run' : `Medians of ${options.rounds} alternating runs`} of ${options.seconds} s after one warm-up a row and two seconds of work before each run. Of each row in the table every answer was a 200, and after each run platform, log and books agreed.`,
      'The aims are for medians of three on a quiet machine.',
      ...(options.profile === undefined ? [] : ['The gateways ran under the profiler, which the relays did not: these ratios are lower than without it.']),
      ...(processes?.inFlight.some(({ outcomes }) => Object.keys(outcomes).some((name) => name !== '200')) === true ? [NOT_ALL_SENT] : []),
      ...(storage === undefined ? [] : [describeStorage(storage)]),
      ...failures.map((sentence) => `FAILED: ${sentence}.`),
      ...missing.map(({ name, remedy }) => `Not measured: ${name}. To measure it, ${remedy}.`),
    ],
  }
}

/** The stubs of the platform by their response time. */
type Platforms = Readonly<Record<PlatformMs, Child>>

const startPlatforms = async (cores: Cores, cleanup: Cleanup): Promise<Platforms> => {
  const start = async (ms: PlatformMs): Promise<Child> => {
    const stub = await startChild(cores, 'rest', { program: { file: 'platform-stub.ts' }, args: [String(ms)] })
    cleanup.defer(stub.stop)
    return stub
  }
  return { 0: await start(0), [SLOW_PLATFORM_MS]: await start(SLOW_PLATFORM_MS) }
}

/** The name of the measurement of storage code alone, for `--only`. */
const STORAGE_ROW = 'MySQL, storage alone'

const NOT_ALL_SENT = 'Not all of the 10,000 sends in flight were answered 200, so their memory is lower than it would be.'

const describeStorage = ({ merged, single }: StorageCosts): string =>
  `Storage code takes ${Math.round(merged)} µs of CPU a send on MySQL with merged writes, ${Math.round(single)} µs with a transaction a write.`

const isAtHand = (subject: Subject, servers: ReadonlyArray<TestServer>): boolean =>
  !('store' in subject) || subject.store === 'memory' || servers.some(({ name }) => name === subject.store)

/** Starts the processes of the rows; rows of the same subject share a process, and stores of the same kind a database. */
const withTargets = async (
  plans: ReadonlyArray<RowPlan>, servers: ReadonlyArray<TestServer>,
  { platforms, ...shared }: Omit<TargetContext, 'platform'> & { readonly platforms: Platforms }, log: (line: string) => void,
): Promise<ReadonlyArray<Measurable>> => {
  const databases = new Map<string, BenchDatabase>()
  const targets = new Map<string, Target>()
  const tenants = Math.max(ONE_WALLET, ...plans.map((plan) => plan.tenants))
  const rows: Measurable[] = []
  for (const plan of plans) {
    const key = JSON.stringify(plan.subject)
    const target = targets.get(key) ?? await start(plan.subject)
    targets.set(key, target)
    rows.push({ plan, target })
  }
  return rows

  async function start(subject: Subject): Promise<Target> {
    log(`starting ${Object.values(subject).join(', ')}`)
    if ('alone' in subject) return platformAlone(platforms[0])
    const context: TargetContext = { ...shared, platform: platforms[subject.platformMs] }
    if ('relay' in subject) return startRelay(context, subject.relay)
    const { store, transport, filled, platformMs } = subject
    const name = [store, transport, ...(filled ? ['filled'] : []), ...(platformMs > 0 ? [String(platformMs)] : [])].join('-')
    if (store === 'memory') return startMemoryGateway(context, transport, name)
    const server = servers.find(({ name }) => name === store)
    if (server === undefined) throw new Error(`there is no ${store}`)
    const key = `${store} ${filled}`
    const begun = performance.now()
    const database = databases.get(key) ?? await makeDatabase(server, { tenants, filled }, shared.cleanup)
    if (!databases.has(key)) log(`${store} with ${tenants} workspaces${filled ? ' and a million messages' : ''} made in ${Math.round((performance.now() - begun) / 1_000)} s`)
    databases.set(key, database)
    return startGateway(context, database, transport, name)
  }
}

/** The suffix of the names of rows at half the peak rate. */
const AT_HALF_PEAK = ', at half the peak rate'

/** Measures the bare relay and Postern on MySQL, both with undici, at half of Postern's peak rate. */
const measureAtHalfPeak = async (
  rows: ReadonlyArray<Measurable>, measured: ReadonlyArray<Row>, options: Options, context: MeasureContext,
): Promise<ReadonlyArray<Row>> => {
  const named = (name: string): Measurable | undefined =>
    rows.find(({ plan }) => plan.name === name && plan.connections === MANY_CONNECTIONS)
  const name = gatewayName('MySQL', 'undici', MANY_WALLETS)
  const peak = measured.find((row) => row.name === name && row.connections === MANY_CONNECTIONS)?.requests_per_second
  const relay = named(RELAY_NAMES['koa-undici'])
  const gateway = named(name)
  if (relay === undefined || gateway === undefined || peak === undefined) return []
  const pace = { perSecond: Math.round(peak / 2), seconds: options.seconds }
  const atHalfPeak = ({ plan, target }: Measurable): Measurable => ({ plan: atPace(plan, pace, AT_HALF_PEAK), target })
  return measureAll([relay, gateway].map(atHalfPeak), options, context)
}
