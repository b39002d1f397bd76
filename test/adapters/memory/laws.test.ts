import { type KeyRecord, makeMemoryKeyStore } from '../../../adapters/memory/access.js'
import { makeMemoryMessageLog, type WorkspaceMessages } from '../../../adapters/memory/messages.js'
import { alwaysOpen } from '../../../core/customers/window.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { accountNoticesLaws } from '../../laws/account-notices.js'
import { keyStoreAtRestLaws, messageLogAtRestLaws } from '../../laws/at-rest.js'
import { auditLogLaws } from '../../laws/audit-log.js'
import { auditLaws } from '../../laws/audit.js'
import { batchesLaws } from '../../laws/batches.js'
import { consentsLaws } from '../../laws/consents.js'
import { stoppedPeopleLaws } from '../../laws/stopped-people.js'
import { templateResultsLaws } from '../../laws/template-results.js'
import { customerWindowsLaws } from '../../laws/customer-windows.js'
import { customersLaws } from '../../laws/customers.js'
import { actEntriesLaws } from '../../laws/entries-of-acts.js'
import { entriesLaws } from '../../laws/entries.js'
import { eventDeliveriesLaws } from '../../laws/event-deliveries.js'
import { eventEndpointsLaws } from '../../laws/event-endpoints.js'
import { eventOutboxBrokerLaws, eventOutboxLaws } from '../../laws/event-outbox.js'
import { deliveryDeadlinesLaws } from '../../laws/delivery-deadlines.js'
import { freeMessagesLaws } from '../../laws/free-messages.js'
import { keyStoreArchiveLaws, keyStoreLaws } from '../../laws/key-store.js'
import { leasesLaws } from '../../laws/leases.js'
import { ledgerLaws } from '../../laws/ledger.js'
import { lostMessagesForgottenLaws } from '../../laws/lost-messages-forgotten.js'
import { lostMessagesLaws } from '../../laws/lost-messages.js'
import { membersLaws, operatorsLaws } from '../../laws/members.js'
import { messageContentsLaws } from '../../laws/message-contents.js'
import { messageLogLaws } from '../../laws/message-log.js'
import { messageQueueLaws } from '../../laws/message-queue.js'
import { queueHoldsLaws } from '../../laws/queue-holds.js'
import { messageMoneyLaws } from '../../laws/message-money.js'
import { reservingLaws } from '../../laws/reserving.js'
import { messageStatisticsLaws } from '../../laws/message-statistics.js'
import { messageTimelineLaws } from '../../laws/message-timeline.js'
import { pairLimitsLaws, pairReservingLaws } from '../../laws/pair-limits.js'
import { personalDataLaws } from '../../laws/personal-data.js'
import { portfolioBudgetLaws, portfolioReservingLaws } from '../../laws/portfolio-budget.js'
import { limitsReservingLaws, senderBudgetLaws } from '../../laws/sender-budget.js'
import { sendersWithBatchesLaws } from '../../laws/moved-batches.js'
import { queuedSendersLaws, senderDataLaws } from '../../laws/moved-numbers.js'
import { sendersArchiveLaws, sendersLaws } from '../../laws/senders.js'
import { sessionsLaws } from '../../laws/sessions.js'
import { sharedHoldsLaws } from '../../laws/shared-holds.js'
import { spendingLimitLaws } from '../../laws/spending-limit.js'
import { templateCatalogueLaws } from '../../laws/template-catalogue.js'
import { alertsLaws } from '../../laws/alerts.js'
import { appsLaws } from '../../laws/apps.js'
import { numberHealthLaws } from '../../laws/number-health.js'
import { requestLogLaws } from '../../laws/request-log.js'
import { uploadedFilesLaws } from '../../laws/uploaded-files.js'
import { walletAlertsLaws } from '../../laws/wallet-alerts.js'
import { workspacePricingLaws } from '../../laws/workspace-pricing.js'
import { walletLaws } from '../../laws/wallet.js'
import { windowClockLaws } from '../../laws/window-clock.js'
import { workspaceStatesLaws } from '../../laws/workspace-states.js'
import { workspacesLaws } from '../../laws/workspaces.js'
import { describeLaws } from '../../support/describe-laws.js'
import { openAccounts, openAuditFixture, openMemoryFixture, openMemoryLeases, openMemoryReserving } from './memory-fixture.js'

describe('memory', () => {
  describeLaws('the wallet', walletLaws, openMemoryFixture)
  describeLaws('the spending limits', spendingLimitLaws, openMemoryFixture)
  describeLaws('the alerts of the wallets', walletAlertsLaws, openMemoryFixture)
  describeLaws('the shared holds', sharedHoldsLaws, openMemoryFixture)
  describeLaws('the pricing of workspaces', workspacePricingLaws, openMemoryFixture)
  describeLaws('the ledger', ledgerLaws, openMemoryFixture)
  describeLaws('the key store', keyStoreLaws, openMemoryFixture)
  describeLaws('the key store of archived workspaces', keyStoreArchiveLaws, openMemoryFixture)
  describeLaws('the window clock', windowClockLaws, openMemoryFixture)
  describeLaws('the window clock of a network without a window', windowClockLaws, async () => {
    const fixture = await openMemoryFixture()
    return { ...fixture, windowClock: alwaysOpen(fixture.windowClock) }
  })
  describeLaws('the batches', batchesLaws, openMemoryFixture)
  describeLaws('the senders with batches', sendersWithBatchesLaws, openMemoryFixture)
  describeLaws('the consents', consentsLaws, openMemoryFixture)
  describeLaws('the people who stopped messages', stoppedPeopleLaws, openMemoryFixture)
  describeLaws('the results of templates', templateResultsLaws, openMemoryFixture)
  describeLaws('the customers', customersLaws, openMemoryFixture)
  describeLaws('the customers by when they last wrote', customerWindowsLaws, openMemoryFixture)
  describeLaws('the timeline of a message', messageTimelineLaws, openMemoryFixture)
  describeLaws('the state of all workspaces', workspaceStatesLaws, openMemoryFixture)
  describeLaws('the message log', messageLogLaws, openMemoryFixture)
  describeLaws('the deadlines of deliveries', deliveryDeadlinesLaws, openMemoryFixture)
  describeLaws('the queue of messages', messageQueueLaws, openMemoryFixture)
  describeLaws('the holds of the queue', queueHoldsLaws, openMemoryFixture)
  describeLaws('what messages said', messageContentsLaws, () => openMemoryFixture({ keepContent: true }))
  describeLaws('the statistics of messages', messageStatisticsLaws, openMemoryFixture)
  describeLaws('the senders', sendersLaws, openMemoryFixture)
  describeLaws('the senders with messages and customers', senderDataLaws, openMemoryFixture)
  describeLaws('the senders with a queue', queuedSendersLaws, openMemoryFixture)
  describeLaws('the senders of archived workspaces', sendersArchiveLaws, openMemoryFixture)
  describeLaws('the workspaces', workspacesLaws, openMemoryFixture)
  describeLaws('the account notices', accountNoticesLaws, openMemoryFixture)
  describeLaws('the free messages', freeMessagesLaws, openMemoryFixture)
  describeLaws('the messages with their money', messageMoneyLaws, openMemoryFixture)
  describeLaws('the step that opens a message and sets its price aside', reservingLaws, openMemoryReserving)
  describeLaws('the step that takes the slot of a pair', pairReservingLaws, openMemoryReserving)
  describeLaws('the step that takes the slots of a message', limitsReservingLaws, openMemoryReserving)
  describeLaws('the step that counts the customer of a message', portfolioReservingLaws, openMemoryReserving)
  describeLaws('the customers of portfolios', portfolioBudgetLaws, openMemoryFixture)
  describeLaws('the budgets of senders', senderBudgetLaws, async () => ({ senderBudget: (await openMemoryFixture()).senderBudget }))
  describeLaws('the limits of pairs', pairLimitsLaws, async () => ({ pairLimits: (await openMemoryFixture()).pairLimits }))
  describeLaws('the lost messages', lostMessagesLaws, openMemoryFixture)
  describeLaws('the lost messages that are forgotten', lostMessagesForgottenLaws, openMemoryFixture)
  describeLaws('the catalogue of templates', templateCatalogueLaws, openMemoryFixture)
  describeLaws('the audit entries of its writes', actEntriesLaws, openMemoryFixture)
  describeLaws('the events of its writes', entriesLaws, openMemoryFixture)
  describeLaws('the outbox of events', eventOutboxLaws, openMemoryFixture)
  describeLaws('the outbox of events with a broker', eventOutboxBrokerLaws, () => openMemoryFixture({ broker: true }))
  describeLaws('the endpoints of events', eventEndpointsLaws, openMemoryFixture)
  describeLaws('the deliveries of events', eventDeliveriesLaws, openMemoryFixture)

  describeLaws('the uploaded files', uploadedFilesLaws, openMemoryFixture)
  describeLaws('what is stored of people', personalDataLaws, openMemoryFixture)

  describeLaws('the audit log', auditLogLaws, openMemoryFixture)
  describeLaws('the request log', requestLogLaws, openMemoryFixture)
  describeLaws('the alerts', alertsLaws, openMemoryFixture)
  describeLaws('the apps of the platform', appsLaws, openMemoryFixture)
  describeLaws('the health of numbers', numberHealthLaws, openMemoryFixture)
  const openMembers = async () => {
    const fixture = await openMemoryFixture()
    return { ...fixture, elsewhere: fixture }
  }
  describeLaws('the members', membersLaws, openMembers)
  describeLaws('the operators', operatorsLaws, openMembers)
  describeLaws('the sessions', sessionsLaws, openMembers)

  describeLaws('the audit', auditLaws, openAuditFixture)
  describeLaws('the leases', leasesLaws, async () => openMemoryLeases())

  describeLaws('what the key store keeps', keyStoreAtRestLaws, async () => {
    const keys = new Map<string, KeyRecord>()
    const workspaces = new Map<WorkspaceId, object>()
    const openWorkspace = async () => {
      const opened = await openAccounts().openWorkspace()
      workspaces.set(opened.workspace, {})
      return opened
    }
    const atRest = async (): Promise<string> =>
      JSON.stringify(Array.from(keys.values(), ({ digest, ...known }) => [known, digest.toString('latin1'), digest.toString('hex')]))
    return { keyStore: makeMemoryKeyStore(workspaces, keys), openWorkspace, atRest }
  })

  describeLaws('what the message log keeps', messageLogAtRestLaws, async () => {
    const tables = new Map<WorkspaceId, WorkspaceMessages>()
    const { openWorkspace } = openAccounts()
    const plain = (_key: string, value: unknown): unknown =>
      value instanceof Map ? [...value] : typeof value === 'bigint' ? String(value) : value
    return { messageLog: makeMemoryMessageLog(tables), openWorkspace, atRest: async () => JSON.stringify(tables, plain) }
  })

  // One fixture for every law, as a database that is kept between runs would be.
  const used = openMemoryFixture()
  describeLaws('the wallet in a fixture that others have used', walletLaws, () => used)
  describeLaws('the ledger in a fixture that others have used', ledgerLaws, () => used)
  describeLaws('the message log in a fixture that others have used', messageLogLaws, () => used)
  describeLaws('the events of its writes in a fixture that others have used', entriesLaws, () => used)
  describeLaws('the outbox of events in a fixture that others have used', eventOutboxLaws, () => used)
  describeLaws('the endpoints of events in a fixture that others have used', eventEndpointsLaws, () => used)
  describeLaws('the deliveries of events in a fixture that others have used', eventDeliveriesLaws, () => used)
  describeLaws('what is stored of people in a fixture that others have used', personalDataLaws, () => used)
})
