import { createHash, randomBytes } from 'node:crypto'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import createKnex, { type Knex } from 'knex'
import { openDatabase } from '../../adapters/knex/engine/database.js'
import { migrate } from '../../adapters/knex/schema/migrate.js'
import { makeScratch } from './scratch.js'
import { removeRunFolder, sharedFile } from './shared-file.js'
import { isOfRun, testRun } from './test-run.js'

/** A database of one test; disposing of it deletes it. */
export type TestDatabase = { readonly url: string } & AsyncDisposable

/** The servers that every suite runs on. */
export type ServerName = 'SQLite' | 'MySQL' | 'PostgreSQL'

/** A database server that tests can use. */
export type TestServer = {
  readonly name: string
  /** Creates an empty database with a random name. */
  readonly create: () => Promise<TestDatabase>
  /** Creates a migrated database: a copy of one that was migrated earlier. */
  readonly createMigrated: () => Promise<TestDatabase>
}

/** A database server that tests support, but that does not respond. */
export type UnavailableServer = { readonly name: string; readonly remedy: string }

const MYSQL_URL = process.env['MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306'
const POSTGRES_URL = process.env['POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

const SQLITE: TestServer = {
  name: 'SQLite',
  create: () => newSqliteFile(),
  createMigrated: async () => {
    const file = await newSqliteFile()
    await migratedSqliteFile(file.url.slice('sqlite:'.length))
    return file
  },
}

/** The URL of a SQLite file that does not exist yet, in its own folder. */
export const newSqliteFile = async (): Promise<TestDatabase> => {
  const { path, remove } = await makeScratch()
  return { url: `sqlite:${path('postern.db')}`, [Symbol.asyncDispose]: remove }
}

/** Creates a migrated SQLite file at a path. */
export const migratedSqliteFile = async (path: string): Promise<void> => {
  await copyFile(await sharedFile('migrated.db', (template) => migrateNew(`sqlite:${template}`)), path)
}

const MYSQL = serverAt('MySQL', 'mysql2', MYSQL_URL)
const POSTGRES = serverAt('PostgreSQL', 'pg', POSTGRES_URL)

/** The servers that respond, including SQLite in any case, and those that do not. */
export const findServers = async (): Promise<{
  readonly found: ReadonlyArray<TestServer>
  readonly missing: ReadonlyArray<UnavailableServer>
}> => {
  const [mysql, postgres] = await Promise.all([MYSQL.answers(), POSTGRES.answers()])
  return {
    found: [SQLITE, ...(mysql ? [MYSQL] : []), ...(postgres ? [POSTGRES] : [])],
    missing: [
      ...(mysql ? [] : [{ name: 'MySQL', remedy: 'start a server on 127.0.0.1:3306 (root without a password), or set MYSQL_URL' }]),
      ...(postgres ? [] : [{ name: 'PostgreSQL', remedy: 'start a server on 127.0.0.1:5432 (postgres, trusted), or set POSTGRES_URL' }]),
    ],
  }
}

/** Removes the databases of a run, and the resources that its processes share. It resolves with the names of databases that tests left behind, which is a fault of the tests. */
export const dropRunDatabases = async (run: string): Promise<ReadonlyArray<string>> => {
  const left = await Promise.all([MYSQL, POSTGRES].map(async (server) => ((await server.answers()) ? server.dropAll(run) : [])))
  await removeRunFolder(run)
  return left.flat()
}

/**
 * Runs a suite once for each database server that responds, or only on the one with a name.
 *
 * For a server that does not respond, it prints a line; if `CI` is set, the suite fails instead.
 */
export const describeEachDatabase = async (title: string, suite: (server: TestServer) => void, only?: ServerName): Promise<void> => {
  const servers = await findServers()
  const isMeant = ({ name }: { readonly name: string }): boolean => only === undefined || name === only
  const [found, missing] = [servers.found.filter(isMeant), servers.missing.filter(isMeant)]
  for (const server of found) describe(`${title} on ${server.name}`, () => { suite(server) })
  for (const { name, remedy } of missing) {
    if (process.env['CI'] === undefined) {
      process.stdout.write(`Not run: ${title} on ${name}. To run it, ${remedy}.\n`)
    } else {
      it(`${title} on ${name}`, () => { throw new Error(`${name} does not answer: ${remedy}`) })
    }
  }
}

/** A server at a URL. */
type UrlServer = TestServer & {
  readonly answers: () => Promise<boolean>
  /** Deletes every database of a run, and resolves with those that are not templates. */
  readonly dropAll: (run: string) => Promise<ReadonlyArray<string>>
}

/** A server at a URL, with the driver for it. */
export function serverAt(name: string, client: 'mysql2' | 'pg', serverUrl: string): UrlServer {
  const asked = <Result>(work: (knex: Knex) => Promise<Result>): Promise<Result> => withKnex(client, serverUrl, work)
  const template = `migrated-${client}-${createHash('sha256').update(serverUrl).digest('hex').slice(0, 8)}`
  const drop = (database: string): Promise<void> => asked((knex) => knex.raw(`DROP DATABASE ${database}${client === 'pg' ? ' WITH (FORCE)' : ''}`))
  const newDatabase = (ending = ''): TestDatabase & { readonly database: string } => {
    const database = `postern_test_${testRun()}_${randomBytes(6).toString('hex')}${ending}`
    const url = new URL(serverUrl)
    url.pathname = `/${database}`
    return { database, url: url.href, [Symbol.asyncDispose]: () => drop(database) }
  }
  const create = async (ending = ''): Promise<ReturnType<typeof newDatabase>> => {
    const made = newDatabase(ending)
    await asked((knex) => knex.raw(`CREATE DATABASE ${made.database}`))
    return made
  }
  const createFromScript = async (): Promise<TestDatabase> => {
    const file = await sharedFile(template, async (path) => {
      await using source = await create()
      await migrateNew(source.url)
      await writeFile(path, await withKnex(client, source.url, scriptOf))
    })
    const made = newDatabase()
    await asked(async (knex) => knex.raw(`CREATE DATABASE ${made.database}; USE ${made.database}; ${await readFile(file, 'utf8')}`))
    return made
  }
  const createFromTemplate = async (): Promise<TestDatabase> => {
    if (!isOfRun()) {
      // No other process would delete the template.
      const made = await create()
      await migrateNew(made.url)
      return made
    }
    const file = await sharedFile(template, async (path) => {
      const source = await create(TEMPLATE)
      await migrateNew(source.url)
      await writeFile(path, source.database)
    })
    const made = newDatabase()
    await asked(async (knex) => knex.raw(`CREATE DATABASE ${made.database} TEMPLATE ${await readFile(file, 'utf8')}`))
    return made
  }
  return {
    name,
    answers: () => asked((knex) => knex.raw('SELECT 1')).then(() => true, () => false),
    create: () => create(),
    createMigrated: client === 'pg' ? createFromTemplate : createFromScript,
    dropAll: async (run) => {
      const table = client === 'pg' ? 'pg_database' : 'information_schema.schemata'
      const column = client === 'pg' ? 'datname' : 'schema_name'
      const rows = await asked((knex) => knex(table).where(column, 'like', `postern\\_test\\_${run}\\_%`).pluck<string[]>(column))
      for (const database of rows) await drop(database)
      return rows.filter((database) => !database.endsWith(TEMPLATE))
    },
  }
}

/** The suffix of a template's name. */
const TEMPLATE = '_template'

const withKnex = async <Result>(client: 'mysql2' | 'pg', url: string, work: (knex: Knex) => Promise<Result>): Promise<Result> => {
  const connection = client === 'mysql2' ? { uri: url, multipleStatements: true } : url
  const knex = createKnex({ client, connection, pool: { min: 0, max: 1 }, acquireConnectionTimeout: 5_000 })
  try {
    return await work(knex)
  } finally {
    await knex.destroy()
  }
}

const migrateNew = async (url: string): Promise<void> => {
  const database = openDatabase(url)
  try {
    await migrate(database)
  } finally {
    await database.close()
  }
}

/** The statements that create the tables of a MySQL database and their rows. */
const scriptOf = async (knex: Knex): Promise<string> => {
  const statements: string[] = []
  const answered = async (sql: string): Promise<ReadonlyArray<Readonly<Record<string, string>>>> =>
    (await knex.raw<[ReadonlyArray<Readonly<Record<string, string>>>, unknown]>(sql))[0]
  for (const table of (await answered('SHOW TABLES')).flatMap((row) => Object.values(row))) {
    statements.push(...(await answered(`SHOW CREATE TABLE ${table}`)).map((shown) => shown['Create Table'] ?? ''))
    const rows = await answered(`SELECT * FROM ${table}`)
    if (rows.length > 0) statements.push(knex(table).insert(rows).toQuery())
  }
  return statements.join(';\n')
}
