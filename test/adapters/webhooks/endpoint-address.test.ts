import { assert } from 'chai'
import { readEndpointAddress } from '../../../adapters/webhooks/address.js'

describe('the address of an endpoint', () => {
  it('is read alike however often, also with letters outside ASCII', () => {
    const hosts = new Set(Array.from({ length: 20_000 }, () => readEndpointAddress('https://b\u00fccher.example/').host))
    assert.deepEqual([...hosts], ['xn--bcher-kva.example'])
  })
})
