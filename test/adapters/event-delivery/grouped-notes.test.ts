import { assert } from 'chai'
import { makeGroupedNotes } from '../../../adapters/event-delivery/grouped-notes.js'
import { eventually } from '../../support/eventually.js'

const collect = () => {
  const groups: number[][] = []
  const notes = makeGroupedNotes<number>(async (results) => {
    await new Promise((resolve) => setImmediate(resolve))
    groups.push([...results])
  })
  return { groups, notes }
}

describe('Notes in groups', () => {
  it('are in order, whatever the order in which results come', async () => {
    const { groups, notes } = collect()
    for (const n of [3, 1, 0, 2, 4]) notes.add(n, n)
    await notes.finish()
    assert.deepEqual(groups, [[0, 1, 2, 3, 4]])
  })

  it('omit everything after a missing result', async () => {
    const { groups, notes } = collect()
    for (const n of [0, 1, 3]) notes.add(n, n)
    await notes.finish()
    assert.deepEqual(groups, [[0, 1]])
    notes.add(2, 2)
    await notes.finish()
    assert.deepEqual(groups, [[0, 1], [2, 3]])
  })

  it('are made by themselves after a short time', async () => {
    const { groups, notes } = collect()
    notes.add(0, 0)
    await eventually('a note', () => (groups.length > 0 ? true : undefined))
    assert.deepEqual(groups, [[0]])
  })

  it('are made at once when many results are there', async () => {
    const { groups, notes } = collect()
    for (let n = 0; n < 100; n += 1) notes.add(n, n)
    await notes.untilFew()
    assert.deepEqual(groups.flat(), Array.from({ length: 100 }, (_, n) => n))
  })

  it('are never made twice', async () => {
    const { groups, notes } = collect()
    notes.add(0, 0)
    await Promise.all([notes.finish(), notes.finish(), notes.untilFew()])
    assert.deepEqual(groups, [[0]])
  })
})
