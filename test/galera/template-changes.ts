import { assert } from 'chai'
import type { Suite } from 'mocha'
import { type Database, openDatabase, transact } from '../../adapters/knex/engine/database.js'
import { openStorage } from '../../adapters/knex/index.js'
import { applyTemplateChanges } from '../../adapters/knex/senders/templates.js'
import { templateOf } from '../laws/template-fixture.js'
import type { GaleraCluster } from '../support/galera.js'
import { SECRET } from '../support/gateway.js'
import { rightOf } from '../support/right-of.js'

const ACCOUNT = '200000000000001'
const CHANGES = 150

export const templateChanges = (cluster: () => GaleraCluster): Suite => describe('Changes of a template on two Galera nodes', () => {
  it('each begin where the previous one ended', async () => {
    const { urls } = await cluster().createDatabase('postern_templates')
    const storage = openStorage({ url: urls[0], secret: SECRET })
    await storage.migrate()
    rightOf(await storage.templateCatalogue.replaceAll(ACCOUNT, [templateOf('a', { status: 'first' })], 1))
    await storage.close()
    const begun: string[] = []
    const changeAgainAndAgain = async (url: string, node: string): Promise<void> => {
      const database: Database = openDatabase(url)
      for (let count = 0; count < CHANGES; count += 1) {
        const change = { name: 'a', language: 'en', status: `${node}${count}`, at: 2 }
        begun.push(await transact(database, async (trx) => {
          let from = ''
          await applyTemplateChanges(
            trx, database.dialect,
            [{ accountId: ACCOUNT, change, outboxEntries: ([diff]) => { from = diff?.before.status ?? ''; return [] } }], () => undefined,
          )
          return from
        }))
      }
      await database.close()
    }
    await Promise.all([changeAgainAndAgain(urls[0], 'one'), changeAgainAndAgain(urls[1], 'two')])
    assert.lengthOf(begun, 2 * CHANGES)
    assert.lengthOf(new Set(begun), begun.length, 'two changes began with the same status, so one of them was lost')
  })
})
