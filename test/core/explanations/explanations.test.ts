import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { classifyError } from '../../../adapters/cloud-api/read-answer.js'
import { CODES, ERROR_CODES } from '../../../core/explanations/codes.js'
import { explainCode, explainNumber, markdownOf, nearestCodes, nearestNumbers } from '../../../core/explanations/explain.js'
import { sectionsOf } from '../../../core/explanations/explanation.js'
import { PLATFORM_ERRORS, platformErrorOf } from '../../../core/explanations/platform-errors.js'

const some = <A>(option: O.Option<A>): A => (O.isSome(option) ? option.value : assert.fail('it is not explained'))

describe('the explanations of errors', () => {
  it('say in sentences what each error means, how it comes about and what to do', () => {
    for (const explanation of [...ERROR_CODES.map((code) => CODES[code]), ...PLATFORM_ERRORS]) {
      for (const { text } of sectionsOf(explanation)) assert.match(text, /^[A-Z`‘“][^\n]{8,}[.]$/, JSON.stringify(explanation))
    }
  })

  it('explain each number of the platform once', () => {
    const numbers = PLATFORM_ERRORS.map(({ number }) => number)
    assert.lengthOf(new Set(numbers), numbers.length)
    assert.isAbove(numbers.length, 70)
  })

  it('agree with what an answer of the platform does to a send', () => {
    for (const { number, retry, charged } of PLATFORM_ERRORS) {
      const read = classifyError(number, {}, 400)
      assert.equal(charged === 'held', read === 'unknown', String(number))
      assert.equal(retry === 'same_key', read === 'unknown', String(number))
      if (read === 'throttled') assert.equal(retry, 'after', String(number))
    }
  })

  it('know the numbers of permissions as one', () => {
    assert.equal(platformErrorOf(230)?.number, 200)
    assert.isUndefined(platformErrorOf(300))
    assert.equal(some(explainNumber('230')).title, 'Error 230 of the platform')
  })

  it('know the numbers of groups as one', () => {
    for (const number of [131_200, 131_215, 131_299]) assert.equal(platformErrorOf(number)?.number, 131_020)
    assert.isUndefined(platformErrorOf(131_300))
    assert.isUndefined(platformErrorOf(131_199))
    assert.equal(some(explainNumber('131204')).title, 'Error 131204 of the platform')
  })

  it('are found by their names alone', () => {
    assert.include(markdownOf(some(explainCode('window_closed'))), '# window_closed\n\nHTTP status 400\n\n## What it means\n\nThe customer service window is closed')
    assert.include(markdownOf(some(explainNumber('131047'))), '# Error 131047 of the platform\n\nRe-engagement message\n')
    for (const code of ['', 'toString', '__proto__', 'WINDOW_CLOSED', '131047']) assert.isTrue(O.isNone(explainCode(code)), code)
    for (const number of ['', '007', '1e5', '131047x', '-1', '9'.repeat(30), 'window_closed']) {
      assert.isTrue(O.isNone(explainNumber(number)), number)
    }
  })

  it('name the nearest of those that there are', () => {
    assert.equal(nearestCodes('window-close')[0], 'window_closed')
    assert.equal(nearestCodes('insuficient_balance')[0], 'insufficient_balance')
    assert.isEmpty(nearestCodes('zzzzzz'))
    assert.equal(nearestNumbers('1310477')[0], '131047')
    assert.equal(nearestNumbers('131074')[0], '131064')
    for (const number of ['999999', '7']) assert.isEmpty(nearestNumbers(number))
  })
})
