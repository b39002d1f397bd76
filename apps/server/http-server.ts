import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { connectionErrorReply } from '../../adapters/koa/connection-error.js'
import type { Readiness } from '../../adapters/koa/index.js'
import { createServer } from '../../adapters/shared/node-http.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { MEASURED } from '../../core/sending/show-queue.js'
import type { Config } from './config.js'
import type { GatewayMetrics } from './metrics.js'
import { shareResult } from './share-result.js'

const DEADLINE_MS = 4 * SECOND_MS

type CheckedStorage = Pick<KnexStorage, 'messageQueue' | 'queueHolds' | 'readiness' | 'senderFault'>

/**
 * Ready means that the database answers, is up to date, and its stored senders can be read. A hold of the queue is reported, and the gateway is ready anyway. The answer is
 * kept for one second.
 */
export const gatewayReadiness = (storage: CheckedStorage): (() => Promise<Readiness>) =>
  shareResult(SECOND_MS, () => Promise.race([check(storage), late()]))

const check = async (storage: CheckedStorage): Promise<Readiness> => {
  const database = await storage.readiness()
  if (!database.ready) return database
  const fault = await storage.senderFault()
  return fault === undefined ? { ...database, ...await heldQueue(storage) } : { ready: false, reasons: [fault] }
}

/** The hold of the queue of every workspace. If it cannot be read now, it is not reported. */
const heldQueue = async ({ queueHolds, messageQueue }: CheckedStorage): Promise<Pick<Readiness, 'queueHeld'>> => {
  const holds = await queueHolds.list()
  const hold = E.isRight(holds) ? holds.right.find(({ workspace }) => workspace === undefined) : undefined
  if (hold === undefined) return {}
  const counted = await messageQueue.backlog({ at: Date.now(), senders: 0, mostOfSender: 0, mostOfAll: MEASURED.mostOfAll })
  const { since, why } = hold
  return { queueHeld: { since, why, ...(E.isRight(counted) && { messages: counted.right.due + counted.right.later }) } }
}

const late = (): Promise<Readiness> => delay(DEADLINE_MS, { ready: false, reasons: ['the database does not answer'] }, { ref: false })

type MetricsText = Pick<GatewayMetrics, 'text'>

/** Serves `GET /metrics` on `METRICS_PORT`, which a firewall can close to clients; `undefined` if the variable is not set. */
export const listenForMetrics = async (
  { http: { host, metricsPort } }: Config, log: Pick<Logger, 'info'>, metrics: MetricsText,
): Promise<Listening | undefined> => {
  if (metricsPort === undefined) return undefined
  const server = await listen(answerWith(metrics), { host, port: metricsPort })
  log.info({ url: `${server.url}/metrics` }, 'metrics_listening')
  return server
}

const answerWith =
  ({ text }: MetricsText): Handle =>
  async ({ method, url }, response) => {
    if (method !== 'GET' || url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    try {
      const { contentType, body } = await text()
      response.writeHead(200, { 'Content-Type': contentType }).end(body)
    } catch {
      // A worker ended while its metrics were requested; the next request asks the remaining workers.
      response.writeHead(503).end()
    }
  }

/** The address at which a server listens; port 0 chooses a free one. */
export type Address = {
  readonly host: string
  readonly port: number
  /** How many connections may be open simultaneously; further ones are closed. If it is undefined, only the system limits them. */
  readonly maxConnections?: number
  /** Called for each connection that is closed immediately because of `maxConnections`. */
  readonly onConnectionRefused?: () => void
}

/** Answers a request; resolves when the answer has been passed to the server. Never rejects. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A server that listens. */
export type Listening = {
  /** Its address, without a trailing slash. */
  readonly url: string
  readonly port: number
  /**
   * Accepts no new requests and waits for running requests, at most `timeoutMs`; then it aborts the rest.
   *
   * Each connection is closed right after its last response. Resolves to the number of aborted requests.
   */
  readonly stop: (timeoutMs: number) => Promise<number>
  /** Waits until the handler of every request has ended, including aborted requests. */
  readonly idle: () => Promise<void>
}

/**
 * Most proxies keep idle connections for 60 seconds. A server that closes them earlier loses requests that are already on the way, so
 * this server waits longer. The other limits disconnect a client that sends its request too slowly; the code that reads a body has its own deadline, and the
 * longest one is for a file.
 */
const LIMITS: ServerOptions = {
  keepAliveTimeout: 75 * SECOND_MS,
  headersTimeout: 20 * SECOND_MS,
  requestTimeout: 660 * SECOND_MS,
  connectionsCheckingInterval: 5 * SECOND_MS,
}

/** How long a connection may carry no byte in either direction: longer than any send takes. It disconnects a client that does not read its responses. */
const IDLE_MS = 120 * SECOND_MS

/**
 * How many requests of one connection may be unanswered. Clients send the next request after the response to the previous one; without a limit, a few
 * bytes would cause hundreds of responses that are never read.
 */
const UNANSWERED = 4

/**
 * Replies to a request that Node.js could not read. If an earlier request of the connection still waits for its reply, the client would take this reply for that
 * request's and assume, for example, that a send was refused. Then the connection is closed without a reply.
 */
const answerUnreadable = ({ code }: NodeJS.ErrnoException, socket: Duplex, open: Iterable<ServerResponse>): void => {
  const isOfAnother = [...open].some(({ req, headersSent }) => req.complete || headersSent)
  if (!socket.writable || isOfAnother || code === 'ECONNRESET') return void socket.destroy()
  socket.end(connectionErrorReply(code, Date.now()), () => socket.destroy())
}

/** Serves HTTP at an address. Rejects with a sentence if it cannot listen there. */
export const listen = async (handle: Handle, address: Address, limits: ServerOptions = LIMITS): Promise<Listening> => {
  const underWay = new Map<ServerResponse, Promise<void>>()
  const unanswered = new WeakMap<Duplex, Set<ServerResponse>>()
  let stopping = false
  const server = createServer(limits, (request, response) => {
    const { socket } = request
    const open = unanswered.get(socket) ?? new Set<ServerResponse>()
    if (open.size === UNANSWERED) return void socket.destroy()
    unanswered.set(socket, open.add(response))
    response.once('close', () => open.delete(response))
    if (stopping) response.setHeader('Connection', 'close')
    underWay.set(response, handle(request, response).finally(() => underWay.delete(response)))
  })
  server.setTimeout(IDLE_MS)
  if (address.maxConnections !== undefined) server.maxConnections = address.maxConnections
  server.on('clientError', (error, socket) => { answerUnreadable(error, socket, unanswered.get(socket) ?? []) })
  server.on('drop', () => address.onConnectionRefused?.())
  await bound(server, address)
  const { port } = server.address() as AddressInfo

  return {
    url: `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`,
    port,
    stop: async (timeoutMs) => {
      stopping = true
      for (const response of underWay.keys()) if (!response.headersSent) response.setHeader('Connection', 'close')
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      let cut = 0
      const timer = setTimeout(() => {
        cut = underWay.size
        server.closeAllConnections()
      }, timeoutMs)
      await closed
      clearTimeout(timer)
      return cut
    },
    idle: async () => {
      await Promise.all(underWay.values())
    },
  }
}

/**
 * How many connections the system may queue until the process accepts them: as many as its own limit allows, on Linux `net.core.somaxconn`, 4,096 by default.
 * With Node.js's default of 511, thousands of clients that connect simultaneously lose their first packets and retry only after one, three, seven … seconds.
 */
const BACKLOG = 65_535

const bound = (server: Server, { host, port }: Address): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(listenFault(error, { host, port }, 'HOST'))))
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })

/** Why a server cannot listen at an address; a variable or an option sets the host. */
export const listenFault = ({ code }: NodeJS.ErrnoException, { host, port }: Pick<Address, 'host' | 'port'>, setting: string): string => {
  switch (code) {
    case 'EADDRINUSE': return `Port ${port} on ${host} is already in use; choose another port.`
    case 'EACCES': return `This user may not listen on port ${port} on ${host}; choose a port above 1023.`
    case 'EADDRNOTAVAIL': case 'ENOTFOUND': return `This machine has no address ${host}; set ${setting} to one of its addresses.`
    case undefined: default: return `Listening on ${host}, port ${port}, failed: ${code ?? 'no reason given'}.`
  }
}
