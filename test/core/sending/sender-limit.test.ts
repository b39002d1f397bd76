import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { SECOND_MS } from '../../../core/kernel/time.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { gateway, type GatewayOptions, KEY, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'

const LIMIT = { perSecond: 2, maxWaitMs: 400 }
const THROTTLED = { _tag: 'PlatformThrottled', error: { code: 130_429 } } as const
const MAINTENANCE = { _tag: 'PlatformThrottled', error: { code: 131_057 } } as const

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

  it('has no limit without the setting, nor without the port', async () => {
    for (const gw of [await gateway(), await limited({ ports: () => ({ senderBudget: undefined as never }) })]) {
      for (const _ of [1, 2, 3]) rightOf(await gw.sendText())
      assert.isEmpty(gw.waits)
    }
  })

  it('fails as the storage does if the slots cannot be counted, and then opens nothing', async () => {
    const down = async () => E.left(portFailure('SenderBudget')('down'))
    const gw = await limited({ ports: () => ({ senderBudget: { take: down, slowDown: down } }) })
    assert.equal(leftOf(await gw.sendText())._tag, 'PortFailure')
    assert.isEmpty(await gw.messages())
  })
})
