import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { makeClientAddress, parseTrustedProxy } from '../../../apps/server/config.js'
import { startInProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'

const trusting = (...proxies: ReadonlyArray<string>) => {
  const address = makeClientAddress(proxies.flatMap((proxy) => O.toUndefined(parseTrustedProxy(proxy)) ?? assert.fail(proxy)))
  return (remoteAddress: string | undefined, forwarded?: string) =>
    address({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } })
}

describe('The address of a client', () => {
  it('is that of the connection while no proxy is trusted, whatever the header says', () => {
    const address = trusting()
    assert.equal(address('127.0.0.1', '192.0.2.7'), '127.0.0.1')
    assert.equal(address('203.0.113.5', '192.0.2.7, 127.0.0.1'), '203.0.113.5')
    assert.isUndefined(address(undefined, '192.0.2.7'))
  })

  it('is the last one in the header that is not a trusted proxy, so what a client wrote itself is not believed', () => {
    const address = trusting('loopback', '10.0.0.0/8', '2001:db8:1::/48')
    for (const [from, forwarded, client] of [
      ['127.0.0.1', undefined, '127.0.0.1'],
      ['127.0.0.1', '192.0.2.7', '192.0.2.7'],
      ['::1', '198.51.100.1, 192.0.2.7', '192.0.2.7'],
      ['127.0.0.1', '10.9.9.9, 192.0.2.7, 10.0.0.2,2001:db8:1::2', '192.0.2.7'],
      ['127.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
      ['203.0.113.5', '192.0.2.7', '203.0.113.5'],
      ['2001:db8:2::1', '192.0.2.7', '2001:db8:2::1'],
    ] as const) assert.equal(address(from, forwarded), client, `${from} ${String(forwarded)}`)
  })

  it('has one form, however it is written', () => {
    const address = trusting('loopback')
    for (const [from, forwarded, client] of [
      ['::ffff:127.0.0.1', '192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', undefined, '192.0.2.7'],
      ['127.0.0.1', '192.0.2.7:51234', '192.0.2.7'],
      ['127.0.0.1', '[2001:DB8:0:0::1]:51234', '2001:db8::1'],
      ['127.0.0.1', '2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ] as const) assert.equal(address(from, forwarded), client, `${from} ${String(forwarded)}`)
  })

  it('is that of the proxy which sent what cannot be read', () => {
    const address = trusting('loopback', '10.0.0.0/8')
    for (const forwarded of ['', ' ', 'unknown', 'a.example', '192.0.2.7, ', '192.0.2.7, _hidden', '0x7f.1', '1.2.3', '192.0.2.7:x']) {
      assert.equal(address('127.0.0.1', forwarded), '127.0.0.1', forwarded)
    }
    assert.equal(address('127.0.0.1', '192.0.2.7, unknown, 10.0.0.2'), '10.0.0.2')
  })

  it('goes into the log of who did what', async () => {
    const gateway = await startInProcessFixture({ TRUSTED_PROXIES: 'loopback' })
    try {
      await fetch(`${gateway.url}/console/sign-in`, {
        method: 'POST', redirect: 'manual', body: new URLSearchParams({ email: 'eve@example.com', password: 'not a password' }),
        headers: { Origin: gateway.url, 'X-Forwarded-For': '198.51.100.1, 192.0.2.7' },
      })
      const { items } = rightOf(await gateway.storage.auditLog.list({ limit: 1 }))
      assert.deepEqual(items.map(({ act, address }) => [act, address]), [['member.sign_in', '192.0.2.7']])
    } finally {
      await gateway[Symbol.asyncDispose]()
    }
  })
})
