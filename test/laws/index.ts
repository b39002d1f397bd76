/**
 * What each port promises, as data that any test runner can check.
 *
 * @packageDocumentation
 */
export { accountNoticesLaws, type AccountNoticesFixture } from './account-notices.js'
export { admissionLaws, type AdmissionFixture } from './admission.js'
export { keyStoreAtRestLaws, messageLogAtRestLaws, sendersAtRestLaws, type AtRest } from './at-rest.js'
export { auditLaws, type AuditFixture } from './audit.js'
export { conversationLaws, type ConversationFixture } from './conversation.js'
export { customersLaws, type CustomersFixture } from './customers.js'
export { entriesLaws, type EntriesFixture, type EntriesPorts } from './entries.js'
export { eventDeliveriesLaws, type EventDeliveriesFixture } from './event-deliveries.js'
export { eventEndpointsAtRestLaws, eventEndpointsLaws, type EventEndpointsFixture } from './event-endpoints.js'
export { eventOutboxBrokerLaws, eventOutboxLaws, type EventOutboxFixture } from './event-outbox.js'
export { eventSinkLaws, type EventSinkFixture } from './event-sink.js'
export { freeMessagesLaws, type FreeMessagesFixture } from './free-messages.js'
export { keyStoreArchiveLaws, keyStoreLaws, type ArchiveFixture, type KeyStoreFixture } from './key-store.js'
export type { Law } from './law.js'
export { ledgerLaws, type LedgerFixture } from './ledger.js'
export { mediaLaws, type MediaFixture } from './media.js'
export { messageLogLaws, type MessageLogFixture } from './message-log.js'
export { platformLaws, type PlatformFixture } from './platform.js'
export { sendersArchiveLaws, sendersLaws, type SendersFixture } from './senders.js'
export { templateCatalogueLaws, type TemplateCatalogueFixture } from './template-catalogue.js'
export { templateSourceLaws, type TemplateSourceFixture } from './template-source.js'
export { walletLaws, type WalletFixture } from './wallet.js'
export { windowClockLaws, type WindowClockFixture } from './window-clock.js'
export { workspacesLaws, type WorkspacesFixture } from './workspaces.js'
