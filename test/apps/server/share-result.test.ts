import { assert } from 'chai'
import { openStorage } from '../../../adapters/knex/index.js'
import { shareByKey, sharedBooks, shareResult } from '../../../apps/server/share-result.js'
import { fundedWorkspace } from '../../support/account.js'
import { newSqliteFile } from '../../support/databases.js'
import { rightOf } from '../../support/right-of.js'

describe('a shared result', () => {
  let at = 0
  const now = () => at
  beforeEach(() => { at = 0 })

  it('is made once for all who ask at the time, and again for a later caller', async () => {
    let made = 0
    const share = shareResult(0, async () => (made += 1))
    assert.deepEqual(await Promise.all([share(), share(), share()]), [1, 1, 1])
    assert.equal(await share(), 2)
  })

  it('is one for each key', async () => {
    const asked: string[] = []
    const share = shareByKey(async (name: string) => { asked.push(name) }, { keyOf: (name) => name })
    await Promise.all(['a', 'b', 'a', 'b', 'a'].map(share))
    assert.deepEqual(asked, ['a', 'b'])
  })

  it('stays fresh as long as it may by how long it took', async () => {
    let made = 0
    const share = shareByKey(async () => {
      at += 500
      return (made += 1)
    }, { keyOf: () => '', freshMs: (tookMs) => tookMs, now })
    assert.equal(await share(''), 1)
    at += 499
    assert.equal(await share(''), 1)
    at += 1
    assert.equal(await share(''), 2)
  })

  it('is not kept if it fails', async () => {
    let made = 0
    const share = shareResult(1_000, async () => {
      made += 1
      if (made === 1) throw new Error('no')
      return made
    })
    const first = share()
    assert.strictEqual(share(), first)
    assert.isTrue(await first.then(() => false, () => true))
    assert.equal(await share(), 2)
  })
})

describe('the books on pages', () => {
  it('are added up once for 64 who ask at the time', async () => {
    await using file = await newSqliteFile()
    const storage = openStorage({ url: file.url, secret: undefined })
    try {
      await storage.migrate()
      const workspace = await fundedWorkspace(storage, 7n)
      let reads = 0
      const shared = sharedBooks(async (of) => {
        reads += 1
        return storage.reading.ledger.books(of)
      })
      const books = await Promise.all(Array.from({ length: 64 }, () => shared(workspace)))
      assert.equal(reads, 1)
      for (const one of books) assert.deepNestedInclude(rightOf(one), { 'value.available': 7n })
    } finally {
      await storage.close()
    }
  })
})
