import Sqlite from 'better-sqlite3'
import { assert } from 'chai'
import { keepStatements } from '../../../adapters/knex/statement-cache.js'
import { sqlitePath } from '../../../adapters/knex/sqlite-file.js'
import { describeEachDatabase } from '../../support/databases.js'

await describeEachDatabase('A connection that keeps its statements', (server) => {
  if (server.name !== 'SQLite') return

  const opened = async (use: (connection: Sqlite.Database, other: Sqlite.Database) => void): Promise<void> => {
    await using database = await server.create()
    const connections = [new Sqlite(sqlitePath(database.url)), new Sqlite(sqlitePath(database.url))] as const
    try {
      keepStatements(connections[0])
      use(...connections)
    } finally {
      for (const connection of connections) connection.close()
    }
  }

  it('prepares a statement once', () =>
    opened((connection) => {
      assert.strictEqual(connection.prepare('SELECT 1'), connection.prepare('SELECT 1'))
      assert.notStrictEqual(connection.prepare('SELECT 1'), connection.prepare('SELECT 2'))
    }))

  it('sees the columns and tables that another connection changes', () =>
    opened((connection, other) => {
      const rows = (): unknown => connection.prepare('SELECT * FROM notes').all()
      other.exec("CREATE TABLE notes (id TEXT); INSERT INTO notes VALUES ('a')")
      assert.deepEqual(rows(), [{ id: 'a' }])
      other.exec('ALTER TABLE notes ADD COLUMN size INTEGER DEFAULT 7')
      assert.deepEqual(rows(), [{ id: 'a', size: 7 }])
      other.exec('DROP TABLE notes')
      assert.throws(rows, 'no such table')
      other.exec('CREATE TABLE notes (name TEXT)')
      assert.deepEqual(rows(), [])
    }))

  it('runs a statement again after it failed', () =>
    opened((connection) => {
      connection.exec('CREATE TABLE notes (id TEXT PRIMARY KEY)')
      const insert = (id: string): unknown => connection.prepare('INSERT INTO notes VALUES (?)').run(id)
      insert('a')
      assert.throws(() => insert('a'), 'UNIQUE')
      insert('b')
      assert.deepEqual(connection.prepare('SELECT count(*) AS notes FROM notes').get(), { notes: 2 })
    }))

  it('keeps a limited number of statements', () =>
    opened((connection) => {
      const first = connection.prepare('SELECT 0')
      for (let number = 1; number <= 1_000; number += 1) connection.prepare(`SELECT ${number}`)
      assert.notStrictEqual(connection.prepare('SELECT 0'), first)
    }))
})
