import { createServer, request } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeCheckSender, makeReadSender, makeTemplateSource, type Transport } from '../../../adapters/cloud-api/index.js'
import { routesOf } from '../../../adapters/console/console.js'
import { type CheckShown, type ConsoleDeps, type GatewayHealth, makeConsole, type ShownUseCases } from '../../../adapters/console/index.js'
import { makeConsoleLimits, makeThrottle } from '../../../adapters/console/limits.js'
import { makeLiveParts } from '../../../adapters/console/live.js'
import { pagesOf } from '../../../adapters/console/sections.js'
import { fileForms } from '../../../adapters/koa/index.js'
import { summaryOf } from '../../../apps/server/summary.js'
import type { WindowClock } from '../../../core/customers/window.js'
import { makeByteBudget } from '../../../adapters/shared/byte-budget.js'
import type { Currency } from '../../../core/kernel/money.js'
import type { RateCard } from '../../../core/money/rate-card.js'
import type { Ports } from '../../../core/ports.js'
import { makePostern } from '../../../core/postern.js'
import { makeCheckAccount } from '../../../core/templates/catalogue.js'
import { ANSWERED_A_MINUTE, REFUSED_A_MINUTE } from '../../../adapters/request-log/recorder.js'
import { memberWorld } from '../../core/use-cases/member-world.js'
import { listening } from '../../support/listening.js'
import { DELIVERED, scriptedReceiver } from '../../support/scripted-receiver.js'

const CARD: RateCard = {
  currency: 'USD' as Currency, effective: '2026-01-01', templateCategory: 'utility', markets: new Map([['49', { marketing: 100_000n }]]),
  default: { service: 0n, marketing: 50_000n, utility: 10_000n, authentication: 10_000n },
}

export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  /** The raw `Set-Cookie` headers. */
  readonly cookies: ReadonlyArray<string>
}

export type Sent = {
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly raw?: string
}

/** The platform refuses the tokens that begin with `bad`, and accepts all others. */
const answerAboutSender: Transport = async ({ headers, path }) => {
  const isBad = headers['authorization']?.startsWith('Bearer bad') === true
  if (path.includes('message_templates')) {
    return {
      _tag: 'Answered', status: isBad ? 401 : 200, headers: {}, body: JSON.stringify(isBad ? { error: { code: 190 } } : { data: [] }),
    }
  }
  const id = /\/(\d+)(?:\?|$)/.exec(path)?.[1]
  const says = {
    id, verified_name: 'Acme', ...(path.includes('quality_rating') && { quality_rating: 'GREEN', throughput: { level: 'HIGH' } }),
  }
  return { _tag: 'Answered', status: isBad ? 401 : 200, headers: {}, body: JSON.stringify(isBad ? { error: { code: 190 } } : says) }
}

/** Endpoints whose address ends in `/down` accept nothing; all others accept everything. */
const receiver = () => scriptedReceiver(({ url }) => (url.endsWith('/down')
  ? { delivered: false, httpStatus: 503, error: 'It answered 503.', answer: '<b>not today</b>', durationMs: 3 }
  : DELIVERED))

const PLATFORM = { baseUrl: 'https://platform.test', version: 'v25.0', timeoutMs: 1_000, transport: answerAboutSender }

async function* twoChecks(): AsyncGenerator<CheckShown> {
  yield { check: 'database', fault: null, remedy: null }
  yield { check: 'webhook', fault: 'it is <not> set', remedy: 'Set it.' }
}

/** What a test replaces: options of the console, and use cases by group; a group that is `undefined` is left out. */
type Options = Partial<Omit<ConsoleDeps, 'postern'>> & {
  readonly uses?: { readonly [Group in keyof ShownUseCases]?: Partial<ShownUseCases[Group]> | undefined }
}

const withUses = (postern: ShownUseCases, uses: Options['uses'] = {}): ShownUseCases => ({
  ...postern,
  ...Object.fromEntries(
    Object.entries(uses).map(([group, replaced]) => [group, replaced && { ...postern[group as keyof ShownUseCases], ...replaced }]),
  ),
})

/** A console of members in memory that listens, and requests to it with exactly the headers that are given. */
export const openConsole = async (
  { uses = {}, ...options }: Options = {}, runChecks: GatewayHealth['runChecks'] = twoChecks,
  clockOver: (windowClock: WindowClock) => WindowClock = (windowClock) => windowClock,
) => {
  const world = await memberWorld({}, { card: CARD, templates: [], receiver: receiver() })
  const { now } = world
  const lines: Array<string> = []
  const matched = new Set<string>()
  const ports: Ports = {
    ...world.ports, windowClock: clockOver(world.storage.windowClock),
    senderVerification: { checkSender: makeCheckSender(PLATFORM), checkAccount: makeCheckAccount(makeTemplateSource(PLATFORM)) },
  }
  const postern = makePostern(ports, { ...world.settings, portfolioLimit: 'on', unconfirmedAfterMs: 60_000, releaseAfterMs: 60_000 })
  const deps: ConsoleDeps = {
    postern: withUses({ ...postern, members: world.use }, uses),
    rateCard: world.settings.rateCard,
    newFormKey: uuidv7,
    fileForms,
    readSender: makeReadSender(PLATFORM),
    summaryOf: (notices) => summaryOf(notices, now()),
    isSecretSet: true,
    retentionDays: 30,
    keptAMinute: { answered: ANSWERED_A_MINUTE, refused: REFUSED_A_MINUTE },
    health: {
      gateways: async () => E.right([
        { id: 'g1', version: '1.2.3', host: 'db-1', pid: 42, startedAt: now(), seenAt: now(), isAlive: true, reconciledAt: now() },
      ]),
      unconfirmed: async () => E.right({ count: 3, isMore: false }),
      rateCard: () => ({ currency: 'USD', effective: '2026-01-01', cards: 1, readAt: now() }),
      runChecks,
    },
    observe: ({ route }) => matched.add(route),
    log: (level, event, fields) => lines.push(JSON.stringify({ level, event, ...fields })),
    ...options,
  }
  const { handle, close } = makeConsole(deps)
  const server = await listening(createServer((req, res) => void handle(req, res)))
  const { port } = server
  const origin = options.publicUrl ?? server.url

  const send = (method: string, path: string, { form, headers = {}, raw }: Sent = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const body = raw ?? (form === undefined ? undefined : new URLSearchParams(form).toString())
      const type = body === undefined
        ? {}
        : { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': String(Buffer.byteLength(body)) }
      const sent = request({ port, host: '127.0.0.1', method, path, agent: false, headers: { ...type, ...headers } }, (response) => {
        const chunks: Array<Buffer> = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve({
          status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString(),
          cookies: response.headers['set-cookie'] ?? [],
        }))
      })
      sent.on('error', reject)
      sent.end(body)
    })

  /** Begins a request, and reads nothing but its head: a stream has no end. */
  const begin = (path: string, headers: Readonly<Record<string, string>>): Promise<Pick<Reply, 'status' | 'headers'>> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, agent: false, headers }, (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers })
        response.on('error', () => undefined)
        response.destroy()
      })
      sent.on('error', reject)
      sent.end()
    })

  /** Watches the live part of a page until its stream has shown each text, in this order; `close` ends the stream. */
  const watch = (path: string, cookie: string): Promise<{ readonly shows: (text: string) => Promise<void>; readonly close: () => void }> =>
    new Promise((resolve, reject) => {
      const sent = request(
        { port, host: '127.0.0.1', path, agent: false, headers: { Cookie: cookie, Accept: 'text/event-stream' } }, (response) => {
          let received = ''
          let onMore: () => void = () => undefined
          response.on('error', () => undefined)
          response.setEncoding('utf8').on('data', (chunk: string) => {
            received += chunk
            onMore()
          })
          resolve({
            shows: (text) => new Promise((shown) => {
              onMore = () => {
                const at = received.indexOf(text)
                if (at === -1) return
                received = received.slice(at)
                shown()
              }
              onMore()
            }),
            close: () => response.destroy(),
          })
        },
      )
      sent.on('error', reject)
      sent.end()
    })

  /** Goes to the next page if it has something to say, as a browser does. */
  const follow = (reply: Reply, cookie = ''): Promise<Reply> | Reply => {
    const flash = flashIn(reply)
    return flash === undefined ? reply : send('GET', String(reply.headers['location']), { headers: { Cookie: `${cookie}; ${flash}` } })
  }

  const pages = pagesOf(deps)
  const router = routesOf(pages, {
    publicOrigin: undefined,
    log: () => undefined,
    live: makeLiveParts(world.use.findChangedWatchers),
    patterns: new Set(),
    isShown: () => false,
    clientAddress: () => undefined,
    bodyMemory: makeByteBudget(0),
    limits: makeConsoleLimits(Date.now),
    downloads: makeThrottle(1),
  })
  return {
    ...world, pages, begin, watch,
    /** The paths of the router, and those that requests have matched so far. */
    routes: router.stack.map(({ path }) => String(path)), matched,
    lines, origin, port, send,
    get: (path: string, cookie?: string) => send('GET', path, { headers: cookie === undefined ? {} : { Cookie: cookie } }),
    /** Posts a form; what the next page says of it is fetched. */
    post: async (path: string, form: Readonly<Record<string, string>> = {}, cookie?: string) =>
      follow(await send('POST', path, { form, headers: { Origin: origin, ...(cookie !== undefined && { Cookie: cookie }) } }), cookie),
    follow,
    close: async () => {
      close()
      await server.close()
    },
  }
}

export type OpenConsole = Awaited<ReturnType<typeof openConsole>>

/** What a browser sends back of the cookies that it got. */
export const cookieOf = ({ cookies }: Reply): string => cookies.map((cookie) => cookie.split(';')[0] ?? '').join('; ')

/** How many of the replies signed a person in. */
export const signedIn = (replies: ReadonlyArray<Reply>): number =>
  replies.filter(({ cookies }) => cookies.some((cookie) => /session=[^;]/.test(cookie))).length

/** The cookie of what the next page says, if a reply leaves one. */
export const flashIn = ({ cookies }: Reply): string | undefined =>
  cookies.map((cookie) => cookie.split(';')[0] ?? '').find((pair) => /^postern_flash=./.test(pair))
