import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../../../adapters/knex/index.js'
import { sendingKey } from '../../../../adapters/koa/operations/send.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { SCOPES } from '../../../../core/kernel/actor.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { messageIdOf } from '../../../../core/messages/message.js'
import type { SendingKey } from '../../../../core/money/wallet.js'
import { makeSendText, type SendText } from '../../../../core/sending/send.js'
import { makeScriptedPlatform } from '../../../support/scripted-platform.js'
import { createAccount } from '../../../support/account.js'
import { describeEachStorage } from '../../../support/each-storage.js'
import { rightOf } from '../../../support/right-of.js'

const USD = 'USD' as Currency
const CUSTOMER = '4915123456789' as PhoneNumber
const PRICE = 7_700n
const FUNDS = 1_000n * PRICE
const SENDS = 256
const PAID = 100n
const OVERLAP_MS = 3_600_000

await describeEachStorage('A key with a spending limit, used on two gateways', ({ storage, elsewhere }) => {
  const gatewayOver = (ports: KnexStorage): { readonly sendText: SendText; readonly sent: ReadonlyArray<unknown> } => {
    const { platform, sent } = makeScriptedPlatform()
    const sendText = makeSendText({
      ...ports, platform, newMessageId: () => messageIdOf(uuidv7()), unconfirmedAfterMs: 120_000,
      priceOf: async () => E.right({ micros: PRICE, currency: USD, category: 'service' }),
      retryLater: () => { throw new Error('nothing fails') },
    })
    return { sendText, sent }
  }

  /** The key of a send, as the gateway has it of a request. */
  const keyOf = async ({ keyStore }: KnexStorage, presented: string): Promise<SendingKey> =>
    sendingKey(rightOf(await keyStore.principalOf(presented, Date.now())))

  it(`spends exactly its limit together with its successors, by ${SENDS} sends at once`, async () => {
    const { id: workspace } = await createAccount(storage(), { micros: FUNDS, phoneNumberId: uuidv7() })
    rightOf(await storage().windowClock.recordInbound(workspace, { phoneNumber: CUSTOMER }, Date.now()))
    const { keyStore } = storage()
    const first = rightOf(await keyStore.mint({ workspace, name: 'shop', scopes: SCOPES, at: Date.now(), spendingLimit: PAID * PRICE }))
    const second = rightOf(await keyStore.rotate(first.id, { at: Date.now(), overlapMs: OVERLAP_MS }))
    const third = rightOf(await elsewhere().keyStore.rotate(second.id, { at: Date.now(), overlapMs: OVERLAP_MS }))
    const gateways = [gatewayOver(storage()), gatewayOver(elsewhere())]
    const keys = await Promise.all([first, second, third].map(({ key }, index) => keyOf(index === 1 ? elsewhere() : storage(), key)))
    const answers = await Promise.all(Array.from({ length: SENDS }, (_, index) =>
      gateways[index % 2]!.sendText({ workspace, to: CUSTOMER, text: 'Hello', key: keys[index % 3]! })))
    const refusals = answers.flatMap((answer) => (E.isLeft(answer) ? [answer.left._tag] : []))
    assert.deepEqual(refusals, Array.from({ length: SENDS - Number(PAID) }, () => 'SpendingLimitReached'))
    assert.deepEqual(
      rightOf(await storage().ledger.balance(workspace)), O.some({ available: FUNDS - PAID * PRICE, held: 0n, currency: USD }),
    )
  })

  it(`spends exactly its limit by ${SENDS} sends at once`, async () => {
    const { id: workspace, keyId } = await createAccount(storage(), { micros: FUNDS, phoneNumberId: uuidv7() })
    rightOf(await storage().windowClock.recordInbound(workspace, { phoneNumber: CUSTOMER }, Date.now()))
    const gateways = [gatewayOver(storage()), gatewayOver(elsewhere())]
    const key = { id: keyId, spendingLimit: PAID * PRICE + PRICE - 1n }
    const answers = await Promise.all(Array.from({ length: SENDS }, (_, index) =>
      gateways[index % 2]!.sendText({ workspace, to: CUSTOMER, text: 'Hello', key })))
    const refusals = answers.flatMap((answer) => (E.isLeft(answer) ? [answer.left._tag] : []))
    assert.deepEqual(refusals, Array.from({ length: SENDS - Number(PAID) }, () => 'SpendingLimitReached'))
    assert.equal(gateways.reduce((sum, { sent }) => sum + sent.length, 0), Number(PAID))
    assert.deepEqual(
      rightOf(await storage().ledger.balance(workspace)), O.some({ available: FUNDS - PAID * PRICE, held: 0n, currency: USD }),
    )
    assert.deepEqual(rightOf(await storage().ledger.audit()).broken, [])
  })
}, { secret: 'a secret for tests, long enough for anyone' })
