import { availableParallelism } from 'node:os'
import type { Container } from 'inversify'
import { type Console, type ConsoleDeps, type ConsoleIdentity, makeConsole, makeConsoleLimits, type Sections } from '../../adapters/console/index.js'
import { EVENT_USE_CASES, LIMITS, PRICE_OF, RECONCILE } from '../../adapters/inversify/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { makeOidcProvider, OIDC_PATH, oidcRoutes } from '../../adapters/oidc/index.js'
import { makePasswordTurns, makeScryptHasher } from '../../adapters/scrypt/index.js'
import { checkView } from '../../core/access/acting.js'
import { makeListAudit } from '../../core/access/audit.js'
import { makeMintKey, makeRevokeKey, makeRotateKey } from '../../core/access/key-use-cases.js'
import { makeMemberUseCases, type MemberUseCases } from '../../core/access/member-use-cases.js'
import { makeListOpenWindows, makeShowCustomer } from '../../core/customers/use-cases.js'
import { makeCallers } from '../../core/kernel/fairness.js'
import { makeListMessages } from '../../core/messages/message-log.js'
import { makeListKeys } from '../../core/money/use-cases.js'
import { makeShowOverview, type OverviewQuery, type ShowOverview } from '../../core/overview.js'
import { makeEraseCustomer } from '../../core/privacy.js'
import { makeReconcileByHand, makeResolveMessage } from '../../core/sending/reconcile.js'
import { makeShowMessage } from '../../core/trail.js'
import { makeListWorkspaces } from '../../core/workspaces/use-cases.js'
import { auditingOf } from './auditing.js'
import { makeClientAddress } from './client-address.js'
import type { Config } from './config.js'
import { BODY_MEMORY, LOG, RATE_CARDS, STORAGE, TRANSPORT } from './container.js'
import { emissionOf } from './emission.js'
import { endpointsSection } from './endpoints-section.js'
import { healthSection } from './health-section.js'
import type { Handle } from './http-server.js'
import { memberDepsOf } from './member-deps.js'
import { sendingSections } from './sending-sections.js'
import { shareByKey } from './share-result.js'
import { withReading } from './with-reading.js'
import { allWorkspacesSection, senderSection, settingsSection } from './workspace-sections.js'

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
  const shared = shareByKey((query: OverviewQuery) => showOverview(query)(), { keyOf: ({ workspace, range }) => `${workspace} ${range}` })
  return (query) => () => shared(query)
}

const identityOf = (options: Parameters<typeof makeOidcProvider>[0], { signInWithIdentity }: MemberUseCases): ConsoleIdentity => {
  const provider = makeOidcProvider(options)
  return { path: OIDC_PATH, routes: (hooks) => oidcRoutes({ provider, signInWithIdentity, ...hooks }) }
}

/** Answers what is at `/console` or below it with one handler, and everything else with the other. */
export const withConsole = (app: Handle, pages: Handle): Handle => (request, response) =>
  (/^\/console(?:[/?]|$)/.test(request.url ?? '') ? pages : app)(request, response)
