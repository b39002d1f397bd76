import { openStorage } from '../../adapters/knex/index.js'
import { startGalera } from '../support/galera.js'
import { cpuSeconds } from '../support/process-usage.js'
import { startChild, type Child } from './child.js'
import type { Cleanup } from './cleanup.js'
import { findCores } from './cores.js'
import { median, type Load, type LoadResult } from './load-result.js'
import type { Options } from './options.js'
import { startGateway, type Target } from './targets.js'
import { makeTenants, requestsOf, SECRET, type Tenant } from './tenants.js'

/** Sends per second of processor time of three gateways and the three nodes together. */
export type GaleraReport = {
  readonly wallets: number
  /** Each gateway on a separate node. */
  readonly three_nodes: number
  /** All gateways on the first node. */
  readonly one_node: number
  readonly ratio: number
  /** The same ratio for sends per second by the clock. */
  readonly ratio_by_rate: number
}

const WALLETS = [1, 1_000]
const CONNECTIONS_EACH = 32

/** Measures three gateways on three nodes of a Galera cluster against three gateways on one of the nodes, alternately. */
export const benchGalera = async (
  options: Options, cleanup: Cleanup, log: (line: string) => void,
): Promise<ReadonlyArray<GaleraReport>> => {
  const cores = { ...(await findCores()), pin: () => Promise.resolve() }
  const cluster = await startGalera()
  cleanup.defer(cluster.remove)
  const { urls } = await cluster.createDatabase('postern_bench')
  const tenants = await fill(urls[0])
  const stub = await startChild(cores, 'rest', { program: { file: 'platform-stub.ts' } })
  const load = await startChild(cores, 'rest', { program: { file: 'load.ts' } })
  for (const child of [stub, load]) cleanup.defer(child.stop)
  const startOn = async (url: string): Promise<Child> => {
    const database = { url, tenants, reset: () => Promise.resolve(), check: () => Promise.resolve(), finalCheck: () => Promise.resolve() }
    const target: Target = await startGateway({ cores, cleanup, platform: stub, profile: undefined }, database, 'undici', 'galera')
    return target.child
  }
  const threeNodes = await Promise.all(urls.map(startOn))
  const oneNode = await Promise.all(urls.map(() => startOn(urls[0])))

  const run = async (gateways: ReadonlyArray<Child>, wallets: number): Promise<GaleraRun> => {
    const usedBefore = await processorTime(gateways)
    const asked = (url: string): Load => ({
      url, connections: CONNECTIONS_EACH, seconds: options.seconds, requests: requestsOf(tenants.slice(0, wallets), 'send-template'),
    })
    const results = (await Promise.all(gateways.map(({ url }) => load.ask(asked(url))))) as ReadonlyArray<LoadResult>
    const used = (await processorTime(gateways)) - usedBefore
    const sum = (figure: keyof LoadResult): number => results.reduce((total, result) => total + result[figure], 0)
    if (sum('failed') > 0) throw new Error(`${sum('failed')} of ${sum('succeeded')} sends failed`)
    return { perCpuSecond: sum('succeeded') / used, perSecond: sum('perSecond') }
  }
  const processorTime = async (gateways: ReadonlyArray<Child>): Promise<number> => {
    const used = await Promise.all([
      ...gateways.map((gateway) => gateway.cpuSeconds()), ...cluster.nodes.flatMap((node) => node.pids().map(cpuSeconds)),
    ])
    return used.reduce<number>((total, seconds = 0) => total + seconds, 0)
  }

  const reports: GaleraReport[] = []
  for (const wallets of WALLETS) {
    const spread: GaleraRun[] = []
    const single: GaleraRun[] = []
    for (const gateways of [threeNodes, oneNode]) await run(gateways, wallets)
    for (let round = 1; round <= options.rounds; round += 1) {
      spread.push(await run(threeNodes, wallets))
      single.push(await run(oneNode, wallets))
      log(`round ${round} of ${options.rounds}, ${wallets} wallets: ${Math.round(spread.at(-1)?.perCpuSecond ?? 0)} sends a second of processor time on three nodes, ${Math.round(single.at(-1)?.perCpuSecond ?? 0)} on one`)
    }
    reports.push(reportOf(wallets, spread, single))
  }
  return reports
}

type GaleraRun = { readonly perCpuSecond: number; readonly perSecond: number }

const reportOf = (wallets: number, spread: ReadonlyArray<GaleraRun>, single: ReadonlyArray<GaleraRun>): GaleraReport => {
  const of = (runs: ReadonlyArray<GaleraRun>, figure: keyof GaleraRun): number => median(runs.map((run) => run[figure]))
  return {
    wallets,
    three_nodes: Math.round(of(spread, 'perCpuSecond')),
    one_node: Math.round(of(single, 'perCpuSecond')),
    ratio: rounded(of(spread, 'perCpuSecond') / of(single, 'perCpuSecond')),
    ratio_by_rate: rounded(of(spread, 'perSecond') / of(single, 'perSecond')),
  }
}

const fill = async (url: string): Promise<ReadonlyArray<Tenant>> => {
  const storage = openStorage({ url, secret: SECRET })
  try {
    await storage.migrate()
    return await makeTenants(storage, Math.max(...WALLETS))
  } finally {
    await storage.close()
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100

/** The report for people. */
export const galeraText = (reports: ReadonlyArray<GaleraReport>): string =>
  reports.map(({ wallets, three_nodes, one_node, ratio, ratio_by_rate }) =>
    `${wallets} wallets: ${three_nodes} sends a second of processor time on three nodes, ${one_node} on one: ${ratio} (by the clock ${ratio_by_rate})\n`).join('')
