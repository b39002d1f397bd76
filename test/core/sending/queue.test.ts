import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { parseHours } from '../../../core/customers/hours.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import type { Currency } from '../../../core/kernel/money.js'
import type { MessageQueue } from '../../../core/messages/queue.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { newMessageId } from '../../laws/ids.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { platformIdOf } from '../../support/scripted-platform.js'
import { CUSTOMER, gateway, type Gateway, KEY, NOON, OPENING_BALANCE, TEXT_PRICE, UNCONFIRMED_AFTER_MS } from '../gateway.js'

const SENT = { sent: 1, refused: 0, postponed: 0, left: 0, isMoreDue: false }
const REFUSED = { ...SENT, sent: 0, refused: 1 }
const NOTHING = { ...SENT, sent: 0 }

/** The customer stops all messages. */
const stop = async ({ storage, workspace, now }: Gateway): Promise<unknown> =>
  rightOf(await storage.consents.record(workspace, [
    { ids: [CUSTOMER], fact: { topic: 'all', status: 'withdrawn', since: now(), source: 'the application' } },
  ]))

const codeOf = async (gw: Gateway): Promise<unknown> => (await gw.messages())[0]?.error?.['code']

describe('A scheduled message', () => {
  it('is queued without money, and sent and charged once when it is due', async () => {
    const gw = await gateway()
    const { id, state, replayed } = rightOf(await gw.scheduleText())
    assert.deepEqual([state, replayed], ['queued', false])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    assert.deepEqual(await gw.drain(), NOTHING)
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), SENT)
    assert.deepEqual(await gw.drain(), NOTHING)
    assert.deepEqual(gw.sent.map(({ id: one, message }) => [one, message]), [[id, { _tag: 'Text', to: CUSTOMER, text: 'Hello' }]])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
    assert.deepEqual((await gw.message(id)).history.map((entry) => entry.state), ['queued', 'pending', 'accepted'])
    assert.isEmpty(await gw.brokenBooks())
  })

  it('tells its events in order', async () => {
    const gw = await gateway({ broker: true })
    const { id } = rightOf(await gw.scheduleText())
    rightOf(await gw.cancel(rightOf(await gw.scheduleText()).id))
    gw.passes(HOUR_MS)
    await gw.drain()
    const events = (await gw.events()).filter(({ type }) => type.startsWith('message.'))
    assert.deepEqual(events.map(({ type }) => type), ['message.queued', 'message.queued', 'message.canceled', 'message.accepted'])
    assert.equal(events.at(-1)?.subject, id)
  })

  it('is queued although the window is closed, and refused if the window is closed when it is due', async () => {
    const gw = await gateway({ lastInbound: undefined })
    rightOf(await gw.scheduleText())
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), REFUSED)
    assert.equal(await codeOf(gw), 'window_closed')
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('is refused when it is due if the wallet cannot pay it then', async () => {
    const gw = await gateway({ balance: TEXT_PRICE })
    rightOf(await gw.scheduleText())
    rightOf(await gw.sendText())
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), REFUSED)
    assert.equal(await codeOf(gw), 'insufficient_balance')
    assert.lengthOf(gw.sent, 1)
    assert.isEmpty(await gw.brokenBooks())
  })

  it('is refused from its end on', async () => {
    const gw = await gateway()
    rightOf(await gw.scheduleText({ until: NOON + 2 * HOUR_MS }))
    gw.passes(2 * HOUR_MS)
    assert.deepEqual(await gw.drain(), REFUSED)
    assert.equal(await codeOf(gw), 'queue_expired')
    assert.isEmpty(gw.sent)
  })

  it('leaves through the new id of a sender that was replaced, and is refused then and releases its money if it is for a user id', async () => {
    const gw = await gateway({ lastInbound: NOON - HOUR_MS })
    const [by, userId] = [senderIdOf('2000'), 'DE.1234567890' as UserId]
    const toNumber = rightOf(await gw.scheduleText())
    const between = rightOf(parseHours({ from: '13:00', to: '14:00', timezone: 'UTC' }))
    await gw.storage.windowClock.recordInbound(gw.workspace, { userId }, NOON)
    const toUserId = rightOf(await gw.sendOrQueueText({ to: userId, deliverBetween: between }))
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: TEXT_PRICE })
    const replacement = { phoneNumberId: by, accessToken: 'new', businessAccountId: undefined }
    rightOf(await gw.storage.senders.replace({ workspace: gw.workspace, sender: gw.phoneNumberId }, replacement, gw.now()))
    assert.deepEqual(await gw.drain(), REFUSED)
    const { state, error } = await gw.message(toUserId.id)
    assert.deepEqual([state, error?.['code']], ['refused', 'not_sendable'])
    assert.equal(error?.['message'], 'Its sender was replaced, and the user id of its customer belongs to the previous business account')
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), SENT)
    assert.deepEqual(gw.sent.map(({ id, sender }) => [id, sender.phoneNumberId]), [[toNumber.id, by]])
  })

  it('leaves through the new id of a sender that was replaced while the message was being queued', async () => {
    const gw = await gateway({ lastInbound: NOON - HOUR_MS })
    const { workspace, phoneNumberId: sender, storage } = gw
    const by = senderIdOf('2000')
    const replacement = { phoneNumberId: by, accessToken: 'new', businessAccountId: undefined }
    rightOf(await storage.senders.replace({ workspace, sender }, replacement, gw.now()))
    const late = newMessageId(NOON)
    rightOf(await storage.messageLog.open({
      id: late, workspace, sender, message: { _tag: 'Text', to: CUSTOMER, text: 'Hi' }, at: NOON,
      price: { micros: TEXT_PRICE, category: 'service', currency: 'USD' as Currency }, queue: { dueAt: NOON, endsAt: NOON + HOUR_MS },
    }))
    assert.deepEqual(await gw.drain(), NOTHING)
    assert.deepEqual(await gw.drain(), SENT)
    assert.deepEqual(gw.sent.map((one) => [one.id, one.sender.phoneNumberId]), [[late, by]])
  })

  it('is refused if its workspace is archived when it is due', async () => {
    const gw = await gateway()
    rightOf(await gw.scheduleText())
    rightOf(await gw.storage.workspaces.archive(gw.workspace, gw.now()))
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), REFUSED)
    assert.isEmpty(gw.sent)
  })

  it('ends a day after it is due if the caller does not say otherwise', async () => {
    const gw = await gateway({ lastInbound: NOON + 20 * HOUR_MS })
    rightOf(await gw.scheduleText())
    rightOf(await gw.scheduleText())
    gw.passes(HOUR_MS + DAY_MS - 1)
    assert.deepEqual(await gw.drain(), { ...SENT, sent: 2 })
    rightOf(await gw.scheduleText({ sendAt: gw.now() }))
    gw.passes(DAY_MS)
    assert.deepEqual(await gw.drain(), REFUSED)
  })

  it('is replayed by its key, and another time is another request', async () => {
    const gw = await gateway()
    const first = rightOf(await gw.scheduleText({ idempotencyKey: KEY }))
    assert.deepInclude(rightOf(await gw.scheduleText({ idempotencyKey: KEY })), { id: first.id, state: 'queued', replayed: true })
    assert.equal(leftOf(await gw.scheduleText({ idempotencyKey: KEY, sendAt: NOON + 2 * HOUR_MS }))._tag, 'IdempotencyKeyReused')
    assert.equal(leftOf(await gw.sendText({ idempotencyKey: KEY }))._tag, 'IdempotencyKeyReused')
    gw.passes(HOUR_MS)
    await gw.drain()
    assert.deepEqual(
      rightOf(await gw.sendOrQueueText({ sendAt: NOON + HOUR_MS, idempotencyKey: KEY })),
      { id: first.id, platformId: platformIdOf({ id: first.id }), replayed: true },
    )
    assert.lengthOf(gw.sent, 1)
  })

  it('is refused by name if the workspace has no sender, and by a storage without a queue', async () => {
    assert.equal(leftOf(await (await gateway({ sender: false })).scheduleText())._tag, 'SenderNotConfigured')
    const none = await gateway({ ports: ({ messageQueue: _none, ...storage }) => ({ ...storage, messageQueue: undefined as never }) })
    assert.equal(leftOf(await none.scheduleText())._tag, 'QueueUnavailable')
  })
})

describe('Canceling a queued message', () => {
  it('ends it unsent and uncharged, once, and its key does not send it again', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.scheduleText({ idempotencyKey: KEY }))
    assert.equal(rightOf(await gw.cancel(id)).state, 'canceled')
    assert.equal(rightOf(await gw.cancel(id)).state, 'canceled')
    assert.deepInclude(rightOf(await gw.scheduleText({ idempotencyKey: KEY })), { id, state: 'canceled', replayed: true })
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), NOTHING)
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('is AlreadySent once it has left, and NoSuchMessage in another workspace', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.scheduleText())
    const other = await gw.addWorkspace()
    assert.equal(leftOf(await gw.cancel(id, other.workspace))._tag, 'NoSuchMessage')
    gw.passes(HOUR_MS)
    await gw.drain()
    assert.deepInclude(leftOf(await gw.cancel(id)), { _tag: 'AlreadySent', state: 'accepted' })
    assert.equal(leftOf(await gw.cancel(rightOf(await gw.sendText()).id))._tag, 'AlreadySent')
  })
})

describe('A pass over the queue', () => {
  /** A gateway whose queue does something else around one claim. */
  const around = (claim: (own: MessageQueue) => MessageQueue['claim']): Promise<Gateway> =>
    gateway({ ports: ({ messageQueue }) => ({ messageQueue: { ...messageQueue, claim: claim(messageQueue) } }) })

  it('sends the messages to a customer in their order, and none overtakes one that was left', async () => {
    let fails = true
    const gw = await around((own) => async (...of) => {
      if (!fails) return own.claim(...of)
      return E.left({ _tag: 'PortFailure', port: 'MessageQueue', cause: new Error('no connection') })
    })
    for (const [index, text] of ['one', 'two', 'three'].entries()) rightOf(await gw.scheduleText({ text, sendAt: NOON + index }))
    gw.passes(SECOND_MS)
    assert.deepEqual(await gw.drain(), { ...NOTHING, left: 3 })
    fails = false
    assert.deepEqual(await gw.drain(), { ...SENT, sent: 3 })
    assert.deepEqual(gw.sent.map(({ message }) => 'text' in message && message.text), ['one', 'two', 'three'])
    assert.isEmpty(await gw.brokenBooks())
  })

  it('sends each message once, however many passes run simultaneously', async () => {
    const gw = await gateway()
    const others = Array.from({ length: 20 }, (_, index) => `49151234567${10 + index}` as PhoneNumber)
    for (const to of others) rightOf(await gw.scheduleText({ to, sendAt: NOON }))
    // Only this customer has an open window.
    rightOf(await gw.scheduleText({ sendAt: NOON }))
    await Promise.all([gw.drain(), gw.drain(), gw.drain()])
    assert.lengthOf(gw.sent, 1)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
    assert.isEmpty(await gw.brokenBooks())
  })

  it('releases the price of a message that is canceled between its hold and its claim', async () => {
    const gw: Gateway = await around((own) => async (ref, at) => {
      rightOf(await gw.cancel(ref.message))
      return own.claim(ref, at)
    })
    rightOf(await gw.scheduleText())
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), NOTHING)
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    assert.isEmpty(await gw.brokenBooks())
  })

  it('sends nothing if the process slept after the claim, and charges nothing', async () => {
    const gw: Gateway = await around((own) => async (ref, at) => {
      const claimed = await own.claim(ref, at)
      gw.passes(MINUTE_MS)
      return claimed
    })
    rightOf(await gw.scheduleText())
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), REFUSED)
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('sends nothing to a customer who stops all messages before the claim, and charges nothing', async () => {
    const gw: Gateway = await around((own) => async (ref, at) => {
      await stop(gw)
      return own.claim(ref, at)
    })
    rightOf(await gw.scheduleText())
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), REFUSED)
    assert.equal(await codeOf(gw), 'customer_opted_out')
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    assert.isEmpty(await gw.brokenBooks())
  })

  it('sends nothing if it cannot be read after the claim what the customer allows, and charges nothing', async () => {
    let isClaimed = false
    const gw = await gateway({
      ports: ({ consents, messageQueue }) => ({
        messageQueue: {
          ...messageQueue,
          claim: async (ref, at) => {
            isClaimed = true
            return messageQueue.claim(ref, at)
          },
        },
        consents: {
          ...consents,
          rules: async (workspace) => (isClaimed ? E.left(portFailure('Consents')('the storage is away')) : consents.rules(workspace)),
        },
      }),
    })
    rightOf(await gw.scheduleText())
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), REFUSED)
    assert.equal(await codeOf(gw), 'storage_unavailable')
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('leaves a message whose process crashed after the claim to reconciliation, and never sends it', async () => {
    const gw = await around((own) => async (...of) => {
      await own.claim(...of)
      return E.left({ _tag: 'PortFailure', port: 'MessageQueue', cause: new Error('killed') })
    })
    const { id } = rightOf(await gw.scheduleText())
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), { ...NOTHING, left: 1 })
    assert.equal((await gw.reconcile()).unconfirmed, 0)
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    assert.equal((await gw.reconcile()).unconfirmed, 1)
    assert.deepEqual(await gw.drain(), NOTHING)
    assert.isEmpty(gw.sent)
    assert.equal((await gw.message(id)).state, 'unconfirmed')
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: TEXT_PRICE })
  })

  it('postpones the messages to a customer whose limit is reached, in their order', async () => {
    const gw = await gateway({ pairLimit: { burst: 1, intervalMs: 6 * SECOND_MS } })
    for (const [index, text] of ['one', 'two', 'three', 'four'].entries()) rightOf(await gw.scheduleText({ text, sendAt: NOON + index }))
    const drained = []
    for (let pass = 0; pass < 60 && gw.sent.length < 4; pass += 1) {
      gw.passes(SECOND_MS)
      drained.push((await gw.drain()).left)
    }
    assert.deepEqual(gw.sent.map(({ message }) => 'text' in message && message.text), ['one', 'two', 'three', 'four'])
    assert.deepEqual(new Set(drained), new Set([0]))
    assert.isEmpty(await gw.brokenBooks())
  })
})
