import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import createKnex, { type Knex } from 'knex'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { TABLES } from '../../adapters/knex/schema/current.js'
import { type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import {
  accountNoticesLaws, actEntriesLaws, auditLaws, auditLogLaws, batchesAtRestLaws, batchesLaws, consentsLaws, customersLaws,
  customerWindowsLaws, deliveryDeadlinesLaws, entriesLaws, eventDeliveriesLaws, eventEndpointsAtRestLaws, eventEndpointsLaws,
  eventOutboxBrokerLaws, eventOutboxLaws, freeMessagesLaws,
  keyStoreArchiveLaws, keyStoreAtRestLaws, keyStoreLaws, leasesLaws, ledgerLaws, lostMessagesForgottenLaws, lostMessagesLaws, membersLaws,
  messageContentsAtRestLaws, messageContentsLaws, messageLogAtRestLaws, messageLogLaws, messageMoneyLaws, messageStatisticsLaws,
  messageQueueAtRestLaws, messageQueueLaws, queuedSendersLaws, queueHoldsLaws,
  messageTimelineLaws, operatorsLaws, personalDataLaws, alertsLaws, appsAtRestLaws, appsLaws,
  numberHealthLaws, requestLogLaws, reservingLaws, senderDataLaws, sendersArchiveLaws, limitsReservingLaws, pairLimitsLaws,
  pairReservingLaws, portfolioBudgetLaws, portfolioReservingLaws,
  senderBudgetLaws, sendersAtRestLaws, sendersLaws, sharedHoldsLaws, sessionsLaws, spendingLimitLaws, templateCatalogueLaws,
  sendersWithBatchesLaws, stoppedPeopleLaws, templateResultsLaws,
  uploadedFilesLaws, walletAlertsLaws, walletLaws, windowClockLaws, workspacePricingLaws, workspacesLaws, workspaceStatesLaws,
} from '../laws/index.js'
import type { TestDatabase } from './databases.js'
import { describeLaws as describeAllOf } from './describe-laws.js'

const USD = 'USD' as Currency
/** The limit of lost messages of a workspace in these tests, lower than usual so that the laws take less time. */
const LOST_MESSAGES = 12
const SECRET = 'a secret for tests, long enough for anyone'

/** A database whose laws are checked. */
export type LawDatabase = TestDatabase & {
  /** The same database on another node of its cluster. */
  readonly elsewhere?: string
}

/** The lists of laws with an odd or an even position. */
type Half = 'odd' | 'even'

/** Creates databases for laws. */
export type LawServer = { readonly create: () => Promise<LawDatabase> }

/**
 * Checks every port against its laws on databases of a server. The view of another gateway is read at `elsewhere`, if the database has another URL there.
 * `portsOf` may combine the ports of a storage in another way. With a half, every second list of laws is checked, so that no file takes too long.
 */
export const describePorts = (
  server: LawServer, portsOf: (storage: KnexStorage) => KnexStorage = (storage) => storage, half?: Half,
): void => {
  let lists = 0
  const describeLaws: typeof describeAllOf = (...of) => {
    lists += 1
    if (half === undefined || (half === 'odd') === (lists % 2 === 1)) describeAllOf(...of)
  }
  let database: LawDatabase
  let opened: ReadonlyArray<KnexStorage>
  let storage: KnexStorage
  /** The same database as another gateway opens it. */
  let elsewhere: KnexStorage
  /** The same database as a gateway with a broker opens it. */
  let brokered: KnexStorage
  /** The same database as a gateway that keeps the content of messages opens it. */
  let keeping: KnexStorage

  before(async () => {
    database = await server.create()
    opened = [database.url, database.elsewhere ?? database.url].map((url) =>
      openStorage({ url, secret: SECRET, lostMessagesKept: LOST_MESSAGES }))
    ;[storage, elsewhere] = opened.map(portsOf) as [KnexStorage, KnexStorage]
    brokered = portsOf(openStorage({ url: database.url, secret: SECRET, broker: true }))
    keeping = portsOf(openStorage({ url: database.url, secret: SECRET, keepContent: true }))
    await storage.migrate()
  })

  after(async () => {
    await storage.close()
    await elsewhere.close()
    await brokered.close()
    await keeping.close()
    await database[Symbol.asyncDispose]()
  })

  const openWorkspace = async (): Promise<{ workspace: WorkspaceId; currency: Currency }> => {
    const workspace = workspaceIdOf(randomUUID())
    assert.isTrue(E.isRight(await storage.workspaces.create({ id: workspace, name: 'of a law', currency: USD, createdAt: Date.now() })))
    return { workspace, currency: USD }
  }

  const openFunded = async (micros: bigint): Promise<{ workspace: WorkspaceId; currency: Currency }> => {
    const opened = await openWorkspace()
    if (micros > 0n) {
      assert.isTrue(E.isRight(await storage.ledger.topUp({ workspace: opened.workspace, micros, reference: 'funds', at: Date.now() })))
    }
    return opened
  }

  const balance = async (workspace: WorkspaceId): Promise<Balance> => {
    const found = await storage.ledger.balance(workspace)
    if (E.isLeft(found) || O.isNone(found.right)) throw new Error('a workspace of a law has a balance')
    return found.right.value
  }

  const archiveWorkspace = async (workspace: WorkspaceId): Promise<void> => {
    assert.isTrue(E.isRight(await storage.workspaces.archive(workspace, Date.now())))
  }

  const atRest = (): Promise<string> => asked(database.url, everything)

  describeLaws('wallet', walletLaws, async () => ({ wallet: storage.wallet, openWorkspace: openFunded, balance }))
  describeLaws('spending limits', spendingLimitLaws, async () => ({
    wallet: storage.wallet, elsewhere: elsewhere.wallet, openWorkspace: openFunded, balance,
  }))
  describeLaws('alerts of wallets', walletAlertsLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('shared holds', sharedHoldsLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('pricing of workspaces', workspacePricingLaws, async () => ({ ...storage, openWorkspace }))
  describeLaws('ledger', ledgerLaws, async () => ({ ledger: storage.ledger, wallet: storage.wallet, openWorkspace }))
  describeLaws('audit', auditLaws, async () => ({
    ledger: storage.ledger, wallet: storage.wallet, openWorkspace,
    misplaceMicro: (workspace) =>
      asked(database.url, async (knex) => {
        await knex.raw('UPDATE wallets SET available = available + 1 WHERE workspace_id = ?', [workspace])
      }),
    misplaceCapture: ({ workspace, message }) =>
      asked(database.url, async (knex) => {
        await knex.raw('UPDATE holds SET amount = amount + 1 WHERE workspace_id = ? AND message_id = ?', [workspace, message])
      }),
  }))
  describeLaws('audit log', auditLogLaws, async () => ({ auditLog: storage.auditLog, elsewhere }))
  describeLaws('alerts', alertsLaws, async () => ({ alerts: storage.alerts, members: storage.members, openWorkspace }))
  const openApps = async () =>
    ({ apps: storage.apps, auditLog: storage.auditLog, senders: storage.senders, elsewhere, openWorkspace, atRest })
  describeLaws('apps of the platform', appsLaws, openApps)
  describeLaws('apps of the platform at rest', appsAtRestLaws, openApps)
  describeLaws('health of numbers', numberHealthLaws, async () => ({
    numberHealth: storage.numberHealth, senders: storage.senders, eventOutbox: storage.eventOutbox, elsewhere, openWorkspace,
    archiveWorkspace,
  }))
  describeLaws('request log', requestLogLaws, async () => ({ requestLog: storage.requestLog, elsewhere }))
  describeLaws('key store', keyStoreLaws, async () => ({ keyStore: storage.keyStore, elsewhere: elsewhere.keyStore, openWorkspace }))
  describeLaws('key store of archived workspaces', keyStoreArchiveLaws, async () => ({
    keyStore: storage.keyStore, elsewhere: elsewhere.keyStore, openWorkspace,
    archiveWorkspace,
  }))
  describeLaws('key store at rest', keyStoreAtRestLaws, async () => ({ keyStore: storage.keyStore, openWorkspace, atRest }))
  describeLaws('window clock', windowClockLaws, async () => ({ windowClock: storage.windowClock, openWorkspace }))
  describeLaws('customers', customersLaws, async () => ({ customers: storage.customers, elsewhere: elsewhere.customers, openWorkspace }))
  describeLaws('audit entries of writes', actEntriesLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('customers by when they last wrote', customerWindowsLaws, async () => ({ ...storage, openWorkspace }))
  describeLaws('timeline of a message', messageTimelineLaws, async () => ({ ...storage, openWorkspace }))
  describeLaws('state of all workspaces', workspaceStatesLaws, async () => ({ ...storage }))
  describeLaws('events of writes', entriesLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('message log', messageLogLaws, async () => ({ messageLog: storage.messageLog, openWorkspace }))
  describeLaws('messages with their money', messageMoneyLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  const openReserving = async () => {
    // The step works only with the ports that the same storage has created.
    const [reserving, reservingElsewhere] = opened.map((one) => one.messageMoney.reservingOver?.(one))
    return {
      ...storage, openWorkspace, reserving: reserving ?? assert.fail('there is no such step'),
      ...(reservingElsewhere && { reservingElsewhere }),
    }
  }
  describeLaws('the step that opens a message and sets its price aside', reservingLaws, openReserving)
  describeLaws('the step that takes the slot of a pair', pairReservingLaws, openReserving)
  describeLaws('the step that takes the slots of a message', limitsReservingLaws, openReserving)
  describeLaws('the step that counts the customer of a message', portfolioReservingLaws, async () => ({
    ...await openReserving(), elsewhere: elsewhere.portfolioBudget,
  }))
  describeLaws('customers of portfolios', portfolioBudgetLaws, async () => ({
    portfolioBudget: storage.portfolioBudget, elsewhere: elsewhere.portfolioBudget, personalData: storage.personalData,
  }))
  describeLaws('budgets of senders', senderBudgetLaws, async () => ({
    senderBudget: storage.senderBudget, elsewhere: elsewhere.senderBudget,
  }))
  describeLaws('limits of pairs', pairLimitsLaws, async () => ({ pairLimits: storage.pairLimits, elsewhere: elsewhere.pairLimits }))
  describeLaws('deadlines of deliveries', deliveryDeadlinesLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('message log at rest', messageLogAtRestLaws, async () => ({ messageLog: storage.messageLog, openWorkspace, atRest }))
  describeLaws('queue of messages', messageQueueLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('queue of messages at rest', messageQueueAtRestLaws, async () => ({ ...storage, openWorkspace, atRest }))
  describeLaws('holds of the queue', queueHoldsLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('what messages said', messageContentsLaws, async () => ({ ...keeping, openWorkspace }))
  describeLaws('what messages said, at rest', messageContentsAtRestLaws, async () => ({ ...keeping, openWorkspace, atRest }))
  describeLaws('statistics of messages', messageStatisticsLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('senders with messages and customers', senderDataLaws, async () => ({ ...storage, openWorkspace }))
  describeLaws('senders', sendersLaws, async () => ({ senders: storage.senders, apps: storage.apps, openWorkspace }))
  describeLaws('senders of archived workspaces', sendersArchiveLaws, async () => ({
    senders: storage.senders, openWorkspace, archiveWorkspace,
  }))
  describeLaws('senders at rest', sendersAtRestLaws, async () => ({ senders: storage.senders, openWorkspace, atRest }))
  describeLaws('account notices', accountNoticesLaws, async () => ({ accountNotices: storage.accountNotices }))
  const openEvents = async () => ({
    eventEndpoints: storage.eventEndpoints, eventDeliveries: storage.eventDeliveries, eventOutbox: storage.eventOutbox, openWorkspace,
  })
  describeLaws('outbox of events', eventOutboxLaws, async () => ({ ...(await openEvents()), elsewhere }))
  describeLaws('outbox of events with a broker', eventOutboxBrokerLaws, async () => ({ ...brokered, openWorkspace }))
  describeLaws('endpoints of events', eventEndpointsLaws, openEvents)
  describeLaws('deliveries of events', eventDeliveriesLaws, openEvents)
  describeLaws('endpoints of events at rest', eventEndpointsAtRestLaws, async () => ({ ...(await openEvents()), atRest }))
  describeLaws('free messages', freeMessagesLaws, async () => ({ freeMessages: storage.freeMessages, elsewhere: elsewhere.freeMessages }))
  const openLost = async () => ({ ...storage, lostMessagesKept: LOST_MESSAGES, elsewhere, openWorkspace })
  describeLaws('lost messages', lostMessagesLaws, openLost)
  describeLaws('lost messages that are forgotten', lostMessagesForgottenLaws, openLost)
  describeLaws('catalogue of templates', templateCatalogueLaws, async () => ({
    templateCatalogue: storage.templateCatalogue, elsewhere: elsewhere.templateCatalogue,
  }))
  describeLaws('uploaded files', uploadedFilesLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('results of templates', templateResultsLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('consents', consentsLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('people who stopped messages', stoppedPeopleLaws, async () => ({ ...storage, openWorkspace }))
  describeLaws('batches', batchesLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('senders with batches', sendersWithBatchesLaws, async () => ({ ...storage, elsewhere, openWorkspace }))
  describeLaws('batches at rest', batchesAtRestLaws, async () => ({ ...storage, openWorkspace, atRest }))
  describeLaws('personal data', personalDataLaws, async () => ({ ...storage, openWorkspace }))
  const openMembers = async () => ({ ...storage, elsewhere, openWorkspace, archiveWorkspace })
  describeLaws('members', membersLaws, openMembers)
  describeLaws('sessions', sessionsLaws, openMembers)
  describeLaws('operators', operatorsLaws, async () => {
    await asked(database.url, async (knex) => {
      for (const table of ['members', 'member_roles', 'member_links']) await knex(table).delete()
    })
    return openMembers()
  })
  const moveLeases = (ms: number): Promise<void> =>
    asked(database.url, async (knex) => { await knex('leases').where('until', '>', 0).update({ until: knex.raw('until + ?', [ms]) }) })
  describeLaws('leases', leasesLaws, async () => ({
    ...storage, elsewhere: elsewhere.leases, passes: (ms) => moveLeases(-ms), clockGoesBack: moveLeases,
  }))
  describeLaws('workspaces', workspacesLaws, async () => ({ workspaces: storage.workspaces, balance }))
  describeLaws('senders with a queue', queuedSendersLaws, async () => ({ ...storage, openWorkspace }))
}

/** Asks a database over a connection of its own. */
export const asked = async <Result>(url: string, work: (knex: Knex) => Promise<Result>): Promise<Result> => {
  const knex = url.startsWith('sqlite:')
    ? createKnex({ client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: url.slice('sqlite:'.length) } })
    : createKnex({ client: url.startsWith('mysql:') ? 'mysql2' : 'pg', connection: url, pool: { min: 0, max: 1 } })
  try {
    return await work(knex)
  } finally {
    await knex.destroy()
  }
}

/** Every row of every table. */
export const everything = async (knex: Knex): Promise<string> => {
  const tables: Array<string> = []
  for (const table of Object.keys(TABLES)) tables.push(JSON.stringify(await knex(table).select()))
  return tables.join('\n')
}
