import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import createKnex, { type Knex } from 'knex'

/** A database of one test; disposing of it deletes it. */
export type TestDatabase = { readonly url: string } & AsyncDisposable

/** A database server that tests can use; `create` makes an empty database with a random name. */
export type TestServer = { readonly name: string; readonly create: () => Promise<TestDatabase> }

/** A database server that tests can use, but that does not answer. */
export type UnavailableServer = { readonly name: string; readonly remedy: string }

const MYSQL_URL = process.env['MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306'
const POSTGRES_URL = process.env['POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

const SQLITE: TestServer = {
  name: 'SQLite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-test-'))
    return {
      url: `sqlite:${join(folder, 'postern.db')}`,
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    }
  },
}

const MYSQL = serverAt('MySQL', 'mysql2', MYSQL_URL)
const POSTGRES = serverAt('PostgreSQL', 'pg', POSTGRES_URL)

/** The servers that answer, always with SQLite, and those that do not. */
export const findServers = async (): Promise<{ readonly found: ReadonlyArray<TestServer>; readonly missing: ReadonlyArray<UnavailableServer> }> => {
  const [mysql, postgres] = await Promise.all([MYSQL.answers(), POSTGRES.answers()])
  return {
    found: [SQLITE, ...(mysql ? [MYSQL] : []), ...(postgres ? [POSTGRES] : [])],
    missing: [
      ...(mysql ? [] : [{ name: 'MySQL', remedy: 'start a server on 127.0.0.1:3306 (root without a password), or set MYSQL_URL' }]),
      ...(postgres ? [] : [{ name: 'PostgreSQL', remedy: 'start a server on 127.0.0.1:5432 (postgres, trusted), or set POSTGRES_URL' }]),
    ],
  }
}

/**
 * Runs a suite once for each database server that answers.
 *
 * For one that does not answer, it prints a line; if `CI` is set, the suite fails instead.
 */
export const describeEachDatabase = async (title: string, suite: (server: TestServer) => void): Promise<void> => {
  const { found, missing } = await findServers()
  for (const server of found) describe(`${title} on ${server.name}`, () => { suite(server) })
  for (const { name, remedy } of missing) {
    if (process.env['CI'] === undefined) {
      process.stdout.write(`Not run: ${title} on ${name}. To run it, ${remedy}.\n`)
    } else {
      it(`${title} on ${name}`, () => { throw new Error(`${name} does not answer: ${remedy}`) })
    }
  }
}

/** A server at a URL, with the driver for it. */
export function serverAt(name: string, client: 'mysql2' | 'pg', serverUrl: string): TestServer & { answers(): Promise<boolean> } {
  const asked = async <Result>(work: (knex: Knex) => Promise<Result>): Promise<Result> => {
    const knex = createKnex({ client, connection: serverUrl, pool: { min: 0, max: 1 }, acquireConnectionTimeout: 5_000 })
    try {
      return await work(knex)
    } finally {
      await knex.destroy()
    }
  }
  return {
    name,
    answers: () => asked((knex) => knex.raw('SELECT 1')).then(() => true, () => false),
    create: async () => {
      const database = `postern_test_${randomBytes(6).toString('hex')}`
      await asked((knex) => knex.raw(`CREATE DATABASE ${database}`))
      const url = new URL(serverUrl)
      url.pathname = `/${database}`
      return {
        url: url.href,
        [Symbol.asyncDispose]: async () => { await asked((knex) => knex.raw(`DROP DATABASE ${database}${client === 'pg' ? ' WITH (FORCE)' : ''}`)) },
      }
    },
  }
}
