import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import createKnex, { type Knex } from 'knex'
import { openStorage } from '../../adapters/knex/index.js'
import { ROOT } from '../architecture/tree.js'
import { makeScratch } from '../support/scratch.js'

/** How the page splits a table, and which unique keys it says to be without the workspace. */
type Row = { readonly table: string; readonly split: string; readonly without: string }

const documented = async (): Promise<ReadonlyArray<Row>> => {
  const page = await readFile(join(ROOT, 'docs/scaling.md'), 'utf8')
  const [, table = ''] = /^\| table \| split by .*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(page) ?? []
  return table.trim().split('\n').flatMap((line) => {
    const [, names = '', split = '', without = ''] = line.split('|').map((cell) => cell.trim().replace(/^`(\w+)`$/, '$1'))
    return Array.from(names.matchAll(/\w+/g), ([name]) => ({ table: name, split, without }))
  })
}

/** The columns of each unique key, the primary one included. */
const uniqueKeys = async (knex: Knex, table: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const indexes: ReadonlyArray<{ readonly name: string; readonly unique: number }> = await knex.raw(`PRAGMA index_list(${table})`)
  return Promise.all(indexes.filter(({ unique }) => unique === 1).map(async ({ name }) =>
    ((await knex.raw(`PRAGMA index_info(${name})`)) as ReadonlyArray<{ readonly name: string }>).map((column) => column.name)))
}

describe('The page about scaling', () => {
  it('says of every table how it would be split, and knows its columns and unique keys', async () => {
    const rows = await documented()
    const scratch = await makeScratch()
    const storage = openStorage({ url: `sqlite:${scratch.path('postern.db')}`, secret: undefined })
    await storage.migrate()
    await storage.close()
    const knex = createKnex({ client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: scratch.path('postern.db') } })
    try {
      const tables = ((await knex('sqlite_master').where({ type: 'table' }).pluck('name')) as ReadonlyArray<string>)
        .filter((name) => !/^(knex_migrations|sqlite_)/.test(name))
      assert.sameMembers(rows.map(({ table }) => table), [...tables])
      for (const { table, split, without } of rows) {
        const hasWorkspace = 'workspace_id' in await knex(table).columnInfo()
        if (split === 'workspace_id') {
          assert.isTrue(hasWorkspace, table)
          assert.deepEqual(
            (await uniqueKeys(knex, table)).filter((key) => !key.includes('workspace_id')).flat(), without === '' ? [] : [without], table,
          )
        }
        if (split === 'a new column') assert.isFalse(hasWorkspace, table)
      }
    } finally {
      await knex.destroy()
      await scratch.remove()
    }
  })

  it('names files that exist', async () => {
    const page = await readFile(join(ROOT, 'docs/scaling.md'), 'utf8')
    const names = Array.from(new Set(Array.from(page.matchAll(/`([a-z/-]+\.ts)`/g), ([, name = '']) => name)))
    assert.isAbove(names.length, 20)
    for (const name of names) await readFile(join(ROOT, 'adapters/knex', name))
  })
})
