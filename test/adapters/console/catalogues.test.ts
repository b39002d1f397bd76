import { assert } from 'chai'
import { type Language, LANGUAGES } from '../../../core/kernel/language.js'
import { CATALOGUES } from '../../../adapters/console/texts.js'
import { isLeaf, leavesOf } from './leaves.js'
import { SAME } from './same-words.js'

const OTHERS = LANGUAGES.filter((language) => language !== 'en')

/** What is wrong with a catalogue, text by text. */
const faultsOf = (language: Language, texts: unknown): ReadonlyArray<string> => {
  const theirs = new Map(leavesOf(texts))
  const ours = leavesOf(CATALOGUES.en)
  const faults = ours.flatMap(([path, english]): ReadonlyArray<string> => {
    const said = theirs.get(path)
    if (said === undefined) return [`${path} is missing`]
    if (typeof english === 'function') {
      return typeof said === 'function' && said.length === english.length ? [] : [`${path} takes other values`]
    }
    if (typeof said !== typeof english) return [`${path} is of another kind`]
    if (typeof said !== 'string') return []
    if (said.trim() === '') return [`${path} is empty`]
    return said === english && /\p{L}/u.test(said) && !SAME[language].has(said) ? [`${path} is English: ${said}`] : []
  })
  return [
    ...faults,
    ...[...theirs.keys()].filter((path) => !ours.some(([known]) => known === path)).map((path) => `${path} is no text of English`),
  ]
}

describe('the catalogues of the console', () => {
  for (const language of OTHERS) {
    it(`have every text in ${language}, and none left in English`, () => {
      assert.deepEqual(faultsOf(language, CATALOGUES[language]), [])
    })

    it(`list for ${language} only words that are the same there`, () => {
      const used = new Set(leavesOf(CATALOGUES[language]).filter(([path, said]) => new Map(leavesOf(CATALOGUES.en)).get(path) === said)
        .map(([, said]) => said))
      assert.deepEqual([...SAME[language]].filter((word) => !used.has(word)), [])
    })
  }

  it('are found out where a text is missing, empty, English, or takes other values', () => {
    const { wallet, ...rest } = CATALOGUES.de
    const { held: _, ...others } = wallet
    const texts = { ...rest, wallet: { ...others, balance: 'Balance', available: ' ', statementOf: () => 'mehr', extra: 'mehr' } }
    assert.deepEqual(faultsOf('de', texts), [
      'wallet.balance is English: Balance', 'wallet.available is empty', 'wallet.held is missing', 'wallet.statementOf takes other values',
      'wallet.extra is no text of English',
    ])
  })

  it('have a text for every number in every language', () => {
    for (const language of LANGUAGES) {
      const { keys, overview, search, templates } = CATALOGUES[language]
      for (const count of [0, 1, 2, 5, 1_000_000]) {
        for (const said of [keys.ended(count), search.placesLeft(count), templates.soFar(count), overview.duration(count * 3_600_000)]) {
          assert.isFalse(said.includes('#') || said.includes('undefined'), said)
        }
      }
    }
  })

  it('say one of a thing as one', () => {
    const HOUR_MS = 3_600_000
    for (const language of LANGUAGES) {
      const { overview, templates } = CATALOGUES[language]
      const many = [overview.duration(3 * HOUR_MS), templates.soFar(3), templates.synced(3)]
      const one = [overview.duration(HOUR_MS), templates.soFar(1), templates.synced(1)]
      assert.deepEqual(one.filter((said, index) => said === many[index]?.replace('3', '1')), [], language)
    }
  })

  it('name every leaf of a group', () => {
    assert.isTrue(isLeaf('a'))
    assert.deepEqual(leavesOf({ a: { b: 'c' }, d: ['e'] }), [['a.b', 'c'], ['d.0', 'e']])
  })
})
