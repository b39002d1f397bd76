import * as O from 'fp-ts/lib/Option.js'
import { keyMinted, keyRevoked } from '../access/keys.js'
import { type Batch, DEFAULT_BRAKE } from '../batches/batch.js'
import { batchMoved } from '../batches/use-cases.js'
import type { ConsentFact } from '../consent/consent.js'
import { consentChanged, WORD_SOURCE } from '../consent/hearing.js'
import type { PhoneNumber, UserId } from '../customers/customer.js'
import { customerChanged } from '../customers/learn.js'
import { windowOpened } from '../customers/window.js'
import { endpointDisabled } from '../events/delivery.js'
import { testEvent } from '../events/endpoint-use-cases.js'
import { endpointIdOf, type EventEndpoint } from '../events/endpoint.js'
import { batchIdOf, eventIdOf, workspaceIdOf } from '../kernel/ids.js'
import type { Currency } from '../kernel/money.js'
import { type EVENT_TYPES, type EventView, eventView, type NewEvent } from '../kernel/outbox.js'
import { DAY_MS, HOUR_MS, type Instant, SECOND_MS } from '../kernel/time.js'
import { messageReceived } from '../messages/conversation.js'
import { messageMoved } from '../messages/message-log.js'
import { messageIdOf, type MessageRecord, type MessageState, type PlatformId } from '../messages/message.js'
import { walletToppedUp } from '../money/ledger.js'
import { walletAlerted } from '../money/wallet.js'
import { type KnownNumber, numberChanged } from '../senders/number-health.js'
import { senderFailing, senderIdOf, senderRecovered } from '../senders/sender.js'
import { type TemplateRecord, templatesChanged } from '../templates/template.js'

/** A type of event that an application receives. */
export type ShownEventType = (typeof EVENT_TYPES)[number]

/** An event of a type as it is sent, with invented data. The code that makes real events also makes this one, so it cannot have a different shape. */
export const exampleEvent = (type: ShownEventType): EventView => {
  const [event] = exampleOf(type)
  if (event === undefined) throw new Error(`The example of ${type} is not an event.`)
  return eventView({ ...event, id: EVENT_ID, at: AT })
}

const AT: Instant = Date.UTC(2026, 2, 1, 12, 0, 3)
const EVENT_ID = eventIdOf('0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f41')
const WORKSPACE = workspaceIdOf('0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f40')
const CUSTOMER = '4915112345678' as PhoneNumber
const USER_ID = 'DE.1349' as UserId
const PLATFORM_ID = 'wamid.HBgNNDkxNTExMjM0NTY3OBUCABIYFDNB' as PlatformId
const USD = 'USD' as Currency
const BALANCE = { available: 1_250_000n, held: 77_000n, currency: USD }
const SENDER = { phoneNumberId: senderIdOf('106540352242922'), failingSince: AT - HOUR_MS }

const MESSAGE: Omit<MessageRecord, 'state' | 'error' | 'history' | 'platformId'> = {
  id: messageIdOf('0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f42'), workspace: WORKSPACE, kind: 'template', to: CUSTOMER,
  price: { micros: 77_000n, currency: USD, category: 'utility' }, templateName: 'order_update', language: 'en', summary: undefined,
  metadata: { order: '4711' }, pricing: undefined, createdAt: AT - 3 * SECOND_MS,
}

const ENDPOINT: EventEndpoint = {
  id: endpointIdOf('0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f43'), workspace: WORKSPACE, url: 'https://shop.example/postern', types: ['message.*'],
  description: 'The shop', status: 'enabled', createdAt: Date.UTC(2026, 0, 15, 9), failingSince: Date.UTC(2026, 1, 24, 12),
  lastDelivery: { at: AT, delivered: false, httpStatus: 503 },
}

const TEMPLATE: TemplateRecord = {
  id: '594425479261596', name: 'order_update', language: 'en', category: 'utility', status: 'approved', quality: 'green',
  parameterFormat: 'positional', components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.' }], listedAt: AT, statusAt: AT,
  categoryAt: AT, qualityAt: AT,
}

const BATCH: Omit<Batch, 'state'> = {
  id: batchIdOf('0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f44'), workspace: WORKSPACE, name: 'Spring sale', sender: SENDER.phoneNumberId,
  templateName: 'spring_sale', language: 'en', timing: {}, brake: DEFAULT_BRAKE, createdAt: AT - DAY_MS, upload: 1,
  confirmed: { at: AT - HOUR_MS, heldAt: AT - HOUR_MS, total: 369_600_000n, currency: USD, sendable: 4_800, parts: [] },
}

const NUMBER: KnownNumber = {
  phoneNumberId: SENDER.phoneNumberId, displayNumber: '+1 555-078-3881', verifiedName: 'Shop', quality: 'green',
  qualitySince: AT - 30 * DAY_MS, customersPerDay: 2_000, messagesPerSecond: 80, readAt: AT - 6 * HOUR_MS,
}

const STOPPED: ConsentFact = { topic: 'marketing', status: 'withdrawn', since: AT, source: WORD_SOURCE }
const GRANTED: ConsentFact = { ...STOPPED, status: 'granted', source: 'signup form' }

const UNDELIVERABLE = { code: 131_026, title: 'Message undeliverable' }

const exampleOf = (type: ShownEventType): ReadonlyArray<NewEvent> => {
  switch (type) {
    case 'message.accepted': return moved('accepted')
    case 'message.sent': return moved('accepted', 'sent')
    case 'message.delivered': return moved('accepted', 'sent', 'delivered')
    case 'message.read': return moved('accepted', 'sent', 'delivered', 'read')
    case 'message.played': return moved('accepted', 'sent', 'delivered', 'read', 'played')
    case 'message.overdue': return moved('accepted', 'sent').map((event) => ({ ...event, type: 'message.overdue' }))
    case 'message.failed': return moved('accepted', 'failed')
    case 'message.refused': return moved('refused')
    case 'message.unconfirmed': return moved('unconfirmed')
    case 'message.released': return moved('unconfirmed', 'released')
    case 'message.queued': return queued()
    case 'message.canceled': return queued('canceled')
    case 'message.received': return [messageReceived(WORKSPACE, {
      customer: { phoneNumber: CUSTOMER, userId: USER_ID, name: 'Ada' }, at: AT - SECOND_MS,
      message: { id: PLATFORM_ID, type: 'text', content: { body: 'Where is my order?' } },
    })]
    case 'window.opened': return windowOpened(
      { workspace: WORKSPACE, id: CUSTOMER, now: AT, before: O.none }, { before: undefined, lastInbound: AT - SECOND_MS },
    )
    case 'customer.changed': return customerChanged(WORKSPACE, CUSTOMER)({ before: {}, after: { other: USER_ID } })
    case 'customer.opted_out': return consentChanged(WORKSPACE, { ids: [CUSTOMER], fact: STOPPED })({ before: undefined, after: STOPPED })
    case 'customer.opted_in': return consentChanged(WORKSPACE, { ids: [CUSTOMER], fact: GRANTED })({ before: STOPPED, after: GRANTED })
    case 'wallet.topped_up': return walletToppedUp({ workspace: WORKSPACE, micros: 1_000_000n, reference: 'invoice-2026-118' })(BALANCE)
    case 'wallet.low': return [walletAlerted({ _tag: 'WalletLow', workspace: WORKSPACE, balance: BALANCE, at: AT, threshold: 5_000_000n })]
    case 'wallet.exhausted': return [
      walletAlerted({
        _tag: 'WalletExhausted', workspace: WORKSPACE, balance: { ...BALANCE, available: 50_000n }, at: AT, required: 77_000n,
      }),
    ]
    case 'template.changed':
      return templatesChanged([WORKSPACE], '102290129340398')([{ before: TEMPLATE, after: { ...TEMPLATE, status: 'paused' } }])
    case 'sender.failing': return senderFailing(WORKSPACE, { code: 190, title: 'Access token has expired' })(SENDER)
    case 'sender.recovered': return senderRecovered(WORKSPACE)(SENDER)
    case 'sender.quality': return numberChanged(WORKSPACE)({
      before: NUMBER, after: { ...NUMBER, quality: 'yellow', qualitySince: AT, readAt: AT },
    })
    case 'batch.confirmed': return batchMoved({ ...BATCH, state: 'confirmed' })
    case 'batch.paused': return batchMoved({ ...BATCH, state: 'paused', pausedBecause: 'failures' })
    case 'batch.canceled': return batchMoved({ ...BATCH, state: 'canceled', endedAt: AT })
    case 'batch.done': return batchMoved({ ...BATCH, state: 'done', endedAt: AT })
    case 'key.minted': return keyMinted({ workspace: WORKSPACE, id: '5f1d7a84c09e2b36', name: 'shop' })
    case 'key.revoked': return keyRevoked({ workspace: WORKSPACE, id: '5f1d7a84c09e2b36', name: 'shop' })
    case 'endpoint.disabled': return [endpointDisabled(ENDPOINT, 'failing')]
    case 'endpoint.test': return [testEvent(EVENT_ID, ENDPOINT, AT)]
  }
}

/** The message reached these states one after another, a second apart. */
/** A queued message, before or after it was canceled. */
const queued = (canceled?: 'canceled'): ReadonlyArray<NewEvent> => messageMoved({
  message: {
    ...MESSAGE, platformId: undefined, state: canceled ?? 'queued', error: undefined,
    history: [
      { state: 'queued', at: MESSAGE.createdAt }, ...(canceled === undefined ? [] : [{ state: canceled, at: MESSAGE.createdAt + HOUR_MS }]),
    ],
  },
  from: 'queued',
})

const moved = (...states: ReadonlyArray<Exclude<MessageState, 'queued' | 'pending'>>): ReadonlyArray<NewEvent> => {
  const state = states.at(-1) ?? 'pending'
  const history = (['pending', ...states] as const).map((one, index) => ({ state: one, at: MESSAGE.createdAt + index * SECOND_MS }))
  const isKnown = state !== 'refused' && state !== 'unconfirmed' && state !== 'released'
  return messageMoved({
    message: {
      ...MESSAGE,
      platformId: isKnown ? PLATFORM_ID : undefined,
      state,
      error: state === 'failed' || state === 'refused' ? UNDELIVERABLE : undefined,
      history,
    },
    from: 'pending',
  })
}
