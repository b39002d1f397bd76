import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeHeldLeases } from '../../../adapters/jobs/held-leases.js'
import { portFailure } from '../../../core/kernel/failure.js'
import type { Leases } from '../../../core/kernel/leases.js'

const open = ({ take }: Partial<Leases> = {}) => {
  let now = 1_000
  const asked: string[] = []
  const released: string[] = []
  const failures: unknown[] = []
  const held = makeHeldLeases({
    take: async (name, ttlMs) => {
      asked.push(name)
      return take?.(name, ttlMs) ?? E.right(true)
    },
    release: async (name) => E.right(void released.push(name)),
  }, () => now, (error) => { failures.push(error) })
  return { held, asked, released, failures, passes: (ms: number) => { now += ms } }
}

describe('Held leases', () => {
  it('are taken if they are needed, and not asked for again while they last', async () => {
    const { held, asked } = open()
    assert.deepEqual([held.isHeld('a'), await held.hold('a'), held.isHeld('a'), await held.hold('a')], [false, true, true, true])
    assert.deepEqual(asked, ['a'])
  })

  it('end after 15 seconds without renewal', async () => {
    const { held, passes } = open()
    await held.hold('a')
    passes(14_999)
    assert.isTrue(held.isHeld('a'))
    passes(1)
    assert.isFalse(held.isHeld('a'))
  })

  it('are renewed while they are used, and for half a minute after', async () => {
    const { held, asked, passes } = open()
    await held.hold('a')
    for (let n = 0; n < 10; n += 1) {
      passes(5_000)
      await held.hold('a')
      await held.renew()
    }
    assert.equal(asked.length, 11)
    for (let n = 0; n < 10; n += 1) {
      passes(5_000)
      await held.renew()
    }
    assert.equal(asked.length, 16)
    assert.isFalse(held.isHeld('a'))
  })

  it('are lost when a renewal is refused', async () => {
    let isTaken = true
    const { held, passes } = open({ take: async () => E.right(isTaken) })
    await held.hold('a')
    isTaken = false
    passes(5_000)
    await held.renew()
    assert.deepEqual([held.isHeld('a'), held.isRefused('a')], [false, true])
  })

  it('last to their end when a renewal fails', async () => {
    let fails = false
    const { held, failures, passes } = open({ take: async () => (fails ? E.left(portFailure('Leases')('down')) : E.right(true)) })
    await held.hold('a')
    fails = true
    passes(5_000)
    await held.renew()
    assert.deepEqual([held.isHeld('a'), failures.length], [true, 1])
    passes(10_000)
    assert.isFalse(held.isHeld('a'))
  })

  it('are not asked for again for three seconds after a refusal', async () => {
    const { held, asked, passes } = open({ take: async () => E.right(false) })
    assert.deepEqual([await held.hold('a'), await held.hold('a'), asked.length], [false, false, 1])
    passes(3_000)
    await held.hold('a')
    assert.equal(asked.length, 2)
  })

  it('are all released', async () => {
    const { held, released } = open()
    await held.hold('a')
    await held.hold('b')
    await held.releaseAll()
    assert.sameMembers(released, ['a', 'b'])
    assert.isFalse(held.isHeld('a'))
  })
})
