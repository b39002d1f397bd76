import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { parseAddressRange } from '../../../adapters/shared/address.js'

describe('a range of addresses', () => {
  it('is read in CIDR notation, or as one address', () => {
    assert.deepEqual(['10.0.0.0/8', ' 10.1.2.3 ', 'fd00::/8', '::1', '0.0.0.0/0'].map((text) => O.toUndefined(parseAddressRange(text))), [
      { first: '10.0.0.0', prefixLength: 8 }, { first: '10.1.2.3', prefixLength: 32 }, { first: 'fd00::', prefixLength: 8 },
      { first: '::1', prefixLength: 128 }, { first: '0.0.0.0', prefixLength: 0 },
    ])
  })

  it('is nothing else', () => {
    const others = [
      '', '/', '/8', '10.0.0.0/', '10.0.0.0/33', '::/129', '10.0.0.0/-1', '10.0.0.0/8/8', '10/8', '010.0.0.0/8', '0x0a.0.0.0/8',
      '10.0.0.0/255.0.0.0', 'fe80::1%eth0', 'localhost', '10.0.0.0/8,::1', '10.0.0.0 /8', '*',
    ]
    for (const text of others) {
      assert.isTrue(O.isNone(parseAddressRange(text)), text)
    }
  })
})
