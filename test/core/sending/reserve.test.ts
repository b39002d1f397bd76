import { assert } from 'chai'
import type { MemoryStorage } from '../../../adapters/memory/index.js'
import type { MessageState } from '../../../core/messages/message.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing, type FailureOptions } from '../failing-method.js'
import { gateway, type Gateway, KEY, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'

const openFails =
  (how: FailureOptions = {}) =>
  ({ messageLog }: MemoryStorage): Partial<MemoryStorage> => ({
    messageLog: { ...messageLog, open: failing(messageLog.open, { times: 1, ...how }) },
  })

const holdFails =
  (how: FailureOptions = {}) =>
  ({ wallet }: MemoryStorage): Partial<MemoryStorage> => ({ wallet: { ...wallet, hold: failing(wallet.hold, { times: 1, ...how }) } })

const both =
  (...changes: ReadonlyArray<(storage: MemoryStorage) => Partial<MemoryStorage>>) =>
  (storage: MemoryStorage): Partial<MemoryStorage> =>
    changes.reduce<Partial<MemoryStorage>>((ports, change) => ({ ...ports, ...change(storage) }), {})

/** Nothing went and nothing stays set aside; the messages that were written are in these states. */
const nothingHappened = async (gw: Gateway, states: ReadonlyArray<MessageState>): Promise<void> => {
  assert.isEmpty(gw.sent)
  assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  assert.deepEqual((await gw.messages()).map(({ state }) => state), states)
  assert.isEmpty(await gw.brokenBooks())
}

for (const [kind, options] of [['without a key', {}], ['with a key', { idempotencyKey: KEY }]] as const) {
  describe(`A message ${kind} that cannot be reserved`, () => {
    it('is not sent, nor its price kept, if it could not be opened', async () => {
      const gw = await gateway({ ports: openFails() })
      assert.deepEqual(leftOf(await gw.sendText(options)), DOWN)
      await nothingHappened(gw, [])
    })

    it('is not sent, nor its price kept, if it was opened and the answer was lost', async () => {
      const gw = await gateway({ ports: openFails({ answerLost: true }) })
      assert.deepEqual(leftOf(await gw.sendText(options)), DOWN)
      await nothingHappened(gw, ['refused'])
      assert.deepEqual((await gw.messages())[0]?.error, { code: 'storage_unavailable', message: 'Its record could not be written' })
    })

    it('is not sent if its price could not be held', async () => {
      const gw = await gateway({ ports: holdFails() })
      assert.deepEqual(leftOf(await gw.sendText(options)), DOWN)
      await nothingHappened(gw, ['refused'])
      assert.deepEqual((await gw.messages())[0]?.error, { code: 'storage_unavailable', message: 'The price could not be set aside' })
    })

    it('is not sent, nor its price kept, if that was held and the answer was lost', async () => {
      const gw = await gateway({ ports: holdFails({ answerLost: true }) })
      assert.deepEqual(leftOf(await gw.sendText(options)), DOWN)
      await nothingHappened(gw, ['refused'])
    })

    it('is not sent if neither step gave an answer', async () => {
      const gw = await gateway({ ports: both(openFails({ answerLost: true }), holdFails({ answerLost: true })) })
      assert.deepEqual(leftOf(await gw.sendText(options)), DOWN)
      await nothingHappened(gw, ['refused'])
    })

    it('is sent when it is asked for again after each of these', async () => {
      for (const ports of [openFails(), openFails({ answerLost: true }), holdFails(), holdFails({ answerLost: true })]) {
        const gw = await gateway({ ports })
        assert.deepEqual(leftOf(await gw.sendText(options)), DOWN)
        assert.isFalse(rightOf(await gw.sendText(options)).replayed)
        assert.lengthOf(gw.sent, 1)
        assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
      }
    })

    it('is undone later if it cannot be undone at once, and the reply is the first failure', async () => {
      const gw = await gateway({
        ports: (storage) => {
          const wallet = { ...storage.wallet, release: failing(storage.wallet.release, { times: 2 }) }
          return {
            ...holdFails({ answerLost: true })({ ...storage, wallet }),
            messageLog: { ...storage.messageLog, apply: failing(storage.messageLog.apply, { times: 1 }) },
          }
        },
      })
      assert.deepEqual(leftOf(await gw.sendText(options)), DOWN)
      // The reply does not wait for what is undone.
      await new Promise((resolve) => { setImmediate(resolve) })
      assert.lengthOf(gw.later, 2)
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: TEXT_PRICE })
      // The release fails again, as it may in any pass, and is retried.
      const outcomes = await Promise.all(gw.later.map((work) => work()))
      assert.deepEqual(outcomes.map(({ _tag }) => _tag).sort(), ['Left', 'Right'])
      await gw.retry()
      await nothingHappened(gw, ['refused'])
      assert.isFalse(rightOf(await gw.sendText(options)).replayed)
    })

    it('is undone by reconciliation if it is never undone otherwise', async () => {
      const gw = await gateway({
        ports: (storage) => {
          const wallet = { ...storage.wallet, release: failing(storage.wallet.release, { times: 1 }) }
          return holdFails({ answerLost: true })({ ...storage, wallet })
        },
      })
      assert.deepEqual(leftOf(await gw.sendText(options)), DOWN)
      // The reply does not wait for what is undone.
      await new Promise((resolve) => { setImmediate(resolve) })
      assert.lengthOf(gw.later, 1)
      gw.passes(gw.deps.unconfirmedAfterMs + 1)
      assert.deepEqual(await gw.reconcile(), { unconfirmed: 0, refused: 0, released: 1, captured: 0, refunded: 0 })
      await nothingHappened(gw, ['refused'])
    })
  })
}

describe('A message with a key', () => {
  it('never touches the wallet if its key guards another one', async () => {
    let holds = 0
    const gw = await gateway({
      ports: ({ wallet }) => ({ wallet: { ...wallet, hold: async (hold) => { holds += 1; return wallet.hold(hold) } } }),
    })
    rightOf(await gw.sendText({ idempotencyKey: KEY }))
    assert.isTrue(rightOf(await gw.sendText({ idempotencyKey: KEY })).replayed)
    assert.equal(holds, 1)
  })

  it('is refused for want of money only after its key is claimed, and frees it though that has to be done later', async () => {
    const gw = await gateway({
      balance: 0n,
      ports: ({ messageLog }) => ({ messageLog: { ...messageLog, apply: failing(messageLog.apply, { times: 1 }) } }),
    })
    assert.equal(leftOf(await gw.sendText({ idempotencyKey: KEY }))._tag, 'InsufficientBalance')
    await gw.topUp(TEXT_PRICE)
    assert.equal(leftOf(await gw.sendText({ idempotencyKey: KEY }))._tag, 'IdempotencyInProgress')
    await gw.retry()
    assert.isFalse(rightOf(await gw.sendText({ idempotencyKey: KEY })).replayed)
    assert.lengthOf(gw.sent, 1)
  })
})
