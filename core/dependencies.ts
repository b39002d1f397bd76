import type { Auditing, AuditLog } from './access/acting.js'
import { limitAnonymousEntries } from './access/audit.js'
import { type Digest, sessionIdOf, type Token } from './access/members.js'
import { makeBatchGate } from './batches/gate.js'
import type { CustomerId } from './customers/customer.js'
import type { WindowClock } from './customers/window.js'
import { endpointIdOf, endpointSecretOf } from './events/endpoint.js'
import { portFailure } from './kernel/failure.js'
import { guardPort, quietly } from './kernel/guard.js'
import { appIdOf, auditIdOf, batchIdOf, eventIdOf, memberIdOf, workspaceIdOf } from './kernel/ids.js'
import type { EventOutbox, OutboxWriter } from './kernel/outbox.js'
import type { TracingDeps } from './kernel/tracing.js'
import { messageIdOf } from './messages/message.js'
import { marketNameOf } from './money/rate-card.js'
import { type AdministrationPorts, guardPorts, type SendingPorts } from './ports.js'
import { makeKnownNumbers } from './senders/number-health.js'
import { customersUsedIn, portfolioLimitsIn } from './messages/portfolio-budget.js'
import { senderRatesIn } from './senders/sender-budget.js'
import type { LimitEvent, RetryLater } from './sending/dispatch.js'
import type { AdministrationSettings, Machine, SendingSettings } from './settings.js'
import { makeRefreshTemplate } from './templates/use-cases.js'

// The dependencies of the use cases, made from the ports and the settings of an app.
/**
 * The dependencies of sends and quotes. They share them, and with them the memory of recently read templates. Ports and settings are listed by name, because an app may pass
 * one object as both.
 */
export const deliverDeps = (given: SendingPorts, settings: SendingSettings) => {
  const { portfolioBudget, ...ports } = guardPorts(given)
  const { windowClock, senders, eventOutbox, auditLog, templateCatalogue, templateSource, numberHealth } = ports
  const { unconfirmedAfterMs, releaseAfterMs, templatePreflight, pairLimit, senderLimit, portfolioLimit, heldStart, onLimit } = settings
  const knownNumber = numberHealth && makeKnownNumbers({ numberHealth, now: windowClock.now })
  const noting = {
    ...(eventOutbox && { events: emissionOf(ports, eventOutbox, windowClock, settings) }),
    ...(auditLog && { audit: auditingOf(auditLog, windowClock, settings) }),
  }
  return {
    ...ports, unconfirmedAfterMs, releaseAfterMs, ...(templatePreflight && { templatePreflight }),
    ...(pairLimit && { pairLimit }), ...(senderLimit && { senderLimit }), ...(heldStart && { heldStart }),
    ...(senderLimit && knownNumber && { senderRates: senderRatesIn(knownNumber) }),
    ...(portfolioLimit === 'on' && portfolioBudget && knownNumber && { portfolioBudget, portfolioLimits: portfolioLimitsIn(knownNumber) }),
    ...(onLimit && { onLimit: (event: LimitEvent) => { quietly(() => onLimit(event)) } }),
    ...noting,
    ...guardPort({ priceOf: settings.priceOf }, portFailure('PriceOf')),
    // Once the platform has answered, nothing may hide its answer; reconciliation settles writes that are not accepted here.
    retryLater: (work: Parameters<RetryLater>[0]) => quietly(() => settings.retryLater(work)),
    newMessageId: () => messageIdOf(settings.newUuid()),
    newBatchId: () => batchIdOf(settings.newUuid()),
    newUpload: () => Number.parseInt(settings.newUuid().replaceAll('-', '').slice(-UPLOAD_DIGITS), 16),
    ...(ports.batches && { isBatchClosed: makeBatchGate({ batches: ports.batches, now: windowClock.now }) }),
    reserving: reservingOf(given),
    ...(templateCatalogue && templateSource
      && { refreshTemplate: makeRefreshTemplate({ templateCatalogue, templateSource, windowClock, senders, ...noting }) }),
  }
}

/** The last hexadecimal digits of a UUIDv7 are random; so many fit below 2^53. */
const UPLOAD_DIGITS = 13

/** The joint step of a storage recognises its own ports, so it gets the unguarded ports. */
const reservingOf = ({ messageMoney, messageLog, wallet, freeMessages, pairLimits, senderBudget, portfolioBudget }: SendingPorts) => {
  const reserving = messageMoney?.reservingOver?.({ messageLog, wallet, freeMessages, pairLimits, senderBudget, portfolioBudget })
  return reserving && guardPort({ reserving }, portFailure('MessageMoney')).reserving
}

/** The dependencies of the use cases of operators: the ports, the audit log, and the functions that make ids. */
export const administrationDeps = (given: AdministrationPorts, settings: AdministrationSettings) => {
  const { portfolioBudget, ...ports } = guardPorts(given)
  const { numberHealth, windowClock: { now } } = ports
  return {
    ...ports,
    ...(settings.portfolioLimit === 'on' && portfolioBudget
      && { portfolioBudget, customersUsed: customersUsedIn({ portfolioBudget, now }) }),
    unconfirmedAfterMs: settings.unconfirmedAfterMs,
    releaseAfterMs: settings.releaseAfterMs,
    events: emissionOf(ports, ports.eventOutbox, ports.windowClock, settings),
    audit: auditingOf(ports.auditLog, ports.windowClock, settings),
    now,
    ...(settings.senderLimit && { senderLimit: settings.senderLimit }),
    ...(numberHealth && { senderRates: senderRatesIn(makeKnownNumbers({ numberHealth, now })) }),
    verification: ports.senderVerification,
    pricedIn: () => settings.rateCard().currency,
    rateCard: settings.rateCard,
    marketOf: (to: CustomerId) => marketNameOf(settings.rateCard(), to),
    newReference: settings.newUuid,
    newWorkspaceId: () => workspaceIdOf(settings.newUuid()),
    newEventId: () => eventIdOf(settings.newUuid()),
    newAppId: () => appIdOf(settings.newUuid()),
    newVerifyToken: () => settings.randomText(TOKEN_BYTES, 'base64url'),
  }
}

const TOKEN_BYTES = 32

/** The dependencies of the use cases of members; failed sign-ins of unauthenticated people add only a few entries. */
export const memberDeps = (ports: AdministrationPorts, settings: AdministrationSettings) => {
  const { members, sessions, auditLog, workspaces, windowClock } = guardPorts(ports)
  return {
    members, sessions, workspaces,
    audit: auditingOf(limitAnonymousEntries(auditLog, windowClock.now), windowClock, settings),
    digestOf: (text: string) => settings.sha256(text) as Digest,
    signatureOf: settings.hmacSha256,
    newToken: () => settings.randomText(TOKEN_BYTES, 'base64url') as Token,
    newMemberId: () => memberIdOf(settings.newUuid()),
    newSessionId: () => sessionIdOf(settings.newUuid()),
    now: windowClock.now,
  }
}

const SECRET_BYTES = 24

export const endpointIds = ({ newUuid, randomText }: Machine) => ({
  newEndpointId: () => endpointIdOf(newUuid()),
  newSecret: () => endpointSecretOf(randomText(SECRET_BYTES, 'base64')),
  newAttemptId: () => newUuid().replaceAll('-', ''),
})

type Noting = readonly [clock: Pick<WindowClock, 'now'>, machine: Pick<Machine, 'newUuid'>]

const emissionOf = ({ tracer }: TracingDeps, outbox: EventOutbox, ...[{ now }, { newUuid }]: Noting): OutboxWriter =>
  ({ outbox, newEventId: () => eventIdOf(newUuid()), now, tracer })

const auditingOf = (auditLog: Pick<AuditLog, 'append'>, ...[{ now }, { newUuid }]: Noting): Auditing =>
  ({ auditLog, newAuditId: () => auditIdOf(newUuid()), now })
