import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { parseEndpointUrl } from '../../core/events/endpoint.js'

describe('the address of an endpoint', () => {
  it('is kept as it was written', () => {
    const addresses = [
      'https://shop.example', 'https://shop.example/postern?from=a&b=@#'.slice(0, -1), 'HTTPS://Shop.example:8443/', 'http://10.0.0.7/', 'https://[2001:db8::1]/x', 'https://bücher.example/',
      `https://shop.example/${'x'.repeat(2_027)}`,
    ]
    for (const address of addresses) assert.deepEqual(parseEndpointUrl(address), E.right(address))
  })

  it('has no other scheme, no user, no password, no fragment, and nothing that cannot be seen', () => {
    const addresses = [
      '', 'shop.example', '//shop.example', 'ftp://shop.example', 'https:/shop.example', 'https://', 'https:///x', 'https://user@shop.example/', 'https://user:word@shop.example/',
      'https://shop.example/#x', 'https://shop.example#x', 'https://shop.example\\@other.example/', ' https://shop.example', 'https://shop.example/ x', 'https://shop.example\n/',
      'https://shop\u0000.example/', 'https://shop\ud800.example/', 'https://shop\u200b.example/', 'https://shop.example/\u0000', 'https://shop.example/é',
      `https://shop.example/${'x'.repeat(2_028)}`,
    ]
    for (const address of addresses) assert.isTrue(E.isLeft(parseEndpointUrl(address)), JSON.stringify(address))
  })

  it('is not repeated in the refusal, since it may have a password', () => {
    assert.notInclude(JSON.stringify(parseEndpointUrl('https://user:hunter2@shop.example/')), 'hunter2')
  })
})
