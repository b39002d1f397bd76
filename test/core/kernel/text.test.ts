import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { parseCorrection, parseCredit } from '../../../core/kernel/money.js'
import { beginningOf, endOf, foldedOf, parseName, parseNote, parseReference } from '../../../core/kernel/text.js'
import { leftOf } from '../../support/right-of.js'

describe('What operators write', () => {
  it('is a name of one line, without the spaces around it', () => {
    assert.deepEqual(parseName(' Bäckerei Müller 🥐 '), E.right('Bäckerei Müller 🥐'))
    for (const text of ['', ' ', 'a\nb', 'a\u0000b', 'a\u009bb', 'x'.repeat(201)]) assert.equal(leftOf(parseName(text))._tag, 'InvalidName')
  })

  it('is a note of one line, without the spaces around it', () => {
    assert.deepEqual(parseNote(' typed 100 for 10 '), E.right('typed 100 for 10'))
    for (const text of ['', ' ', 'a\nb', 'x'.repeat(1_001)]) assert.deepEqual(parseNote(text), E.left({ _tag: 'InvalidNote' }))
  })

  it('is a reference of 1 to 255 printable ASCII characters', () => {
    for (const text of ['7', 'invoice 7', '~'.repeat(255)]) assert.deepEqual(parseReference(text), E.right(text))
    for (const text of ['', ' 7', '7 ', 'ü', '~'.repeat(256), 'a\nb']) {
      assert.deepEqual(parseReference(text), E.left({ _tag: 'InvalidReference' }))
    }
  })

  it('is an amount above zero if money is added', () => {
    assert.deepEqual(parseCredit('0.000001'), E.right(1n))
    for (const text of ['0', '0.0', '-1', '+1', '']) assert.equal(leftOf(parseCredit(text))._tag, 'InvalidAmount')
  })

  it('is an amount of either sign if a wallet is corrected', () => {
    assert.deepEqual(
      [parseCorrection('1.5'), parseCorrection('+1.5'), parseCorrection('-1.5')],
      [1_500_000n, 1_500_000n, -1_500_000n].map((micros) => E.right(micros)),
    )
    for (const text of ['0', '-0', '--1', '-', '1e3', '']) assert.equal(leftOf(parseCorrection(text))._tag, 'InvalidAmount')
  })
})

describe('a part of a text', () => {
  it('has at most the given number of units, and only whole characters', () => {
    assert.deepEqual([0, 1, 2, 3, 4, 9].map((most) => beginningOf('a🙂b', most)), ['', 'a', 'a', 'a🙂', 'a🙂b', 'a🙂b'])
    assert.deepEqual([1, 2, 3, 4, 9].map((most) => endOf('a🙂b', most)), ['b', 'b', '🙂b', 'a🙂b', 'a🙂b'])
  })
})

describe('a folded text', () => {
  it('has no case and no accents, and the letters that people type instead of those that their keyboard lacks', () => {
    const folded = {
      'Łukasz Żółć': 'lukasz zolc', 'Søren Ærø': 'soren aero', Đorđe: 'dorde', Straße: 'strasse', STRAẞE: 'strasse', Œuvre: 'oeuvre',
      'Işık İnci': 'isik inci', Þór: 'thor', 'ＡＮＮ': 'ann', 'ﬁn': 'fin', 'Иван': 'иван',
    }
    for (const [text, expected] of Object.entries(folded)) assert.equal(foldedOf(text), expected, text)
  })
})
