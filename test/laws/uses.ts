import type { AllStoragePorts, SendingPorts } from '../../core/ports.js'
import { accountNoticesLaws } from './account-notices.js'
import { auditLogLaws } from './audit-log.js'
import { auditLaws } from './audit.js'
import { conversationLaws } from './conversation.js'
import { customerWindowsLaws } from './customer-windows.js'
import { customersLaws } from './customers.js'
import { actEntriesLaws } from './entries-of-acts.js'
import { entriesLaws } from './entries.js'
import { eventDeliveriesLaws } from './event-deliveries.js'
import { eventEndpointsLaws } from './event-endpoints.js'
import { eventOutboxLaws } from './event-outbox.js'
import { freeMessagesLaws } from './free-messages.js'
import { keyStoreArchiveLaws, keyStoreLaws } from './key-store.js'
import type { Law } from './law.js'
import { leasesLaws } from './leases.js'
import { ledgerLaws } from './ledger.js'
import { lostMessagesForgottenLaws } from './lost-messages-forgotten.js'
import { lostMessagesLaws } from './lost-messages.js'
import { mediaLaws } from './media.js'
import { membersLaws } from './members.js'
import { messageContentsLaws } from './message-contents.js'
import { messageLogLaws } from './message-log.js'
import { messageMoneyLaws } from './message-money.js'
import { messageStatisticsLaws } from './message-statistics.js'
import { messageTimelineLaws } from './message-timeline.js'
import { workspaceStatesLaws } from './workspace-states.js'
import { senderDataLaws } from './moved-numbers.js'
import { personalDataLaws } from './personal-data.js'
import { type Carried, platformLaws, platformLawsFor } from './platform.js'
import { senderLookupLaws } from './sender-lookup.js'
import { sendersArchiveLaws, sendersLaws } from './senders.js'
import { sessionsLaws } from './sessions.js'
import { spendingLimitLaws } from './spending-limit.js'
import { templateCatalogueLaws } from './template-catalogue.js'
import { uploadedFilesLaws } from './uploaded-files.js'
import { walletAlertsLaws } from './wallet-alerts.js'
import { workspacePricingLaws } from './workspace-pricing.js'
import { walletLaws } from './wallet.js'
import { windowClockLaws } from './window-clock.js'
import { workspacesLaws } from './workspaces.js'

/** Options that restrict a use. */
export type UseOptions = {
  /** The messages that the platform supports; all if absent. */
  readonly carries?: ReadonlyArray<Carried>
}

type LawsByPort<Port extends string = string> = Readonly<Record<Port, ReadonlyArray<Law<never>>>>

/** The ports that `makeSending` requires. */
type SendingPort = { [Port in keyof SendingPorts]-?: object extends Pick<SendingPorts, Port> ? never : Port }[keyof SendingPorts]

const sending = ({ carries }: UseOptions) => ({
  messageLog: messageLogLaws, wallet: walletLaws, senders: senderLookupLaws, windowClock: windowClockLaws,
  platform: carries === undefined ? platformLaws : platformLawsFor({ carries }),
} satisfies LawsByPort<SendingPort>)

const administration = () => ({
  wallet: [...walletLaws, ...spendingLimitLaws], ledger: [...ledgerLaws, ...auditLaws], keyStore: [...keyStoreLaws, ...keyStoreArchiveLaws],
  messageLog: messageLogLaws, messageMoney: messageMoneyLaws, senders: [...sendersLaws, ...sendersArchiveLaws, ...senderDataLaws],
  workspaces: workspacesLaws,
  windowClock: windowClockLaws, customers: customersLaws, accountNotices: accountNoticesLaws, templateCatalogue: templateCatalogueLaws,
  freeMessages: freeMessagesLaws, eventOutbox: [...eventOutboxLaws, ...entriesLaws], eventEndpoints: eventEndpointsLaws,
  eventDeliveries: eventDeliveriesLaws, auditLog: [...auditLogLaws, ...actEntriesLaws], members: membersLaws, sessions: sessionsLaws,
  walletAlerts: walletAlertsLaws, workspacePricing: workspacePricingLaws, customerWindows: customerWindowsLaws,
  lostMessages: [...lostMessagesLaws, ...lostMessagesForgottenLaws],
  messageStatistics: messageStatisticsLaws, messageTimeline: messageTimelineLaws, messageContents: messageContentsLaws,
  personalData: personalDataLaws, uploadedFiles: uploadedFilesLaws, workspaceStates: workspaceStatesLaws,
} satisfies LawsByPort<keyof AllStoragePorts>)

/** The laws of each use, by port. */
const USES = {
  sending,
  gateway: (options: UseOptions) => ({ ...sending(options), leases: leasesLaws }),
  http: (options: UseOptions) => ({ ...sending(options), keyStore: keyStoreLaws, ledger: ledgerLaws }),
  events: () => ({
    eventOutbox: eventOutboxLaws, eventEndpoints: eventEndpointsLaws, eventDeliveries: eventDeliveriesLaws, leases: leasesLaws,
  }),
  conversation: () => ({ senders: senderLookupLaws, conversation: [...conversationLaws, ...mediaLaws] }),
  administration,
} satisfies Readonly<Record<string, (options: UseOptions) => LawsByPort>>

/**
 * What an app builds from its own ports: `sending` with `makeSending`, `gateway` with `makeGateway`, `http` with `makeHttpApp`, `events` with `makeEventDelivery`,
 * `conversation` with `makeConversation`, `administration` with `makeAdministration`.
 */
export type Use = keyof typeof USES

/** The laws of each use, by the names of its ports. */
export type LawsOfUse = { readonly [Name in Use]: ReturnType<(typeof USES)[Name]> }

const MAKERS: { readonly [Name in Use]: (options: UseOptions) => LawsOfUse[Name] } = USES

/** The laws that the ports of a use must keep, by the name of the port: the laws of the ports that the use requires. */
export const lawsFor = <Name extends Use>(use: Name, options: UseOptions = {}): LawsOfUse[Name] => MAKERS[use](options)
