import { createServer } from 'node:http'
import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { type Database, openDatabase } from '../../../../adapters/knex/engine/database.js'
import { select } from '../../../../adapters/knex/engine/sql.js'
import { type KnexStorage, storageOver } from '../../../../adapters/knex/storage.js'
import { makeHttpApp } from '../../../../adapters/koa/index.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { PLATFORM_PAIR_LIMIT } from '../../../../core/customers/pair-limit.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { priceBy } from '../../../../core/money/rate-card.js'
import { makeApi } from '../../../../core/api.js'
import { makeSending } from '../../../../core/postern.js'
import { type SenderId, senderIdOf } from '../../../../core/senders/sender.js'
import { makeScriptedPlatform } from '../../../support/scripted-platform.js'
import { body, templateOf } from '../../../core/template-samples.js'
import { type Account, createAccount } from '../../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { type Listening, listening } from '../../../support/listening.js'
import { rightOf } from '../../../support/right-of.js'
import { countRoundTrips, type RoundTrips } from '../../../support/round-trips.js'

const CUSTOMER = '4915123456789' as PhoneNumber
const STOPPED = '4915123456780' as PhoneNumber
const ACCOUNT = '102290129340398'
const SECRET = 'a-secret-of-tests-that-is-long-enough'
const TEMPLATE = { ...templateOf([body('All at half price')], { name: 'sale', language: 'en' }), category: 'marketing' }
/** How many sends are under way at once. */
const SENDS = 40
const PRICES = { service: 7_700n, marketing: 62_500n, utility: 7_700n, authentication: 7_700n }

await describeEachDatabase('A lone send', (server) => {
  let testDatabase: TestDatabase
  let opened: Database
  let storage: KnexStorage
  let http: Listening
  /** The same with the limits of portfolios. */
  let limited: Listening
  let account: Account
  let sender: SenderId
  let sent: ReturnType<typeof makeScriptedPlatform>['sent']
  let watched: RoundTrips

  before(async () => {
    testDatabase = await server.createMigrated()
    opened = openDatabase(testDatabase.url)
    watched = countRoundTrips(opened)
    storage = storageOver(watched.database, { url: testDatabase.url, secret: SECRET })
    const { platform, sent: sentTo } = makeScriptedPlatform()
    sent = sentTo
    // What is known of a number is read once a minute, which is not counted here.
    const { numberHealth, ...ports } = storage
    const settings = {
      newUuid: uuidv7, unconfirmedAfterMs: 120_000, releaseAfterMs: 604_800_000,
      priceOf: priceBy({
        currency: 'USD' as Currency, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing' as const, default: PRICES,
      }),
      retryLater: () => { throw new Error('nothing fails') },
      pairLimit: PLATFORM_PAIR_LIMIT,
      senderLimit: { perSecond: 1_000, maxWaitMs: 1_000, wait: async () => undefined },
    }
    const serve = (sending: ReturnType<typeof makeSending>): Promise<Listening> => {
      const handle = makeHttpApp({ postern: makeApi(storage, sending), readiness: storage.readiness }).callback()
      return listening(createServer((req, res) => void handle(req, res)))
    }
    http = await serve(makeSending({ ...ports, platform }, settings))
    limited = await serve(makeSending({ ...ports, numberHealth, platform }, { ...settings, portfolioLimit: 'on' }))
    await storage.templateCatalogue.replaceAll(ACCOUNT, [TEMPLATE], Date.now())
  })

  after(async () => {
    await http.close()
    await limited.close()
    await storage.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  beforeEach(async () => {
    sender = senderIdOf(uuidv7())
    account = await createAccount(storage, { micros: 1_000_000n, phoneNumberId: sender, businessAccountId: ACCOUNT })
    // No request waits for the write of its key's last use, but the writes below come after it, so no send meets its transaction.
    rightOf(await storage.keyStore.principalOf(account.key, Date.now()))
    rightOf(await storage.windowClock.recordInbound(account.id, { phoneNumber: CUSTOMER }, Date.now()))
  })

  const post = async (
    path: string, body: object, key = account.key, headers: Readonly<Record<string, string>> = {}, through = http,
  ): Promise<{ readonly status: number; readonly roundTrips: number }> => {
    watched.reset()
    const reply = await fetch(`${through.url}/v1/messages/${path}`, {
      method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    await reply.text()
    return { status: reply.status, roundTrips: watched.counted() }
  }
  const sendText = (key?: string) => post('send-text', { to: CUSTOMER, text: 'Hello' }, key)
  const sendTemplate = (to: string = CUSTOMER) => post('send-template', { to, template_name: TEMPLATE.name })

  it('of a template whose delivery is awaited takes as many round trips and transactions', async () => {
    await sendTemplate()
    for (const more of [{}, { confirm_within: 30 }]) {
      assert.deepEqual(await post('send-template', { to: CUSTOMER, template_name: TEMPLATE.name, ...more }), { status: 200, roundTrips: 1 })
      assert.equal(watched.transactions(), 2)
    }
  })

  it('of a text reads all it needs in one round trip', async () => {
    assert.deepEqual(await sendText(), { status: 200, roundTrips: 2 }, 'the key is not remembered')
    assert.deepEqual(await sendText(), { status: 200, roundTrips: 1 })
  })

  it('writes in two transactions, one before the call to the platform and one after it, with an idempotency key and without', async () => {
    await sendText()
    for (const headers of [{}, { 'idempotency-key': uuidv7() }]) {
      assert.equal((await post('send-text', { to: CUSTOMER, text: 'Hello' }, account.key, headers)).status, 200)
      assert.equal(watched.transactions(), 2)
    }
  })

  it('of a template reads all it needs in one round trip', async () => {
    assert.deepEqual(await sendTemplate(), { status: 200, roundTrips: 3 }, 'neither the key nor the business account is remembered')
    assert.deepEqual(await sendTemplate(), { status: 200, roundTrips: 1 })
  })

  it('through a further sender that its request names costs as much', async () => {
    const further = String(BigInt(`0x${uuidv7().replaceAll('-', '')}`)).slice(-15)
    rightOf(await storage.senders.assign(account.id, {
      phoneNumberId: senderIdOf(further), accessToken: 'token', businessAccountId: ACCOUNT,
    }))
    const inbox = rightOf(await storage.senders.inboxesOf(account.id)).at(-1) ?? account.id
    rightOf(await storage.windowClock.recordInbound(inbox, { phoneNumber: CUSTOMER }, Date.now()))
    const send = () => post('send-text', { to: CUSTOMER, text: 'Hello', sender: further })
    const template = () => post('send-template', { to: CUSTOMER, template_name: TEMPLATE.name, sender: further })
    for (const through of [send, template]) await through()
    assert.deepEqual(await send(), { status: 200, roundTrips: 1 })
    assert.equal(watched.transactions(), 2)
    assert.deepEqual(await template(), { status: 200, roundTrips: 1 })
    assert.equal(sent.at(-1)?.sender.phoneNumberId, further)
  })

  for (const [name, customersPerDay] of [
    ['with a limit', 1_000], ['without a limit', 'unlimited'], ['of unknown limit', undefined],
  ] as const) {
    it(`of a template through a portfolio ${name} takes as many round trips and transactions`, async () => {
      const facts = { at: Date.now(), ...(customersPerDay && { customersPerDay }) }
      assert.isTrue(rightOf(await storage.numberHealth.note({ workspace: account.id, sender }, facts)))
      const to = (customer: string) =>
        post('send-template', { to: customer, template_name: TEMPLATE.name }, account.key, {}, limited)
      await to(CUSTOMER)
      for (const customer of ['4915123456781', '4915123456782', '4915123456781', CUSTOMER]) {
        assert.deepEqual(await to(customer), { status: 200, roundTrips: 1 })
        assert.equal(watched.transactions(), 2)
      }
      const [row] = await select(opened.db, 'SELECT COUNT(*) AS messages FROM portfolio_messages WHERE workspace_id = ?', [account.id])
      assert.equal(Number(row?.['messages']), customersPerDay === 1_000 ? 3 : 0, 'outside of a window')
    })
  }

  it('of a marketing template takes a second round trip in a workspace of which a customer has stopped such messages', async () => {
    rightOf(await storage.customers.learn(account.id, STOPPED, { _tag: 'MarketingStopped', at: Date.now() }))
    assert.equal((await sendTemplate()).status, 200)
    assert.deepEqual(await sendTemplate(), { status: 200, roundTrips: 2 })
    assert.equal((await sendTemplate(STOPPED)).status, 400)
  })

  it('is refused at once with a revoked key, and with a key of an archived workspace', async () => {
    const during = Array.from({ length: SENDS }, () => sendText())
    assert.equal((await sendText()).status, 200)
    rightOf(await storage.keyStore.revoke(account.keyId, Date.now()))
    const after = Array.from({ length: SENDS }, () => sendText())
    assert.deepEqual((await Promise.all(after)).map(({ status }) => status), after.map(() => 401))
    await Promise.all(during)
    const before = sent.length
    const other = await createAccount(storage, { micros: 1_000_000n, phoneNumberId: uuidv7() })
    rightOf(await storage.windowClock.recordInbound(other.id, { phoneNumber: CUSTOMER }, Date.now()))
    assert.equal((await sendText(other.key)).status, 200)
    rightOf(await storage.workspaces.archive(other.id, Date.now()))
    assert.equal((await sendText(other.key)).status, 401)
    assert.equal(sent.length, before + 1)
  })

  it('goes out with the sender that was made the default last, in its own business account', async () => {
    await sendTemplate()
    const phoneNumberId = uuidv7()
    rightOf(await storage.senders.assign(account.id, {
      phoneNumberId: senderIdOf(phoneNumberId), accessToken: 'new', businessAccountId: '20229', isDefault: true,
    }))
    rightOf(await storage.templateCatalogue.replaceAll('20229', [{ ...TEMPLATE, status: 'paused' }], Date.now()))
    assert.equal((await sendTemplate()).status, 400)
    rightOf(await storage.templateCatalogue.replaceAll('20229', [TEMPLATE], Date.now() + 1))
    assert.equal((await sendTemplate()).status, 200)
    const { accessToken, businessAccountId, phoneNumberId: through } = sent.at(-1)?.sender ?? {}
    assert.deepEqual([through, accessToken, businessAccountId], [phoneNumberId, 'new', '20229'])
  })
})
