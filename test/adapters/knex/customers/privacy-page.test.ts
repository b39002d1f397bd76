import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import createKnex from 'knex'
import { findServers } from '../../../support/databases.js'
import { ROOT } from '../../../architecture/tree.js'

/** The columns that the first table of docs/privacy.md lists, and those of the second one. */
const documented = async (): Promise<{ readonly personal: ReadonlyArray<string>; readonly others: ReadonlyArray<string> }> => {
  const [, first = '', second = ''] = (await readFile(join(ROOT, 'docs/privacy.md'), 'utf8')).split(/^## What is stored about a person$|^## What holds nothing of a person$/m)
  return {
    personal: Array.from(first.matchAll(/^\| `(\w+\.\w+)` \|/gm), ([, column]) => column ?? ''),
    others: Array.from(second.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)).flatMap(([, table, columns]) =>
      Array.from((columns ?? '').matchAll(/`(\w+)`/g), ([, column]) => `${table}.${column}`)),
  }
}

/** Tables of the program that migrates the schema. */
const isOfMigrations = (table: string): boolean => table.startsWith('knex_migrations') || table.startsWith('sqlite_')

/** Every column of a migrated database. */
const stored = async (): Promise<ReadonlyArray<string>> => {
  const sqlite = (await findServers()).found.find(({ name }) => name === 'SQLite') ?? assert.fail('SQLite is always there')
  await using database = await sqlite.createMigrated()
  const knex = createKnex({
    client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: database.url.slice('sqlite:'.length) },
  })
  try {
    const tables = (await knex('sqlite_master').where({ type: 'table' }).pluck('name')) as ReadonlyArray<string>
    const columns = await Promise.all(tables.filter((table) => !isOfMigrations(table)).map(async (table) =>
      Object.keys(await knex(table).columnInfo()).map((column) => `${table}.${column}`)))
    return columns.flat()
  } finally {
    await knex.destroy()
  }
}

describe('The page about privacy', () => {
  it('lists every column of the database, with whether it contains personal data', async () => {
    const { personal, others } = await documented()
    const columns = await stored()
    const undecided = columns.filter((column) => !personal.includes(column) && !others.includes(column))
    assert.deepEqual(undecided, [], 'add each of them to one of the tables of docs/privacy.md')
    assert.deepEqual([...personal, ...others].filter((column) => !columns.includes(column)), [], 'these do not exist')
    assert.deepEqual(personal.filter((column) => others.includes(column)), [], 'these are in both tables')
  })
})
