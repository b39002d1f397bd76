import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { MessageId } from '../../../core/messages/message.js'
import { makeReconcile, type Reconciled } from '../../../core/sending/reconcile.js'
import { makeSendTemplate } from '../../../core/sending/send.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, KEY, OPENING_BALANCE, UNCONFIRMED_AFTER_MS } from '../gateway.js'

const NOTHING: Reconciled = { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 }
const UNTOUCHED = { available: OPENING_BALANCE, held: 0n }

/** Sends with a key in a process that dies after the message was opened and before its price was held. */
const diesBeforeHold = async (gw: Gateway): Promise<MessageId> => {
  const dead = new Promise<never>(() => undefined)
  let opened = (): void => undefined
  const isOpened = new Promise<void>((resolve) => { opened = resolve })
  const hold = () => { opened(); return dead }
  void makeSendTemplate({ ...gw.deps, wallet: { ...gw.deps.wallet, hold } })({
    workspace: gw.workspace, to: CUSTOMER, name: 'x', idempotencyKey: KEY,
  })
  await isOpened
  return (await gw.messages())[0]!.id
}

describe('Reconciling a message that was opened and whose price was never held', () => {
  it('refuses it, since it was never sent, and frees its key', async () => {
    const gw = await gateway()
    const id = await diesBeforeHold(gw)
    gw.passes(UNCONFIRMED_AFTER_MS)
    assert.deepEqual(await gw.reconcile(), NOTHING)
    gw.passes(1)
    assert.equal(leftOf(await gw.sendTemplate({ name: 'x', idempotencyKey: KEY }))._tag, 'OutcomeUnknown')
    assert.deepEqual(await gw.reconcile(), { ...NOTHING, refused: 1 })
    const message = await gw.message(id)
    assert.deepEqual([message.state, message.error], ['refused', { code: 'storage_unavailable', message: 'It was never sent: its price was not set aside' }])
    assert.isFalse(rightOf(await gw.sendTemplate({ name: 'x', idempotencyKey: KEY })).replayed)
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.isEmpty(await gw.brokenBooks())
  })

  it('refuses nothing if the wallet cannot say', async () => {
    const gw = await gateway()
    const id = await diesBeforeHold(gw)
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    const down = { _tag: 'PortFailure', port: 'Wallet', cause: 'down' } as const
    const reconcile = makeReconcile({ ...gw.deps, wallet: { ...gw.deps.wallet, holdOf: async () => E.left(down) } })
    assert.deepEqual(leftOf(await reconcile()), down)
    assert.equal((await gw.message(id)).state, 'pending')
  })
})

describe('A message that is reserved too slowly', () => {
  for (const options of [{}, { idempotencyKey: KEY }]) {
    it(`is not sent once reconciliation may have refused it (${options.idempotencyKey === undefined ? 'without' : 'with'} a key)`, async () => {
      const gw: Gateway = await gateway({ ports: ({ wallet }) => ({
        wallet: { ...wallet, hold: async (price) => {
          gw.passes(UNCONFIRMED_AFTER_MS / 2)
          return wallet.hold(price)
        } },
      }) })
      assert.deepInclude(leftOf(await gw.sendTemplate(options)), { _tag: 'PortFailure', port: 'Wallet' })
      assert.isEmpty(gw.sent)
      assert.deepEqual((await gw.messages()).map(({ state }) => state), ['refused'])
      assert.deepEqual(await gw.balance(), UNTOUCHED)
    })
  }

  it('is refused once, whether its sender or reconciliation comes first', async () => {
    const gw: Gateway = await gateway({ ports: ({ wallet }) => ({
      wallet: { ...wallet, hold: async (price) => {
        gw.passes(UNCONFIRMED_AFTER_MS + 1)
        assert.deepEqual(await gw.reconcile(), { ...NOTHING, refused: 1 })
        return wallet.hold(price)
      } },
    }) })
    assert.equal(leftOf(await gw.sendTemplate({ idempotencyKey: KEY }))._tag, 'PortFailure')
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.balance(), UNTOUCHED)
    assert.deepEqual(await gw.reconcile(), NOTHING)
    assert.isEmpty(await gw.brokenBooks())
  })

  it('is sent if it was reserved in time, however slowly the platform answers', async () => {
    const gw = await gateway()
    gw.willAnswer(async () => {
      gw.passes(UNCONFIRMED_AFTER_MS + 1)
      assert.deepEqual(await gw.reconcile(), { ...NOTHING, unconfirmed: 1 })
      return 'accept'
    })
    const { id } = rightOf(await gw.sendTemplate({ idempotencyKey: KEY }))
    assert.equal((await gw.message(id)).state, 'accepted')
  })
})
