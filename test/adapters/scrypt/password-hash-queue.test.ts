import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makePasswordHashQueue, type PasswordHashQueueOptions } from '../../../adapters/scrypt/password-hash-queue.js'
import { makeCallers } from '../../../adapters/shared/callers.js'
import { eventually } from '../../support/eventually.js'

describe('Slots of callers with many attempts', () => {
  let at = 0
  beforeEach(() => { at = 1_000_000 })

  const open = (options: PasswordHashQueueOptions = {}, isNoted = true) => {
    const anonymous = makeCallers(() => at)
    for (let asked = 0; asked < 90; asked += 1) anonymous.heard('loud')
    const queue = makePasswordHashQueue({ waitMs: 60_000, loudEveryMs: 10, now: () => at, ...(isNoted && { anonymous }), ...options })
    const take = async (network: string): Promise<boolean> => {
      const slot = await queue.take({ _tag: 'Anonymous', network })
      if (E.isRight(slot)) slot.right.end(false)
      return E.isRight(slot)
    }
    return { take }
  }

  it('are rare even if no other caller waits, while other callers get theirs immediately', async () => {
    const { take } = open()
    assert.isTrue(await take('loud'))
    const order: string[] = []
    const loud = take('loud').then(() => order.push('loud'))
    for (let slot = 0; slot < 3; slot += 1) assert.isTrue(await take(`quiet ${slot}`))
    assert.isEmpty(order)
    at += 10
    await loud
    assert.deepEqual(order, ['loud'])
  })

  it('do not delay a caller that arrives while they wait', async () => {
    const { take } = open()
    await take('loud')
    const waiting = Array.from({ length: 16 }, () => take('loud'))
    assert.isTrue(await take('quiet'))
    const ended: boolean[] = []
    for (const one of waiting) void one.then((wasHad) => ended.push(wasHad))
    await eventually('each of them', () => {
      at += 10
      return ended.length === 16 ? true : undefined
    })
    assert.deepEqual(ended, Array.from({ length: 16 }, () => true))
  })

  it('are refused before the deadline if none becomes free', async () => {
    const { take } = open({ waitMs: 5 })
    assert.deepEqual([await take('loud'), await take('loud'), await take('quiet')], [true, false, true])
  })

  it('are counted by the queue itself if its owner counts no callers', async () => {
    const { take } = open({ waitMs: 5, loudEveryMs: 60_000 }, false)
    const had: boolean[] = []
    for (let slot = 0; slot < 90; slot += 1) had.push(await take('loud'))
    assert.deepEqual([had.slice(0, 80).every((one) => one), had.at(-1)], [true, false])
  })
})
