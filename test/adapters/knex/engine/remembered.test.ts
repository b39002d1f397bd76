import { assert } from 'chai'
import { makeRemembered } from '../../../../adapters/knex/engine/remembered.js'

describe('What a process remembers', () => {
  it('is taken out once', () => {
    const remembered = makeRemembered<number>(3)
    remembered.keep('a', 1)
    assert.deepEqual([remembered.take('a'), remembered.take('a'), remembered.take('b')], [1, undefined, undefined])
  })

  it('is at most so much, of which the oldest is forgotten, whatever was taken out before', () => {
    const remembered = makeRemembered<number>(3)
    for (let number = 0; number < 8; number += 1) {
      remembered.keep(`${number}`, number)
      if (number % 3 === 0) remembered.take(`${number}`)
    }
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7].map((number) => remembered.take(`${number}`)), [undefined, undefined, undefined, undefined, 4, 5, undefined, 7])
    for (let number = 10; number < 20; number += 1) remembered.keep(`${number}`, number)
    assert.deepEqual([16, 17, 18, 19].map((number) => remembered.take(`${number}`)), [undefined, 17, 18, 19])
  })
})
