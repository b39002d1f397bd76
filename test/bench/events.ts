import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { type EndpointId, endpointIdOf, type EndpointSecret } from '../../core/events/endpoint.js'
import type { TestServer } from '../support/databases.js'
import { done } from '../support/right-of.js'
import { type Child, startChild } from './child.js'
import type { Cleanup } from './cleanup.js'
import { findCores } from './cores.js'
import { makeDatabase } from './database.js'
import type { Arrivals } from './event-receiver.js'
import { type Load, type LoadResult, median, percentile } from './load-result.js'
import type { Options } from './options.js'
import { benchServers } from './servers.js'
import { startGateway, WEBHOOK_SECRETS } from './targets.js'
import { requestsOf, SECRET, type Tenant } from './tenants.js'

/** The cost of events on one database. */
export type EventsReport = {
  readonly database: string
  /** Processor time of the gateway for a send, in microseconds: without a listener, and with one endpoint that receives an event for each send. */
  readonly cpu_us: { readonly without: number; readonly endpoint: number }
  /** Sends per second of processor time with an endpoint, divided by those without. */
  readonly kept_by_cpu: number
  /** Sends per second with an endpoint, divided by those without. */
  readonly kept_by_rate: number
  /** From the platform's notification to the receiver at a constant rate, in milliseconds. */
  readonly latency_ms: { readonly per_second: number; readonly p50: number; readonly p99: number }
  /** Events per second at 99 endpoints while another endpoint never responds, divided by the same while it responds. */
  readonly kept_beside_dead: number
}

const CONNECTIONS = 256
const ENDPOINTS = 100
const PER_SECOND = 200
const LATENCY_SECONDS = 10
/** How many events each of the endpoints receives in a run with an endpoint that never responds. */
const EVENTS_EACH = 60
/** Other processes see a new listener within two seconds. */
const SEEN_MS = 2_500
const DRAIN_MS = 60_000

/** Measures the cost of events: processor time of a send, latency, and the effect of an endpoint that never responds on the others. */
export const benchEvents = async (
  options: Options, cleanup: Cleanup, log: (line: string) => void,
): Promise<ReadonlyArray<EventsReport>> => {
  const cores = await findCores()
  await cores.pin(process.pid, 'rest')
  const { found } = await benchServers(cleanup, new Set(['MySQL', 'PostgreSQL']))
  const stub = await startChild(cores, 'rest', { program: { file: 'platform-stub.ts' } })
  const load = await startChild(cores, 'rest', { program: { file: 'load.ts' } })
  const receiver = await startChild(cores, 'rest', { program: { file: 'event-receiver.ts' } })
  for (const child of [stub, load, receiver]) cleanup.defer(child.stop)
  const reports: EventsReport[] = []
  for (const server of found.filter(({ name }) => options.only?.test(name) ?? true)) {
    log(`starting ${server.name}`)
    reports.push(await measureOn(server))
  }
  return reports

  async function measureOn(server: TestServer): Promise<EventsReport> {
    const database = await makeDatabase(server, { tenants: ENDPOINTS, filled: false }, cleanup)
    const target = await startGateway(
      { cores, cleanup, platform: stub, profile: options.profile }, database, 'undici', `events-${server.name}`,
    )
    const storage = openStorage({ url: database.url, secret: SECRET })
    cleanup.defer(storage.close)
    const bench: EventsBench = { gateway: target.child, load, receiver, storage, tenants: database.tenants, options, log }
    const sends = await measureSends(bench)
    const latency = await measureLatency(bench)
    const beside = await measureBesideDead(bench)
    await target.child.stop()
    return { database: server.name, ...sends, latency_ms: latency, kept_beside_dead: beside }
  }
}

type EventsBench = {
  readonly gateway: Child
  readonly load: Child
  readonly receiver: Child
  readonly storage: KnexStorage
  readonly tenants: ReadonlyArray<Tenant>
  readonly options: Options
  readonly log: (line: string) => void
}

const measureSends = async (bench: EventsBench): Promise<Pick<EventsReport, 'cpu_us' | 'kept_by_cpu' | 'kept_by_rate'>> => {
  const [tenant] = bench.tenants
  if (tenant === undefined) throw new Error('there is no workspace')
  const without: SendRun[] = []
  const listening: SendRun[] = []
  await sendFor(bench, tenant, false)
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    without.push(await sendFor(bench, tenant, false))
    const endpoint = await addEndpoint(bench, tenant, '/0')
    listening.push(await sendFor(bench, tenant, true))
    await done(bench.storage.eventEndpoints.remove(endpoint))
    bench.log(`round ${round}: ${without.at(-1)?.cpuUs.toFixed(0)} µs a send, with an endpoint ${listening.at(-1)?.cpuUs.toFixed(0)} µs`)
  }
  const of = (runs: ReadonlyArray<SendRun>, figure: keyof SendRun): number => median(runs.map((run) => run[figure]))
  return {
    cpu_us: { without: Math.round(of(without, 'cpuUs')), endpoint: Math.round(of(listening, 'cpuUs')) },
    kept_by_cpu: rounded(of(without, 'cpuUs') / of(listening, 'cpuUs')),
    kept_by_rate: rounded(of(listening, 'perSecond') / of(without, 'perSecond')),
  }
}

type SendRun = { readonly cpuUs: number; readonly perSecond: number }

/** Sends for some seconds; the processor time includes the deliveries of all its events. */
const sendFor = async (
  { gateway, load, receiver, options: { seconds } }: EventsBench, tenant: Tenant, listens: boolean,
): Promise<SendRun> => {
  await delay(SEEN_MS)
  await receiver.ask({})
  const before = await cpuOf(gateway)
  const asked: Load = { url: gateway.url, connections: CONNECTIONS, seconds, requests: requestsOf([tenant], 'send-template') }
  const { succeeded, failed, perSecond } = (await load.ask(asked)) as LoadResult
  if (failed > 0) throw new Error(`${failed} sends failed`)
  if (listens) await waitForEvents(receiver, succeeded)
  return { cpuUs: ((await cpuOf(gateway)) - before) * 1_000_000 / succeeded, perSecond }
}

/** From the platform's notification of a customer's message to the arrival at the receiver, at a constant rate. */
const measureLatency = async (bench: EventsBench): Promise<EventsReport['latency_ms']> => {
  const { gateway, receiver, tenants: [tenant] } = bench
  if (tenant === undefined) throw new Error('there is no workspace')
  const endpoint = await addEndpoint(bench, tenant, '/latency')
  await delay(SEEN_MS)
  await receiver.ask({})
  const posted = new Map<string, number>()
  const posts: Array<Promise<void>> = []
  const total = PER_SECOND * LATENCY_SECONDS
  const begun = performance.now()
  for (let place = 0; place < total; place += 1) {
    await delay(Math.max(0, begun + (place * 1_000) / PER_SECOND - performance.now()))
    posted.set(`wamid.latency${place}`, performance.timeOrigin + performance.now())
    posts.push(postInbound(gateway.url, 0, `wamid.latency${place}`))
  }
  await Promise.all(posts)
  const latencies: number[] = []
  for (const last = performance.now() + DRAIN_MS; latencies.length < total; await delay(50)) {
    if (performance.now() > last) throw new Error(`only ${latencies.length} of ${total} messages arrived as events`)
    const { received } = (await receiver.ask({})) as Arrivals
    for (const [id, at] of received) latencies.push(at - (posted.get(id) ?? NaN))
  }
  await done(bench.storage.eventEndpoints.remove(endpoint))
  return { per_second: PER_SECOND, p50: Math.round(percentile(latencies, 0.5)), p99: Math.round(percentile(latencies, 0.99)) }
}

/** All workspaces have an endpoint; in every second run the first endpoint never responds. */
const measureBesideDead = async (bench: EventsBench): Promise<number> => {
  const healthy: number[] = []
  const beside: number[] = []
  await deliverToAll(bench, false)
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    healthy.push(await deliverToAll(bench, false))
    beside.push(await deliverToAll(bench, true))
    bench.log(`round ${round}: ${healthy.at(-1)?.toFixed(0)} events a second at 99 endpoints, ${beside.at(-1)?.toFixed(0)} beside a dead one`)
  }
  return rounded(median(beside) / median(healthy))
}

/** Events per second at all endpoints except the first. */
const deliverToAll = async (bench: EventsBench, isDead: boolean): Promise<number> => {
  const { gateway, receiver, storage, tenants } = bench
  const endpoints = await Promise.all(
    tenants.map((tenant, place) => addEndpoint(bench, tenant, place === 0 ? (isDead ? '/dead' : '/healthy') : `/${place}`)),
  )
  await delay(SEEN_MS)
  await receiver.ask({})
  const begun = performance.now()
  const run = randomBytes(4).toString('hex')
  for (let event = 0; event < EVENTS_EACH; event += 1) {
    await Promise.all(tenants.map((_, place) => postInbound(gateway.url, place, `wamid.${run}.${place}.${event}`)))
  }
  const wanted = (tenants.length - 1) * EVENTS_EACH
  await waitForEvents(receiver, wanted, (path) => path !== '/dead' && path !== '/healthy')
  const perSecond = wanted / ((performance.now() - begun) / 1_000)
  await Promise.all(endpoints.map((id) => done(storage.eventEndpoints.remove(id))))
  return perSecond
}

const waitForEvents = async (receiver: Child, wanted: number, isCounted: (path: string) => boolean = () => true): Promise<void> => {
  let arrived = 0
  for (const last = performance.now() + DRAIN_MS; arrived < wanted; await delay(10)) {
    if (performance.now() > last) throw new Error(`only ${arrived} of ${wanted} events arrived`)
    const { counts } = (await receiver.ask({})) as Arrivals
    for (const [path, count] of Object.entries(counts)) if (isCounted(path)) arrived += count
  }
}

const addEndpoint = async ({ storage, receiver }: EventsBench, { workspace }: Tenant, path: string): Promise<EndpointId> => {
  const id = endpointIdOf(uuidv7())
  await done(storage.eventEndpoints.add({
    id, workspace, url: `${receiver.url}${path}`, types: ['message.*'], description: '', createdAt: Date.now(),
    secret: `whsec_${randomBytes(24).toString('base64')}` as EndpointSecret,
  }))
  return id
}

/** The platform's notification of a customer's message to a workspace. */
const postInbound = async (url: string, tenant: number, id: string): Promise<void> => {
  const message = {
    from: '15550100001', id, timestamp: String(Math.floor(Date.now() / 1_000)), type: 'text', text: { body: 'When will my order arrive?' },
  }
  const metadata = { display_phone_number: '15550109999', phone_number_id: String(106_540_000_000_000 + tenant) }
  const value = {
    messaging_product: 'whatsapp', metadata, contacts: [{ profile: { name: 'Ada' }, wa_id: '15550100001' }], messages: [message],
  }
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value }] }] })
  const signature = createHmac('sha256', WEBHOOK_SECRETS.appSecret).update(body).digest('hex')
  const response = await fetch(`${url}/webhooks/platform`, {
    method: 'POST', body, headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
  })
  await response.text()
  if (response.status !== 200) throw new Error(`a notification was answered with ${response.status}`)
}

const cpuOf = async (child: Child): Promise<number> => {
  const seconds = await child.cpuSeconds()
  if (seconds === undefined) throw new Error('the system does not say how much processor time a process has used')
  return seconds
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

/** The report as text. */
export const eventsText = (reports: ReadonlyArray<EventsReport>): string => reports.map((report) => [
  `${report.database}: a send takes ${report.cpu_us.without} µs of the gateway's processor time, with one endpoint ${report.cpu_us.endpoint} µs:`,
  `  kept by processor time ${report.kept_by_cpu} (aim 0.9), by the clock ${report.kept_by_rate}`,
  `  from the platform's notification to the receiver at ${report.latency_ms.per_second} a second: p50 ${report.latency_ms.p50} ms, p99 ${report.latency_ms.p99} ms (aim 1000)`,
  `  99 endpoints beside a dead one keep ${report.kept_beside_dead} of their rate (aim 0.95)`,
  '',
].join('\n')).join('')
