import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Container } from 'inversify'
import { uuidv7 } from 'uuidv7'
import { makeCheckSender, makeReadSender, makeTemplateSource } from '../../adapters/cloud-api/index.js'
import {
  type AllWorkspacesSection, type Console, type ConsoleDeps, type ConsoleIdentity, type EndpointsSection, type HealthSection, makeConsole, makeConsoleLimits,
  type Sections, type SenderSection, type SettingsSection,
} from '../../adapters/console/index.js'
import { EVENT_USE_CASES, LIMITS, PRICE_OF, RECONCILE } from '../../adapters/inversify/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { makeOidcProvider, OIDC_PATH, oidcRoutes } from '../../adapters/oidc/index.js'
import { makePasswordTurns, makeScryptHasher } from '../../adapters/scrypt/index.js'
import { type ActDeps, checkView } from '../../core/access/acting.js'
import { makeListAudit } from '../../core/access/audit.js'
import { makeMintKey, makeRevokeKey, makeRotateKey } from '../../core/access/key-use-cases.js'
import type { FirstLink } from '../../core/access/links.js'
import { makeMemberUseCases, type MemberUseCases } from '../../core/access/member-use-cases.js'
import { FIRST_LINK_MS, type Token } from '../../core/access/members.js'
import { makeListOpenWindows, makeShowCustomer } from '../../core/customers/use-cases.js'
import type { EventUseCases } from '../../core/events/use-cases.js'
import { attempt, portFailure } from '../../core/kernel/failure.js'
import { makeCallers } from '../../core/kernel/fairness.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import { makeListMessages } from '../../core/messages/message-log.js'
import { cardAt } from '../../core/money/rate-card.js'
import { makeListKeys, makeSetWalletAlert } from '../../core/money/use-cases.js'
import type { WalletAlerts } from '../../core/money/wallet.js'
import { makeShowOverview, type OverviewQuery, type ShowOverview } from '../../core/overview.js'
import type { EventPorts, StoragePorts } from '../../core/postern.js'
import { makeEraseCustomer } from '../../core/privacy.js'
import { makeReconcileByHand, makeResolveMessage, type ReconcileByHand } from '../../core/sending/reconcile.js'
import { makeShowMessage } from '../../core/trail.js'
import { makeAssignSender, makeRemoveSender } from '../../core/workspaces/senders.js'
import { makeArchiveWorkspace, makeCreateWorkspace, makeListWorkspaces, makeRenameWorkspace } from '../../core/workspaces/use-cases.js'
import type { CheckResult } from '../operator/checks.js'
import { summaryOf } from '../operator/summary.js'
import { type Config, makeClientAddress } from './config.js'
import { BODY_MEMORY, LOG, RATE_CARDS, sendingSections, STORAGE, TRANSPORT, withReading } from './container.js'
import { auditingOf, emissionOf, memberDepsOf } from './deps.js'
import type { Handle } from './http-server.js'
import { HEARTBEAT_MS } from './jobs.js'
import type { WatchedRateCards } from './rate-card.js'
import { shareByKey } from './share-result.js'
import type { OpeningTransport } from './transport.js'

/** What the page of health reads. */
export type HealthDeps = {
  readonly storage: KnexStorage; readonly config: Config; readonly rateCards: WatchedRateCards; readonly reconcile: ReconcileByHand; readonly now: Clock
}

/** A process is taken for dead after it has missed two signs of life. */
const ALIVE_MS = 3 * HEARTBEAT_MS
const MOST_COUNTED = 1_000
const CHECKS_MS = 20 * SECOND_MS

/** What the console's page of health needs. */
export const healthSection = ({ storage, config, rateCards, reconcile, now }: HealthDeps): HealthSection => ({
  gateways: () => attempt(async () => {
    const gateways = await storage.gateways.list()
    return gateways.map((gateway) => ({ ...gateway, isAlive: now() - gateway.seenAt <= ALIVE_MS }))
  }, portFailure('Gateways')),
  backlog: storage.eventOutbox.backlog,
  unconfirmed: async () => {
    const found = await storage.messageLog.stale({ state: 'unconfirmed', before: storage.windowClock.now() + 1, limit: MOST_COUNTED })
    return E.isLeft(found) ? found : E.right({ count: found.right.length, isMore: found.right.length === MOST_COUNTED })
  },
  reconcile,
  rateCard: () => {
    const cards = rateCards.cards()
    const { currency, effective } = cardAt(cards, now())
    return { currency, effective, cards: cards.length, readAt: rateCards.readAt() }
  },
  async *runChecks() {
    const { checksOf } = await import('../operator/checks.js')
    yield* within(CHECKS_MS, checksOf(config, E.right(rateCards.cards()), storage))
  },
})

/** The results until the deadline, each as soon as it is there, and a fault for what is left then. */
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
    // Ends behind the check that is under way, and closes its connections.
    void checks.return(undefined).catch(() => undefined)
  }
}

const LATE: CheckResult = { check: 'the other checks', fault: `they took longer than ${CHECKS_MS / SECOND_MS} seconds`, remedy: 'Run `postern doctor` on the server.' }

/** What the console's pages of endpoints need. */
export const endpointsSection = (
  use: EventUseCases, { eventDeliveries, eventOutbox }: Pick<EventPorts, 'eventDeliveries' | 'eventOutbox'>, isSecretSet: boolean,
): EndpointsSection => ({
  listEndpoints: use.listEndpoints,
  findEndpoint: use.findEndpoint,
  listDeliveries: use.listDeliveries,
  pending: eventDeliveries.pending,
  findEvent: eventOutbox.find,
  addEndpoint: use.addEndpoint,
  changeEndpoint: use.changeEndpoint,
  removeEndpoint: use.removeEndpoint,
  rotateSecret: use.rotateSecret,
  testEndpoint: use.testEndpoint,
  redeliverEvent: use.redeliverEvent,
  redeliverSince: use.redeliverSince,
  isSecretSet,
})

type Acting = ActDeps & { readonly now: Clock }

/** How the platform is asked about a sender, and whether its token can be stored. */
type AskedPlatform = {
  readonly platform: Pick<Config['platform'], 'url' | 'version' | 'timeoutMs'>; readonly transport: Pick<OpeningTransport, 'send'>; readonly isSecretSet: boolean
}

/** What the console's page of the sender needs. */
export const senderSection = (
  { senders, accountNotices }: Pick<StoragePorts, 'senders' | 'accountNotices'>, acting: Acting,
  { platform: { url: baseUrl, version, timeoutMs }, transport, isSecretSet }: AskedPlatform,
): SenderSection => {
  const endpoint = { baseUrl, version, timeoutMs, transport: transport.send }
  return {
    senderOf: senders.senderOf,
    assignSender: makeAssignSender({ ...acting, senders, proof: { checkSender: makeCheckSender(endpoint), templateSource: makeTemplateSource(endpoint) } }),
    removeSender: makeRemoveSender({ ...acting, senders }),
    readSender: makeReadSender(endpoint),
    reportOf: (accountId) => accountNotices.latest(accountId).then(E.map((notices) => summaryOf(notices, acting.now()))),
    isSecretSet,
  }
}

/** What the console's page of workspaces needs for operators. */
export const allWorkspacesSection = ({ workspaces, ledger }: Pick<StoragePorts, 'workspaces' | 'ledger'>, acting: Acting, pricedIn: () => Currency): AllWorkspacesSection => ({
  createWorkspace: (command) =>
    makeCreateWorkspace({ ...acting, workspaces, pricedIn: pricedIn(), newWorkspaceId: () => workspaceIdOf(uuidv7()) })(command),
  listAll: workspaces.list,
  totals: ledger.totals,
  pricedIn,
})

/** What the console's page of settings needs. */
export const settingsSection = (
  { workspaces, walletAlerts }: Pick<StoragePorts, 'workspaces'> & { readonly walletAlerts: WalletAlerts }, acting: Acting, retentionMs: number | undefined,
): SettingsSection => ({
  renameWorkspace: makeRenameWorkspace({ ...acting, workspaces }),
  archiveWorkspace: makeArchiveWorkspace({ ...acting, workspaces }),
  setWalletAlert: makeSetWalletAlert({ ...acting, walletAlerts }),
  alertsOf: walletAlerts.alertsOf,
  retentionDays: retentionMs === undefined ? undefined : Math.round(retentionMs / DAY_MS),
})

/** What printing the link for the first operator needs. */
export type PrintFirstLinkDeps = {
  readonly firstLink: FirstLink
  /** The address at which people reach the gateway, such as `https://postern.example.com`. */
  readonly publicUrl: string
  /** Writes a line to the terminal. It must not be the log, which others may read: a person who has the link becomes an operator. */
  readonly print: (line: string) => void
}

/** The address of a link. Opening it uses nothing up; the button on its page does. */
export const linkUrl = (publicUrl: string, token: Token): string => `${publicUrl.replace(/\/+$/, '')}/console/link/${token}`

/** Prints a link that makes the first operator, if there is none yet. Rejects with the cause if the storage fails. */
export const printFirstLink = async ({ firstLink, publicUrl, print }: PrintFirstLinkDeps): Promise<void> => {
  const link = await firstLink()
  if (E.isLeft(link)) throw link.left.cause
  if (link.right === undefined) return
  print(`There is no operator yet. This link makes one, within ${FIRST_LINK_MS / MINUTE_MS} minutes and once:`)
  print(linkUrl(publicUrl, link.right.token))
}

/** Computing with a password takes a processor for some tenths of a second, and a flood of strangers may take no more than half of what there is. */
const STRANGERS_AT_ONCE = availableParallelism() < 4 ? 1 : 2

/** The pages at `/console`, over the gateway's storage. */
export const gatewayConsole = (container: Container, config: Config): Console => makeConsole(consoleDepsOf(container, config))

/** What the pages of a gateway need. */
export const consoleDepsOf = (container: Container, config: Config): ConsoleDeps => {
  const { console: { publicUrl }, http: { trustedProxies }, oidc, secret } = config
  const storage = withReading(container.get(STORAGE))
  const deps = memberDepsOf(storage)
  const now = (): number => performance.now()
  const strangers = makeCallers(now)
  const members = makeMemberUseCases({
    ...deps, passwords: makeScryptHasher({ atOnce: STRANGERS_AT_ONCE + 1 }), passwordTurns: makePasswordTurns({ strangersAtOnce: STRANGERS_AT_ONCE, strangers }),
  })
  const identity = oidc === undefined || secret === undefined ? undefined : identityOf({ ...oidc, secret }, members)
  return {
    members,
    workspaces: storage.workspaces,
    checkAct: (acting) => checkView(deps, acting),
    listAudit: makeListAudit({ ...deps, auditLog: storage.auditLog }),
    listWorkspaces: makeListWorkspaces(storage),
    ...sectionsOf(container, config, storage),
    log: container.get(LOG),
    bodyMemory: container.get(BODY_MEMORY),
    clientAddress: makeClientAddress(trustedProxies),
    limits: makeConsoleLimits(now, strangers),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(identity !== undefined && { identity }),
  }
}

/** What the pages show and do, by section. */
const sectionsOf = (container: Container, config: Config, storage: KnexStorage): Sections => {
  const isSecretSet = config.secret !== undefined
  const acting = { ...storage, events: emissionOf(storage), audit: auditingOf(storage), now: Date.now }
  return {
    overview: { showOverview: sharedOverview(makeShowOverview(acting)) },
    messages: {
      listMessages: makeListMessages(storage), showMessage: makeShowMessage(storage),
      resolveMessage: makeResolveMessage({ ...acting, ...container.get(LIMITS) }), priceOf: container.get(PRICE_OF),
    },
    customers: {
      listOpenWindows: makeListOpenWindows(storage), showCustomer: makeShowCustomer(storage), listMessages: makeListMessages(storage), now: storage.windowClock.now,
      ...(isSecretSet && { eraseCustomer: makeEraseCustomer(acting) }),
    },
    keys: {
      listKeys: makeListKeys(acting), mintKey: makeMintKey(acting), rotateKey: makeRotateKey(acting), revokeKey: makeRevokeKey(acting),
    },
    endpoints: endpointsSection(container.get(EVENT_USE_CASES), storage, isSecretSet),
    sender: senderSection(storage, acting, { platform: config.platform, transport: container.get(TRANSPORT), isSecretSet }),
    health: healthSection({ storage, config, rateCards: container.get(RATE_CARDS), reconcile: makeReconcileByHand({ ...acting, reconcile: container.get(RECONCILE) }), now: Date.now }),
    allWorkspaces: allWorkspacesSection(storage, acting, () => container.get(RATE_CARDS).cards()[0].currency),
    settings: settingsSection(storage, acting, config.retentionMs),
    ...sendingSections(container, storage),
  }
}

/** All who look at an overview at the same time get the same one. */
const sharedOverview = (showOverview: ShowOverview): ShowOverview => {
  const shared = shareByKey((query: OverviewQuery) => showOverview(query), { keyOf: ({ workspace, range }) => `${workspace} ${range}` })
  return (query) => shared(query)
}

const identityOf = (options: Parameters<typeof makeOidcProvider>[0], { signInWithIdentity }: MemberUseCases): ConsoleIdentity => {
  const provider = makeOidcProvider(options)
  return { path: OIDC_PATH, routes: (hooks) => oidcRoutes({ provider, signInWithIdentity, ...hooks }) }
}

/** Answers what is at `/console` or below it with one handler, and everything else with the other. */
export const withConsole = (app: Handle, pages: Handle): Handle => (request, response) =>
  (/^\/console(?:[/?]|$)/.test(request.url ?? '') ? pages : app)(request, response)
