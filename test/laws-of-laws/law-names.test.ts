import { assert } from 'chai'
import * as laws from '../laws/index.js'

const {
  accountNoticesLaws, admissionLaws, auditLaws, conversationLaws, customersLaws, freeMessagesLaws, keyStoreArchiveLaws, keyStoreAtRestLaws,
} = laws
const { entriesLaws, eventDeliveriesLaws, eventEndpointsAtRestLaws, eventEndpointsLaws, keyStoreLaws, ledgerLaws, mediaLaws } = laws
const { eventOutboxBrokerLaws, eventOutboxLaws, eventSinkLaws } = laws
const {
  messageLogAtRestLaws, messageLogLaws, platformLaws, sendersArchiveLaws, sendersAtRestLaws, sendersLaws, templateCatalogueLaws,
} = laws
const { reservingLaws, spendingLimitLaws, templateSourceLaws, walletLaws, windowClockLaws, workspacesLaws } = laws
const {
  actEntriesLaws, auditLogLaws, customerWindowsLaws, messageMoneyLaws, messageStatisticsLaws, messageTimelineLaws, passwordHashQueueLaws,
  personalDataLaws, senderDataLaws,
} = laws
const { leasesLaws, lostMessagesForgottenLaws, lostMessagesLaws, membersLaws, operatorsLaws, sessionsLaws, walletAlertsLaws } = laws
const {
  alertsLaws, appsAtRestLaws, appsLaws, numberHealthLaws, senderHealthLaws, senderLookupLaws,
  deliveryDeadlinesLaws, limitsReservingLaws, pairLimitsLaws, pairReservingLaws, portfolioBudgetLaws, portfolioReservingLaws,
  senderBudgetLaws, sharedHoldsLaws,
  workspacePricingLaws, workspaceStatesLaws,
} = laws
const { messageContentsAtRestLaws, messageContentsLaws, messageQueueAtRestLaws, messageQueueLaws, queuedSendersLaws, queueHoldsLaws } = laws
const {
  batchesAtRestLaws, batchesLaws, consentsLaws, requestLogLaws, sendersWithBatchesLaws, stoppedPeopleLaws, templateResultsLaws,
  uploadedFilesLaws, uploadsLaws,
} = laws

const LISTS = {
  actEntriesLaws, auditLogLaws, customerWindowsLaws, messageMoneyLaws, messageStatisticsLaws, messageTimelineLaws, passwordHashQueueLaws,
  personalDataLaws, senderDataLaws, accountNoticesLaws, admissionLaws, auditLaws, conversationLaws, customersLaws, entriesLaws,
  eventDeliveriesLaws,
  eventEndpointsAtRestLaws, eventEndpointsLaws, eventOutboxBrokerLaws, eventOutboxLaws, eventSinkLaws, freeMessagesLaws,
  keyStoreArchiveLaws, keyStoreAtRestLaws, keyStoreLaws, leasesLaws, ledgerLaws, lostMessagesForgottenLaws, lostMessagesLaws, mediaLaws,
  membersLaws, messageLogAtRestLaws, messageLogLaws, platformLaws, sendersArchiveLaws, sendersAtRestLaws, sendersLaws,
  templateCatalogueLaws, reservingLaws, spendingLimitLaws, templateSourceLaws, walletLaws, windowClockLaws, workspacesLaws, operatorsLaws,
  sessionsLaws, walletAlertsLaws, messageContentsAtRestLaws, messageContentsLaws, requestLogLaws, uploadedFilesLaws, uploadsLaws,
  senderHealthLaws, senderLookupLaws, workspacePricingLaws, workspaceStatesLaws, alertsLaws, appsAtRestLaws, appsLaws, numberHealthLaws,
  deliveryDeadlinesLaws, limitsReservingLaws, pairLimitsLaws, pairReservingLaws, portfolioBudgetLaws, portfolioReservingLaws,
  senderBudgetLaws, sharedHoldsLaws,
  batchesAtRestLaws, batchesLaws, consentsLaws, sendersWithBatchesLaws, stoppedPeopleLaws, templateResultsLaws,
  messageQueueAtRestLaws, messageQueueLaws, queuedSendersLaws,
  queueHoldsLaws,
}

describe('the names of the laws', () => {
  it('cover every list that is published', () => {
    assert.sameMembers(Object.keys(LISTS), Object.entries(laws).flatMap(([name, value]) => (Array.isArray(value) ? [name] : [])))
  })

  for (const [list, { length }] of Object.entries(LISTS)) {
    it(`are unique sentences without a full stop in ${list}`, () => {
      const names = Object.values(LISTS[list as keyof typeof LISTS]).map(({ name }) => name)
      assert.isNotEmpty(names)
      assert.equal(new Set(names).size, length)
      for (const name of names) assert.match(name, /^\S.* .*[^.\s]$/)
    })
  }
})
