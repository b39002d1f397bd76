import { assert } from 'chai'
import { type FairQueue, makeFairQueue } from '../../../adapters/shared/fair-queue.js'

const drain = (queue: FairQueue<string>): ReadonlyArray<string> => {
  const items: string[] = []
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item)
  return items
}

const filled = (capacity: number, ...items: ReadonlyArray<string>): FairQueue<string> => {
  const queue = makeFairQueue<string>(capacity)
  for (const item of items) assert.isUndefined(queue.push([item[0] ?? ''], item))
  return queue
}

describe('the fair queue', () => {
  it('gives the items of one key in the order they came', () => {
    assert.deepEqual(drain(filled(9, 'a1', 'a2', 'a3')), ['a1', 'a2', 'a3'])
  })

  it('lets keys take turns', () => {
    assert.deepEqual(drain(filled(9, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1')), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('serves a key that returns last', () => {
    const queue = filled(9, 'a1', 'b1', 'b2')
    assert.equal(queue.shift(), 'a1')
    queue.push(['a'], 'a2')
    assert.deepEqual(drain(queue), ['b1', 'a2', 'b2'])
  })

  it('has no room for more than its capacity', () => {
    const queue = filled(2, 'a1', 'a2')
    assert.equal(queue.push(['a'], 'a3'), 'a3')
    assert.equal(queue.size(), 2)
  })

  it('makes room for a key with fewer items at the cost of the last one of the key with the most', () => {
    const queue = filled(4, 'a1', 'a2', 'a3', 'b1')
    assert.equal(queue.push(['c'], 'c1'), 'a3')
    assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2'])
  })

  it('makes no room if every key has as few', () => {
    assert.equal(filled(2, 'a1', 'b1').push(['c'], 'c1'), 'c1')
  })

  it('holds nothing if it has no capacity', () => {
    assert.equal(makeFairQueue<string>(0).push(['a'], 'a1'), 'a1')
  })

  it('returns nothing that was removed, and forgets a key whose items were all removed', () => {
    const queue = filled(9, 'a1', 'b1', 'b2')
    queue.remove(['a'], 'a1')
    queue.remove(['b'], 'b1')
    queue.remove(['b'], 'b1')
    assert.equal(queue.size(), 1)
    assert.deepEqual(drain(queue), ['b2'])
    queue.push(['a'], 'a2')
    assert.deepEqual(drain(queue), ['a2'])
  })
  it('skips keys that may not be served, and keeps their turns', () => {
    const queue = filled(9, 'a1', 'b1', 'a2', 'b2', 'c1')
    const notA = (item: string): boolean => !item.startsWith('a')
    assert.deepEqual([queue.shift(notA), queue.shift(notA), queue.shift(notA), queue.shift(notA)], ['b1', 'c1', 'b2', undefined])
    queue.push(['b'], 'b3')
    assert.deepEqual(drain(queue), ['a1', 'b3', 'a2'])
    assert.equal(queue.size(), 0)
  })
})

describe('the fair queue with keys of two parts', () => {
  const pushed = (queue: FairQueue<string>, ...items: ReadonlyArray<string>): ReadonlyArray<string | undefined> =>
    items.map((item) => queue.push([item[0] ?? '', item[1] ?? ''], item))

  it('lets the first parts take turns, and the second ones under each', () => {
    const queue = makeFairQueue<string>(99)
    pushed(queue, 'ax1', 'ax2', 'ax3', 'ay1', 'az1', 'bx1', 'bx2')
    assert.deepEqual(drain(queue), ['ax1', 'bx1', 'ay1', 'bx2', 'az1', 'ax2', 'ax3'])
    pushed(queue, 'ax4')
    assert.deepEqual(drain(queue), ['ax4'])
  })

  it('makes room at the cost of the first part with the most items, there of the second part with the most', () => {
    const queue = makeFairQueue<string>(5)
    pushed(queue, 'ax1', 'ax2', 'ay1', 'az1', 'bx1')
    assert.deepEqual(pushed(queue, 'cx1'), ['ax2'])
    assert.deepEqual(pushed(queue, 'bx2', 'bx3'), ['az1', 'bx3'])
    assert.deepEqual(drain(queue), ['ax1', 'bx1', 'cx1', 'ay1', 'bx2'])
  })

  it('makes room within a first part if its second parts differ', () => {
    const queue = makeFairQueue<string>(4)
    pushed(queue, 'ax1', 'ax2', 'ax3', 'bx1')
    assert.deepEqual(pushed(queue, 'ay1'), ['ax3'])
    assert.deepEqual(pushed(queue, 'ax4'), ['ax4'])
    assert.deepEqual(drain(queue), ['ax1', 'bx1', 'ay1', 'ax2'])
  })

  it('skips second parts that may not be served', () => {
    const queue = makeFairQueue<string>(9)
    pushed(queue, 'ax1', 'ay1', 'bx1')
    assert.deepEqual([queue.shift((item) => item[1] === 'y'), queue.shift((item) => item[1] === 'y')], ['ay1', undefined])
    assert.deepEqual(drain(queue), ['bx1', 'ax1'])
  })

  it('forgets what was removed', () => {
    const queue = makeFairQueue<string>(9)
    pushed(queue, 'ax1', 'ay1', 'bx1')
    queue.remove(['a', 'x'], 'ax1')
    queue.remove(['a', 'x'], 'ax1')
    queue.remove(['c', 'x'], 'cx1')
    assert.equal(queue.size(), 2)
    assert.deepEqual(drain(queue), ['ay1', 'bx1'])
  })
})
