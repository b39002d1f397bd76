import { assert } from 'chai'
import { makeFairQueue, type FairQueue } from '../../core/fair-queue.js'

const drain = (queue: FairQueue<string, string>): ReadonlyArray<string> => {
  const items: string[] = []
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item)
  return items
}

const filled = (capacity: number, ...items: ReadonlyArray<string>): FairQueue<string, string> => {
  const queue = makeFairQueue<string, string>(capacity)
  for (const item of items) assert.isUndefined(queue.push(item[0] ?? '', item))
  return queue
}

describe('the fair queue', () => {
  it('gives the items of one key in the order they came', () => {
    assert.deepEqual(drain(filled(9, 'a1', 'a2', 'a3')), ['a1', 'a2', 'a3'])
  })

  it('lets keys take turns', () => {
    assert.deepEqual(drain(filled(9, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1')), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('gives a key that comes back the last turn', () => {
    const queue = filled(9, 'a1', 'b1', 'b2')
    assert.equal(queue.shift(), 'a1')
    queue.push('a', 'a2')
    assert.deepEqual(drain(queue), ['b1', 'a2', 'b2'])
  })

  it('has no room for more than its capacity', () => {
    const queue = filled(2, 'a1', 'a2')
    assert.equal(queue.push('a', 'a3'), 'a3')
    assert.equal(queue.size(), 2)
  })

  it('makes room for a key with fewer items at the cost of the last one of the key with the most', () => {
    const queue = filled(4, 'a1', 'a2', 'a3', 'b1')
    assert.equal(queue.push('c', 'c1'), 'a3')
    assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2'])
  })

  it('makes no room where every key has as few', () => {
    assert.equal(filled(2, 'a1', 'b1').push('c', 'c1'), 'c1')
  })

  it('holds nothing where it has no capacity', () => {
    assert.equal(makeFairQueue<string, string>(0).push('a', 'a1'), 'a1')
  })

  it('gives out nothing that was removed, and skips a key of which all was', () => {
    const queue = filled(9, 'a1', 'b1', 'b2')
    queue.remove('a', 'a1')
    queue.remove('b', 'b1')
    queue.remove('b', 'b1')
    assert.equal(queue.size(), 1)
    assert.deepEqual(drain(queue), ['b2'])
    queue.push('a', 'a2')
    assert.deepEqual(drain(queue), ['a2'])
  })
})
