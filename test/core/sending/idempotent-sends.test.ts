import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import type { IdempotencyKey } from '../../../core/messages/message.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import {
  CUSTOMER, gateway, KEY, NOON, OPENING_BALANCE, RELEASE_AFTER_MS,
  TEMPLATE_PRICE, TEXT_PRICE, UNCONFIRMED_AFTER_MS,
} from '../gateway.js'
import { CREDENTIALS, platformIdOf, REJECTED, THROTTLED, UNKNOWN, UNREACHABLE } from '../../support/scripted-platform.js'

const DAY_MS = 24 * HOUR_MS
const KEYED = { idempotencyKey: KEY }

describe('Sends with one idempotency key', () => {
  it('send one message and take one price, though twenty callers race', async () => {
    const gw = await gateway()
    let answered = 0
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => { open = resolve })
    gw.willAnswer(async () => { await gate; return 'accept' })
    const racing = Array.from({ length: 20 }, async () => {
      const outcome = await gw.sendText(KEYED)
      // All but the one under way have answered before it does.
      if (outcome._tag === 'Left' && (answered += 1) === 19) open()
      return outcome
    })
    const outcomes = await Promise.all(racing)
    const sent = outcomes.filter((outcome) => outcome._tag === 'Right').map(rightOf)
    assert.lengthOf(sent, 1)
    assert.deepEqual(
      outcomes.filter((outcome) => outcome._tag === 'Left').map((outcome) => leftOf(outcome)._tag),
      Array.from({ length: 19 }, () => 'IdempotencyInProgress'),
    )
    assert.lengthOf(gw.sent, 1)
    assert.lengthOf(await gw.messages(), 1)
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })

  it('get the first answer again, marked as replayed', async () => {
    const gw = await gateway()
    const first = rightOf(await gw.sendText(KEYED))
    assert.deepEqual(rightOf(await gw.sendText(KEYED)), { ...first, replayed: true })
    assert.lengthOf(gw.sent, 1)
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
  })

  it('get the first answer again even if the message failed later', async () => {
    const gw = await gateway()
    const first = rightOf(await gw.sendText(KEYED))
    rightOf(await gw.receive(gw.status(first.id, 'failed')))
    assert.deepEqual(rightOf(await gw.sendText(KEYED)), { ...first, replayed: true })
  })

  it('never touch the wallet again, though it is empty by then', async () => {
    const gw = await gateway({ balance: TEXT_PRICE })
    const first = rightOf(await gw.sendText(KEYED))
    assert.deepEqual(rightOf(await gw.sendText(KEYED)), { ...first, replayed: true })
    assert.deepEqual(await gw.balance(), { available: 0n, held: 0n })
  })

  it('get the first answer again though the window has closed since', async () => {
    const gw = await gateway({ lastInbound: NOON - DAY_MS + 1 })
    const first = rightOf(await gw.sendText(KEYED))
    gw.passes(1)
    assert.deepEqual(rightOf(await gw.sendText(KEYED)), { ...first, replayed: true })
    assert.deepEqual(leftOf(await gw.sendText({ ...KEYED, text: 'Hello!' })), { _tag: 'IdempotencyKeyReused' })
    assert.equal(leftOf(await gw.sendText())._tag, 'WindowClosed')
    assert.equal(leftOf(await gw.sendText({ idempotencyKey: 'another' as IdempotencyKey }))._tag, 'WindowClosed')
    assert.lengthOf(gw.sent, 1)
  })

  it('are refused for the closed window if the first was refused or is a day old', async () => {
    const gw = await gateway({ lastInbound: NOON - HOUR_MS })
    gw.willAnswer(REJECTED)
    leftOf(await gw.sendText(KEYED))
    rightOf(await gw.sendText({ idempotencyKey: 'another' as IdempotencyKey }))
    gw.passes(DAY_MS)
    for (const key of [KEY, 'another' as IdempotencyKey]) {
      assert.equal(leftOf(await gw.sendText({ idempotencyKey: key }))._tag, 'WindowClosed')
    }
    assert.lengthOf(gw.sent, 2)
    assert.lengthOf(await gw.messages(), 2)
  })

  it('get the first answer again though the workspace has no sender any more', async () => {
    let gone = false
    const gw = await gateway({
      ports: ({ senders }) => ({
        senders: { ...senders, senderOf: async (workspace) => (gone ? E.right(O.none) : senders.senderOf(workspace)) },
      }),
    })
    const first = rightOf(await gw.sendTemplate(KEYED))
    gone = true
    assert.deepEqual(rightOf(await gw.sendTemplate(KEYED)), { ...first, replayed: true })
    assert.deepEqual(leftOf(await gw.sendTemplate({ ...KEYED, name: 'other' })), { _tag: 'IdempotencyKeyReused' })
    assert.deepEqual(leftOf(await gw.sendTemplate()), { _tag: 'SenderNotConfigured' })
  })

  it('are never refused while it is not known whether the first one went', async () => {
    const gw = await gateway({
      lastInbound: NOON - DAY_MS + 1,
      ports: ({ messageLog }) => ({ messageLog: { ...messageLog, claimed: failing(messageLog.claimed, { times: 1 }) } }),
    })
    const first = rightOf(await gw.sendText(KEYED))
    gw.passes(1)
    assert.deepEqual(leftOf(await gw.sendText(KEYED)), DOWN)
    assert.deepEqual(rightOf(await gw.sendText(KEYED)), { ...first, replayed: true })
  })

  it('are answered that the first is in progress while it is', async () => {
    const gw = await gateway()
    gw.willAnswer(async () => {
      assert.deepEqual(leftOf(await gw.sendText(KEYED)), { _tag: 'IdempotencyInProgress' })
      gw.passes(UNCONFIRMED_AFTER_MS - 1)
      assert.deepEqual(leftOf(await gw.sendText(KEYED)), { _tag: 'IdempotencyInProgress' })
      return 'accept'
    })
    rightOf(await gw.sendText(KEYED))
    assert.lengthOf(gw.sent, 1)
  })

  it('are answered that the outcome is unknown once the first has been pending for too long', async () => {
    const gw = await gateway()
    gw.willAnswer(async ({ id }) => {
      gw.passes(UNCONFIRMED_AFTER_MS)
      assert.deepInclude(leftOf(await gw.sendText(KEYED)), { _tag: 'OutcomeUnknown', messageId: id, replayed: true })
      return 'accept'
    })
    rightOf(await gw.sendText(KEYED))
    assert.lengthOf(gw.sent, 1)
  })

  it('are answered that the outcome is unknown for as long as it is, and with the platform\'s id once a status names it', async () => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN)
    const unknown = leftOf(await gw.sendTemplate(KEYED))
    const [message] = await gw.messages()
    assert.deepInclude(unknown, { _tag: 'OutcomeUnknown', messageId: message!.id, replayed: false })
    gw.passes(RELEASE_AFTER_MS - 1)
    assert.deepInclude(leftOf(await gw.sendTemplate(KEYED)), { _tag: 'OutcomeUnknown', messageId: message!.id, replayed: true })
    rightOf(await gw.receive(gw.status(message!.id, 'sent', { platformId: platformIdOf(message!) })))
    // 24 hours are long over by now, and the outcome is known: the key is free.
    assert.isFalse(rightOf(await gw.sendTemplate(KEYED)).replayed)
  })

  it('are answered with the platform\'s id as soon as a status names it', async () => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN)
    assert.equal(leftOf(await gw.sendText(KEYED))._tag, 'OutcomeUnknown')
    const { id } = gw.sent[0]!
    rightOf(await gw.receive(gw.status(id, 'delivered', { platformId: platformIdOf({ id }) })))
    assert.deepEqual(rightOf(await gw.sendText(KEYED)), { id, platformId: platformIdOf({ id }), replayed: true })
    assert.lengthOf(gw.sent, 1)
  })

  it('are refused if they ask for anything else, and the first is left alone', async () => {
    const gw = await gateway()
    const first = rightOf(await gw.sendText(KEYED))
    for (const reused of [await gw.sendText({ ...KEYED, text: 'Hello!' }), await gw.sendTemplate(KEYED)]) {
      assert.deepEqual(leftOf<{ readonly _tag: string }>(reused), { _tag: 'IdempotencyKeyReused' })
    }
    assert.deepEqual(rightOf(await gw.sendText(KEYED)), { ...first, replayed: true })
    assert.lengthOf(gw.sent, 1)
    assert.lengthOf(await gw.messages(), 1)
  })

  it('are refused for asking for anything else even while the first is in progress', async () => {
    const gw = await gateway()
    gw.willAnswer(async () => {
      assert.deepEqual(leftOf(await gw.sendText({ ...KEYED, text: 'Hello!' })), { _tag: 'IdempotencyKeyReused' })
      return 'accept'
    })
    rightOf(await gw.sendText(KEYED))
  })

  it('are one request in whatever order the fields of their components come', async () => {
    const gw = await gateway()
    rightOf(await gw.sendTemplate({ ...KEYED, components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }] }))
    assert.isTrue(rightOf(
      await gw.sendTemplate({ ...KEYED, language: 'en', components: [{ parameters: [{ text: 'Ann', type: 'text' }], type: 'body' }] }),
    ).replayed)
  })

  it('each send if the first was refused, since nothing went', async () => {
    const gw = await gateway()
    const refusals = [REJECTED, THROTTLED, CREDENTIALS, UNREACHABLE]
    gw.willAnswer(...refusals)
    for (const { _tag } of refusals) assert.equal(leftOf(await gw.sendText(KEYED))._tag, _tag)
    assert.isFalse(rightOf(await gw.sendText({ ...KEYED, text: 'corrected' })).replayed)
    assert.lengthOf(gw.sent, 5)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })

  it('make a fresh attempt after a top-up if the wallet could not cover the first', async () => {
    const gw = await gateway({ balance: 0n })
    assert.equal(leftOf(await gw.sendTemplate(KEYED))._tag, 'InsufficientBalance')
    await gw.topUp(TEMPLATE_PRICE)
    assert.isFalse(rightOf(await gw.sendTemplate(KEYED)).replayed)
    assert.deepEqual((await gw.messages()).map(({ state }) => state), ['refused', 'accepted'])
    assert.deepEqual(await gw.balance(), { available: 0n, held: 0n })
  })

  it('are one message for 24 hours, and from then on another', async () => {
    const gw = await gateway()
    const first = rightOf(await gw.sendTemplate(KEYED))
    gw.passes(DAY_MS - 1)
    assert.deepEqual(rightOf(await gw.sendTemplate(KEYED)), { ...first, replayed: true })
    gw.passes(1)
    const second = rightOf(await gw.sendTemplate(KEYED))
    assert.isFalse(second.replayed)
    assert.notEqual(second.id, first.id)
    assert.deepEqual(rightOf(await gw.sendTemplate(KEYED)), { ...second, replayed: true })
    assert.lengthOf(gw.sent, 2)
  })

  it('make a fresh attempt once reconciliation has given the first one up', async () => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN)
    assert.equal(leftOf(await gw.sendTemplate(KEYED))._tag, 'OutcomeUnknown')
    gw.passes(RELEASE_AFTER_MS + 1)
    assert.equal(leftOf(await gw.sendTemplate(KEYED))._tag, 'OutcomeUnknown')
    await gw.reconcile()
    assert.isFalse(rightOf(await gw.sendTemplate(KEYED)).replayed)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n })
  })

  it('are each their own in each workspace, and under keys that differ in a letter\'s case', async () => {
    const gw = await gateway()
    const other = await gw.addWorkspace()
    rightOf(await gw.sendText(KEYED))
    assert.isFalse(rightOf(await gw.sendText({ ...KEYED, workspace: other.workspace })).replayed)
    assert.isFalse(rightOf(await gw.sendText({ idempotencyKey: KEY.toUpperCase() as IdempotencyKey })).replayed)
    assert.lengthOf(gw.sent, 3)
  })
})

describe('Sends without an idempotency key', () => {
  it('are each a message of their own, though they are the same', async () => {
    const gw = await gateway()
    const outcomes = await Promise.all([gw.sendText(), gw.sendText(), gw.sendText()])
    assert.lengthOf(new Set(outcomes.map((outcome) => rightOf(outcome).id)), 3)
    assert.deepEqual(
      gw.sent.map(({ message }) => message), Array.from({ length: 3 }, () => ({ _tag: 'Text' as const, to: CUSTOMER, text: 'Hello' })),
    )
    assert.deepEqual((await gw.messages()).map(({ createdAt }) => createdAt), [NOON, NOON, NOON])
  })
})
