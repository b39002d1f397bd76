import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makePasswordTurns, type PasswordTurnsOptions } from '../../../adapters/scrypt/password-turns.js'
import { makeCallers } from '../../../adapters/shared/callers.js'
import { eventually } from '../../support/eventually.js'

describe('the turns of those who ask often', () => {
  let at = 0
  beforeEach(() => { at = 1_000_000 })

  const open = (options: PasswordTurnsOptions = {}, isNoted = true) => {
    const anonymous = makeCallers(() => at)
    for (let asked = 0; asked < 90; asked += 1) anonymous.heard('loud')
    const turns = makePasswordTurns({ waitMs: 60_000, loudEveryMs: 10, now: () => at, ...(isNoted && { anonymous }), ...options })
    const take = async (network: string): Promise<boolean> => {
      const turn = await turns.take({ _tag: 'Stranger', network })
      if (E.isRight(turn)) turn.right.end(false)
      return E.isRight(turn)
    }
    return { take }
  }

  it('come only now and then, also where no one else waits, and those of others at once', async () => {
    const { take } = open()
    assert.isTrue(await take('loud'))
    const order: string[] = []
    const loud = take('loud').then(() => order.push('loud'))
    for (let turn = 0; turn < 3; turn += 1) assert.isTrue(await take(`quiet ${turn}`))
    assert.isEmpty(order)
    at += 10
    await loud
    assert.deepEqual(order, ['loud'])
  })

  it('do not hold up one who comes while they wait', async () => {
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

  it('end in time where none comes', async () => {
    const { take } = open({ waitMs: 5 })
    assert.deepEqual([await take('loud'), await take('loud'), await take('quiet')], [true, false, true])
  })

  it('note who asks themselves, where the caller of the turns has noted nobody', async () => {
    const { take } = open({ waitMs: 5, loudEveryMs: 60_000 }, false)
    const had: boolean[] = []
    for (let turn = 0; turn < 90; turn += 1) had.push(await take('loud'))
    assert.deepEqual([had.slice(0, 80).every((one) => one), had.at(-1)], [true, false])
  })
})
