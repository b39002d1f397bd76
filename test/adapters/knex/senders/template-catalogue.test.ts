import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { messageIdOf } from '../../../../core/messages/message.js'
import type { Template } from '../../../../core/templates/template.js'
import { fundedWorkspace } from '../../../support/books.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

const NOON = Date.UTC(2026, 10, 1, 12)

const templateOf = (index: number, more: Partial<Template> = {}): Template => ({
  id: String(index), name: `template_${String(index).padStart(4, '0')}`, language: 'en', category: 'utility', status: 'approved',
  quality: undefined, parameterFormat: undefined, components: [{ type: 'BODY', text: `Hello ${index}` }], ...more,
})

const templates = (count: number): ReadonlyArray<Template> => Array.from({ length: count }, (_, index) => templateOf(index))

await describeEachDatabase('The catalogue of templates over SQL', (server) => {
  let database: TestDatabase
  let storage: KnexStorage
  let other: Database
  /** Another account for each test. */
  let account: string

  before(async () => {
    database = await server.createMigrated()
    storage = openStorage({ url: database.url, secret: undefined })
    other = openDatabase(database.url)
  })
  after(async () => {
    await storage.close()
    await other.close()
    await database[Symbol.asyncDispose]()
  })
  beforeEach(() => { account = randomUUID() })

  it('writes only the templates that a list changes', async () => {
    const { templateCatalogue } = storage
    rightOf(await templateCatalogue.replaceAll(account, templates(500), NOON))
    const changed = templates(500).map((one, index) => (index % 100 === 7 ? { ...one, status: 'paused' } : one))
    rightOf(await templateCatalogue.replaceAll(account, changed, NOON + 1))
    const written = await select(
      other.db, 'SELECT name FROM templates WHERE account_id = ? AND listed_at > ? ORDER BY name', [account, NOON],
    )
    assert.deepEqual(written.map(({ name }) => String(name)), ['0007', '0107', '0207', '0307', '0407'].map((index) => `template_${index}`))
    const { items } = rightOf(await templateCatalogue.list(account, { limit: 1_000 }))
    assert.deepEqual(new Set(items.map(({ listedAt, statusAt }) => `${listedAt} ${statusAt}`)), new Set([`${NOON + 1} ${NOON + 1}`]))
  })

  it('keeps lists of many megabytes', async () => {
    const text = '日本"\'\\'.repeat(50_000)
    const listed = templates(12).map((one) => ({ ...one, components: [{ type: 'BODY', text: `${one.id} ${text}` }] }))
    rightOf(await storage.templateCatalogue.replaceAll(account, listed, NOON))
    const { items } = rightOf(await storage.templateCatalogue.list(account, { limit: 100 }))
    assert.isTrue(items.every(({ components }, index) => components?.[0]?.['text'] === `${index} ${text}`))
    assert.lengthOf(items, 12)
  })

  it('keeps what two gateways list and change of several accounts at the same time', async () => {
    const elsewhere = openStorage({ url: database.url, secret: undefined })
    try {
      const accounts = ['1', '2', '3', '4']
      for (const one of accounts) rightOf(await storage.templateCatalogue.replaceAll(one, templates(50), NOON))
      const writes = [storage, elsewhere].flatMap(({ templateCatalogue: { change, replaceAll, noteFault } }, index) =>
        (index === 0 ? accounts : accounts.toReversed()).flatMap((one) => [
          ...templates(50).map(({ name, language }) => change(one, { name, language, status: 'paused', at: NOON + 2 })),
          replaceAll(one, templates(50), NOON + 1), noteFault(one, 'The token has expired.', NOON + 2),
        ]))
      for (const outcome of await Promise.all(writes)) rightOf<unknown>(outcome)
      for (const one of accounts) {
        const { items } = rightOf(await elsewhere.templateCatalogue.list(one, { limit: 100 }))
        assert.lengthOf(items, 50)
        for (const item of items) {
          assert.deepInclude(item, { listedAt: NOON + 1, status: 'paused', statusAt: NOON + 2, categoryAt: NOON + 1 })
        }
        const fault = { sentence: 'The token has expired.', at: NOON + 2 }
        assert.deepEqual(rightOf(await elsewhere.templateCatalogue.stateOf(one)), { listedAt: NOON + 1, fault })
      }
    } finally {
      await elsewhere.close()
    }
  })

  // SQLite has one writer, so there every write waits for every other one.
  if (server.name !== 'SQLite') {
    it('lets messages be opened while a change waits for a list of its account', async () => {
      const { messageLog, templateCatalogue } = storage
      const workspace = await fundedWorkspace(storage, 1_000n)
      rightOf(await templateCatalogue.replaceAll(account, templates(1), NOON))
      let changing: ReturnType<typeof templateCatalogue.change> | undefined
      let isChanged = false
      await transact(other, async (trx) => {
        await execute(trx, 'UPDATE template_catalogues SET fault_at = NULL WHERE account_id = ?', [account])
        changing = templateCatalogue.change(account, { name: 'template_0000', language: 'en', status: 'paused', at: NOON + 1 })
        void changing.then(() => { isChanged = true })
        for (const _ of [1, 2, 3]) {
          const message = { _tag: 'Text', to: '15550001' as PhoneNumber, text: 'hello' } as const
          const price = { micros: 1n, currency: 'USD' as Currency, category: 'service' } as const
          rightOf(await messageLog.open({ id: messageIdOf(randomUUID()), workspace, message, price, at: NOON }))
        }
        assert.isFalse(isChanged)
      })
      assert.isTrue(rightOf(await (changing ?? assert.fail('it was not asked for'))))
    })
  }
})
