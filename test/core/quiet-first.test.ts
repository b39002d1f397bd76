import { assert } from 'chai'
import { makeQuietFirst, type QuietFirst } from '../../core/quiet-first.js'
import { MINUTE_MS } from '../../core/time.js'

describe('a queue in which the quiet ones come first', () => {
  let at = 0
  const open = (capacity = 9, callers?: number): QuietFirst<string> => makeQuietFirst({ capacity, now: () => at, ...(callers !== undefined && { callers }) })
  /** Lets callers ask, each with an item of a name that begins with the caller's. */
  const ask = (queue: QuietFirst<string>, ...items: ReadonlyArray<string>): ReadonlyArray<string | undefined> =>
    items.map((item) => queue.push(queue.heard(item[0] ?? ''), item))
  const drain = (queue: QuietFirst<string>): ReadonlyArray<string> => {
    const items: string[] = []
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item)
    return items
  }
  beforeEach(() => { at = 1_000_000 })

  it('gives those who ask for the first time before those who asked already, and else in the order in which they came', () => {
    const queue = open()
    ask(queue, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1')
    assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    ask(queue, 'a4', 'd1', 'c2')
    assert.deepEqual(drain(queue), ['d1', 'c2', 'a4'])
  })

  it('drops the item of the one who asked most, and never that of one who asks first while another asked before', () => {
    const queue = open(2)
    assert.deepEqual(ask(queue, 'a1', 'a2', 'b1', 'a3', 'c1', 'd1'), [undefined, undefined, 'a2', 'a3', 'c1', 'd1'])
    assert.deepEqual(drain(queue), ['a1', 'b1'])
    assert.deepEqual(ask(open(0), 'a1'), ['a1'])
  })

  it('holds one who comes for the first time before a thousand others who each asked twice', () => {
    const queue = open(10)
    for (let round = 0; round < 2; round += 1) {
      for (let caller = 0; caller < 1_000; caller += 1) queue.push(queue.heard(`caller ${caller}`), `item of ${caller}`)
    }
    drain(queue)
    for (let caller = 0; caller < 1_000; caller += 1) queue.push(queue.heard(`caller ${caller}`), `item of ${caller}`)
    assert.notEqual(queue.push(queue.heard('ann'), 'item of ann'), 'item of ann')
    assert.equal(queue.shift(), 'item of ann')
  })

  it('forgets in time, so that who was loud is quiet again', () => {
    const queue = open()
    ask(queue, 'a1', 'a2', 'a3', 'a4', 'b1')
    drain(queue)
    at += 4 * MINUTE_MS
    ask(queue, 'a5', 'b2', 'b3')
    assert.deepEqual(drain(queue), ['b2', 'a5', 'b3'])
    at += 60 * MINUTE_MS
    assert.isBelow(queue.heard('a'), 0.001)
  })

  it('takes back what turned out to be none', () => {
    const queue = open()
    ask(queue, 'a1', 'b1')
    queue.forgive('a')
    queue.forgive('nobody')
    drain(queue)
    ask(queue, 'b2', 'a2')
    assert.deepEqual(drain(queue), ['a2', 'b2'])
  })

  it('gives out nothing that was removed', () => {
    const queue = open()
    ask(queue, 'a1', 'b1', 'c1')
    queue.remove('b1')
    queue.remove('b1')
    assert.equal(queue.size(), 2)
    assert.deepEqual(drain(queue), ['a1', 'c1'])
  })

  it('remembers a bounded number of callers, those who asked last', () => {
    const queue = open(9, 2)
    for (const caller of ['a', 'b', 'a', 'c']) queue.heard(caller)
    assert.deepEqual([queue.heard('a'), queue.heard('c'), queue.heard('b')], [2, 1, 0])
  })
})
