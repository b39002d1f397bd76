import { assert } from 'chai'
import { openStorage } from '../../../adapters/knex/index.js'
import { describeEachDatabase } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'

const BOUND_MS = 5_000

await describeEachDatabase('Closing a storage', (server) => {
  if (server.name === 'SQLite') return

  it('ends in time if the server no longer answers, and leaves no connection open', async () => {
    await using database = await server.createMigrated()
    const proxy = await openTcpProxy(database.url)
    try {
      const storage = openStorage({ url: proxy.url, secret: undefined })
      rightOf(await storage.workspaces.list())
      assert.isAbove(proxy.open(), 0)
      proxy.cutOff()
      const start = performance.now()
      await storage.close()
      assert.isBelow(performance.now() - start, BOUND_MS)
      await eventually('the end of the connection', () => proxy.open() === 0 || undefined)
    } finally {
      await proxy.close()
    }
  })

  it('ends in time if a running query is never answered', async () => {
    await using database = await server.createMigrated()
    const proxy = await openTcpProxy(database.url)
    try {
      const storage = openStorage({ url: proxy.url, secret: undefined })
      rightOf(await storage.workspaces.list())
      proxy.cutOff()
      const listing = storage.workspaces.list()
      const start = performance.now()
      await storage.close()
      assert.isBelow(performance.now() - start, BOUND_MS)
      assert.equal((await listing)._tag, 'Left')
    } finally {
      await proxy.close()
    }
  })
})
