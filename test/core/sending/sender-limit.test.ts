import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import type { PlatformId } from '../../../core/messages/message.js'
import type { Inbound } from '../../../core/reports/receive.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, type GatewayOptions, KEY, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'

const LIMIT = { perSecond: 2, maxWaitMs: 400 }
const THROTTLED = { _tag: 'PlatformThrottled', error: { code: 130_429 } } as const
const MAINTENANCE = { _tag: 'PlatformThrottled', error: { code: 131_057 } } as const

const REACTION = { id: 'wamid.2' as PlatformId, type: 'reaction' }

const limited = (options: GatewayOptions = {}) => gateway({ senderLimit: LIMIT, ...options })

/** The same with the steps one after another, as for ports of several storages. */
const STEPS: GatewayOptions = { ports: ({ wallet }) => ({ wallet: { ...wallet } }) }

describe('A send through a sender with a limit', () => {
  for (const [steps, options] of [['in one step', {}], ['in several steps', STEPS]] as const) {
    it(`waits for its slot, ${steps}`, async () => {
      const gw = await limited({ ...options, senderLimit: { perSecond: 2, maxWaitMs: 1_000 } })
      for (const _ of [1, 2, 3]) rightOf(await gw.sendText())
      assert.deepEqual(gw.waits, [500, 500])
      assert.lengthOf(gw.sent, 3)
    })

    it(`is not sent if its slot begins after the send must have begun, and costs nothing, ${steps}`, async () => {
      const gw = await limited({ ...options, senderLimit: { perSecond: 0.04, maxWaitMs: MINUTE_MS } })
      rightOf(await gw.sendText())
      assert.equal(leftOf(await gw.sendText())._tag, 'PortFailure')
      assert.lengthOf(gw.sent, 1)
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
    })

    it(`is refused before anything is opened or held if the slot begins too late, and leaves its key free, ${steps}`, async () => {
      const gw = await limited(options)
      rightOf(await gw.sendText())
      assert.deepEqual(leftOf(await gw.sendText({ idempotencyKey: KEY })), { _tag: 'SenderLimitReached', retryAfterMs: 100 })
      assert.lengthOf(await gw.messages(), 1)
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
      gw.passes(100)
      assert.isFalse(rightOf(await gw.sendText({ idempotencyKey: KEY })).replayed)
    })
  }

  it('repeats an earlier answer without a slot', async () => {
    const gw = await limited()
    const first = rightOf(await gw.sendText({ idempotencyKey: KEY }))
    for (const _ of [1, 2, 3]) assert.deepEqual(rightOf(await gw.sendText({ idempotencyKey: KEY })), { ...first, replayed: true })
  })

  it('sends at the rate that the platform has reported for the number', async () => {
    const gw = await limited()
    const sender = { workspace: gw.workspace, sender: gw.phoneNumberId }
    rightOf(await gw.storage.numberHealth.note(sender, { at: gw.now(), messagesPerSecond: 20 }))
    rightOf(await gw.sendText())
    rightOf(await gw.sendText())
    assert.deepEqual(gw.waits, [50])
  })

  it('sends at half the rate after the platform has throttled it, and after a minute of pause if its number is moved to a faster level', async () => {
    const gw = await limited({ senderLimit: { perSecond: 80, maxWaitMs: 1_000 } })
    gw.willAnswer(THROTTLED, MAINTENANCE)
    assert.equal(leftOf(await gw.sendText())._tag, 'PlatformThrottled')
    gw.passes(SECOND_MS / 80)
    assert.equal(leftOf(await gw.sendText())._tag, 'PlatformThrottled')
    assert.deepEqual(leftOf(await gw.sendText()), { _tag: 'SenderLimitReached', retryAfterMs: 59_000 })
    gw.passes(60 * SECOND_MS)
    for (const _ of [1, 2]) rightOf(await gw.sendText())
  })

  it('tells the app of each slot, each refusal and each slowing answer', async () => {
    const gw = await limited({ pairLimit: { burst: 2, intervalMs: HOUR_MS }, senderLimit: { perSecond: 80, maxWaitMs: 0 } })
    const of = { workspace: gw.workspace, sender: gw.phoneNumberId }
    gw.willAnswer(THROTTLED)
    await gw.sendText()
    assert.equal(leftOf(await gw.sendText())._tag, 'SenderLimitReached')
    gw.passes(SECOND_MS)
    rightOf(await gw.sendText())
    gw.passes(SECOND_MS)
    assert.equal(leftOf(await gw.sendText())._tag, 'PairLimitReached')
    assert.deepEqual(gw.limits.splice(0), [
      { ...of, event: 'slot_taken' }, { ...of, event: 'slowed_down', why: 'throttled' },
      { ...of, event: 'refused', limit: 'SenderLimitReached' }, { ...of, event: 'slot_taken' },
      { ...of, event: 'refused', limit: 'PairLimitReached' },
    ])
    rightOf(await gw.scheduleText())
    gw.passes(2 * HOUR_MS)
    assert.equal((await gw.drain()).sent, 1)
    assert.deepEqual(gw.limits, [{ ...of, event: 'slot_taken' }])
  })

  it('shows its present rate in the queue', async () => {
    const gw = await limited({ senderLimit: { perSecond: 80, maxWaitMs: 1_000 } })
    rightOf(await gw.scheduleText())
    const rate = async () => (await gw.showQueue()).senders.map((one) => one.rate)
    assert.deepEqual(await rate(), [80])
    gw.willAnswer(THROTTLED)
    await gw.sendText()
    assert.deepEqual(await rate(), [40])
    gw.passes(10 * SECOND_MS)
    assert.deepEqual(await rate(), [50])
  })

  it('has no limit without the setting, nor without the port', async () => {
    for (const gw of [await gateway(), await limited({ ports: () => ({ senderBudget: undefined as never }) })]) {
      for (const _ of [1, 2, 3]) rightOf(await gw.sendText())
      assert.isEmpty(gw.waits)
    }
  })

  it('fails as the storage does if the slots cannot be counted, and then opens nothing', async () => {
    const down = async () => E.left(portFailure('SenderBudget')('down'))
    const gw = await limited({ ports: () => ({ senderBudget: { take: down, slowDown: down, countInbound: down, presentRates: down } }) })
    assert.equal(leftOf(await gw.sendText())._tag, 'PortFailure')
    assert.isEmpty(await gw.messages())
  })

  const wrote = (gw: Gateway, more: Partial<Inbound> = {}): Inbound => ({
    _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at: gw.now(),
    message: { id: 'wamid.1' as PlatformId, type: 'text' }, ...more,
  })

  it('waits longer for each message that a customer has just sent to the sender', async () => {
    const gw = await limited({ senderLimit: { perSecond: 4, maxWaitMs: 1_000 } })
    rightOf(await gw.receive(wrote(gw), wrote(gw)))
    rightOf(await gw.sendText())
    assert.deepEqual(gw.waits, [500])
  })

  it('does not wait for messages of long ago, and for many at once only a second longer than a message may wait', async () => {
    const gw = await limited({ senderLimit: { perSecond: 4, maxWaitMs: 1_000 } })
    rightOf(await gw.receive(wrote(gw, { at: gw.now() - 11 * SECOND_MS })))
    rightOf(await gw.sendText())
    assert.isEmpty(gw.waits)
    gw.passes(SECOND_MS)
    rightOf(await gw.receive(...Array.from({ length: 90 }, () => wrote(gw, { at: gw.now() + HOUR_MS }))))
    assert.deepEqual(leftOf(await gw.sendText()), { _tag: 'SenderLimitReached', retryAfterMs: 1_000 })
    gw.passes(SECOND_MS)
    rightOf(await gw.sendText())
    assert.deepEqual(gw.waits, [1_000])
  })

  it('waits for reactions of customers only if they are stored for the application', async () => {
    for (const [broker, waits] of [[true, [250]], [false, []]] satisfies Array<[boolean, Array<number>]>) {
      const gw = await limited({ senderLimit: { perSecond: 4, maxWaitMs: 1_000 }, broker })
      rightOf(await gw.receive({ ...wrote(gw), message: REACTION, _tag: 'UncountedInbound' }))
      rightOf(await gw.sendText())
      assert.deepEqual(gw.waits, waits)
    }
  })

  it('does not wait for a call, which is not a message, nor for messages to another sender', async () => {
    const gw = await limited({ senderLimit: { perSecond: 4, maxWaitMs: 1_000 } })
    const { message: _, ...call } = wrote(gw)
    const other = await gw.addWorkspace()
    rightOf(await gw.receive(call, wrote(gw, { phoneNumberId: other.phoneNumberId })))
    rightOf(await gw.sendText())
    assert.isEmpty(gw.waits)
  })

  it('stores the messages of customers even if they cannot be counted', async () => {
    const down = async () => E.left(portFailure('SenderBudget')('down'))
    const ports: GatewayOptions['ports'] = ({ senderBudget }) => ({ senderBudget: { ...senderBudget, countInbound: down } })
    const gw = await limited({ lastInbound: undefined, ports })
    rightOf(await gw.receive(wrote(gw)))
    assert.equal(await gw.lastInbound(), gw.now())
  })
})
