import { assert } from 'chai'
import { makeCallers, makeLeastActiveQueue, type LeastActiveQueue } from '../../../adapters/shared/callers.js'
import { MINUTE_MS } from '../../../core/kernel/time.js'

describe('a queue in which the quiet ones come first', () => {
  let at = 0
  const open = (capacity = 9, most?: number) => {
    const callers = makeCallers(() => at, most)
    return { ...callers, ...makeLeastActiveQueue<string>(capacity, callers) }
  }
  /** Lets callers ask, each with an item of a name that begins with the caller's. */
  const ask = (queue: ReturnType<typeof open>, ...items: ReadonlyArray<string>): ReadonlyArray<string | undefined> =>
    items.map((item) => {
      queue.heard(item[0] ?? '')
      return queue.push(item[0] ?? '', item)
    })
  const drain = (queue: LeastActiveQueue<string>): ReadonlyArray<string> => {
    const items: string[] = []
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item)
    return items
  }
  beforeEach(() => { at = 1_000_000 })

  it('gives those who asked least first, and else in the order in which they came', () => {
    const queue = open()
    ask(queue, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1')
    assert.deepEqual(drain(queue), ['c1', 'd1', 'b1', 'b2', 'a1', 'a2', 'a3'])
    ask(queue, 'a4', 'e1', 'c2')
    assert.deepEqual(drain(queue), ['e1', 'c2', 'a4'])
  })

  it('drops the last item of the one who asked most', () => {
    const queue = open(2)
    assert.deepEqual(ask(queue, 'a1', 'a2', 'b1', 'a3', 'c1', 'd1'), [undefined, undefined, 'a2', 'a3', 'a1', 'd1'])
    assert.deepEqual(drain(queue), ['b1', 'c1'])
    assert.deepEqual(ask(open(0), 'a1'), ['a1'])
  })

  it('puts one who comes for the first time before a thousand others who each asked twice, even if all of them wait for their first time', () => {
    const queue = open(10)
    const flood = (): void => {
      for (let caller = 0; caller < 1_000; caller += 1) {
        queue.heard(`caller ${caller}`)
        queue.push(`caller ${caller}`, `item of ${caller}`)
      }
    }
    flood()
    flood()
    assert.equal(queue.size(), 10)
    queue.heard('ann')
    assert.notEqual(queue.push('ann', 'item of ann'), 'item of ann')
    assert.equal(queue.shift(), 'item of ann')
  })

  it('gives nothing of those who asked more than may be', () => {
    const queue = open()
    ask(queue, 'a1', 'a2', 'a3', 'b1', 'b2')
    assert.deepEqual(
      [queue.shift(1), queue.shift(1.06), queue.shift(1.06), queue.shift(1.06), queue.shift(2)], [undefined, 'b1', 'b2', undefined, 'a1'],
    )
  })

  it('keeps those without room for lots, one of each caller, and takes every other item from there', () => {
    const callers = makeCallers(() => at)
    const queue = { ...callers, ...makeLeastActiveQueue<string>(2, callers, { room: 2, draw: () => 0.9 }) }
    assert.deepEqual(ask(queue, 'a1', 'a2', 'a3', 'b1', 'c1'), [undefined, undefined, 'a3', 'a2', undefined])
    assert.deepEqual(ask(queue, 'd1', 'e1'), [undefined, 'e1'], 'the lots are a1, d1 and e1, and the last one is drawn')
    assert.equal(queue.size(), 4)
    assert.deepEqual(drain(queue), ['b1', 'd1', 'c1', 'a1'])
    ask(queue, 'f1', 'f2', 'g1', 'h1')
    queue.remove('f1')
    assert.deepEqual(drain(queue), ['g1', 'h1'])
  })

  it('finally serves a caller that tries every three seconds, while 25,000 others ask less often', () => {
    let seed = 7
    const draw = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed / 2 ** 31
    }
    const callers = makeCallers(() => at)
    const queue = { ...callers, ...makeLeastActiveQueue<string>(16, callers, { room: 16, draw }) }
    for (let tries = 0; tries < 20; tries += 1) queue.heard('ann')
    let next = 0
    const hasTurn = (): boolean => {
      ask(queue, 'ann')
      for (let half = 0; half < 6; half += 1) {
        for (let other = 0; other < 10; other += 1, next += 1) {
          const caller = `network ${next % 25_000}`
          queue.heard(caller)
          queue.push(caller, caller)
        }
        at += 500
        if (queue.shift() === 'ann') return true
      }
      queue.remove('ann')
      return false
    }
    const tries = Array.from({ length: 200 }, (_, attempt) => attempt).findIndex(hasTurn)
    assert.notEqual(tries, -1, 'she had a turn within ten minutes')
  })

  it('forgets in time, so that who was loud is quiet again', () => {
    const queue = open()
    ask(queue, 'a1', 'a2', 'a3', 'a4', 'b1')
    drain(queue)
    at += 4 * MINUTE_MS
    ask(queue, 'a5', 'b2', 'b3')
    assert.deepEqual(drain(queue), ['a5', 'b2', 'b3'], 'what was asked four minutes ago counts a quarter')
    at += 60 * MINUTE_MS
    ask(queue, 'b4', 'a6', 'b5')
    assert.deepEqual(drain(queue), ['a6', 'b4', 'b5'])
  })

  it('counts for little what is asked again soon, so that who tries again comes before those who have asked for long, however seldom', () => {
    const queue = open()
    for (let seconds = 0; seconds < 120; seconds += 10) {
      for (let caller = 0; caller < 100; caller += 1) queue.heard(`bot ${caller}`)
      at += 10_000
    }
    for (let attempt = 0; attempt < 12; attempt += 1) queue.heard('ann')
    for (const caller of ['bot 1', 'bot 2', 'ann', 'bot 3']) queue.push(caller, caller)
    assert.equal(queue.shift(), 'ann')
  })

  it('takes back what turned out to be none', () => {
    const queue = open()
    ask(queue, 'a1', 'b1')
    queue.forgive('a')
    queue.forgive('unknown')
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
    for (const caller of ['b', 'b', 'b', 'a', 'a', 'c']) queue.heard(caller)
    for (const caller of ['c', 'a', 'b']) queue.push(caller, caller)
    assert.deepEqual(drain(queue), ['b', 'c', 'a'])
  })
})
