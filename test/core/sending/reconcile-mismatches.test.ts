import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { PageQuery } from '../../../core/kernel/page.js'
import { type MessageId, messageIdOf, type MessageState } from '../../../core/messages/message.js'
import type { HoldState } from '../../../core/money/wallet.js'
import { makeReconcile, type Reconciled } from '../../../core/sending/reconcile.js'
import { done, leftOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { CUSTOMER, gateway, type Gateway, TEMPLATE_PRICE, USD } from '../gateway.js'

const NOTHING: Reconciled = { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 }
const PRICE = { micros: TEMPLATE_PRICE, currency: USD, category: 'marketing' as const }
const MOVES = { held: undefined, released: 'release', captured: 'capture', refunded: 'refund' } as const

/** A message and its hold in states that a crash left. */
const leftBy = async (gw: Gateway, state: Exclude<MessageState, 'queued' | 'pending'>, hold: HoldState): Promise<MessageId> => {
  const [id, { workspace }, at] = [messageIdOf(uuidv7()), gw, gw.now()]
  await done(gw.storage.messageLog.open({
    id, workspace, message: { _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'en' }, price: PRICE, at,
  }))
  await done(gw.storage.wallet.hold({ workspace, message: id, amount: PRICE, at }))
  const move = MOVES[hold]
  if (move !== undefined) await done(gw.storage.wallet[move]({ workspace, message: id, at }))
  await done(gw.storage.messageLog.apply(workspace, id, { state, at }))
  return id
}

describe('Reconciling a hold that does not agree with its message', () => {
  const mended: ReadonlyArray<
    readonly [Exclude<MessageState, 'queued' | 'pending'>, HoldState, MessageState, HoldState, Partial<Reconciled>]
  > = [
    ['released', 'captured', 'accepted', 'captured', { captured: 1 }],
    ['refused', 'captured', 'accepted', 'captured', { captured: 1 }],
    ['unconfirmed', 'captured', 'accepted', 'captured', { captured: 1 }],
    ['unconfirmed', 'released', 'released', 'released', { released: 1 }],
    ['accepted', 'released', 'accepted', 'captured', { captured: 1 }],
    ['delivered', 'released', 'delivered', 'captured', { captured: 1 }],
    ['failed', 'captured', 'failed', 'refunded', { refunded: 1 }],
    ['accepted', 'refunded', 'failed', 'refunded', { refunded: 1 }],
  ]
  for (const [state, hold, after, holdAfter, counts] of mended) {
    it(`of a message that is ${state} and whose price is ${hold} leaves it ${after} and ${holdAfter}`, async () => {
      const gw = await gateway()
      const id = await leftBy(gw, state, hold)
      assert.lengthOf(await gw.brokenBooks(), 1)
      assert.deepEqual(await gw.reconcile(), { ...NOTHING, ...counts })
      assert.equal((await gw.message(id)).state, after)
      assert.equal(await done(gw.storage.wallet.holdOf({ workspace: gw.workspace, message: id })), holdAfter)
      assert.isEmpty(await gw.brokenBooks())
      assert.deepEqual(await gw.reconcile(), NOTHING)
    })
  }

  it('changes nothing if neither can follow the other, and leaves it to the audit', async () => {
    const gw = await gateway()
    await leftBy(gw, 'delivered', 'refunded')
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.lengthOf(await gw.brokenBooks(), 1)
  })

  it('changes nothing if there is no message, even if the log cannot be written', async () => {
    const gw = await gateway()
    const hold = { workspace: gw.workspace, message: messageIdOf(uuidv7()), at: gw.now() }
    await done(gw.storage.wallet.hold({ ...hold, amount: PRICE }))
    await done(gw.storage.wallet.capture(hold))
    const { messageLog } = gw.deps
    assert.deepEqual(await done(makeReconcile({ ...gw.deps, messageLog: { ...messageLog, apply: failing(messageLog.apply) } })()), NOTHING)
    assert.equal(await done(gw.storage.wallet.holdOf(hold)), 'captured')
  })

  it('continues where the last pass ended, and checks every hold if it is asked to', async () => {
    for (const holds of [undefined, 'all'] as const) {
      const gw = await gateway({ balance: 20_000n * TEMPLATE_PRICE })
      const { workspace, now } = gw
      const oldest = await leftBy(gw, 'released', 'captured')
      for (let newer = 0; newer < 10_000; newer += 1) {
        await done(gw.storage.wallet.hold({ workspace, message: messageIdOf(uuidv7()), amount: PRICE, at: now() }))
      }
      const reconcile = makeReconcile(gw.deps)
      if (holds === undefined) assert.deepEqual(await done(reconcile()), NOTHING)
      assert.deepEqual(await done(reconcile(holds)), { ...NOTHING, captured: 1 })
      assert.equal((await gw.message(oldest)).state, 'accepted')
    }
  })

  it('checks ten thousand holds per pass, and all of them if it is asked to', async () => {
    const gw = await gateway()
    let looked = 0
    const mismatches = async ({ limit, cursor = '0' }: PageQuery) => {
      looked += limit
      const end = Number(cursor) + limit
      return E.right({ items: [], next: end < 24_000 ? String(end) : undefined })
    }
    for (const [holds, expected] of [[undefined, 10_000], ['all', 24_000]] as const) {
      looked = 0
      assert.deepEqual(await done(makeReconcile({ ...gw.deps, messageMoney: { mismatches } })(holds)), NOTHING)
      assert.equal(looked, expected)
    }
  })

  it('fails if the holds cannot be looked at, and is left out without the port', async () => {
    const gw = await gateway()
    await leftBy(gw, 'released', 'captured')
    const { messageMoney, ...deps } = gw.deps
    assert.deepEqual(leftOf(await makeReconcile({ ...deps, messageMoney: { mismatches: failing(messageMoney.mismatches) } })()), DOWN)
    assert.deepEqual(await done(makeReconcile(deps)()), NOTHING)
  })
})
