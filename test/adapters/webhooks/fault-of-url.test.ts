import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { type AddressRange, parseAddressRange } from '../../../adapters/webhooks/address.js'
import { makeWebhookSender } from '../../../adapters/webhooks/webhook-sender.js'

const HTTPS = /begins with https/
const PRIVATE = /not public/

const ranges = (...texts: ReadonlyArray<string>): ReadonlyArray<AddressRange> => texts.map((text) => O.toUndefined(parseAddressRange(text)) ?? assert.fail(text))

describe('An address to which nothing can be delivered', () => {
  const faultOf = (url: string, allow: ReadonlyArray<AddressRange> = []): string | undefined => {
    const sender = makeWebhookSender({ version: '0', allow })
    sender.close()
    return sender.faultOfUrl(url)
  }

  for (const [url, fault] of [
    ['https://10.0.0.1/hook', PRIVATE], ['https://127.0.0.1', PRIVATE], ['https://2130706433/', PRIVATE], ['https://0x7f.1/', PRIVATE], ['https://[::1]:8443/', PRIVATE],
    ['https://[::ffff:10.0.0.1]/', PRIVATE], ['https://169.254.169.254/latest', PRIVATE], ['https://localhost:9000/', PRIVATE], ['https://app.LOCALHOST./', PRIVATE],
    ['http://app.example/hook', HTTPS], ['http://8.8.8.8/', HTTPS], ['http://10.0.0.1/', PRIVATE], ['http://localhost/', PRIVATE], ['https://[::1', /not the address of a host/],
  ] as const) {
    it(`is known by itself: ${url}`, () => assert.match(faultOf(url) ?? 'none', fault))
  }

  for (const url of ['https://app.example/hook', 'https://8.8.8.8/', 'https://[2606:4700::1111]/', 'https://localhost.example/', 'https://intern/']) {
    it(`is not ${url}`, () => assert.isUndefined(faultOf(url)))
  }

  it('is none that the operator allows, and a name may lead there', () => {
    const allow = ranges('10.0.0.0/8', '127.0.0.0/8')
    for (const url of ['http://10.1.2.3/', 'https://10.1.2.3/', 'http://localhost:3000/', 'http://app.internal/']) assert.isUndefined(faultOf(url, allow), url)
    assert.match(faultOf('http://192.168.0.1/', allow) ?? 'none', PRIVATE)
    assert.match(faultOf('http://8.8.8.8/', allow) ?? 'none', HTTPS)
  })
})
