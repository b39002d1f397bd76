import { assert } from 'chai'
import { parseExactJson, parseJsonObject } from '../../../core/kernel/exact-json.js'

describe('JSON that is passed on', () => {
  for (const text of [
    '{"catalog_id":122097329108006499}', '[122097329108006499,-9007199254740993,0.12345678901234567890]', '{"a":[{"b":1e400}]}', '"122097329108006499 , 1220973291080064991"',
    '{"id":"122097329108006499","n":9007199254740991}',
  ]) {
    it(`keeps the digits that came: ${text}`, () => {
      assert.equal(JSON.stringify(parseExactJson(text)), text)
    })
  }

  it('has an ordinary number if a double keeps the value', () => {
    assert.deepEqual(parseExactJson('[1, 1.0, 1e3, 9007199254740992, 0.1, 100000000000000000000, 1234567890123456]'), [
      1, 1, 1000, 9007199254740992, 0.1, 1e20, 1234567890123456,
    ])
  })

  it('is an object or nothing if an object is asked for', () => {
    assert.equal(JSON.stringify(parseJsonObject('{"id":122097329108006499}')), '{"id":122097329108006499}')
    for (const text of ['', '{', 'null', '[]', '1', '122097329108006499', '"{}"']) assert.isUndefined(parseJsonObject(text), text)
  })

  it('throws if the text is not JSON', () => {
    assert.throws(() => parseExactJson('[122097329108006499'), SyntaxError)
  })
})
