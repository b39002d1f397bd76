import { assert } from 'chai'
import fc from 'fast-check'
import { nearestNames, rememberedNearestNames } from '../../core/templates/check.js'

const NAMES = ['order_update', 'order_shipped', 'order_cancelled', 'welcome', 'welcome_back', 'login_code', 'заказ_готов']

const NEAREST: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['order_updte', ['order_update']],
  ['order_updates', ['order_update']],
  ['Order-Update', ['order_update']],
  ['order', ['order_update', 'order_shipped', 'order_cancelled']],
  ['welcom', ['welcome', 'welcome_back']],
  ['welcome_back_2026', ['welcome_back', 'welcome']],
  ['заказ_готово', ['заказ_готов']],
  ['login', ['login_code']],
  ['seasonal_sale', []],
  ['', []],
]

/** The Levenshtein distance by its definition. */
const edits = (a: string, b: string): number => {
  if (a === '' || b === '') return a.length + b.length
  if (a[0] === b[0]) return edits(a.slice(1), b.slice(1))
  return 1 + Math.min(edits(a.slice(1), b), edits(a, b.slice(1)), edits(a.slice(1), b.slice(1)))
}

describe('The names nearest to a name', () => {
  for (const [name, expected] of NEAREST) {
    it(`of ${JSON.stringify(name)} are ${expected.length === 0 ? 'none' : expected.join(', ')}`, () => assert.deepEqual(nearestNames(name, NAMES), expected))
  }

  it('are at most three, each of them once, and never the name itself', () => {
    assert.deepEqual(nearestNames('offer', ['offer', 'offer_4', 'offer_1', 'offer_3', 'offer_2', 'offer_1']), ['offer_1', 'offer_2', 'offer_3'])
  })

  it('are found among 1,000 of the longest names', () => {
    const long = (index: number): string => `${'x'.repeat(250)}_${'y'.repeat(250)}_${index}`
    const names = Array.from({ length: 1_000 }, (_, index) => long(index))
    assert.deepEqual(nearestNames(`${'x'.repeat(251)}_${'y'.repeat(250)}_17`, names), [long(17), long(1), long(10)])
  })

  it('differ by no more letters than a count of every edit finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 7 })
    fc.assert(fc.property(word, word, (a, b) => {
      const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
      fc.pre(a !== b && !/_{2}/.test(a + b) && !longer.startsWith(shorter))
      assert.equal(nearestNames(a, [b]).length === 1, edits(a, b) <= Math.max(2, Math.floor(longer.length / 3)), `${a} ${b}`)
    }))
  })

  it('are some of the names, whatever these are', () => {
    fc.assert(fc.property(fc.string(), fc.array(fc.string()), (name, names) => {
      const nearest = nearestNames(name, names)
      assert.includeMembers(names, [...nearest])
      assert.isAtMost(nearest.length, 3)
      assert.notInclude(nearest, name)
    }))
  })

  for (const length of [60, 480]) {
    it(`are looked for among the first of too many names of ${length} letters only`, () => {
      let looked = 0
      const endless = function* (): Generator<string> {
        for (; looked < 1_000_000; looked += 1) yield `${'x'.repeat(length - 7)}${looked}`
      }
      assert.lengthOf(nearestNames(`y${'x'.repeat(length - 7)}`, endless()), 3)
      assert.isBelow(looked, 20_000)
    })
  }

  it('are looked for once in a list, however often the same name comes', () => {
    let looks = 0
    const list: ReadonlyArray<string> = Object.assign(['order_update'], {
      [Symbol.iterator]: () => {
        looks += 1
        return ['order_update'].values()
      },
    })
    for (const _ of [1, 2, 3]) assert.deepEqual(rememberedNearestNames('order_updte', list), ['order_update'])
    assert.equal(looks, 1)
    // Names that are all different are forgotten again.
    for (let other = 0; other < 200; other += 1) rememberedNearestNames(`order_updte_${other}`, list)
    rememberedNearestNames('order_updte', list)
    assert.equal(looks, 202)
  })
})
