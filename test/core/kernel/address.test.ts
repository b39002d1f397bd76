import { assert } from 'chai'
import { hasUsableHost } from '../../../core/kernel/address.js'

const USABLE = [
  'https://shop.example', 'https://shop.example./', 'HTTP://shop.example:8443/a?b#c', 'https://localhost:/', 'http://[::1]:80/',
  'https://[::]/', 'amqp://user:pa..ss@broker:5672/vhost', 'nats://broker', 'https://shop.example/a..b:0/', 'https://shop.example?..',
  'https://bücher.example:65535',
]

const UNUSABLE = [
  'https://', 'https:///path', 'https://example..com/', 'https://.example.com', 'https://example.com..', 'https://./',
  'https://example.com:0', 'https://example.com:000/a', 'https://example.com:65536', 'http://[::1]:0/',
  'amqp://user:password@broker..example/vhost', 'nats://broker:0', 'https://example。.com/', 'https://example%2E%2ecom/', 'https://:443/',
  'example.com',
]

describe('The host of an address', () => {
  it('can be connected to if none of its labels is empty and its port exists', () => {
    for (const address of USABLE) assert.isTrue(hasUsableHost(address), address)
  })

  it('cannot be connected to if one of its labels is empty, or its port does not exist', () => {
    for (const address of UNUSABLE) assert.isFalse(hasUsableHost(address), address)
  })
})
