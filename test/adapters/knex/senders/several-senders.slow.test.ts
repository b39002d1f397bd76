import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { openStorage, type KnexStorage } from '../../../../adapters/knex/index.js'
import type { PhoneNumber, UserId } from '../../../../core/customers/customer.js'
import type { AppId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { priceBy } from '../../../../core/money/rate-card.js'
import type { PlatformId } from '../../../../core/messages/message.js'
import { makeSending } from '../../../../core/postern.js'
import type { Report } from '../../../../core/reports/receive.js'
import { type SenderId, senderIdOf } from '../../../../core/senders/sender.js'
import { addApp } from '../../../support/add-app.js'
import { fundedWorkspace } from '../../../support/account.js'
import { describeEachDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'
import { makeScriptedPlatform } from '../../../support/scripted-platform.js'

const SECRET = 'a-secret-of-tests-that-is-long-enough'
const PRICES = { service: 1n, marketing: 5n, utility: 3n, authentication: 2n }
const APPS = [undefined, 'app_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' as AppId] as const
const CUSTOMERS = Array.from({ length: 12 }, (_, index) => `4915112345${String(100 + index)}` as PhoneNumber)
const SENDERS = Array.from({ length: 5 }, (_, index) => ({ id: senderIdOf(`10654035224${String(2900 + index)}`), app: APPS[index % 2] }))
const TOP_UP = 100_000n

/** One in three customers wrote to a sender, another set of them to each. */
const wroteTo = (sender: number, customer: number): boolean => (sender + customer) % 3 === 0
/** The user id under which the business portfolio of a sender knows a customer; each sender here is in its own. */
const userIdOf = (sender: number, customer: number): UserId => `DE.${String(sender)}x${String(customer)}` as UserId

await describeEachDatabase('Two gateways with five senders of two apps', ({ createMigrated }) => {
  it('let nothing cross to another sender while messages, statuses and sends race', async () => {
    await using database = await createMigrated()
    const storages: ReadonlyArray<KnexStorage> = [1, 2].map(() => openStorage({ url: database.url, secret: SECRET }))
    const [storage] = storages as [KnexStorage]
    const { platform, sent } = makeScriptedPlatform()
    const gateways = storages.map((one) => makeSending({ ...one, platform }, {
      newUuid: uuidv7, unconfirmedAfterMs: 120_000, releaseAfterMs: 604_800_000,
      priceOf: priceBy({
        currency: 'USD' as Currency, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing', default: PRICES,
      }),
      retryLater: () => { throw new Error('nothing fails') },
    }))
    try {
      const workspace = await fundedWorkspace(storage, TOP_UP)
      await addApp(storage, APPS[1])
      for (const { id: phoneNumberId, app } of SENDERS) {
        const sender = { phoneNumberId, accessToken: `token ${phoneNumberId}`, businessAccountId: undefined, ...(app && { app }) }
        rightOf(await storage.senders.assign(workspace, sender))
      }
      const gateway = (turn: number) => gateways[turn % 2] ?? assert.fail('there are two')
      const inbound = (sender: number, customer: number, app: AppId | undefined): Report => ({
        _tag: 'Inbound', phoneNumberId: SENDERS[sender]!.id, at: Date.now(),
        customer: { phoneNumber: CUSTOMERS[customer]!, userId: userIdOf(sender, customer) }, ...(app && { app }),
      })
      const pairs = SENDERS.flatMap((_, sender) => CUSTOMERS.map((_one, customer) => [sender, customer] as const))
      // Each notification also arrives at the address of the other app, where it must have no effect, and for a customer who never wrote to this sender.
      const received = await Promise.all(pairs.flatMap(([sender, customer], turn) => {
        const [own, other] = SENDERS[sender]!.app === undefined ? APPS : [APPS[1], APPS[0]]
        return [
          ...(wroteTo(sender, customer) ? [gateway(turn).receive([inbound(sender, customer, own)])] : []),
          gateway(turn + 1).receive([inbound(sender, customer, other)]),
        ]
      }))
      const outcomes = received.flatMap((one) => rightOf(one))
      const count = (outcome: string): number => outcomes.filter((one) => one === outcome).length
      const open = pairs.filter(([sender, customer]) => wroteTo(sender, customer)).length
      assert.deepEqual([count('window_marked'), count('other_app')], [open, pairs.length])

      const tries = await Promise.all(pairs.map(async ([sender, customer], turn) => {
        const { id } = SENDERS[sender]!
        const to = turn % 2 === 0 ? CUSTOMERS[customer]! : userIdOf(sender, customer)
        const result = await gateway(turn).sendText({ workspace, sender: id, to, text: 'Hello' })
        return { sender: id, isOpen: wroteTo(sender, customer), result }
      }))
      const answers = tries.map(({ result }) => (E.isRight(result) ? 'sent' : result.left._tag))
      assert.deepEqual(answers, tries.map(({ isOpen }) => (isOpen ? 'sent' : 'WindowClosed')))
      assert.equal(sent.length, open)
      for (const { sender } of sent) assert.equal(sender.accessToken, `token ${sender.phoneNumberId}`)

      // The status of each message comes through its sender, and through another one, which must not move it.
      const sends = tries.flatMap(({ sender, result }) => (E.isRight(result) ? [{ sender, id: result.right.id }] : []))
      const messages = await Promise.all(sends.map(async ({ id }) =>
        O.toUndefined(rightOf(await storage.messageLog.find(workspace, { id }))) ?? assert.fail('it is stored')))
      assert.deepEqual(messages.map(({ id, sender }) => ({ sender, id })), sends)
      await Promise.all(messages.map(async (message, turn) => {
        const through = SENDERS.find(({ id }) => id === message.sender) ?? assert.fail('its sender is one of them')
        const [own, other] = through.app === undefined ? APPS : [APPS[1], APPS[0]]
        const status = (state: 'delivered' | 'failed', app: AppId | undefined): Report => ({
          _tag: 'StatusReport', phoneNumberId: through.id, messageId: message.id,
          platformId: message.platformId as PlatformId, to: message.to as PhoneNumber,
          change: { state, at: Date.now() }, ...(app && { app }),
        })
        rightOf(await gateway(turn + 1).receive([status('delivered', own), status('failed', other)]))
      }))
      for (const { id, sender } of messages) {
        const filter = { ids: [sender as SenderId], orNone: false }
        const { items } = rightOf(await storage.messageLog.list(workspace, { limit: 100, sender: filter }))
        assert.isTrue(items.some((one) => one.id === id && one.state === 'delivered'))
        assert.isTrue(items.every((one) => one.sender === sender))
      }
      const books = rightOf(await storage.ledger.audit())
      assert.deepEqual(books.broken, [])
      const balance = rightOf(await storage.ledger.balance(workspace))
      assert.equal(O.toUndefined(balance)?.available, TOP_UP - PRICES.service * BigInt(messages.length))
    } finally {
      await Promise.all(storages.map((one) => one.close()))
    }
  })
})
