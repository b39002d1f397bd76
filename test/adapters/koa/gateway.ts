import { createServer } from 'node:http'
import { connect } from 'node:net'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { servedParts } from '../../../adapters/koa/contract.js'
import { type HttpDeps, makeHttpApp } from '../../../adapters/koa/index.js'
import type { WindowClock } from '../../../core/customers/window.js'
import { SCOPES } from '../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { formatMicros, parseMicros } from '../../../core/kernel/money.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import type { RateCard } from '../../../core/money/rate-card.js'
import type { EventPorts, Ports } from '../../../core/ports.js'
import { makeEvents, makePostern } from '../../../core/postern.js'
import type { SenderId } from '../../../core/senders/sender.js'
import type { Platform } from '../../../core/sending/dispatch.js'
import type { SenderRate } from '../../../core/senders/sender-budget.js'
import type { Template } from '../../../core/templates/template.js'
import { listening } from '../../support/listening.js'
import { ACCOUNT, memoryWorld, NOON } from '../../support/memory-world.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { PairLimit } from '../../../core/customers/pair-limit.js'
import { done, rightOf } from '../../support/right-of.js'
import { contractOf } from './contract.js'
import { recordedListener } from './recorded-listener.js'
import { inNode, type RequestOptions } from './request-options.js'

export const CUSTOMER = '5511987654321'
/** The customer of the examples of the document; in the demonstration, this customer has written too. */
export const EXAMPLE_CUSTOMER = '33639980001'

/** Receives a message of the customer of the examples, so that texts to this customer are accepted. */
export const exampleWrites = async ({ receive, phoneNumberId }: Pick<Gateway, 'receive' | 'phoneNumberId'>): Promise<void> => {
  await done(receive([{ _tag: 'Inbound', phoneNumberId, customer: { phoneNumber: EXAMPLE_CUSTOMER as PhoneNumber }, at: NOON }]))
}
export const TEXT_PRICE = '0.007700'
export const TEMPLATE_PRICE = '0.062500'
export { ACCOUNT, NOON }
export const ACCESS_TOKEN = 'EAAsecretaccesstoken'

export type World = {
  /** The balance of every new workspace; `10` by default. */
  readonly balance?: string
  /** When the customer last wrote; an hour ago by default, never if `undefined`. */
  readonly lastInbound?: number | undefined
  /** Whether the workspace has a sender; true by default. */
  readonly sender?: boolean
  /** Whether the operations that answer a customer are served; true by default. */
  readonly answering?: boolean
  /** Whether the operations of events are served; true by default. */
  readonly events?: boolean
  /** What to replace in the ports of events. */
  readonly eventPorts?: (ports: EventPorts) => Partial<EventPorts>
  /** What to replace in the rate card. */
  readonly card?: Partial<RateCard>
  /** How many messages a sender may send to one customer; there is no limit by default. */
  readonly pairLimit?: PairLimit
  /** How fast a sender may send; there is no limit by default. A send that waits goes on immediately. */
  readonly senderLimit?: SenderRate
  /** The limit of customers that the platform has reported for the portfolio of the sender; by default none is counted. */
  readonly customersPerDay?: number
  /** A platform instead of the one in memory. */
  readonly platform?: Platform
  /** The platform's templates, which the catalogue has read at `NOON`; by default the sender has no business account. */
  readonly templates?: ReadonlyArray<Template>
  /** What to make of the clock of the storage. */
  readonly windowClockOver?: (windowClock: WindowClock) => WindowClock
  /** What to replace in the ports. */
  readonly ports?: (ports: Ports) => Partial<Ports>
  /** What to replace in the app's dependencies. */
  readonly deps?: (deps: HttpDeps) => Partial<HttpDeps>
}

export type Answered = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: unknown }

/**
 * A gateway in memory on its own network port, with one workspace, and functions that control its surroundings.
 *
 * Every reply is validated against the OpenAPI document, and the disposal fails if one is not documented.
 */
export const gateway = async (options: World = {}) => {
  const { balance = '10', sender = true, deps: replace = () => ({}), windowClockOver = (windowClock) => windowClock } = options
  const lastInbound = 'lastInbound' in options ? options.lastInbound : NOON - HOUR_MS
  const { addWorkspace: createWorkspace, ...world } = memoryWorld({ card: options.card, templates: options.templates })
  const { storage, now } = world
  const settings = {
    ...world.settings, ...(options.pairLimit && { pairLimit: options.pairLimit }),
    ...(options.senderLimit && { senderLimit: { ...options.senderLimit, wait: async () => undefined } }),
    ...(options.customersPerDay !== undefined && { portfolioLimit: 'on' as const }),
  }
  const log: Array<string> = []
  const requests: Array<Readonly<Record<string, unknown>>> = []
  const ports: Ports = {
    ...world.ports, windowClock: windowClockOver(storage.windowClock), ...(options.platform && { platform: options.platform }),
  }
  const { conversation: answeringUseCases, events: _events, ...postern } = makePostern({ ...ports, ...options.ports?.(ports) }, settings)
  const { receive } = postern.upkeep
  const deps: HttpDeps = {
    postern: {
      ...postern,
      ...(options.answering !== false && { conversation: answeringUseCases }),
      ...(options.events !== false && { events: makeEvents({ ...ports, ...options.eventPorts?.(storage) }, settings) }),
    },
    log: (level, event, fields) => {
      if (event === 'request') requests.push(fields)
      else log.push(JSON.stringify([level, event, fields]))
    },
  }
  const businessAccountId = options.templates && ACCOUNT
  if (options.templates !== undefined) await done(storage.templateCatalogue.replaceAll(ACCOUNT, options.templates, now()))
  const addWorkspace = async (funds = balance): Promise<{
    readonly workspace: WorkspaceId
    readonly key: string
    readonly phoneNumberId: SenderId
  }> => {
    const created = await createWorkspace({
      micros: micros(funds), sender, accessToken: ACCESS_TOKEN, businessAccountId,
      inbound: lastInbound === undefined ? undefined : { phoneNumber: CUSTOMER, at: lastInbound },
    })
    const { customersPerDay } = options
    if (customersPerDay !== undefined) {
      await done(storage.numberHealth.note({ workspace: created.workspace, sender: created.phoneNumberId }, { at: NOON, customersPerDay }))
    }
    const { key } = await done(storage.keyStore.mint({ workspace: created.workspace, name: 'test', at: now(), scopes: SCOPES }))
    return { ...created, key }
  }
  const first = await addWorkspace()
  const parts: HttpDeps = { ...deps, ...replace(deps) }
  const app = makeHttpApp(parts)
  const handle = app.callback()
  const contract = contractOf(servedParts(parts))
  const watch = recordedListener(contract, (req, res) => void handle(req, res))
  const { port, url, close } = await listening(createServer(watch.listener))

  const request = async (path: string, init: RequestOptions = {}): Promise<Answered> => {
    const headers = new Headers(init.headers)
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${first.key}`)
    return answered(await fetch(url + path, inNode({ ...init, headers })))
  }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
    request(path, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } })

  return {
    ...world, ...first, app, contract, known: watch.known, deps, url, receive, log,
    /** The log line of each request, in order. */
    requests,
    /** The messages that the platform received, in order. */
    messages: (): ReadonlyArray<Readonly<Record<string, unknown>>> => world.sent.map(({ message }) => message),
    addWorkspace, request, post,
    sendText: (body: unknown, headers?: Record<string, string>) => post('/v1/messages/send-text', body, headers),
    sendTemplate: (body: unknown, headers?: Record<string, string>) => post('/v1/messages/send-template', body, headers),
    quoteText: (body: unknown) => post('/v1/quotes/send-text', body),
    quoteTemplate: (body: unknown) => post('/v1/quotes/send-template', body),
    get: (path: string, headers: Record<string, string> = {}) => request(path, { headers }),
    /** Sends raw bytes, and returns everything that comes back until the connection closes. */
    raw: (head: string, body: string | Buffer = ''): Promise<string> => raw(port, head, body),
    authorization: `Authorization: Bearer ${first.key}`,
    /** The balance of a wallet, as decimal strings. */
    books: async (workspace = first.workspace) => {
      const found = pipe(rightOf(await storage.ledger.balance(workspace)), O.getOrElseW(() => assertNever('a wallet')))
      return { available: formatMicros(found.available), held: formatMicros(found.held) }
    },
    topUp: async (amount: string) =>
      void rightOf(await storage.ledger.topUp({ workspace: first.workspace, micros: micros(amount), reference: uuidv7(), at: now() })),
    [Symbol.asyncDispose]: async () => {
      await close()
      assert.deepEqual(watch.faults(), [], 'what the OpenAPI document does not know')
    },
  }
}

export type Gateway = Awaited<ReturnType<typeof gateway>>

const micros = (amount: string): bigint => rightOf(parseMicros(amount))

const assertNever = (what: string): never => { throw new Error(`there is no ${what}`) }

const answered = async (response: Response): Promise<Answered> => {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
}

const raw = (port: number, head: string, body: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const received: Array<Buffer> = []
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      socket.write(body)
    })
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(received).toString()))
    socket.on('error', (error) => (received.length === 0 ? reject(error) : resolve(Buffer.concat(received).toString())))
  })

export const portDown = (port: string) => async () =>
  E.left({ _tag: 'PortFailure' as const, port, cause: new Error(`${port} is down, key pst_1_secret`) })
