import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeReadSender } from '../../adapters/cloud-api/cloud-api.js'
import type { Console, ConsoleDeps, ConsoleIdentity, GatewayHealth } from '../../adapters/console/index.js'
import { HEARTBEAT_MS } from '../../adapters/jobs/heartbeat.js'
import { fileForms } from '../../adapters/koa/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { OidcOptions } from '../../adapters/oidc/index.js'
import { ANSWERED_A_MINUTE, REFUSED_A_MINUTE } from '../../adapters/request-log/recorder.js'
import type { FirstLink } from '../../core/access/links.js'
import type { MemberUseCases } from '../../core/access/member-use-cases.js'
import { FIRST_LINK_MS, type Token } from '../../core/access/members.js'
import { attempt, portFailure } from '../../core/kernel/failure.js'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import { cardAt } from '../../core/money/rate-card.js'
import type { OverviewQuery, ShowOverview } from '../../core/overview.js'
import type { Postern } from '../../core/postern.js'
import type { CheckResult } from './check-result.js'
import { type Config, makeClientAddress } from './config.js'
import type { Handle } from './http-server.js'
import type { WatchedRateCards } from './rate-card.js'
import { shareByKey } from './share-result.js'
import { summaryOf } from './summary.js'
import type { OpeningTransport } from './transport.js'

/** The use cases, storage and connections of a gateway whose pages are shown. */
export type ShownGateway = {
  readonly postern: Postern
  readonly storage: KnexStorage
  readonly rateCards: WatchedRateCards
  readonly transport: Pick<OpeningTransport, 'send'>
}

/** The dependencies of a gateway's pages. */
export const consoleDeps = (config: Config, gateway: ShownGateway): ConsoleDeps => {
  const {
    console: { publicUrl }, http: { trustedProxies }, platform: { url: baseUrl, version, timeoutMs }, secret, retentionMs, requestLog,
  } = config
  const { postern: { requests, ...postern }, rateCards, transport } = gateway
  return {
    postern: {
      ...postern, ...(requestLog === 'on' && requests && { requests }),
      overview: { ...postern.overview, showOverview: sharedOverview(postern.overview.showOverview) },
    },
    rateCard: () => cardAt(rateCards.cards(), Date.now()),
    newFormKey: uuidv7,
    fileForms,
    readSender: makeReadSender({ baseUrl, version, timeoutMs, transport: transport.send }),
    summaryOf: (notices) => summaryOf(notices, postern.clock.now()),
    isSecretSet: secret !== undefined,
    sendsMail: config.mail !== undefined,
    retentionDays: retentionMs === undefined ? undefined : Math.round(retentionMs / DAY_MS),
    keptAMinute: { answered: ANSWERED_A_MINUTE, refused: REFUSED_A_MINUTE },
    health: gatewayHealth(config, gateway),
    hasReference: true,
    clientAddress: makeClientAddress(trustedProxies),
    ...(publicUrl !== undefined && { publicUrl }),
  }
}

/** A process counts as down after it has missed two heartbeats. */
const ALIVE_MS = 3 * HEARTBEAT_MS
const MAX_COUNTED = 1_000
const CHECKS_MS = 20 * SECOND_MS

/** The state of a gateway, for the console's health page. */
const gatewayHealth = (config: Config, { storage, rateCards, postern: { upkeep } }: ShownGateway): GatewayHealth => ({
  gateways: () => attempt(async () => {
    const gateways = await storage.gateways.list()
    return gateways.map((gateway) => ({ ...gateway, isAlive: Date.now() - gateway.seenAt <= ALIVE_MS }))
  }, portFailure('Gateways')),
  unconfirmed: async () => {
    const found = await upkeep.listStale({ state: 'unconfirmed', before: Date.now() + 1, limit: MAX_COUNTED })
    return E.isLeft(found) ? found : E.right({ count: found.right.length, isMore: found.right.length === MAX_COUNTED })
  },
  rateCard: () => {
    const cards = rateCards.cards()
    const { currency, effective } = cardAt(cards, Date.now())
    return { currency, effective, cards: cards.length, readAt: rateCards.readAt() }
  },
  async *runChecks() {
    const { checksOf } = await import('./checks.js')
    yield* within(CHECKS_MS, checksOf(config, E.right(rateCards.cards()), storage))
  },
})

/** The results until the deadline, each as soon as it is available, and then a fault for the remaining checks. */
async function* within(ms: number, checks: AsyncGenerator<CheckResult>): AsyncGenerator<CheckResult> {
  const ended = new AbortController()
  const late = delay(ms, 'late' as const, { signal: ended.signal }).catch(() => 'late' as const)
  try {
    for (;;) {
      const next = await Promise.race([checks.next(), late])
      if (next === 'late') {
        yield LATE
        return
      }
      if (next.done === true) return
      yield next.value
    }
  } finally {
    ended.abort()
    // Ends after the running check, and closes its connections.
    void checks.return(undefined).catch(() => undefined)
  }
}

const LATE: CheckResult = {
  check: 'the other checks', fault: `they took longer than ${CHECKS_MS / SECOND_MS} seconds`, remedy: 'Run `postern doctor` on the server.',
}

/** The dependencies for printing the link for the first operator. */
export type PrintFirstLinkDeps = {
  readonly firstLink: FirstLink
  /** The address at which people reach the gateway, such as `https://postern.example.com`. */
  readonly publicUrl: string
  /** Writes a line to the terminal. It must not write to the log, which others may read: a person who has the link becomes an operator. */
  readonly print: (line: string) => void
}

/** The address of a link. Opening it does not consume the link; the button on its page does. */
export const linkUrl = (publicUrl: string, token: Token): string => `${publicUrl.replace(/\/+$/, '')}/console/link/${token}`

/** Prints a link that makes the first operator, if there is none yet. Rejects with the cause if the storage fails. */
export const printFirstLink = async ({ firstLink, publicUrl, print }: PrintFirstLinkDeps): Promise<void> => {
  const link = await firstLink()
  if (E.isLeft(link)) throw link.left.cause
  if (link.right === undefined) return
  print(`There is no operator yet. Open this link to become the first operator; it works once, within ${FIRST_LINK_MS / MINUTE_MS} minutes:`)
  print(linkUrl(publicUrl, link.right.token))
}

/** Concurrent requests for an overview share one result. */
const sharedOverview = (showOverview: ShowOverview): ShowOverview => {
  const shared = shareByKey((query: OverviewQuery) => showOverview(query), { keyOf: ({ workspace, range, days }) => `${workspace} ${range} ${days?.zone ?? 'UTC'}` })
  return (query) => shared(query)
}

/** What a gateway needs of its console. */
export type ServedConsole = Pick<Console, 'close' | 'handle'>

/**
 * A console whose code is loaded for the first request of a browser: it is a fifth of the code of a gateway, and a gateway may run for months without such a request.
 *
 * If the code cannot be loaded, `onFailure` is called, and the request is answered 500.
 */
export const consoleOnDemand = (load: () => Promise<Console>, onFailure: (error: unknown) => void): ServedConsole => {
  let loading: Promise<Console> | undefined
  return {
    handle: async (request, response) => {
      let pages: Console
      try {
        pages = await (loading ??= load())
      } catch (error) {
        onFailure(error)
        return void response.writeHead(500).end()
      }
      return pages.handle(request, response)
    },
    close: () => void loading?.then((pages) => { pages.close() }, () => undefined),
  }
}

/** Loads the console, and the sign-in with an identity provider if there is one. */
export const loadConsole = async (
  { oidc, secret }: Pick<Config, 'oidc' | 'secret'>, deps: ConsoleDeps, members: MemberUseCases,
): Promise<Console> => {
  const { makeConsole } = await import('../../adapters/console/index.js')
  const identity = oidc === undefined || secret === undefined ? undefined : await loadIdentity({ ...oidc, secret }, members)
  return makeConsole({ ...deps, ...(identity !== undefined && { identity }) })
}

const loadIdentity = async (options: OidcOptions, { signInWithIdentity }: MemberUseCases): Promise<ConsoleIdentity> => {
  const { makeOidcProvider, OIDC_PATH, oidcRoutes } = await import('../../adapters/oidc/index.js')
  const provider = makeOidcProvider(options)
  return { path: OIDC_PATH, routes: (hooks) => oidcRoutes({ provider, signInWithIdentity, ...hooks }) }
}

/** Sends requests for `/console` and below to one handler, and all other requests to the other. A browser that opens `/` is redirected to the console. */
export const withConsole = (app: Handle, pages: Handle): Handle => async (request, response) => {
  const { headers: { accept = '' }, method, url = '' } = request
  if (method === 'GET' && /^\/(?:\?|$)/.test(url) && accept.includes('text/html')) {
    return void response.writeHead(303, { Location: '/console' }).end()
  }
  return (/^\/console(?:[/?]|$)/.test(url) ? pages : app)(request, response)
}
