import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { type AddressRange, parseAddressRange } from '../../../adapters/shared/address.js'
import { makeAddressGuard, makeSemaphore, readEndpointAddress } from '../../../adapters/webhooks/address.js'
import { FORBIDDEN, PUBLIC } from './addresses.js'

describe('the address of an endpoint', () => {
  it('is read alike however often, also with letters outside ASCII', () => {
    const hosts = new Set(Array.from({ length: 20_000 }, () => readEndpointAddress('https://b\u00fccher.example/').host))
    assert.deepEqual([...hosts], ['xn--bcher-kva.example'])
  })
})

const ranges = (...texts: ReadonlyArray<string>): ReadonlyArray<AddressRange> =>
  texts.map((text) => {
    const range = parseAddressRange(text)
    if (O.isNone(range)) throw new Error(`${text} is no range`)
    return range.value
  })

describe('the guard of addresses', () => {
  const guard = makeAddressGuard([])

  for (const [reason, addresses] of Object.entries(FORBIDDEN)) {
    it(`forbids ${reason}`, () => {
      for (const address of addresses) {
        for (const scheme of ['https:', 'http:'] as const) assert.isFalse(guard.mayDial(address, scheme), `${scheme} ${address}`)
      }
    })
  }

  it('lets https go to public addresses, and http to none', () => {
    for (const address of PUBLIC) {
      assert.isTrue(guard.mayDial(address, 'https:'), address)
      assert.isFalse(guard.mayDial(address, 'http:'), address)
    }
  })

  it('lets both go to the ranges of the operator, and to nothing beside them', () => {
    const own = makeAddressGuard(ranges('10.1.0.0/16', '192.168.7.7', 'fd12:3456::/32', '::1'))
    for (const scheme of ['https:', 'http:'] as const) {
      for (const address of ['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd12:3456:ffff::1', '::1']) {
        assert.isTrue(own.mayDial(address, scheme), address)
      }
      for (const address of ['10.0.255.255', '10.2.0.0', '192.168.7.6', '192.168.7.8', 'fd12:3457::1', '::2', '::', '127.0.0.1']) {
        assert.isFalse(own.mayDial(address, scheme), address)
      }
    }
  })

  it('takes a range of IPv4 for IPv4 addresses only, however IPv6 writes them', () => {
    const own = makeAddressGuard(ranges('10.0.0.0/8', '127.0.0.0/8'))
    for (const address of ['::ffff:10.0.0.1', '::10.0.0.1', '64:ff9b::10.0.0.1', '2002:a00:1::', '::ffff:7f00:1', '::1']) {
      assert.isFalse(own.mayDial(address, 'https:'), address)
    }
  })

  it('judges the IPv4 address in an IPv6 address of an allowed range too', () => {
    const own = makeAddressGuard(ranges('64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '::/80', '10.0.0.0/8'))
    for (const address of [
      '64:ff9b::8.8.8.8', '64:ff9b::10.0.0.1', '2002:808:808::1', '::8.8.8.8', '::ffff:10.0.0.1', '2001:0:808:808::f7f7:f7f7',
    ]) {
      assert.isTrue(own.mayDial(address, 'https:'), address)
    }
    for (const address of [
      '64:ff9b::127.0.0.1', '64:ff9b::169.254.169.254', '2002:7f00:1::', '2002:c0a8:1::1', '::127.0.0.1', '::ffff:127.0.0.1',
      '2001:0:7f00:1::f7f7:f7f7', '2001:0:808:808::80ff:fffe', '64:ff9b:1:7f00:0:100::', '64:ff9b:1:808:8:800:7f00:1',
    ]) assert.isFalse(own.mayDial(address, 'https:'), address)
    assert.isFalse(own.mayDial('64:ff9b::8.8.8.8', 'http:'), 'http goes to public addresses through no translator')
  })

  it('allows everything only if both kinds of addresses are allowed', () => {
    assert.isFalse(makeAddressGuard(ranges('::/0')).mayDial('127.0.0.1', 'https:'))
    assert.isFalse(makeAddressGuard(ranges('0.0.0.0/0')).mayDial('::1', 'https:'))
    const all = makeAddressGuard(ranges('0.0.0.0/0', '::/0'))
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '169.254.169.254']) {
      assert.isTrue(all.mayDial(address, 'http:'), address)
    }
  })
})

describe('A semaphore', () => {
  const never = new AbortController().signal

  it('let no more tasks run at once than there are places, and all in their order', async () => {
    const semaphore = makeSemaphore(2)
    const begun: number[] = []
    let running = 0
    let most = 0
    await Promise.all(Array.from({ length: 10 }, (_, nth) => semaphore.take(never, async () => {
      begun.push(nth)
      most = Math.max(most, running += 1)
      await new Promise(setImmediate)
      running -= 1
    })))
    assert.equal(most, 2)
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('pass on the place of a task that fails', async () => {
    const semaphore = makeSemaphore(1)
    const failing = semaphore.take(never, () => Promise.reject(new Error('failed')))
    const next = semaphore.take(never, () => Promise.resolve('done'))
    assert.match(String(await failing.catch((error: unknown) => error)), /failed/)
    assert.equal(await next, 'done')
  })

  it('do not begin a task that is not wanted any more', async () => {
    const semaphore = makeSemaphore(1)
    const controller = new AbortController()
    let finish = (): void => undefined
    const first = semaphore.take(never, () => new Promise<void>((resolve) => { finish = resolve }))
    const unwanted = semaphore.take(controller.signal, () => Promise.reject(new Error('it has begun')))
    controller.abort()
    assert.match(String(await unwanted.catch((error: unknown) => error)), /aborted/)
    finish()
    await first
    assert.match(String(await semaphore.take(controller.signal, () => Promise.resolve()).catch((error: unknown) => error)), /aborted/)
    assert.equal(await semaphore.take(never, () => Promise.resolve('done')), 'done')
  })
})
