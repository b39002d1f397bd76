import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeReadSender } from '../../adapters/cloud-api/index.js'
import type { ConsoleDeps, ConsoleIdentity, HealthSection, Sections } from '../../adapters/console/index.js'
import { HEARTBEAT_MS } from '../../adapters/jobs/heartbeat.js'
import { fileForms } from '../../adapters/koa/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { ANSWERED_A_MINUTE, REFUSED_A_MINUTE } from '../../adapters/request-log/recorder.js'
import { makeOidcProvider, OIDC_PATH, oidcRoutes } from '../../adapters/oidc/index.js'
import type { FirstLink } from '../../core/access/links.js'
import type { MemberUseCases } from '../../core/access/member-use-cases.js'
import { FIRST_LINK_MS, type Token } from '../../core/access/members.js'
import { lastInboundOf } from '../../core/customers/window.js'
import { attempt, portFailure } from '../../core/kernel/failure.js'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { TracingDeps } from '../../core/kernel/tracing.js'
import { isPastMissing } from '../../core/messages/statistics.js'
import { cardAt, priceBy, type RateCard } from '../../core/money/rate-card.js'
import type { OverviewQuery, ShowOverview } from '../../core/overview.js'
import { type AllStoragePorts, guardPorts } from '../../core/ports.js'
import type { Postern } from '../../core/postern.js'
import type { CheckResult } from './checks.js'
import { type Config, makeClientAddress } from './config.js'
import type { Handle } from './http-server.js'
import type { WatchedRateCards } from './rate-card.js'
import { shareByKey } from './share-result.js'
import { summaryOf } from './summary.js'
import type { OpeningTransport } from './transport.js'

/** The use cases and ports behind the pages. */
export type Shown = {
  /** The use cases that send; they share their state in memory with the API. */
  readonly postern: Pick<Postern, 'sending'>
  /** All other use cases, which read over connections that no send waits for, and their ports. */
  readonly pages: Postern
  readonly ports: AllStoragePorts
  readonly rateCard: () => RateCard
  readonly readSender: NonNullable<Sections['sender']>['readSender']
}

/** What the pages may store, and for how long. */
export type ShownSettings = { readonly isSecretSet: boolean; readonly retentionMs: number | undefined; readonly keepsRequests: boolean }

/** The sections of the pages, except the health of a gateway. */
export const sectionsOf = (
  { postern: { sending }, pages, ports, rateCard, readSender }: Shown, { isSecretSet, retentionMs, keepsRequests }: ShownSettings,
): Required<Omit<Sections, 'health' | 'requests'>> & Pick<Sections, 'requests'> => {
  const { customers, events, keys, messages, money, overview, requests, search, templates, workspaces } = pages
  const { accountNotices, eventDeliveries, eventOutbox, ledger, messageContents, messageStatistics, senders, walletAlerts, windowClock: { freeForm, now } } = ports
  const { eraseCustomer, ...readCustomers } = customers
  const { nameCustomers } = customers
  const [priceOf, contents] = [priceBy(rateCard), { find: messageContents.find, listTemplates: templates.listTemplates }]
  return {
    search: { ...search, nameCustomers },
    overview: { showOverview: sharedOverview(overview.showOverview), nameCustomers },
    messages: { ...messages, nameCustomers, priceOf, contents },
    customers: { ...readCustomers, priceOf, contents, newFormKey: uuidv7, now, freeForm, ...(isSecretSet && { eraseCustomer }) },
    keys,
    endpoints: { ...events, pending: eventDeliveries.pending, findEvent: eventOutbox.find, isSecretSet },
    ...(keepsRequests && requests && { requests: { ...requests, listKeys: keys.listKeys, keptAMinute: { answered: ANSWERED_A_MINUTE, refused: REFUSED_A_MINUTE } } }),
    sender: {
      ...workspaces, senderOf: senders.senderOf, readSender, isSecretSet,
      reportOf: (accountId) => accountNotices.latest(accountId).then(E.map((notices) => summaryOf(notices, now()))),
    },
    allWorkspaces: { ...workspaces, showRunway: overview.showRunway, listAll: ports.workspaces.list, totals: ledger.totals, pricedIn: () => rateCard().currency },
    settings: {
      ...workspaces, ...money, alertsOf: walletAlerts.alertsOf, retentionDays: retentionMs === undefined ? undefined : Math.round(retentionMs / DAY_MS),
    },
    send: {
      send: sending.asPerson, sendFile: sending.fileAsPerson, fileForms, quote: sending.quote, listTemplates: templates.listTemplates,
      lastInbound: (workspace, to) => lastInboundOf(ports, workspace, to), newFormKey: uuidv7, now, freeForm,
    },
    templates: { ...templates, syncTemplates: templates.syncByHand, rateCard },
    wallet: { ...money, ledger, walletAlerts, now, isCounting: () => messageStatistics.progress().then(E.map((progress) => isPastMissing(progress, now()))) },
  }
}

/** The use cases, storage and connections of a gateway whose pages are shown. */
export type ShownGateway = Pick<Shown, 'postern' | 'pages' | 'ports'> & {
  readonly storage: KnexStorage; readonly rateCards: WatchedRateCards; readonly transport: Pick<OpeningTransport, 'send'>
}

/** The dependencies of a gateway's pages. */
export const consoleDeps = (config: Config, given: ShownGateway): ConsoleDeps => {
  const gateway = { ...given, ports: guardPorts<AllStoragePorts & TracingDeps>(given.ports) }
  const { console: { publicUrl }, http: { trustedProxies }, oidc, platform: { url: baseUrl, version, timeoutMs }, secret, retentionMs, requestLog } = config
  const { pages, ports, rateCards, transport } = gateway
  const identity = oidc === undefined || secret === undefined ? undefined : identityOf({ ...oidc, secret }, pages.members)
  const shown = {
    ...gateway, rateCard: () => cardAt(rateCards.cards(), Date.now()), readSender: makeReadSender({ baseUrl, version, timeoutMs, transport: transport.send }),
  }
  return {
    members: pages.members,
    workspaces: ports.workspaces,
    checkAct: pages.audit.checkView,
    listAudit: pages.audit.listAudit,
    listWorkspaces: pages.workspaces.listWorkspaces,
    ...sectionsOf(shown, { isSecretSet: secret !== undefined, retentionMs, keepsRequests: requestLog === 'on' }),
    health: healthSection(config, gateway),
    hasReference: true,
    clientAddress: makeClientAddress(trustedProxies),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(identity !== undefined && { identity }),
  }
}

/** A process counts as down after it has missed two heartbeats. */
const ALIVE_MS = 3 * HEARTBEAT_MS
const MAX_COUNTED = 1_000
const CHECKS_MS = 20 * SECOND_MS

/** The dependencies of the console's health page. */
const healthSection = (config: Config, { storage, ports, rateCards, pages }: ShownGateway): HealthSection => ({
  gateways: () => attempt(async () => {
    const gateways = await storage.gateways.list()
    return gateways.map((gateway) => ({ ...gateway, isAlive: Date.now() - gateway.seenAt <= ALIVE_MS }))
  }, portFailure('Gateways')),
  backlog: ports.eventOutbox.backlog,
  unconfirmed: async () => {
    const found = await ports.messageLog.stale({ state: 'unconfirmed', before: Date.now() + 1, limit: MAX_COUNTED })
    return E.isLeft(found) ? found : E.right({ count: found.right.length, isMore: found.right.length === MAX_COUNTED })
  },
  reconcile: pages.upkeep.reconcileByHand,
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

const LATE: CheckResult = { check: 'the other checks', fault: `they took longer than ${CHECKS_MS / SECOND_MS} seconds`, remedy: 'Run `postern doctor` on the server.' }

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

const identityOf = (options: Parameters<typeof makeOidcProvider>[0], { signInWithIdentity }: MemberUseCases): ConsoleIdentity => {
  const provider = makeOidcProvider(options)
  return { path: OIDC_PATH, routes: (hooks) => oidcRoutes({ provider, signInWithIdentity, ...hooks }) }
}

/** Sends requests for `/console` and below to one handler, and all other requests to the other. A browser that opens `/` is redirected to the console. */
export const withConsole = (app: Handle, pages: Handle): Handle => async (request, response) => {
  const { headers: { accept = '' }, method, url = '' } = request
  if (method === 'GET' && /^\/(?:\?|$)/.test(url) && accept.includes('text/html')) return void response.writeHead(303, { Location: '/console' }).end()
  return (/^\/console(?:[/?]|$)/.test(url) ? pages : app)(request, response)
}
