import { copyFile, rename } from 'node:fs/promises'
import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { hostKeys } from '../../../../adapters/knex/engine/hosts.js'
import { openStorage } from '../../../../adapters/knex/index.js'
import { workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../../core/kernel/time.js'
import { messageIdOf } from '../../../../core/messages/message.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { describeEachDatabase } from '../../../support/databases.js'
import { done } from '../../../support/right-of.js'
import { makeScratch } from '../../../support/scratch.js'

const USD = 'USD' as Currency
const SECRET = 'a secret of at least thirty-two characters'
const AT = Date.UTC(2026, 10, 28, 6)

const open = (url: string) => openStorage({ url, secret: SECRET })

const beat = async (url: string, at: number) => {
  const storage = open(url)
  try {
    const held = await done(storage.queueHolds.heartbeat({ installation: await storage.installation(), at, heldAfterMs: HOUR_MS }))
    return held.holds.map(({ why }) => why)
  } finally {
    await storage.close()
  }
}

const fill = async (url: string): Promise<void> => {
  const storage = open(url)
  await storage.migrate()
  const workspace = workspaceIdOf(uuidv7())
  await done(storage.workspaces.create({ id: workspace, name: 'Acme', currency: USD, createdAt: AT }))
  for (let index = 0; index < 50; index += 1) {
    await done(storage.messageLog.open({
      id: messageIdOf(uuidv7()), workspace, message: { _tag: 'Text', to: '33639980002' as PhoneNumber, text: 'Later' }, at: AT,
      queue: { dueAt: AT + SECOND_MS, endsAt: AT + DAY_MS }, price: { micros: 1n, currency: USD, category: 'service' },
    }))
  }
  await storage.close()
}

describe('An installation', () => {
  it('keeps its identity after a restart, and holds what is queued in a copy of its file', async () => {
    const { path, remove } = await makeScratch()
    await using _ = { [Symbol.asyncDispose]: remove }
    const [url, copy] = [`sqlite:${path('one.db')}`, `sqlite:${path('two.db')}`]
    await fill(url)
    assert.deepEqual(await beat(url, AT), [])
    assert.deepEqual(await beat(url, AT + HOUR_MS), [], 'after a restart')
    await copyFile(path('one.db'), path('two.db'))
    assert.deepEqual(await beat(copy, AT + HOUR_MS + SECOND_MS), ['other_installation'])
    assert.deepEqual(await beat(url, AT + HOUR_MS + SECOND_MS), [], 'the first file')
    await rename(path('one.db'), path('old.db'))
    await copyFile(path('old.db'), path('one.db'))
    assert.deepEqual(await beat(url, AT + HOUR_MS + 2 * SECOND_MS), ['other_installation'], 'a copy in its place')
  })

  it('depends on its hosts, and not on their order or spelling, the user, the password or settings', () => {
    const urls = [
      ['postgres://ada:p%40ss@db2,db1:5433/postern?sslmode=require', 'db1:5433,db2:5432'],
      ['postgres://DB1:5433,db2/postern?target_session_attrs=primary', 'db1:5433,db2:5432'],
      ['mysql://root@127.0.0.1:13306/x', '127.0.0.1:13306'], ['mysql://root:p@ss@db/x', 'db:3306'],
      ['postgres://db/postern?user=ada&password=x&ssl=1', 'db:5432'], ['postgresql://db:5432/postern', 'db:5432'],
    ] as const
    for (const [url, hosts] of urls) assert.equal(hostKeys(url).join(','), hosts)
  })
})

await describeEachDatabase('An installation of PostgreSQL', (server) => {
  it('holds what is queued in a database that was created from its own, even under the same name', async () => {
    await using database = await server.create()
    const { url } = database
    await fill(url)
    assert.deepEqual(await beat(url, AT), [])
    const name = new URL(url).pathname.slice(1)
    const copy = `${name}_copy`
    const beside = url.replace(name, copy)
    await using admin = { db: openDatabase(url.replace(name, 'postgres')), [Symbol.asyncDispose]: async () => { await admin.db.close() } }
    await admin.db.knex.raw(`CREATE DATABASE ${copy} TEMPLATE ${name}`)
    try {
      assert.deepEqual(await beat(beside, AT + SECOND_MS), ['other_installation'])
      assert.deepEqual(await beat(url, AT + SECOND_MS), [], 'the first database')
      await admin.db.knex.raw(`DROP DATABASE ${copy}`)
      await admin.db.knex.raw(`CREATE DATABASE ${copy} TEMPLATE ${name}`)
      await admin.db.knex.raw(`DROP DATABASE ${name}`)
      await admin.db.knex.raw(`ALTER DATABASE ${copy} RENAME TO ${name}`)
      assert.deepEqual(await beat(url, AT + 2 * SECOND_MS), ['other_installation'], 'a copy in its place')
    } finally {
      await admin.db.knex.raw(`DROP DATABASE IF EXISTS ${copy}`)
    }
  })
}, 'PostgreSQL')
