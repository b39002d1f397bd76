import type { MessageState } from '../../core/messages/message.js'
import { ACTS } from './scene.js'

/** The states in which a change finds its message: each change may be the first, late, or repeated. */
const COMES_TO: { readonly [Change in MessageState]?: ReadonlyArray<MessageState> } = {
  unconfirmed: ['pending', 'unconfirmed', 'sent', 'failed', 'delivered', 'read'],
  refused: ['pending', 'refused'],
  released: ['unconfirmed'],
  accepted: ['pending', 'accepted', 'sent', 'failed', 'delivered', 'read'],
  sent: ['pending', 'unconfirmed', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read'],
  failed: ['pending', 'unconfirmed', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read'],
  delivered: ['pending', 'unconfirmed', 'accepted', 'sent', 'delivered', 'read'],
  read: ['pending', 'unconfirmed', 'accepted', 'sent', 'delivered', 'read'],
}

/** Two writes of one message by any writers, one soon after the other. */
const RACES: Readonly<Record<string, ReadonlyArray<string>>> = {
  'apply accepted': [
    'apply accepted', 'apply delivered', 'apply failed', 'apply read', 'apply sent', 'freeMessages.giveBack', 'messageMoney.resolve',
    'wallet.capture', 'wallet.refund',
  ],
  'apply delivered': ['apply accepted', 'apply read', 'apply sent', 'wallet.capture'],
  'apply failed': ['apply accepted', 'apply sent', 'freeMessages.giveBack', 'wallet.capture'],
  'apply read': ['apply accepted', 'apply delivered', 'apply sent', 'wallet.capture'],
  'apply refused': ['apply refused', 'freeMessages.giveBack', 'messageMoney.resolve', 'wallet.release'],
  'apply released': ['wallet.release'],
  'apply sent': [
    'apply accepted', 'apply delivered', 'apply failed', 'apply read', 'apply unconfirmed', 'freeMessages.giveBack', 'messageMoney.resolve',
    'wallet.capture',
  ],
  'apply unconfirmed': [
    'apply delivered', 'apply failed', 'apply read', 'apply sent', 'apply unconfirmed', 'messageMoney.resolve', 'wallet.capture',
  ],
  'freeMessages.giveBack': [
    'apply accepted', 'apply refused', 'apply sent', 'freeMessages.giveBack', 'wallet.capture', 'wallet.refund', 'wallet.release',
  ],
  'messageMoney.resolve': [
    'apply accepted', 'apply delivered', 'apply failed', 'apply read', 'apply refused', 'apply sent', 'apply unconfirmed',
    'messageMoney.resolve', 'wallet.capture', 'wallet.hold',
  ],
  'wallet.capture': [
    'apply accepted', 'apply delivered', 'apply failed', 'apply read', 'apply sent', 'apply unconfirmed', 'freeMessages.giveBack',
    'messageMoney.resolve', 'wallet.capture', 'wallet.refund',
  ],
  'wallet.hold': [
    'apply accepted', 'apply delivered', 'apply failed', 'apply read', 'apply refused', 'apply sent', 'apply unconfirmed',
    'freeMessages.giveBack', 'messageMoney.resolve', 'wallet.capture', 'wallet.release',
  ],
  'wallet.refund': [
    'apply accepted', 'apply failed', 'apply sent', 'apply unconfirmed', 'freeMessages.giveBack', 'messageMoney.resolve', 'wallet.capture',
    'wallet.refund',
  ],
  'wallet.release': ['apply refused', 'apply released', 'messageMoney.resolve', 'wallet.release'],
}

/** Calls of the storage that are lost before their effect and after it. */
const LOST = [
    'auditLog.append', 'customers.find', 'customers.needsLookup', 'customers.learn', 'deliveryDeadlines.settle',
    'eventDeliveries.due', 'eventDeliveries.record',
    'eventDeliveries.retries', 'eventOutbox.after', 'eventOutbox.listens', 'eventOutbox.removeOld', 'freeMessages.giveBack',
    'freeMessages.take', 'keyStore.principalOf', 'ledger.adjust', 'ledger.topUp', 'messageLog.apply', 'messageLog.claimed',
    'messageLog.find', 'messageLog.open', 'messageLog.stale', 'messageMoney.mismatches', 'messageMoney.resolve', 'personalData.digestOf',
    'personalData.erase', 'senders.inboxesOf', 'senders.notSharing', 'senders.ownerOf', 'senders.senderOf', 'senders.sharing',
    'sharedHolds.hold', 'sharedHolds.release', 'sharedHolds.split', 'templateCatalogue.change', 'templateCatalogue.find',
    'templateCatalogue.replaceAll', 'wallet.capture', 'wallet.capturePart', 'wallet.hold', 'wallet.refund', 'wallet.release',
    'wallet.stale', 'walletAlerts.setThreshold', 'windowClock.lastInbound', 'windowClock.recordInbound', 'workspacePricing.pricingOf',
    'workspaces.find',
]

/** Calls after which a gateway crashes. */
const DIES_AFTER = [
    'customers.find', 'customers.needsLookup', 'eventDeliveries.due', 'eventDeliveries.record', 'eventDeliveries.retries',
    'eventOutbox.after', 'eventOutbox.listens', 'freeMessages.giveBack', 'freeMessages.take', 'keyStore.principalOf', 'ledger.topUp',
    'messageLog.apply', 'messageLog.open', 'messageLog.stale', 'messageMoney.mismatches', 'senders.notSharing', 'senders.senderOf',
    'senders.ownerOf', 'senders.sharing', 'templateCatalogue.find', 'wallet.capture', 'wallet.hold', 'wallet.refund', 'wallet.release',
    'wallet.stale', 'windowClock.lastInbound', 'windowClock.recordInbound', 'workspacePricing.pricingOf', 'workspaces.find',
]

/** The transitions of a message. */
const MOVES = [
    'accepted → delivered', 'accepted → failed', 'accepted → read', 'accepted → sent', 'delivered → read', 'pending → accepted',
    'pending → delivered', 'pending → failed', 'pending → read', 'pending → refused', 'pending → released', 'pending → sent',
    'pending → unconfirmed', 'released → failed', 'released → sent', 'sent → delivered', 'sent → failed', 'sent → read',
    'unconfirmed → accepted', 'unconfirmed → delivered', 'unconfirmed → failed', 'unconfirmed → read', 'unconfirmed → released',
    'unconfirmed → sent',
]

/** The transitions of its money. */
const HOLDS = [
    'captured → refunded', 'held → captured', 'held → refunded', 'held → released', 'released → captured', 'released → refunded',
]

/** The responses to a client. */
const ANSWERS = [
    'CredentialsRefused', 'CustomerOptedOut', 'IdempotencyInProgress', 'IdempotencyKeyReused', 'InsufficientBalance', 'OutcomeUnknown',
    'OutcomeUnknown, repeated', 'PlatformRejected', 'PlatformThrottled', 'PlatformUnreachable', 'PortFailure', 'SenderNotConfigured',
    'SpendingLimitReached', 'TemplateNotApproved', 'UnknownApiKey', 'UnknownSender', 'WindowClosed', 'sent', 'sent, repeated',
]

/** The platform's reactions to a send. */
const FATES = [
    'answer lost', 'credentials refused', 'moved', 'not taken, and an error', 'refused', 'slow', 'taken', 'taken, and an error',
    'throttled', 'unreachable', 'window closed', 'window closed, and reported later',
]

/** Other rare situations. */
const OTHERS = [
    'a client waits no longer', 'a confirmed report comes again', 'a free message is given back', 'a gateway dies', 'a key is used again',
    'a message is free', 'a price above its cost', 'a receiver fails', 'a report is refused: PortFailure', 'a status of another program names our id',
    'an event is delivered again', 'failed work is tried again', 'alert: wallet.exhausted', 'alert: wallet.low',
    'a customer has stopped marketing messages', 'a customer stops marketing messages',
    'a customer stops marketing messages while one is under way', 'a customer takes marketing messages again',
    'a key spends its limit to the last', 'a key spends on two days', 'a key spends through several gateways',
    'a customer of another number is erased', 'a customer stops marketing messages under another number',
    'a message goes to a customer whom the platform knows by another number', 'a status of another program is asked for again',
    'a status of another program is confirmed',
    'a message leaves late', 'a storage is too slow for a send', 'sender.failing', 'sender.recovered',
    'window: closed for less than a minute', 'window: closed for less than a second', 'window: open for a last minute',
    'window: open for a last second',
    'a message takes its part', 'a part comes after the release', 'a part is more than what is left',
    'a part of a held message is captured', 'a shared hold is released', 'a shared hold is released whole',
    'a message is overdue', 'a message is delivered or refused before its deadline is looked at',
]

/** The situations of workspaces with several senders, of senders that change, and of several apps. */
const SENDERS = [
    'a customer has stopped marketing messages at another sender', 'a message goes through another sender than the default one',
    'a message is opened after its sender was removed or replaced', 'a message of a former id is listed',
    'a report at the address of another app', 'a report for a former id is dropped', 'a report for a former id: Inbound',
    'a report for a former id: StatusReport', 'a report for a removed sender is dropped',
    'a window is closed, and open at another sender', 'assign', 'makeDefault', 'remove', 'remove: SenderInUse', 'replace',
    'replace: SenderInUse', 'replace: UnknownSender', 'the sender of a send changes while it is under way',
    'the window of a former user id is closed', 'the window of a number is open after it has moved',
]

/** The state changes of a message through a restored backup. */
const GOES_BACK = [
    'delivered to accepted', 'delivered to pending', 'delivered to sent', 'failed to accepted', 'read to accepted', 'read to delivered',
    'read to sent', 'released to unconfirmed', 'sent to pending',
]

/** Other consequences of a restore. */
const RESTORES = [
    'after a restore: archives a workspace once more', 'after a restore: erases a person once more', 'after a restore: revokes a key once more',
    'after a restore: tops up once more', 'a key is used again whose message was forgotten', 'a lost message is charged',
    'a lost message is waived', 'a report of a forgotten message: delivered', 'a report of a forgotten message: failed',
    'a report of a forgotten message: read', 'a report of a forgotten message: sent', 'restore: a message is forgotten',
    'restore: a message that was answered as sent is forgotten', 'restore: a message was under way',
]

/** The situations of the queue and of the limits. */
const QUEUE = [
    'hours: a message leaves in them after it was queued', 'hours: a message leaves in them immediately', 'hours: a message waits for them',
    'hours: they are over, and a message waits again', 'queue: a message leaves through the new sender',
    'queue: a message moves with its sender',
    'dies after: messageQueue.claim', 'dies after: messageQueue.due', 'lost after: messageQueue.claim', 'lost after: messageQueue.due',
    'lost after: pairLimits.take', 'lost after: senderBudget.take', 'lost before: messageQueue.claim', 'lost before: messageQueue.due',
    'lost before: pairLimits.take', 'lost before: senderBudget.take', 'message: queued → canceled', 'message: queued → pending',
    'message: queued → refused', 'queue: a claim comes too late', 'queue: a limit postpones messages', 'queue: a message is queued',
    'queue: cancel: AlreadySent', 'queue: cancel: canceled', 'queue: ends canceled, never sent', 'queue: ends delivered',
    'queue: ends refused, never sent', 'queue: ends released, never sent', 'sleeps after: messageQueue.claim',
    'sleeps after: messageQueue.due', 'sleeps after: wallet.hold', 'within two seconds: messageQueue.claim, messageQueue.claim',
    'lost after: portfolioBudget.giveBack', 'lost before: portfolioBudget.giveBack', 'portfolio: a business account has reached its last customer',
    'portfolio: a customer is given back', 'portfolio: a customer is refused', 'queue: PortfolioLimitReached',
    'queue: canceled after a restore, because it has left', 'queue: held: by a person', 'queue: held: it slept', 'queue: resumed',
]

/** The situations of batches, and of what their customers allow and stop. */
const BATCH = [
  'batch: a draft is canceled', 'batch: a line has the problem customer_opted_out', 'batch: a line has the problem duplicate_recipient',
  'batch: a line has the problem invalid_phone_number', 'batch: a message is sent',
  'batch: a message leaves that was claimed when it was paused', 'batch: canceled with queued lines', 'batch: confirm: InsufficientBalance',
  'batch: confirm: NothingToSend', 'batch: confirm: PreflightChanged', 'batch: confirm: confirmed', 'batch: confirmed → canceled',
  'batch: confirmed → draft', 'batch: confirmed → paused', 'batch: confirmed → sending', 'batch: draft → canceled',
  'batch: draft → confirmed', 'batch: paused → canceled', 'batch: paused → confirmed', 'batch: paused → done', 'batch: sending → canceled',
  'batch: sending → done', 'batch: sending → paused', 'batch: settled canceled', 'batch: settled done',
  'batch: two gateways assign the same lines', 'consent: allowed by the application', 'consent: allowed by the platform',
  'consent: another message goes to who stopped marketing messages', 'consent: stopped by the application',
  'consent: stopped by the platform', 'consent: stopped by the word', 'dies after: batches.assign', 'sleeps after: batches.assign',
  'batch: a key makes another batch after a refusal', 'batch: submit: IdempotencyInProgress', 'batch: submit: IdempotencyKeyReused',
  'batch: submit: InsufficientBalance', 'batch: submit: confirmed', 'batch: submit: repeated', 'dies after: batches.create',
  'dies after: sharedHolds.hold', 'lost after: batches.create', 'sleeps after: batches.create', 'sleeps after: sharedHolds.hold',
]

/** The situations that a thousand histories together have to reach: a situation that none reaches is a gap in the simulation. */
export const SITUATIONS: ReadonlyArray<string> = [
  ...Object.keys(ACTS).map((act) => `act: ${act}`),
  ...Object.entries(COMES_TO).flatMap(([change, states]) => states.map((state) => `${change} comes to ${state}`)),
  ...Object.entries(RACES).flatMap(([first, others]) => others.map((second) => `within two seconds: ${first}, ${second}`)),
  ...LOST.flatMap((call) => [`lost before: ${call}`, `lost after: ${call}`]),
  ...DIES_AFTER.map((call) => `dies after: ${call}`),
  ...MOVES.map((move) => `message: ${move}`),
  ...HOLDS.map((move) => `hold: ${move}`),
  ...ANSWERS.map((answer) => `answer: ${answer}`),
  ...FATES.map((fate) => `the platform: ${fate}`),
  ...GOES_BACK.map((move) => `restore: a message goes back from ${move}`),
  ...RESTORES,
  ...SENDERS.map((one) => `sender: ${one}`),
  ...OTHERS,
  ...QUEUE,
  ...BATCH,
]
