import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import createKnex from 'knex'
import { connectionFault } from '../../../../adapters/knex/engine/faults.js'
import { type ConnectionFault, type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import { workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'
import { makeScratch, type Scratch } from '../../../support/scratch.js'

const diagnose = async (url: string): Promise<ConnectionFault | undefined> => {
  const storage = openStorage({ url, secret: undefined })
  try {
    return await storage.diagnosis()
  } finally {
    await storage.close()
  }
}

/** The diagnosed fault of the database of a URL. */
const faultOf = async (url: string): Promise<string> => (await diagnose(url))?.fault ?? 'none'

const changed = (url: string, change: (parsed: URL) => void): string => {
  const parsed = new URL(url)
  change(parsed)
  return parsed.href
}

await describeEachDatabase('The diagnosis of a database', (server) => {
  if (server.name === 'SQLite') return

  let database: TestDatabase
  const user = `postern_test_${process.pid}`
  const asAdmin = async (...statements: ReadonlyArray<string>): Promise<void> => {
    const knex = createKnex({ client: server.name === 'MySQL' ? 'mysql2' : 'pg', connection: database.url, pool: { min: 0, max: 1 } })
    try {
      for (const statement of statements) await knex.raw(statement)
    } finally {
      await knex.destroy()
    }
  }

  before(async () => { database = await server.create() })
  after(() => database[Symbol.asyncDispose]())

  it('finds no fault once it is migrated, and says before that `migrate` is needed', async () => {
    const storage = openStorage({ url: database.url, secret: undefined })
    const before = await storage.diagnosis()
    assert.deepInclude(before, { remedy: 'Run `postern migrate`.' })
    await storage.migrate()
    assert.isUndefined(await storage.diagnosis())
    await storage.close()
  })

  it('names a host that does not exist', async () => {
    const url = changed(database.url, (parsed) => { parsed.hostname = 'no-such-host.invalid' })
    assert.match(await faultOf(url), /^there is no host no-such-host\.invalid/)
  })

  it('says that no server listens, and so does a migration', async () => {
    const url = changed(database.url, (parsed) => { parsed.host = '127.0.0.1:1' })
    assert.equal(await faultOf(url), 'no database server listens on 127.0.0.1:1')
    const storage = openStorage({ url, secret: undefined })
    try {
      const error = await storage.migrate().then(() => assert.fail('it migrated'), (thrown: unknown) => thrown)
      assert.match(String(error), /^Error: The database cannot be used: no database server listens on 127\.0\.0\.1:1\. Start the server/)
    } finally {
      await storage.close()
    }
  })

  it('names a database that does not exist', async () => {
    const url = changed(database.url, (parsed) => { parsed.pathname = '/no_such_database' })
    assert.match(await faultOf(url), /^the server 127\.0\.0\.1\S* has no database no_such_database$/)
  })

  it('names a user that does not exist', async () => {
    const url = changed(database.url, (parsed) => { parsed.username = 'no_such_user' })
    assert.match(await faultOf(url), server.name === 'MySQL'
      ? /^the database server refuses the password of user no_such_user, or has no such user$/
      : /^the database server does not let user no_such_user in: role "no_such_user" does not exist$/)
  })

  if (server.name === 'MySQL') {
    it('says that a password is wrong, and that a user may not use the database', async () => {
      await asAdmin(`CREATE USER ${user}@'127.0.0.1' IDENTIFIED BY 'right'`, `CREATE USER ${user}@'localhost' IDENTIFIED BY 'right'`)
      try {
        const as = (password: string): string => changed(database.url, (parsed) => { Object.assign(parsed, { username: user, password }) })
        assert.equal(await faultOf(as('wrong')), `the database server refuses the password of user ${user}, or has no such user`)
        assert.match(await faultOf(as('right')), new RegExp(`^user ${user} may not use the database postern_test_`))
      } finally {
        await asAdmin(`DROP USER ${user}@'127.0.0.1', ${user}@'localhost'`)
      }
    })
  }

  it('says at a migration that the user may change nothing', async () => {
    await using empty = await server.create()
    const reader = `${user}_reader`
    const name = new URL(empty.url).pathname.slice(1)
    await asAdmin(...(server.name === 'MySQL'
      ? [`CREATE USER ${reader} IDENTIFIED BY 'right'`, `GRANT SELECT ON ${name}.* TO ${reader}`]
      : [`CREATE ROLE ${reader} LOGIN PASSWORD 'right'`]))
    const storage = openStorage({
      url: changed(empty.url, (parsed) => { Object.assign(parsed, { username: reader, password: 'right' }) }), secret: undefined,
    })
    try {
      const error = await storage.migrate().then(() => assert.fail('it migrated'), (thrown: unknown) => thrown)
      assert.equal(String(error), `Error: The database cannot be used: user ${reader} may not use the database ${name}. ${
        server.name === 'MySQL' ? 'Grant the user all rights on that database.' : 'Make the user the owner of that database and of its tables.'}`)
    } finally {
      await storage.close()
      await asAdmin(`DROP ${server.name === 'MySQL' ? 'USER' : 'ROLE'} ${reader}`)
    }
  })

  it('hints that a password must be percent-encoded, without the password', async () => {
    for (const password of ['p@ss', 'p/ss', 'p#ss', 'p?s:s']) {
      const diagnosed = await diagnose(database.url.replace(/\/\/[^@]*@/, `//someone:${password}@`))
      assert.match(diagnosed?.fault ?? '', /^the password in DATABASE_URL contains @, \/, \? or #/)
      assert.match(diagnosed?.remedy ?? '', /Percent-encode it: @ is %40/)
      assert.notInclude(JSON.stringify(diagnosed), 'ss@')
    }
  })
})

describe('The diagnosis of a SQLite file', () => {
  let scratch: Scratch

  beforeEach(async () => { scratch = await makeScratch() })
  afterEach(() => scratch.remove())

  it('names a file that does not exist, and does not create it', async () => {
    const path = scratch.path('mistyped.db')
    const diagnosed = await diagnose(`sqlite:${path}`)
    assert.equal(diagnosed?.fault, `there is no database file ${path}`)
    assert.match(diagnosed?.remedy ?? '', /Correct the path in DATABASE_URL, or run `postern migrate`/)
    assert.deepEqual(await readdir(scratch.path('')), [])
  })

  it('names a folder that does not exist, and so does migrating', async () => {
    const folder = scratch.path('nowhere')
    const [fault, remedy] = [`the folder ${folder} of the database file does not exist`, 'Make the folder, or correct the path in DATABASE_URL.']
    assert.deepEqual(await diagnose(`sqlite:${folder}/postern.db`), { fault, remedy })
    const storage = openStorage({ url: `sqlite:${folder}/postern.db`, secret: undefined })
    const message = await storage.migrate().then(() => 'done', (error: unknown) => (error as Error).message)
    await storage.close()
    assert.equal(message, `The database cannot be used: ${fault}. ${remedy}`)
  })

  it('says that a file is not a database', async () => {
    const path = scratch.path('letter.db')
    await writeFile(path, 'Dear sir or madam, '.repeat(100))
    assert.equal(await faultOf(`sqlite:${path}`), `the file ${path} is not a SQLite database`)
  })

  it('says that a file cannot be opened', async () => {
    const path = scratch.path('folder.db')
    await mkdir(path)
    assert.equal(await faultOf(`sqlite:${path}`), `the database file ${path} cannot be opened and written`)
  })

  /** Runs a check while a storage has a migrated file open. */
  const whileOpen = async (path: string, check: (storage: KnexStorage) => Promise<void>): Promise<void> => {
    const storage = openStorage({ url: `sqlite:${path}`, secret: undefined })
    try {
      await storage.migrate()
      assert.deepEqual(await storage.readiness(), { ready: true, reasons: [] })
      await check(storage)
    } finally {
      await storage.close()
    }
  }
  const topUp = async ({ ledger }: KnexStorage, reference: string): Promise<string> => {
    const outcome = await ledger.topUp({ workspace: workspaceIdOf('019a0000-0000-7000-8000-000000000001'), micros: 1n, reference, at: 1 })
    return E.isRight(outcome) ? 'stored' : outcome.left._tag
  }
  const create = async ({ workspaces }: KnexStorage): Promise<void> => {
    rightOf(await workspaces.create({
      id: workspaceIdOf('019a0000-0000-7000-8000-000000000001'), name: 'shop', currency: 'USD' as Currency, createdAt: 1,
    }))
  }
  const REPLACED = { ready: false, reasons: ['the database file was removed or replaced while the gateway had it open'] }

  it('says that a file was removed while it was open, and confirms no write until the file is back', async () => {
    const [path, aside] = [scratch.path('removed.db'), scratch.path('aside.db')]
    await whileOpen(path, async (storage) => {
      await create(storage)
      for (const part of ['', '-wal', '-shm']) {
        await rename(path + part, aside + part)
        assert.equal(await topUp(storage, `without ${part}`), 'PortFailure')
        assert.deepEqual(await storage.readiness(), REPLACED)
        assert.equal((await storage.diagnosis())?.fault, `the database file ${path}, or its -wal or -shm file, was removed or replaced while this gateway had it open`)
        await rename(aside + part, path + part)
        assert.deepEqual(await storage.readiness(), { ready: true, reasons: [] })
        assert.equal(await topUp(storage, `with ${part}`), 'stored')
      }
    })
  })

  it('says that another file has the name of the open one, and writes to neither', async () => {
    const [path, other] = [scratch.path('replaced.db'), scratch.path('other.db')]
    await whileOpen(other, create)
    await whileOpen(path, async (storage) => {
      await create(storage)
      await rename(other, path)
      assert.equal(await topUp(storage, 'funds'), 'PortFailure')
      assert.deepEqual(await storage.readiness(), REPLACED)
    })
    const storage = openStorage({ url: `sqlite:${path}`, secret: undefined })
    const balance = rightOf(await storage.ledger.balance(workspaceIdOf('019a0000-0000-7000-8000-000000000001')))
    assert.equal(O.toUndefined(balance)?.available, 0n)
    await storage.close()
  })

  it('says that another process keeps the file locked', async () => {
    const path = scratch.path('postern.db')
    const storage = openStorage({ url: `sqlite:${path}`, secret: undefined })
    await storage.migrate()
    const other = createKnex({ client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: path } })
    try {
      await other.raw('BEGIN IMMEDIATE')
      assert.equal((await storage.diagnosis())?.fault, `another process keeps the database file ${path} locked`)
      assert.deepEqual(await storage.readiness(), { ready: false, reasons: ['the database is locked by another process'] })
      await other.raw('ROLLBACK')
      assert.deepEqual(await storage.readiness(), { ready: true, reasons: [] })
    } finally {
      await other.destroy()
      await storage.close()
    }
  })
})

describe('The fault that an error of a database means', () => {
  const meant = (url: string, code: string): ConnectionFault =>
    connectionFault(url, Object.assign(new Error(`raw words of ${code}`), { code }))

  it('is a disk that is full, whichever of its codes the database gives', () => {
    assert.equal(meant('sqlite:/data/postern.db', 'SQLITE_FULL').fault, 'the disk of the database file /data/postern.db is full')
    assert.deepEqual(meant('sqlite:/data/postern.db', 'SQLITE_IOERR_SHMSIZE'), {
      fault: 'the disk of the database file /data/postern.db fails or is full', remedy: 'Make room on the disk, and see that it is sound.',
    })
    for (const [url, code] of [['mysql://u@db1/postern', 'ER_RECORD_FILE_FULL'], ['postgres://u@db1/postern', '53100']] as const) {
      assert.equal(meant(url, code).fault, 'the disk of the database server db1 is full')
    }
  })

  it('is a server that has too many connections', () => {
    for (const [url, code] of [['mysql://u@db1/postern', 'ER_CON_COUNT_ERROR'], ['postgres://u@db1/postern', '53300']] as const) {
      assert.equal(meant(url, code).fault, 'the database server db1 takes no more connections')
    }
  })

  it('is an address without a user, if the server misses one', () => {
    assert.equal(meant('mysql://db1/postern', 'ER_ACCESS_DENIED_ERROR').fault, 'DATABASE_URL names no user')
    assert.equal(meant('postgres://db1/postern', '28000').fault, 'DATABASE_URL names no user')
  })
})
