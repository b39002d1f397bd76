import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { parseJson } from '../../../adapters/koa/body.js'
import { jsonFault } from '../../../adapters/koa/json-fault.js'

describe('the fault of a text that is not JSON', () => {
  const cases: ReadonlyArray<readonly [text: string, line: number, column: number, expected: string]> = [
    ['', 1, 1, 'a value'], [' \n ', 2, 2, 'a value'], ['{', 1, 2, 'a name in double quotation marks or }'], ['{"to":', 1, 7, 'a value'],
    ['{"to":"1"\n "text":"x"}', 2, 2, 'a comma or }'], ['{"to":"1",}', 1, 11, 'a name in double quotation marks'],
    ["{'to':1}", 1, 2, 'a name in double quotation marks or }'], ['{"to" "1"}', 1, 7, 'a colon'], ['[1 2]', 1, 4, 'a comma or ]'],
    ['[,]', 1, 2, 'a value or ]'], ['[1,]', 1, 4, 'a value'], ['{} x', 1, 4, 'the end of the body'],
    ['{"a":\r\n\t"secret', 2, 9, 'a quotation mark that ends the text'], ['{"a', 1, 4, 'a quotation mark that ends the text'],
    ['{"a":"one\ntwo"}', 1, 10, '\\n in place of the line break, which a text cannot have'],
    ['["one\r\ntwo"]', 1, 6, '\\n in place of the line break, which a text cannot have'],
    ['{"a\tb":1}', 1, 4, '\\t in place of the tab, which a text cannot have'],
    ['["\u0001"]', 1, 3, 'an escape such as \\u0000 in place of the control character, which a text cannot have'],
    ['{"a":"\\x"}', 1, 7, 'an escape that JSON knows, such as \\n, \\" or \\\\'],
    ['["\\u12"]', 1, 3, 'an escape that JSON knows, such as \\n, \\" or \\\\'],
    ['\ufeff{"a":1}', 1, 1, 'a value, without a byte order mark before it'],
    ['{"a":01}', 1, 7, 'a comma or }'], ['NaN', 1, 1, 'a value'], ['{"a":tru}', 1, 6, 'a value'], ['[}', 1, 2, 'a value or ]'],
  ]
  for (const [text, line, column, expected] of cases) {
    it(`${JSON.stringify(text)} is at line ${line}, column ${column}`, () => assert.deepEqual(jsonFault(text), { line, column, expected }))
  }

  it('is found exactly where JSON.parse finds one', () => {
    fc.assert(fc.property(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', ':', 'x', '1', '\\', '\n'), (json, at, letter) => {
      const place = at % (json.length + 1)
      for (const text of [json, json.slice(0, place) + letter + json.slice(place + 1)]) {
        assert.equal(jsonFault(text) === undefined, E.isRight(E.tryCatch(() => JSON.parse(text) as unknown, E.toError)), text)
      }
    }), { numRuns: 500 })
  })

  it('is described without a word of the text', () => {
    for (const text of ['{"token":"pst_secret" "x"}', '{"token":pst_secret}', 'pst_secret', '{"a":"pst_secret', '["pst_secret",]']) {
      const parsed = parseJson(text)
      assert.notInclude(JSON.stringify(parsed), 'secret')
      assert.match(JSON.stringify(parsed), /at line 1, column \d+ there has to be/)
    }
    assert.match(JSON.stringify(parseJson('{"__proto__":1}')), /field named __proto__/)
  })

  it('is found in the largest body that is taken', () => {
    assert.deepEqual(jsonFault(`{"a":"${'x\\n'.repeat(80_000)}",}`), {
      line: 1, column: 240_009, expected: 'a name in double quotation marks',
    })
    assert.equal(jsonFault('['.repeat(250_000))?.column, 250_001)
  })
})
