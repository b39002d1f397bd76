import { assert } from 'chai'
import fc from 'fast-check'
import { canonicalJson, type Json } from '../../../core/kernel/json.js'

const parsed = (text: string): Json => JSON.parse(text) as Json

/** The same value with the keys of every object in the opposite order. */
const reversed = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => reversed(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).reverse().map(([key, inner]: [string, Json]) => [key, reversed(inner)]))
}

const json = fc.jsonValue().map((value) => value as Json)

describe('The canonical text of a JSON value', () => {
  it('has the keys of every object in order', () => {
    assert.equal(canonicalJson({ b: 1, a: { d: [{ f: 1, e: 2 }], c: null } }), '{"a":{"c":null,"d":[{"e":2,"f":1}]},"b":1}')
  })

  it('is the same whatever the order of the keys', () => {
    fc.assert(fc.property(json, (value) => { assert.equal(canonicalJson(reversed(value)), canonicalJson(value)) }))
  })

  it('reads back as the same value', () => {
    fc.assert(fc.property(json, (value) => { assert.deepEqual(parsed(canonicalJson(value)), parsed(JSON.stringify(value))) }))
  })

  it('keeps the order of arrays', () => {
    assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
    assert.equal(canonicalJson([{ b: 1, a: 2 }, [3, null, 'x']]), '[{"a":2,"b":1},[3,null,"x"]]')
  })

  it('keeps keys that objects have of their own accord, such as __proto__ and toJSON', () => {
    const [one, other] = [
      '{"__proto__":{"b":1,"a":2},"toJSON":true,"constructor":0}', '{"constructor":0,"toJSON":true,"__proto__":{"a":2,"b":1}}',
    ]
    assert.equal(canonicalJson(parsed(one)), '{"__proto__":{"a":2,"b":1},"constructor":0,"toJSON":true}')
    assert.equal(canonicalJson(parsed(other)), canonicalJson(parsed(one)))
    assert.notEqual(canonicalJson(parsed('{"__proto__":1}')), canonicalJson({}))
  })

  it('distinguishes what is not equal: text from number, null from absent, an empty object from an empty array', () => {
    const values: ReadonlyArray<Json> = [
      1, '1', true, 'true', null, 'null', {}, [], [null], { a: null }, { a: '' }, '', 'é', 'e\u0301', '\ud800', '\udc00',
    ]
    assert.equal(new Set(values.map(canonicalJson)).size, values.length)
  })
})
