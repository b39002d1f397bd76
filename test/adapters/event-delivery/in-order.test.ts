import { assert } from 'chai'
import fc from 'fast-check'
import { workInOrder } from '../../../adapters/event-delivery/in-order.js'

type Item = { readonly subject: string; readonly n: number; readonly turns: number }

const items = fc.array(fc.record({ subject: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(4) }), { maxLength: 40 })
  .map((all) => all.map((one, n): Item => ({ ...one, n })))

const after = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('Working in order', () => {
  it('works on every item, those of one subject in order and one at a time, and on no more at once than allowed', () =>
    fc.assert(fc.asyncProperty(items, fc.integer({ min: 1, max: 5 }), async (all, atOnce) => {
      const [begun, busy] = [new Array<Item>(), new Set<string>()]
      await workInOrder(all, { subjectOf: ({ subject }) => subject, atOnce, goesOn: () => true }, async (item) => {
        assert.isFalse(busy.has(item.subject))
        busy.add(item.subject)
        assert.isAtMost(busy.size, atOnce)
        begun.push(item)
        await after(item.turns)
        busy.delete(item.subject)
      })
      for (const subject of ['a', 'b', 'c']) {
        assert.deepEqual(begun.filter((item) => item.subject === subject), all.filter((item) => item.subject === subject))
      }
      if (atOnce === 1) assert.deepEqual(begun, all)
    }), { numRuns: 50 }))

  it('begins no item once it may not go on, and waits for those under way', async () => {
    let [begun, ended] = [0, 0]
    const all = Array.from({ length: 10 }, (_, n): Item => ({ subject: String(n), n, turns: 3 }))
    await workInOrder(all, { subjectOf: ({ subject }) => subject, atOnce: 3, goesOn: () => begun < 5 }, async ({ turns }) => {
      begun += 1
      await after(turns)
      ended += 1
    })
    assert.deepEqual([begun, ended], [5, 5])
  })

  it('rejects with what the work rejects with', async () => {
    const broken = new Error('broken')
    const outcome = await workInOrder([1], { subjectOf: String, atOnce: 1, goesOn: () => true }, async () => { throw broken })
      .catch((error: unknown) => error)
    assert.equal(outcome, broken)
  })
})
