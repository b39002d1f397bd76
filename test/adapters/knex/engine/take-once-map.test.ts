import { assert } from 'chai'
import { makeTakeOnceMap } from '../../../../adapters/knex/engine/take-once-map.js'

describe('A map from which each value is taken once', () => {
  it('returns a value once', () => {
    const map = makeTakeOnceMap<number>(3)
    map.keep('a', 1)
    assert.deepEqual([map.take('a'), map.take('a'), map.take('b')], [1, undefined, undefined])
  })

  it('keeps a limited number of values and removes the oldest first, no matter which were taken', () => {
    const map = makeTakeOnceMap<number>(3)
    for (let number = 0; number < 8; number += 1) {
      map.keep(`${number}`, number)
      if (number % 3 === 0) map.take(`${number}`)
    }
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7].map((number) => map.take(`${number}`)), [
      undefined, undefined, undefined, undefined, 4, 5, undefined, 7,
    ])
    for (let number = 10; number < 20; number += 1) map.keep(`${number}`, number)
    assert.deepEqual([16, 17, 18, 19].map((number) => map.take(`${number}`)), [undefined, 17, 18, 19])
  })
})
