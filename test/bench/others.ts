import { setTimeout as delay } from 'node:timers/promises'
import { makeScratch } from '../support/scratch.js'
import { fetchNode } from '../package/releases.js'
import { type Child, startChild } from './child.js'
import type { Cleanup } from './cleanup.js'
import { findCores } from './cores.js'
import { makeDatabase } from './database.js'
import { startKannel } from './kannel.js'
import { type Load, type LoadRequest, type LoadResult, median } from './load-result.js'
import type { Options } from './options.js'
import { columns } from './report.js'
import { CONNECTIONS, MANY_CONNECTIONS } from './rows.js'
import { benchServers } from './servers.js'
import { startGateway } from './targets.js'
import { requestsOf } from './tenants.js'

/** A subject of the comparison, measured with one number of connections. */
export type OtherReport = {
  readonly name: string
  readonly connections: number
  /** Messages that the platform had accepted, divided by the seconds until it had received the last one. */
  readonly per_second: number
  /** Messages per second of processor time. */
  readonly per_core: number
  readonly p50_ms: number
  /** How many percent of the requests it refused: Kannel answers 503 while more messages wait than it accepts. */
  readonly refused_percent: number
}

type Subject = {
  readonly name: string
  readonly url: string
  readonly requests: () => Promise<ReadonlyArray<LoadRequest>>
  readonly cpuSeconds: () => Promise<number | undefined>
  readonly mayRefuse?: boolean
}

const RELEASES = ['22', '26']
const DRAIN_MS = 30_000

/** Measures the gateway on SQLite under several releases of Node.js, and Kannel if it is installed, alternately: each sends every message to the same platform. */
export const benchOthers = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<ReadonlyArray<OtherReport>> => {
  const cores = await findCores()
  await cores.pin(process.pid, 'rest')
  const stub = await startChild(cores, 'rest', { program: { file: 'platform-stub.ts' } })
  const load = await startChild(cores, 'rest', { program: { file: 'load.ts' } })
  for (const child of [stub, load]) cleanup.defer(child.stop)

  const { found } = await benchServers(cleanup, new Set(['SQLite']))
  const sqlite = found.find(({ name }) => name === 'SQLite')
  if (sqlite === undefined) throw new Error('there is no SQLite')

  const gateway = async (name: string, node?: string): Promise<Subject> => {
    const database = await makeDatabase(sqlite, { tenants: 1, filled: false }, cleanup)
    const { child } = await startGateway(
      { cores, cleanup, platform: stub, profile: options.profile, node }, database, 'undici', name.replaceAll(/\W+/g, '-'),
    )
    return {
      name, url: child.url, requests: () => Promise.resolve(requestsOf(database.tenants, 'send-template')), cpuSeconds: child.cpuSeconds,
    }
  }
  const subjects = [await gateway(`Postern, SQLite, Node.js ${process.versions.node}`)]
  const scratch = await makeScratch()
  cleanup.defer(scratch.remove)
  for (const release of RELEASES) {
    const fetched = await fetchNode(release, scratch.path('')).catch((error: unknown) => {
      log(`Node.js ${release} could not be brought: ${String(error)}`)
      return undefined
    })
    if (fetched !== undefined) subjects.push(await gateway(`Postern, SQLite, Node.js ${release}`, fetched.node))
  }
  const kannel = await startKannel(cores, stub.url, cleanup)
  if (kannel === undefined) log('Kannel is not installed; `apt-get install kannel` brings it')
  else subjects.push({
    name: 'Kannel (nothing stored, no money)', ...kannel, requests: () => Promise.resolve(kannel.requests), mayRefuse: true,
  })

  const runs = new Map<string, Run[]>()
  for (const subject of subjects) await run({ subject, stub, load }, MANY_CONNECTIONS, options.seconds)
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const connections of CONNECTIONS) {
      for (const subject of round % 2 === 1 ? subjects : subjects.toReversed()) {
        const measured = await run({ subject, stub, load }, connections, options.seconds)
        const key = `${subject.name}\n${connections}`
        runs.set(key, [...(runs.get(key) ?? []), measured])
        log(`round ${round} of ${options.rounds}: ${subject.name}, ${connections} connections: ${Math.round(measured.perSecond)}/s`)
      }
    }
  }
  return [...runs].map(([key, all]) => {
    const [name = '', connections] = key.split('\n')
    const of = (figure: keyof Run): number => median(all.map((one) => one[figure]))
    return {
      name, connections: Number(connections), per_second: Math.round(of('perSecond')), per_core: Math.round(of('perCore')),
      p50_ms: Math.round(of('p50Ms') * 100) / 100, refused_percent: Math.round(of('refusedPercent') * 10) / 10,
    }
  })
}

type Run = { readonly perSecond: number; readonly perCore: number; readonly p50Ms: number; readonly refusedPercent: number }

/** One run, which ends when the platform has received every accepted message: Kannel responds before it passes a message on. */
const run = async (
  { subject, stub, load }: { readonly subject: Subject; readonly stub: Child; readonly load: Child }, connections: number, seconds: number,
): Promise<Run> => {
  const requests = await subject.requests()
  const takenBefore = Number(await stub.ask('taken'))
  const taken = async (): Promise<number> => Number(await stub.ask('taken')) - takenBefore
  const [cpuBefore, begun] = [await subject.cpuSeconds(), performance.now()]
  const asked: Load = { url: subject.url, connections, seconds, requests }
  const result = (await load.ask(asked)) as LoadResult
  if (result.failed > 0 && subject.mayRefuse !== true) throw new Error(`${subject.name}: ${result.failed} requests failed`)
  for (const endsAt = performance.now() + DRAIN_MS; (await taken()) < result.succeeded; await delay(20)) {
    if (performance.now() > endsAt) throw new Error(`${subject.name}: ${result.succeeded} messages were answered, and the platform has ${await taken()}`)
  }
  const used = ((await subject.cpuSeconds()) ?? Number.NaN) - (cpuBefore ?? Number.NaN)
  return {
    perSecond: (1_000 * result.succeeded) / (performance.now() - begun), perCore: result.succeeded / used, p50Ms: result.p50Ms,
    refusedPercent: (100 * result.failed) / (result.failed + result.succeeded),
  }
}

/** The report for people. */
export const othersText = (reports: ReadonlyArray<OtherReport>): string => `${columns([
  ['', 'connections', 'messages/s', 'a second of processor time', 'p50 ms', '% refused'],
  ...reports.map(({ name, connections, per_second, per_core, p50_ms, refused_percent }) => [name, String(connections), String(per_second), String(per_core), String(p50_ms), String(refused_percent)]),
]).join('\n')}\n`
