import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { HOUR_MS, monthOf } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { makeQuoteMessage } from '../../../core/sending/quote.js'
import { makeReconcile, makeResolveMessage } from '../../../core/sending/reconcile.js'
import { makeSendText } from '../../../core/sending/send.js'
import { andThen } from '../../laws-of-laws/broken-memory.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import {
  CUSTOMER, gateway, type Gateway, type GatewayOptions, KEY, NOON, OPENING_BALANCE, RELEASE_AFTER_MS,
  TEMPLATE_PRICE, TEXT_PRICE, UNCONFIRMED_AFTER_MS, USD,
} from '../gateway.js'
import { REJECTED, UNKNOWN } from '../../support/scripted-platform.js'
import { bySystem } from '../use-cases/by-system.js'

/** A gateway whose card names free messages. */
const withFree = (freeServiceMessages: number, more: GatewayOptions = {}) => gateway({ ...more, card: { freeServiceMessages } })

const pricesOf = async (gw: Gateway): Promise<ReadonlyArray<bigint>> => (await gw.messages()).map(({ price }) => price.micros)
const takenOf = (gw: Gateway, at: number = gw.now()): Promise<number> => done(gw.storage.freeMessages.taken(gw.phoneNumberId, monthOf(at)))

const down = portFailure('FreeMessages')('down')

describe('The free messages of a month', () => {
  it('cost nothing, until the allowed number of texts has been sent through the sender', async () => {
    const gw = await withFree(2)
    for (const _ of [1, 2, 3]) rightOf(await gw.sendText())
    assert.deepEqual(await pricesOf(gw), [0n, 0n, TEXT_PRICE])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
    assert.isEmpty(await gw.brokenBooks())
  })

  it('are kept with the category of a text, and with nothing else in the price', async () => {
    const gw = await withFree(1)
    const { id } = rightOf(await gw.sendText())
    assert.deepEqual((await gw.message(id)).price, { micros: 0n, currency: 'USD', category: 'service' })
  })

  it('are texts only, even if a template costs the rate of a text', async () => {
    const gw = await gateway({ card: { freeServiceMessages: 5, templateCategory: 'service' } })
    rightOf(await gw.sendTemplate())
    assert.deepEqual(await pricesOf(gw), [TEXT_PRICE])
    assert.equal(await takenOf(gw), 0)
  })

  it('start again with each month of UTC', async () => {
    const gw = await withFree(1)
    const send = async (at: number): Promise<void> => {
      gw.passes(at - gw.now())
      await done(gw.storage.windowClock.recordInbound(gw.workspace, { phoneNumber: CUSTOMER }, at))
      rightOf(await gw.sendText())
    }
    for (const at of ['2026-03-31T22:00:00Z', '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00Z', '2026-04-01T01:00:00Z']) {
      await send(Date.parse(at))
    }
    assert.deepEqual(await pricesOf(gw), [0n, TEXT_PRICE, 0n, TEXT_PRICE])
  })

  it('are not taken if the card names none, if a text costs nothing anyway, or without the port', async () => {
    const paid = await gateway()
    rightOf(await paid.sendText())
    assert.deepEqual([await pricesOf(paid), await takenOf(paid)], [[TEXT_PRICE], 0])

    const costless = await gateway({
      card: { freeServiceMessages: 1, default: { service: 0n, marketing: TEMPLATE_PRICE, utility: 1n, authentication: 1n } },
    })
    rightOf(await costless.sendText())
    assert.equal(await takenOf(costless), 0)

    const cheap = await gateway({
      card: { freeServiceMessages: 1, default: { service: 1n, marketing: TEMPLATE_PRICE, utility: 1n, authentication: 1n } },
    })
    for (const _ of [1, 2]) rightOf(await cheap.sendText())
    assert.deepEqual([await pricesOf(cheap), await takenOf(cheap)], [[0n, 1n], 1], 'a text of one micro costs something')

    const without = await withFree(1)
    const { freeMessages: _freeMessages, ...deps } = without.deps
    rightOf(await makeSendText(deps)({ workspace: without.workspace, to: CUSTOMER, text: 'Hello' }))
    assert.deepEqual(await pricesOf(without), [TEXT_PRICE])
  })

  it('are exact under 256 sends at once', async () => {
    const gw = await withFree(100, { balance: 10_000_000n })
    const sent = await Promise.all(Array.from({ length: 256 }, () => gw.sendText()))
    for (const one of sent) rightOf(one)
    assert.lengthOf((await pricesOf(gw)).filter((micros) => micros === 0n), 100)
    assert.deepEqual(await gw.balance(), { available: 10_000_000n - 156n * TEXT_PRICE, held: 0n })
  })

  it('are not taken by a text that is refused before that, nor by a repeated request', async () => {
    const gw = await withFree(1)
    assert.equal(leftOf(await gw.sendText({ to: '4915123456780' as PhoneNumber }))._tag, 'WindowClosed')
    rightOf(await gw.sendText({ idempotencyKey: KEY }))
    assert.isTrue(rightOf(await gw.sendText({ idempotencyKey: KEY })).replayed)
    assert.equal(await takenOf(gw), 1)
    const other = await withFree(2)
    rightOf(await other.sendText({ idempotencyKey: KEY }))
    for (const _ of [1, 2, 3]) assert.isTrue(rightOf(await other.sendText({ idempotencyKey: KEY })).replayed)
    rightOf(await other.sendText())
    assert.deepEqual(await pricesOf(other), [0n, 0n])
  })

  it('need no money', async () => {
    const empty = await withFree(1, { balance: 0n })
    rightOf(await empty.sendText())
    assert.equal(leftOf(await empty.sendText())._tag, 'InsufficientBalance')
    assert.deepEqual(await pricesOf(empty), [0n, TEXT_PRICE])
  })
})

describe('A free message is refunded', () => {
  it('if the platform refuses the text', async () => {
    const gw = await withFree(1)
    gw.willNextAnswer(REJECTED)
    assert.equal(leftOf(await gw.sendText())._tag, 'PlatformRejected')
    rightOf(await gw.sendText())
    rightOf(await gw.sendText())
    assert.deepEqual(await pricesOf(gw), [0n, 0n, TEXT_PRICE])
  })

  it('if the text is reported failed, once, however often that is reported', async () => {
    const gw = await withFree(2)
    const first = rightOf(await gw.sendText())
    rightOf(await gw.sendText())
    for (const _ of [1, 2]) rightOf(await gw.receive(gw.status(first.id, 'failed')))
    assert.equal(await takenOf(gw), 1)
    rightOf(await gw.sendText())
    rightOf(await gw.sendText())
    assert.deepEqual(await pricesOf(gw), [0n, 0n, 0n, TEXT_PRICE])
    assert.isEmpty(await gw.brokenBooks())
  })

  it('if the wallet or the log cannot be written', async () => {
    for (const broken of ['wallet', 'messageLog'] as const) {
      const gw = await withFree(1, { ports: ({ wallet, messageLog }) => broken === 'wallet'
        ? { wallet: { ...wallet, hold: async () => E.left(down) } }
        : { messageLog: { ...messageLog, open: async () => E.left(down) } } })
      assert.equal(leftOf(await gw.sendText())._tag, 'PortFailure')
      await gw.retry()
      assert.equal(await takenOf(gw), 0, broken)
    }
  })

  it('if its hold was made and its message was never opened', async () => {
    const gw = await withFree(1)
    const message = messageIdOf(uuidv7())
    const { workspace, phoneNumberId } = gw
    await done(gw.storage.freeMessages.take({ workspace, message, phoneNumberId, month: monthOf(NOON), limit: 1 }))
    await done(gw.storage.wallet.hold({ workspace, message, amount: { micros: 0n, currency: USD }, at: gw.now() }))
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    await gw.reconcile()
    assert.equal(await takenOf(gw, NOON), 0)
  })

  it('later, if the count cannot be written now', async () => {
    let works = false
    const gw = await withFree(1, { ports: ({ freeMessages }) => ({
      freeMessages: { ...freeMessages, giveBack: async (message) => (works ? freeMessages.giveBack(message) : E.left(down)) },
    }) })
    gw.willNextAnswer(REJECTED)
    assert.equal(leftOf(await gw.sendText())._tag, 'PlatformRejected')
    assert.equal(await takenOf(gw), 1)
    works = true
    await gw.retry()
    assert.equal(await takenOf(gw), 0)
  })

  it('by reconciliation, if the process ends before the refund and nothing was held', async () => {
    let works = false
    const gw = await withFree(1, { ports: ({ freeMessages, wallet }) => ({
      freeMessages: { ...freeMessages, giveBack: async (message) => (works ? freeMessages.giveBack(message) : E.left(down)) },
      wallet: { ...wallet, hold: async () => E.left(down) },
    }) })
    leftOf(await gw.sendText())
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    assert.deepEqual(leftOf(await makeReconcile(gw.deps)()), down)
    assert.equal((await gw.messages())[0]?.state, 'pending', 'a message that is refused would not be looked at again')
    works = true
    await gw.reconcile()
    assert.deepEqual([(await gw.messages())[0]?.state, await takenOf(gw, NOON)], ['refused', 0])
  })

  it('before its message is refused, so that a process that ends in between leaves no free message behind', async () => {
    let works = true
    const gw = await withFree(1, { ports: ({ freeMessages, messageLog, wallet }) => {
      const orDown = <Arguments extends ReadonlyArray<unknown>, Answer>(method: (...args: Arguments) => Promise<Answer>) =>
        async (...args: Arguments) => (works ? method(...args) : E.left(down))
      return {
        messageLog: { ...messageLog, apply: orDown(messageLog.apply) }, wallet: { ...wallet, release: orDown(wallet.release) },
        freeMessages: {
          ...freeMessages,
          giveBack: (message) => andThen(freeMessages.giveBack(message), async () => { works = false; return E.right(undefined) }),
        },
      }
    } })
    gw.willNextAnswer(REJECTED)
    leftOf(await gw.sendText())
    assert.deepEqual([(await gw.messages())[0]?.state, await takenOf(gw)], ['pending', 0])
  })

  it('only if the text took one, so the count may be down while none is offered', async () => {
    const card = { default: { service: 1n, marketing: TEMPLATE_PRICE, utility: 1n, authentication: 1n } }
    const gw = await gateway({
      card, ports: ({ freeMessages }) => ({ freeMessages: { ...freeMessages, giveBack: async () => E.left(down) } }),
    })
    gw.willNextAnswer(REJECTED)
    assert.equal(leftOf(await gw.sendText())._tag, 'PlatformRejected')
    assert.deepEqual((await gw.messages()).map(({ state }) => state), ['refused'])
    await Promise.all([1, 2].map(() => gw.sendText({ idempotencyKey: KEY })))
    assert.lengthOf(await gw.messages(), 2)
    assert.isEmpty(gw.later)
  })

  it('if it was taken though the answer was lost, and the text is refused', async () => {
    const gw = await withFree(1, { ports: ({ freeMessages }) => ({
      freeMessages: { ...freeMessages, take: (taking) => andThen(freeMessages.take(taking), async () => E.left(down)) },
    }) })
    assert.deepEqual(leftOf(await gw.sendText()), down)
    assert.isEmpty(gw.sent)
    assert.isEmpty(await gw.messages())
    await gw.retry()
    assert.equal(await takenOf(gw), 0)
  })
})

describe('A free message of unknown outcome', () => {
  const FREE = 10

  it('is not refunded when it is given up, so that no more are free than the month allows if it was sent after all', async () => {
    const gw = await withFree(FREE)
    gw.willAnswer(...Array.from({ length: FREE }, () => UNKNOWN))
    for (let sent = 0; sent < FREE; sent += 1) assert.equal(leftOf(await gw.sendText())._tag, 'OutcomeUnknown')
    const unknown = await gw.messages()
    const byHand = unknown.slice(0, FREE / 2)
    for (const { id: message } of byHand) {
      rightOf(await bySystem(makeResolveMessage(gw.deps))({ workspace: gw.workspace, message, outcome: 'not_sent', note: 'looked it up' }))
    }
    for (let sent = 0; sent < FREE; sent += 1) rightOf(await gw.sendText())
    gw.passes(RELEASE_AFTER_MS + HOUR_MS)
    assert.equal((await gw.reconcile()).released, FREE - byHand.length)
    for (const { id } of unknown) rightOf(await gw.receive(gw.status(id, 'delivered')))
    const charged = (await gw.messages()).filter(({ state }) => state === 'accepted' || state === 'delivered')
    assert.lengthOf(charged, 2 * FREE)
    assert.lengthOf(charged.filter(({ price }) => price.micros === 0n), FREE)
    assert.isEmpty(await gw.brokenBooks())
  })

  it('is refunded once it is known to have failed', async () => {
    const gw = await withFree(1)
    gw.willNextAnswer(UNKNOWN)
    leftOf(await gw.sendText())
    const [message] = await gw.messages()
    gw.passes(RELEASE_AFTER_MS + HOUR_MS)
    await gw.reconcile()
    assert.equal(await takenOf(gw, NOON), 1)
    rightOf(await gw.receive(gw.status(message?.id, 'failed')))
    assert.equal(await takenOf(gw, NOON), 0)
  })
})

describe('The quote of a text', () => {
  const quoted = async (gw: Gateway): Promise<bigint> => rightOf(await gw.quoteText()).price.micros

  it('has the price at which the next text is sent, and takes no free one', async () => {
    const gw = await withFree(2)
    const quotes: bigint[] = []
    for (const _ of [1, 2, 3]) {
      quotes.push(await quoted(gw))
      assert.equal(await quoted(gw), quotes.at(-1))
      rightOf(await gw.sendText())
    }
    assert.deepEqual(quotes, await pricesOf(gw))
    assert.deepEqual(quotes, [0n, 0n, TEXT_PRICE])
  })

  it('is given though the wallet is empty, while a free one is left', async () => {
    const gw = await withFree(1, { balance: 0n })
    assert.equal(await quoted(gw), 0n)
    rightOf(await gw.sendText())
    assert.equal(leftOf(await gw.quoteText())._tag, 'InsufficientBalance')
  })

  it('has the whole price without the port', async () => {
    const gw = await withFree(1)
    const { freeMessages: _freeMessages, ...deps } = gw.deps
    assert.equal(
      rightOf(await makeQuoteMessage(deps)({
        workspace: gw.workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' },
      })).price.micros,
      TEXT_PRICE,
    )
  })
})
