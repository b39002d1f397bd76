import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { openStorage } from '../../../adapters/knex/index.js'
import { runChecks, sampleOf, sideBySide } from '../../../apps/server/checks.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { SECRET } from '../../support/gateway.js'
import { rightOf } from '../../support/right-of.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

describe('The checks of many workspaces', () => {
  let scratch: Scratch
  before(async () => { scratch = await makeScratch() })
  after(() => scratch.remove())

  it('look at a sample of the senders and say so, and at the currency of each', async () => {
    const url = `sqlite:${scratch.path('postern.db')}`
    const storage = openStorage({ url, secret: SECRET })
    await storage.migrate()
    await Promise.all(Array.from({ length: 250 }, async (_, index) => {
      const currency = (index === 7 ? 'CHF' : 'USD') as Currency
      rightOf(await storage.workspaces.create({ id: workspaceIdOf(randomUUID()), name: 'shop', currency, createdAt: 1 }))
    }))
    await storage.close()
    const results = await runChecks({ DATABASE_URL: url, POSTERN_SECRET: SECRET })
    const named = (start: string): ReadonlyArray<string> => results.map(({ check }) => check).filter((check) => check.startsWith(start))
    assert.equal(new Set(named('sender of ')).size, 200)
    assert.lengthOf(named('currency of '), 1)
    assert.deepInclude(results.find(({ check }) => check === 'workspaces'), {
      fault: null, note: 'the senders and endpoints of 200 of 250 workspaces are checked; each run checks others',
    })
  })

  it('run side by side, a limited number at once, and keep their order', async () => {
    let [running, most] = [0, 0]
    const items = Array.from({ length: 20 }, (_, index) => index)
    const doubled: number[] = []
    const work = async (item: number): Promise<number> => {
      most = Math.max(most, (running += 1))
      for (let turn = 0; turn < (item % 3) + 1; turn += 1) await new Promise(setImmediate)
      running -= 1
      return 2 * item
    }
    for await (const result of sideBySide(items, 4, work)) doubled.push(result)
    assert.deepEqual(doubled, items.map((item) => 2 * item))
    assert.equal(most, 4)
  })

  it('throw the failure of one when its turn comes, after those under way have ended', async () => {
    const ended: number[] = []
    const given: number[] = []
    const work = async (item: number): Promise<number> => {
      if (item === 1) throw new Error('down')
      await new Promise(setImmediate)
      ended.push(item)
      return item
    }
    const failure = await (async () => {
      for await (const result of sideBySide([0, 1, 2, 3, 4], 3, work)) given.push(result)
    })().then(() => 'none', (error: unknown) => (error as Error).message)
    assert.equal(failure, 'down')
    assert.deepEqual([given, ended], [[0], [0, 2, 3]])
  })

  it('spread a sample over all, from anywhere on', () => {
    const items = Array.from({ length: 10 }, (_, index) => index)
    assert.deepEqual(sampleOf(items, 5, 0), [0, 2, 4, 6, 8])
    assert.deepEqual(sampleOf(items, 5, 0.999), [1, 3, 5, 7, 9])
    assert.deepEqual(sampleOf(items, 10, 0.5), items)
    assert.deepEqual(sampleOf(items, 3, 0.999), [3, 6, 9])
  })
})
