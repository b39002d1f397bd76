import { assert } from 'chai'
import { type FairShares, makeFairShares, makePace, SLOW_BYTES_PER_SECOND, whoYields } from '../../../adapters/shared/fair-shares.js'

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

  it('allow nothing if more was taken than there is', () => {
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
    assert.equal(
      whoYields([holder('a', 'slow', 1), holder('b', 'faster', 3 * fast), holder('b', 'fast', 2 * fast), holder('b', 'young')])?.name,
      'fast',
    )
    assert.equal(whoYields([holder('b', 'old'), holder('b', 'young')])?.name, 'young')
  })

  it('is a slow one if each key has one, and none if all are fast or young', () => {
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
