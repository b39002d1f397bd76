// Slow: reaches the limit of a business account on each database.
import { assert } from 'chai'
import { startSimulator } from '../../../apps/simulator/simulator.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { createAccount } from '../../support/account.js'
import { readBooks, withDatabase } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { SECRET } from '../../support/gateway.js'
import { serveInProcess } from '../../support/in-process-server.js'
import { PRICE, sendTemplate } from '../../support/load.js'
import { rightOf } from '../../support/right-of.js'

/** The limit of a new portfolio. */
const LIMIT = 250
const FUNDS = 1_000_000_000n
const BUSINESS_ACCOUNT = '102290129340398'

/** How many customers are written to, each of them twice. */
const CUSTOMERS = 270
const CLIENTS = 24

await describeEachDatabase('Two gateways with two numbers of one business account', (server) => {
  const sendToAll = async (portfolioLimit: 'on' | 'off') => {
    await using database = await server.createMigrated()
    const simulator = await startSimulator({ settings: { messagingLimit: LIMIT } })
    const accounts = await withDatabase(database.url, (storage) => Promise.all(['1000', '2000'].map(async (phoneNumberId) => {
      const account = await createAccount(storage, { micros: FUNDS, phoneNumberId, businessAccountId: BUSINESS_ACCOUNT })
      const of = { workspace: account.id, sender: senderIdOf(phoneNumberId) }
      assert.isTrue(rightOf(await storage.numberHealth.note(of, { at: Date.now(), customersPerDay: LIMIT })))
      return account
    })))
    const gateways = await Promise.all([1, 2].map(() => serveInProcess({
      DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url, PORTFOLIO_LIMIT: portfolioLimit,
      TEMPLATE_PREFLIGHT: 'off', TEMPLATE_SYNC_MINUTES: '0',
    })))
    try {
      const answers = new Map<number, number>()
      let next = 0
      await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
        while (next < 2 * CUSTOMERS) {
          const index = next++
          const { status } = await sendTemplate(
            gateways[client % 2]?.url ?? '', accounts[index % 4 < 2 ? 0 : 1]?.key ?? '', `1555020${String(index >> 1).padStart(6, '0')}`,
          )
          answers.set(status, (answers.get(status) ?? 0) + 1)
        }
      }))
      return {
        answers, codes: simulator.received().flatMap(({ code }) => code ?? []),
        books: await Promise.all(accounts.map(({ id }) => readBooks(database.url, id))),
      }
    } finally {
      await Promise.all(gateways.map(({ stop }) => stop()))
      await simulator.close()
    }
  }

  it('reach as many customers as the platform allows, and the platform refuses none', async () => {
    const { answers, codes, books } = await sendToAll('on')
    assert.deepEqual(codes, [])
    assert.deepEqual([...answers].sort(), [[200, 2 * LIMIT], [429, 2 * (CUSTOMERS - LIMIT)]])
    assert.equal(books.reduce((sum, { messages }) => sum + messages.size, 0), 2 * LIMIT)
    const left = books.reduce((sum, { balance: { available } }) => sum + available, 0n)
    assert.equal(left, 2n * FUNDS - BigInt(2 * LIMIT) * PRICE)
  }).timeout(120_000)

  it('are refused by the platform if they do not count', async () => {
    const { codes } = await sendToAll('off')
    assert.deepEqual([...new Set(codes)], [131_048])
  }).timeout(120_000)
})
