import { assert } from 'chai'
import { networkOf, siteOf } from '../../../core/kernel/limits.js'

describe('the network of an address', () => {
  it('is the address of IPv4, however it is written, and a /64 of IPv6', () => {
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1']) assert.equal(networkOf(address), '192.0.2.1')
    for (const address of ['2001:db8:0:1::1', '2001:DB8:0:1:ffff:0:0:9', '2001:0db8::1:0:0:0:1']) {
      assert.equal(networkOf(address), '2001:db8:0:1::/64')
    }
  })

  it('is a /48 of IPv6 if many ask at once', () => {
    assert.deepEqual(['192.0.2.1', '2001:db8:7:1::1', '2001:db8:7:2::1', '2001:db8::1'].map(siteOf), [
      '192.0.2.1', '2001:db8:7::/48', '2001:db8:7::/48', '2001:db8:0::/48',
    ])
  })
})
