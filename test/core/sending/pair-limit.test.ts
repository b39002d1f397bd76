import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { PLATFORM_PAIR_LIMIT } from '../../../core/customers/pair-limit.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { SECOND_MS } from '../../../core/kernel/time.js'
import { UNREACHABLE } from '../../support/scripted-platform.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { gateway, type GatewayOptions, KEY, NOON, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'

const LIMIT = { intervalMs: 6 * SECOND_MS, burst: 2 }
const OTHER = '4915123456780' as PhoneNumber

const limited = (options: GatewayOptions = {}) => gateway({ pairLimit: LIMIT, ...options })

/** The same with the steps one after another, as for ports of several storages. */
const STEPS: GatewayOptions = { ports: ({ wallet }) => ({ wallet: { ...wallet } }) }

describe('A send above the limit of its pair', () => {
  for (const [steps, options] of [['in one step', {}], ['in several steps', STEPS]] as const) {
    it(`is refused before anything is opened or held, ${steps}`, async () => {
      const gw = await limited(options)
      for (const _ of [1, 2]) rightOf(await gw.sendText())
      assert.deepEqual(leftOf(await gw.sendText()), { _tag: 'PairLimitReached', retryAt: NOON + 6 * SECOND_MS })
      assert.lengthOf(await gw.messages(), 2)
      assert.lengthOf(gw.sent, 2)
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - 2n * TEXT_PRICE, held: 0n })
      gw.passes(6 * SECOND_MS)
      rightOf(await gw.sendText())
    })

    it(`leaves its idempotency key free, ${steps}`, async () => {
      const gw = await limited(options)
      for (const _ of [1, 2]) rightOf(await gw.sendText())
      assert.equal(leftOf(await gw.sendText({ idempotencyKey: KEY }))._tag, 'PairLimitReached')
      gw.passes(6 * SECOND_MS)
      assert.isFalse(rightOf(await gw.sendText({ idempotencyKey: KEY })).replayed)
    })

    it(`repeats an earlier answer, ${steps}`, async () => {
      const gw = await limited(options)
      const first = rightOf(await gw.sendText({ idempotencyKey: KEY }))
      rightOf(await gw.sendTemplate({ to: OTHER }))
      for (const _ of [1, 2, 3]) assert.deepEqual(rightOf(await gw.sendText({ idempotencyKey: KEY })), { ...first, replayed: true })
    })
  }

  it('counts texts and templates together, also to a customer of whom nothing was known', async () => {
    const gw = await limited()
    for (const _ of [1, 2]) rightOf(await gw.sendTemplate({ to: OTHER }))
    assert.equal(leftOf(await gw.sendTemplate({ to: OTHER }))._tag, 'PairLimitReached')
    rightOf(await gw.sendText())
    rightOf(await gw.sendTemplate())
    assert.equal(leftOf(await gw.sendText())._tag, 'PairLimitReached')
  })

  it('does not concern another workspace, which has a sender of its own', async () => {
    const gw = await limited()
    const other = await gw.addWorkspace()
    for (const _ of [1, 2]) rightOf(await gw.sendText())
    rightOf(await gw.sendText({ workspace: other.workspace }))
  })

  it('may follow a message that never reached the platform, which keeps its slot', async () => {
    const gw = await limited()
    gw.willAnswer(UNREACHABLE, UNREACHABLE)
    for (const _ of [1, 2]) assert.equal(leftOf(await gw.sendText())._tag, 'PlatformUnreachable')
    assert.equal(leftOf(await gw.sendText())._tag, 'PairLimitReached')
  })

  it('is not counted without the setting, nor without the port', async () => {
    for (const gw of [await gateway(), await limited({ ports: () => ({ pairLimits: undefined as never }) })]) {
      for (const _ of [1, 2, 3]) rightOf(await gw.sendText())
    }
  })

  it('fails as the storage does if the slots cannot be counted, and then opens nothing', async () => {
    const down = async () => E.left(portFailure('PairLimits')('down'))
    const gw = await limited({ ports: () => ({ pairLimits: { take: down } }) })
    assert.equal(leftOf(await gw.sendText())._tag, 'PortFailure')
    assert.isEmpty(await gw.messages())
  })

  it('lets 45 messages through immediately by the platform\'s own limit', async () => {
    const gw = await gateway({ pairLimit: PLATFORM_PAIR_LIMIT })
    for (let count = 0; count < 45; count += 1) rightOf(await gw.sendText())
    assert.deepEqual(leftOf(await gw.sendText()), { _tag: 'PairLimitReached', retryAt: NOON + 6 * SECOND_MS })
  })
})
