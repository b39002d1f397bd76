import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { MessageLog } from '../../../core/messages/message-log.js'
import type { MessageId } from '../../../core/messages/message.js'
import { joinBatches, makeReconcile, type Reconciled } from '../../../core/sending/reconcile.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import {
  gateway, type Gateway, type GatewayOptions, KEY, OPENING_BALANCE,
  RELEASE_AFTER_MS, TEMPLATE_PRICE, UNCONFIRMED_AFTER_MS,
} from '../gateway.js'
import { REJECTED, UNKNOWN } from '../../support/scripted-platform.js'

const NOTHING: Reconciled = { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 }
const SPENT = { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n }
const UNDER_WAY = { available: OPENING_BALANCE - TEMPLATE_PRICE, held: TEMPLATE_PRICE }
const UNTOUCHED = { available: OPENING_BALANCE, held: 0n }

/** What of settling is lost when a process dies before it is written. */
const dies = (...lost: ReadonlyArray<'log' | 'wallet'>): NonNullable<GatewayOptions['ports']> => ({ messageLog, wallet }) => ({
  ...(lost.includes('log') && { messageLog: { ...messageLog, apply: failing(messageLog.apply, { times: 1 }) } }),
  ...(lost.includes('wallet') && {
    wallet: { ...wallet, capture: failing(wallet.capture, { times: 1 }), release: failing(wallet.release, { times: 1 }) },
  }),
})

/** Sends a template whose settling is lost in part, and forgets what was to be tried again. */
const sendAndDie = async (gw: Gateway): Promise<MessageId> => {
  await gw.sendTemplate({ idempotencyKey: KEY })
  assert.isNotEmpty(gw.later)
  gw.later.splice(0)
  return gw.sent.at(-1)!.id
}

const unconfirmed = async (gw: Gateway): Promise<MessageId> => {
  gw.willAnswer(UNKNOWN)
  assert.equal(leftOf(await gw.sendTemplate({ idempotencyKey: KEY }))._tag, 'OutcomeUnknown')
  return gw.sent.at(-1)!.id
}

/** A second pass finds nothing to do. */
const isAtRest = async (gw: Gateway): Promise<void> => {
  const before = [await gw.messages(), await gw.balance(), await gw.entries()]
  assert.deepEqual(await gw.reconcile(), NOTHING)
  assert.deepEqual([await gw.messages(), await gw.balance(), await gw.entries()], before)
  assert.isEmpty(await gw.brokenBooks())
}

describe('The results of several batches', () => {
  it('are added up, each count by itself', () => {
    const [one, other] = [
      { unconfirmed: 1, refused: 2, released: 3, captured: 4, refunded: 5 },
      { unconfirmed: 10, refused: 20, released: 30, captured: 40, refunded: 50 },
    ]
    assert.deepEqual(joinBatches([{ counts: one, failures: [] }, { counts: other, failures: [] }]).counts, {
      unconfirmed: 11, refused: 22, released: 33, captured: 44, refunded: 55,
    })
  })
})

describe('Reconciling a pending message', () => {
  it('makes it unconfirmed once it is older than any send can take, and keeps its hold', async () => {
    const gw = await gateway({ ports: dies('log', 'wallet') })
    const id = await sendAndDie(gw)
    gw.passes(UNCONFIRMED_AFTER_MS)
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.equal((await gw.message(id)).state, 'pending')
    gw.passes(1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, unconfirmed: 1 })
    assert.deepInclude((await gw.message(id)).history.at(-1), { state: 'unconfirmed', at: gw.now() })
    assert.deepEqual(await gw.balance(), UNDER_WAY)
    await isAtRest(gw)
  })

  it('leaves one that is being sent to its answer', async () => {
    const gw = await gateway()
    gw.willAnswer(async () => {
      gw.passes(UNCONFIRMED_AFTER_MS + 1)
      assert.deepEqual(await gw.reconcile(), { ...NOTHING, unconfirmed: 1 })
      return 'accept'
    })
    const { id } = rightOf(await gw.sendTemplate())
    assert.equal((await gw.message(id)).state, 'accepted')
    assert.deepEqual(await gw.balance(), SPENT)
  })

  it('counts one that was accepted meanwhile as nothing, and leaves it accepted', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.sendTemplate())
    // What the log says is a moment old by the time it is acted on.
    const stale: MessageLog['stale'] = async ({ state }) => E.right(state === 'pending' ? [{ workspace: gw.workspace, id }] : [])
    const reconcile = makeReconcile({ ...gw.deps, messageLog: { ...gw.deps.messageLog, stale } })
    assert.deepEqual(rightOf(await reconcile()), NOTHING)
    assert.equal((await gw.message(id)).state, 'accepted')
  })

  it('whose price was captured is accepted, and charged once', async () => {
    const gw = await gateway({ ports: dies('log') })
    const id = await sendAndDie(gw)
    assert.deepEqual(await gw.balance(), SPENT)
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, captured: 1 })
    assert.equal((await gw.message(id)).state, 'accepted')
    assert.deepEqual(await gw.balance(), SPENT)
    await isAtRest(gw)
  })

  it('whose price was released is released, and its key is free', async () => {
    const gw = await gateway({ ports: dies('log') })
    gw.willAnswer(REJECTED)
    const id = await sendAndDie(gw)
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, released: 1 })
    assert.equal((await gw.message(id)).state, 'released')
    assert.deepEqual(await gw.balance(), UNTOUCHED)
    assert.isFalse(rightOf(await gw.sendTemplate({ idempotencyKey: KEY })).replayed)
    await isAtRest(gw)
  })
})

describe('Reconciling an unconfirmed message', () => {
  it('releases it and its hold once the platform would report on it no more, and frees its key', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    gw.passes(RELEASE_AFTER_MS)
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.deepEqual(await gw.balance(), UNDER_WAY)
    assert.equal(leftOf(await gw.sendTemplate({ idempotencyKey: KEY }))._tag, 'OutcomeUnknown')
    gw.passes(1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, released: 1 })
    assert.deepInclude((await gw.message(id)).history.at(-1), { state: 'released', at: gw.now() })
    assert.deepEqual(await gw.entries(), ['hold', 'release'])
    assert.deepEqual(await gw.balance(), UNTOUCHED)
    await isAtRest(gw)
    assert.isFalse(rightOf(await gw.sendTemplate({ idempotencyKey: KEY })).replayed)
  })

  it('leaves one alone that a status has confirmed', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    rightOf(await gw.receive(gw.status(id, 'sent')))
    gw.passes(RELEASE_AFTER_MS + 1)
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.equal((await gw.message(id)).state, 'sent')
    assert.deepEqual(await gw.balance(), SPENT)
  })

  it('charges a message that a status confirms at the moment of the release of its hold', async () => {
    let meanwhile = async (): Promise<void> => {}
    const gw = await gateway({
      ports: ({ wallet }) => ({
        wallet: {
          ...wallet,
          release: async (of) => {
            const released = await wallet.release(of)
            await meanwhile()
            return released
          },
        },
      }),
    })
    const id = await unconfirmed(gw)
    meanwhile = async () => void rightOf(await gw.receive(gw.status(id, 'delivered')))
    gw.passes(RELEASE_AFTER_MS + 1)
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, captured: 1 })
    assert.equal((await gw.message(id)).state, 'delivered')
    assert.deepEqual(await gw.balance(), SPENT)
    await isAtRest(gw)
  })
})
