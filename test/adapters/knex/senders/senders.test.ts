import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { execute } from '../../../../adapters/knex/engine/sql.js'
import { openStorage } from '../../../../adapters/knex/index.js'
import { workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { senderIdOf } from '../../../../core/senders/sender.js'
import { findServers } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

describe('The senders over SQL', () => {
  it('remember the account by which templates are looked up only while the token may read it', async () => {
    const sqlite = (await findServers()).found.find(({ name }) => name === 'SQLite') ?? assert.fail('SQLite is always there')
    await using database = await sqlite.createMigrated()
    const storage = openStorage({ url: database.url, secret: 'a secret of tests that is long enough' })
    try {
      const [workspace, asked] = [workspaceIdOf(randomUUID()), { accessToken: 'token', businessAccountId: '2001' }]
      const { senders, workspaces } = storage
      rightOf(await workspaces.create({ id: workspace, name: 'Shop', currency: 'USD' as Currency, createdAt: 0 }))
      rightOf(await senders.assign(workspace, { phoneNumberId: senderIdOf('1'), ...asked }))
      const remembered = []
      for (const isRefused of [false, true, false]) {
        rightOf(await senders.noteAccount({ workspace, sender: senderIdOf('1') }, asked, isRefused, 1))
        rightOf(await senders.senderOf(workspace))
        remembered.push(senders.lastSenderOf?.(workspace)?.accountId)
      }
      assert.deepEqual(remembered, ['2001', undefined, '2001'])
    } finally {
      await storage.close()
    }
  })

  it('keep the only sender of a workspace of an earlier release as the default when one with a lower id is added', async () => {
    const sqlite = (await findServers()).found.find(({ name }) => name === 'SQLite') ?? assert.fail('SQLite is always there')
    await using database = await sqlite.createMigrated()
    const storage = openStorage({ url: database.url, secret: 'a secret of tests that is long enough' })
    const { db, close } = openDatabase(database.url)
    try {
      const [workspace, { senders, workspaces }] = [workspaceIdOf(randomUUID()), storage]
      rightOf(await workspaces.create({ id: workspace, name: 'Shop', currency: 'USD' as Currency, createdAt: 0 }))
      rightOf(await senders.assign(workspace, { phoneNumberId: senderIdOf('2'), accessToken: 'token', businessAccountId: undefined }))
      await execute(db, 'UPDATE senders SET is_default = NULL', [])
      rightOf(await senders.assign(workspace, { phoneNumberId: senderIdOf('1'), accessToken: 'token', businessAccountId: undefined }))
      assert.deepEqual(rightOf(await senders.sendersOf(workspace)).map(({ phoneNumberId }) => phoneNumberId), ['2', '1'].map(senderIdOf))
    } finally {
      await close()
      await storage.close()
    }
  })
})
