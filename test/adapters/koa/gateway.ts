import { createServer } from 'node:http'
import { connect } from 'node:net'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { servedParts } from '../../../adapters/koa/contract.js'
import { type HttpDeps, makeHttpApp } from '../../../adapters/koa/index.js'
import { fileBytes } from '../../../adapters/machine/file-bytes.js'
import { machine } from '../../../adapters/machine/machine.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { WindowClock } from '../../../core/customers/window.js'
import type { AttemptResult } from '../../../core/events/delivery.js'
import type { SinkAddress } from '../../../core/events/endpoint-use-cases.js'
import { SCOPES } from '../../../core/kernel/actor.js'
import type { PlatformError } from '../../../core/kernel/failure.js'
import { type WorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'
import { type Currency, formatMicros, parseMicros } from '../../../core/kernel/money.js'
import type { Event } from '../../../core/kernel/outbox.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import type { ConversationError, Media, MediaError, MediaId, MediaUpload, ReadMark, WantedMedia } from '../../../core/messages/conversation.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { priceBy, type RateCard } from '../../../core/money/rate-card.js'
import type { EventPorts, Ports } from '../../../core/ports.js'
import { makeEvents, makePostern } from '../../../core/postern.js'
import { type SenderId, senderIdOf } from '../../../core/senders/sender.js'
import type { Outbound, Platform } from '../../../core/sending/dispatch.js'
import type { TemplateSource } from '../../../core/templates/catalogue.js'
import type { Template } from '../../../core/templates/template.js'
import { plainHasher } from '../../core/use-cases/plain-hasher.js'
import { listening } from '../../support/listening.js'
import { rightOf } from '../../support/right-of.js'
import { contractOf } from './contract.js'
import { recordedListener } from './recorded-listener.js'
import { inNode, type RequestOptions } from './request-options.js'

export const CUSTOMER = '5511987654321'
export const TEXT_PRICE = '0.007700'
export const TEMPLATE_PRICE = '0.062500'
export const ACCOUNT = '102290129340398'
export const NOON = Date.parse('2026-03-01T12:00:00.000Z')
export const ACCESS_TOKEN = 'EAAsecretaccesstoken'
const USD = 'USD' as Currency

const CARD: RateCard = {
  currency: USD, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing',
  default: { service: 7_700n, marketing: 62_500n, utility: 7_700n, authentication: 7_700n },
}

/** How the platform of a test answers the next message. */
export type Answer = PlatformError | 'accept'

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
export const gateway = async (world: World = {}) => {
  const { balance = '10', sender = true, deps: replace = () => ({}), windowClockOver = (windowClock) => windowClock } = world
  const lastInbound = 'lastInbound' in world ? world.lastInbound : NOON - HOUR_MS
  let now = NOON
  const storage = makeMemoryStorage({ now: () => now })
  const { platform, sent, willAnswer, hold } = programmable()
  const { conversation, ...answering } = programmableConversation()
  const { sinkFor, ...receiver } = programmableReceiver()
  const windowClock = windowClockOver({ ...storage.windowClock, now: () => now })
  const log: Array<string> = []
  const requests: Array<Readonly<Record<string, unknown>>> = []
  const card = { ...CARD, ...world.card }
  const ports: Ports = {
    ...storage, windowClock, conversation, platform: world.platform ?? platform, senderVerification: 'trusted', passwords: plainHasher(),
    webhooks: { sinkFor }, fileBytes, templateSource: world.templates === undefined ? UNREACHABLE : listing(world.templates),
  }
  const settings = {
    ...machine,
    rateCard: () => card,
    priceOf: priceBy(card),
    unconfirmedAfterMs: 120_000,
    releaseAfterMs: 604_800_000,
    retryLater: () => {},
  }
  const { conversation: answeringUseCases, events: _events, ...postern } = makePostern({ ...ports, ...world.ports?.(ports) }, settings)
  const { receive } = postern.upkeep
  const deps: HttpDeps = {
    postern: {
      ...postern,
      ...(world.answering !== false && { conversation: answeringUseCases }),
      ...(world.events !== false && { events: makeEvents({ ...ports, ...world.eventPorts?.(storage) }, settings) }),
    },
    log: (level, event, fields) => {
      if (event === 'request') requests.push(fields)
      else log.push(JSON.stringify([level, event, fields]))
    },
  }
  const businessAccountId = world.templates && ACCOUNT
  if (world.templates !== undefined) rightOf(await storage.templateCatalogue.replaceAll(ACCOUNT, world.templates, now))
  const addWorkspace = async (funds = balance): Promise<{
    readonly workspace: WorkspaceId
    readonly key: string
    readonly phoneNumberId: SenderId
  }> => {
    const workspace = workspaceIdOf(uuidv7())
    const phoneNumberId = senderIdOf(uuidv7())
    rightOf(await storage.workspaces.create({ id: workspace, name: 'Shop', currency: USD, createdAt: now }))
    if (sender) rightOf(await storage.senders.assign(workspace, { phoneNumberId, accessToken: ACCESS_TOKEN, businessAccountId }))
    if (micros(funds) > 0n) rightOf(await storage.ledger.topUp({ workspace, micros: micros(funds), reference: uuidv7(), at: now }))
    if (lastInbound !== undefined) {
      rightOf(await storage.windowClock.recordInbound(workspace, { phoneNumber: CUSTOMER as PhoneNumber }, lastInbound))
    }
    return { workspace, key: rightOf(await storage.keyStore.mint({ workspace, name: 'test', at: now, scopes: SCOPES })).key, phoneNumberId }
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
    ...first, app, contract, known: watch.known, deps, url, storage, receive, sent, willAnswer, hold, log, ...answering, ...receiver,
    /** The log line of each request, in order. */
    requests,
    /** The messages that the platform received, in order. */
    messages: (): ReadonlyArray<Readonly<Record<string, unknown>>> => sent.map(({ message }) => message),
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
      void rightOf(await storage.ledger.topUp({ workspace: first.workspace, micros: micros(amount), reference: uuidv7(), at: now })),
    passes: (ms: number) => { now += ms },
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

/** A platform in memory that accepts messages unless a test sets other answers, and that can be delayed. */
const programmable = () => {
  const sent: Array<Outbound> = []
  const answers: Array<Answer> = []
  let gate = Promise.resolve()
  let accepted = 0
  const platform: Platform = {
    send: async (outbound) => {
      const answer = answers.shift() ?? 'accept'
      sent.push(outbound)
      await gate
      if (answer !== 'accept') return E.left(answer)
      accepted += 1
      return E.right({ platformId: `wamid.HBgM/${accepted}+${uuidv7()}==` as PlatformId })
    },
  }
  const hold = (): (() => void) => {
    let release = (): void => {}
    gate = new Promise((resolve) => { release = resolve })
    return release
  }
  return { platform, sent, hold, willAnswer: (...next: ReadonlyArray<Answer>) => void answers.push(...next) }
}

/** A platform that cannot be asked for templates. */
const UNREACHABLE: TemplateSource = { list: async () => E.left({ _tag: 'PlatformUnreachable', cause: 'there is no platform' }) }

/** A platform that lists these templates. */
const listing = (templates: ReadonlyArray<Template>): TemplateSource => ({
  list: async (_account, name) => E.right(templates.filter((template) => name === undefined || template.name === name)),
})

/** A conversation in memory that does what it is asked unless a test sets a failure. */
const programmableConversation = () => {
  const marked: Array<ReadMark> = []
  const wanted: Array<WantedMedia> = []
  let failure: ConversationError | undefined
  let media: MediaError | Media = { _tag: 'MediaGone' }
  const uploads: Array<Omit<MediaUpload, 'bytes'> & { readonly bytes: Buffer }> = []
  return {
    /** The files that the platform has got, in order. */
    uploads,
    /** The marks that the platform received, in order. */
    marked,
    /** The attachments that were asked for, in order. */
    wanted,
    /** What the platform answers to those who ask for an attachment. */
    willGiveMedia: (next: MediaError | Media) => { media = next },
    /** How the platform fails from now on. */
    conversationWillFail: (next: ConversationError | undefined) => { failure = next },
    conversation: {
      markRead: async (mark: ReadMark): Promise<E.Either<ConversationError, void>> => {
        marked.push(mark)
        return failure === undefined ? E.right(undefined) : E.left(failure)
      },
      openMedia: async (one: WantedMedia): Promise<E.Either<MediaError, Media>> => {
        wanted.push(one)
        return '_tag' in media ? E.left(media) : E.right(media)
      },
      uploadMedia: async ({ bytes, ...upload }: MediaUpload): Promise<E.Either<ConversationError, MediaId>> => {
        if (failure !== undefined) return E.left(failure)
        try {
          const pieces: Array<Uint8Array> = []
          for await (const piece of bytes) pieces.push(piece)
          uploads.push({ ...upload, bytes: Buffer.concat(pieces) })
          return E.right(`90000${uploads.length}` as MediaId)
        } catch (cause) {
          return E.left({ _tag: 'PlatformUnanswered', cause })
        }
      },
    },
  }
}

/** A receiver of events in memory that takes every event unless a test sets another result. */
const programmableReceiver = () => {
  const tried: Array<SinkAddress & { readonly event: Event }> = []
  let result: AttemptResult = { delivered: true, httpStatus: 204, error: undefined, answer: undefined, durationMs: 12 }
  return {
    /** The attempts that were made, in order. */
    tried,
    /** The result of attempts from now on. */
    attemptsWillEnd: (next: AttemptResult) => { result = next },
    sinkFor: (address: SinkAddress) => ({
      deliver: async (event: Event) => {
        tried.push({ ...address, event })
        return result
      },
    }),
  }
}

export const portDown = (port: string) => async () =>
  E.left({ _tag: 'PortFailure' as const, port, cause: new Error(`${port} is down, key pst_1_secret`) })
