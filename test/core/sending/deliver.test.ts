import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { CustomerIds, PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { findCustomer } from '../../../core/customers/learn.js'
import type { PlatformError } from '../../../core/kernel/failure.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { Currency } from '../../../core/kernel/money.js'
import type { MessageState } from '../../../core/messages/message.js'
import type { EntryKind } from '../../../core/money/wallet.js'
import { makeSendText } from '../../../core/sending/send.js'
import type { Outbound } from '../../../core/sending/dispatch.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, NOON, OPENING_BALANCE, TEXT_PRICE, USD } from '../gateway.js'
import { CREDENTIALS, platformIdOf, REJECTED, THROTTLED, UNKNOWN, UNREACHABLE } from '../../support/scripted-platform.js'

const SEND_MS = 850

type Expected = {
  readonly state: MessageState
  readonly error: JsonObject | undefined
  readonly entries: ReadonlyArray<EntryKind>
  readonly held: bigint
}

const REFUSED: Omit<Expected, 'error'> = { state: 'refused', entries: ['hold', 'release'], held: 0n }

const OUTCOMES: ReadonlyArray<readonly [string, PlatformError, Expected]> = [
  ['a message the platform rejects', REJECTED, { ...REFUSED, error: REJECTED.error }],
  ['a message the platform throttles', THROTTLED, { ...REFUSED, error: THROTTLED.error }],
  ['a message whose sender the platform refuses', CREDENTIALS, { ...REFUSED, error: CREDENTIALS.error }],
  ['a message that never reached the platform', UNREACHABLE,
    { ...REFUSED, error: { code: 'platform_unreachable', message: 'The platform could not be reached' } }],
  [
    'a message that may or may not have reached the platform', UNKNOWN,
    { state: 'unconfirmed', error: undefined, entries: ['hold'], held: TEXT_PRICE },
  ],
]

describe('Delivering', () => {
  it('a message the platform accepts captures its price and says so in the log', async () => {
    const gw = await gateway()
    gw.willAnswer(async () => {
      gw.passes(SEND_MS)
      return 'accept'
    })
    const sent = rightOf(await gw.sendText())
    const message = await gw.message(sent.id)
    assert.deepInclude(message, {
      workspace: gw.workspace, state: 'accepted', platformId: platformIdOf(sent), error: undefined, createdAt: NOON,
    })
    assert.deepEqual(message.history, [{ state: 'pending', at: NOON }, { state: 'accepted', at: NOON + SEND_MS }])
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })

  it('a message the platform accepts keeps what the answer says of the customer', async () => {
    const [userId, known] = ['DE.1' as UserId, '4915987654321' as PhoneNumber]
    const cases: ReadonlyArray<readonly [
      answer: { readonly customer: CustomerIds; readonly dialled?: PhoneNumber }, expected: CustomerIds,
    ]> = [
      [{ customer: { phoneNumber: known, userId }, dialled: CUSTOMER }, { phoneNumber: known, userId }],
      [{ customer: { phoneNumber: CUSTOMER, userId } }, { phoneNumber: CUSTOMER, userId }],
      [{ customer: { phoneNumber: known, userId } }, { phoneNumber: CUSTOMER, userId: undefined }],
      [{ customer: { phoneNumber: known, userId }, dialled: known }, { phoneNumber: CUSTOMER, userId: undefined }],
      [{ customer: { userId }, dialled: CUSTOMER }, { phoneNumber: CUSTOMER, userId: undefined }],
    ]
    for (const [answer, expected] of cases) {
      const gw = await gateway()
      const platform = { send: async (outbound: Outbound) => E.right({ platformId: platformIdOf(outbound), ...answer }) }
      rightOf(await makeSendText({ ...gw.deps, platform })({ workspace: gw.workspace, to: CUSTOMER, text: 'Hello' }))
      assert.deepInclude(rightOf(await findCustomer(gw.storage.customers, gw.workspace, CUSTOMER)), expected)
    }
  })

  for (const [what, failure, expected] of OUTCOMES) {
    const money = expected.held === 0n ? 'released' : 'kept on hold'
    it(`${what} ends ${expected.state}, its price ${money}, and the caller gets the reason`, async () => {
      const gw = await gateway()
      gw.willAnswer(async () => {
        gw.passes(SEND_MS)
        return failure
      })
      const refusal = leftOf(await gw.sendText())
      const message = (await gw.messages())[0]!
      assert.deepEqual(refusal, { ...failure, messageId: message.id, replayed: false })
      assert.deepInclude(message, { state: expected.state, error: expected.error, platformId: undefined })
      assert.deepEqual(message.history, [{ state: 'pending', at: NOON }, { state: expected.state, at: NOON + SEND_MS }])
      assert.deepEqual(await gw.entries(), expected.entries)
      const available = expected.held === 0n ? OPENING_BALANCE : OPENING_BALANCE - TEXT_PRICE
      assert.deepEqual(await gw.balance(), { available, held: expected.held })
      assert.lengthOf(gw.sent, 1)
      assert.isEmpty(gw.later)
    })
  }

  it('opens the message and holds its price before the platform is asked', async () => {
    const gw = await gateway()
    gw.willAnswer(async ({ id }) => {
      assert.equal((await gw.message(id)).state, 'pending')
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: TEXT_PRICE })
      return 'accept'
    })
    rightOf(await gw.sendText())
    assert.lengthOf(gw.sent, 1)
  })

  it('a message the wallet cannot cover sends nothing, and leaves it refused with no money moved', async () => {
    const gw = await gateway({ balance: TEXT_PRICE - 1n })
    const refusal = leftOf(await gw.sendText())
    const message = (await gw.messages())[0]!
    assert.deepEqual(refusal, {
      _tag: 'InsufficientBalance', required: TEXT_PRICE, available: TEXT_PRICE - 1n, held: 0n, currency: USD,
      messageId: message.id, replayed: false,
    })
    assert.deepInclude(message, {
      state: 'refused', error: { code: 'insufficient_balance', message: 'The wallet could not cover the price' },
    })
    assert.isEmpty(gw.sent)
    assert.isEmpty(await gw.entries())
    assert.deepEqual(await gw.balance(), { available: TEXT_PRICE - 1n, held: 0n })
  })

  it('spends a balance to its last micro', async () => {
    const gw = await gateway({ balance: TEXT_PRICE })
    rightOf(await gw.sendText())
    assert.deepEqual(await gw.balance(), { available: 0n, held: 0n })
    assert.equal(leftOf(await gw.sendText())._tag, 'InsufficientBalance')
  })

  it('sends as many messages as the wallet can pay for, however many go at once', async () => {
    const gw = await gateway({ balance: 7n * TEXT_PRICE + 1n })
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => gw.sendText()))
    assert.lengthOf(outcomes.filter(({ _tag }) => _tag === 'Right'), 7)
    assert.lengthOf(gw.sent, 7)
    assert.lengthOf(new Set(gw.sent.map(({ id }) => id)), 7)
    assert.deepEqual(await gw.balance(), { available: 1n, held: 0n })
    assert.isEmpty(await gw.brokenBooks())
  })

  it('reports, if a wallet is short, how much other current messages hold', async () => {
    const gw = await gateway({ balance: TEXT_PRICE })
    gw.willAnswer(UNKNOWN)
    assert.equal(leftOf(await gw.sendText())._tag, 'OutcomeUnknown')
    const refusal = leftOf(await gw.sendText())
    assert.deepInclude(refusal, { _tag: 'InsufficientBalance', required: TEXT_PRICE, available: 0n, held: TEXT_PRICE })
  })

  it('a message whose price is in another currency than the wallet\'s sends nothing and holds nothing', async () => {
    const gw = await gateway()
    const euros = makeSendText({
      ...gw.deps, priceOf: async () => E.right({ micros: 1n, currency: 'EUR' as Currency, category: 'service' }),
    })
    assert.equal(leftOf(await euros({ workspace: gw.workspace, to: CUSTOMER, text: 'Hello' }))._tag, 'PortFailure')
    assert.deepEqual((await gw.messages()).map(({ state }) => state), ['refused'])
    assert.isEmpty(gw.sent)
    assert.isEmpty(await gw.entries())
  })
})
