import { assert } from 'chai'
import { type FairQueue, type FairShares, makeCallers, makeFairQueue, makeFairShares, makePace, makeQuietFirst, type QuietFirst, SLOW_BYTES_PER_SECOND, whoYields } from '../../core/kernel/fairness.js'
import { MINUTE_MS } from '../../core/kernel/time.js'

/** Takes as many places as a key may; gives how many these are. */
const takeAll = (shares: FairShares<string>, key: string): number => {
  let taken = 0
  for (; shares.mayTake(key); taken += 1) shares.take(key)
  return taken
}

describe('fair shares', () => {
  it('give one key most places, and leave some to each of those that come later', () => {
    const shares = makeFairShares<string>(512)
    assert.deepEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => takeAll(shares, key)), [409, 82, 16, 4, 1, 0])
    assert.deepEqual([shares.free(), shares.heldBy('a'), shares.heldBy('f')], [0, 409, 0])
  })

  it('give the last place only to a key that has none', () => {
    const shares = makeFairShares<string>(2)
    assert.deepEqual([takeAll(shares, 'a'), takeAll(shares, 'b')], [1, 1])
    assert.equal(takeAll(makeFairShares(1), 'a'), 1)
    assert.equal(takeAll(makeFairShares(0), 'a'), 0)
  })

  it('come to the same number for keys that always want more, as places come back', () => {
    const shares = makeFairShares<string>(512)
    const keys = Array.from({ length: 10 }, (_, n) => `key ${n}`)
    for (let round = 0; round < 2_000; round += 1) {
      for (const key of keys) {
        takeAll(shares, key)
        if (shares.heldBy(key) > 0) shares.giveBack(key)
      }
    }
    for (const key of keys) assert.approximately(shares.heldBy(key), (4 * 512) / 41, 4)
    assert.isAbove(shares.free(), 1)
  })

  it('name the keys that have their share', () => {
    const shares = makeFairShares<string>(20)
    assert.equal(takeAll(shares, 'a'), 16)
    shares.take('b')
    assert.deepEqual([shares.atShare(), shares.free()], [['a'], 3])
    for (let nth = 0; nth < 10; nth += 1) shares.giveBack('a')
    assert.deepEqual([shares.atShare(), shares.free()], [[], 13])
    for (const key of ['a', 'a', 'a', 'a', 'a', 'a', 'b']) shares.giveBack(key)
    assert.deepEqual([shares.heldBy('a'), shares.heldBy('b'), shares.free()], [0, 0, 20])
  })

  it('allow nothing where more was taken than there is', () => {
    const shares = makeFairShares<string>(1)
    shares.take('a')
    shares.take('a')
    assert.deepEqual([shares.free(), shares.mayTake('b')], [-1, false])
  })
})

describe('an upload that ends for another', () => {
  const holder = (key: string, name: string, rate?: number) => ({ key, name, bytesPerSecond: () => rate, yieldPlace: () => undefined })

  it('is the slowest of the key with the most places, however fast it is', () => {
    const fast = 10 * SLOW_BYTES_PER_SECOND
    assert.equal(whoYields([holder('a', 'slow', 1), holder('b', 'faster', 3 * fast), holder('b', 'fast', 2 * fast), holder('b', 'young')])?.name, 'fast')
    assert.equal(whoYields([holder('b', 'old'), holder('b', 'young')])?.name, 'young')
  })

  it('is a slow one where each key has one, and none where all are fast or young', () => {
    assert.equal(whoYields([holder('a', 'a', 9), holder('b', 'b', 7), holder('c', 'c', 8)])?.name, 'b')
    assert.isUndefined(whoYields([holder('a', 'a', SLOW_BYTES_PER_SECOND), holder('b', 'b')]))
    assert.isUndefined(whoYields([]))
  })

  it('is judged by its average, once it is ten seconds old', () => {
    let at = 5_000
    const pace = makePace(() => at)
    pace.add(30_000)
    at += 9_999
    assert.isUndefined(pace.bytesPerSecond())
    at += 5_001
    assert.equal(pace.bytesPerSecond(), 2_000)
  })
})

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

  it('gives a key that comes back the last turn', () => {
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

  it('makes no room where every key has as few', () => {
    assert.equal(filled(2, 'a1', 'b1').push(['c'], 'c1'), 'c1')
  })

  it('holds nothing where it has no capacity', () => {
    assert.equal(makeFairQueue<string>(0).push(['a'], 'a1'), 'a1')
  })

  it('gives out nothing that was removed, and forgets a key of which all was', () => {
    const queue = filled(9, 'a1', 'b1', 'b2')
    queue.remove(['a'], 'a1')
    queue.remove(['b'], 'b1')
    queue.remove(['b'], 'b1')
    assert.equal(queue.size(), 1)
    assert.deepEqual(drain(queue), ['b2'])
    queue.push(['a'], 'a2')
    assert.deepEqual(drain(queue), ['a2'])
  })
  it('passes over keys of which nothing may be taken, and keeps their turns', () => {
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

  it('makes room within a first part where its second parts differ', () => {
    const queue = makeFairQueue<string>(4)
    pushed(queue, 'ax1', 'ax2', 'ax3', 'bx1')
    assert.deepEqual(pushed(queue, 'ay1'), ['ax3'])
    assert.deepEqual(pushed(queue, 'ax4'), ['ax4'])
    assert.deepEqual(drain(queue), ['ax1', 'bx1', 'ay1', 'ax2'])
  })

  it('passes over second parts of which nothing may be taken', () => {
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

describe('a queue in which the quiet ones come first', () => {
  let at = 0
  const open = (capacity = 9, most?: number) => {
    const callers = makeCallers(() => at, most)
    return { ...callers, ...makeQuietFirst<string>(capacity, callers) }
  }
  /** Lets callers ask, each with an item of a name that begins with the caller's. */
  const ask = (queue: ReturnType<typeof open>, ...items: ReadonlyArray<string>): ReadonlyArray<string | undefined> =>
    items.map((item) => {
      queue.heard(item[0] ?? '')
      return queue.push(item[0] ?? '', item)
    })
  const drain = (queue: QuietFirst<string>): ReadonlyArray<string> => {
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

  it('puts one who comes for the first time before a thousand others who each asked twice, also where all of them wait for their first time', () => {
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
    assert.deepEqual([queue.shift(1), queue.shift(1.06), queue.shift(1.06), queue.shift(1.06), queue.shift(2)], [undefined, 'b1', 'b2', undefined, 'a1'])
  })

  it('keeps those without room for lots, one of each caller, and takes every other item from there', () => {
    const callers = makeCallers(() => at)
    const queue = { ...callers, ...makeQuietFirst<string>(2, callers, { room: 2, draw: () => 0.9 }) }
    assert.deepEqual(ask(queue, 'a1', 'a2', 'a3', 'b1', 'c1'), [undefined, undefined, 'a3', 'a2', undefined])
    assert.deepEqual(ask(queue, 'd1', 'e1'), [undefined, 'e1'], 'the lots are a1, d1 and e1, and the last one is drawn')
    assert.equal(queue.size(), 4)
    assert.deepEqual(drain(queue), ['b1', 'd1', 'c1', 'a1'])
    ask(queue, 'f1', 'f2', 'g1', 'h1')
    queue.remove('f1')
    assert.deepEqual(drain(queue), ['g1', 'h1'])
  })

  it('draws one who tries every three seconds in the end, while 25,000 others ask less often than she', () => {
    let seed = 7
    const draw = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed / 2 ** 31
    }
    const callers = makeCallers(() => at)
    const queue = { ...callers, ...makeQuietFirst<string>(16, callers, { room: 16, draw }) }
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
    for (const caller of ['b', 'b', 'b', 'a', 'a', 'c']) queue.heard(caller)
    for (const caller of ['c', 'a', 'b']) queue.push(caller, caller)
    assert.deepEqual(drain(queue), ['b', 'c', 'a'])
  })
})
