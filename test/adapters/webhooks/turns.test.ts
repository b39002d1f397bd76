import { assert } from 'chai'
import { makeTurns } from '../../../adapters/webhooks/address.js'

describe('turns', () => {
  const never = new AbortController().signal

  it('let no more tasks run at once than there are places, and all in their order', async () => {
    const turns = makeTurns(2)
    const begun: number[] = []
    let running = 0
    let most = 0
    await Promise.all(Array.from({ length: 10 }, (_, nth) => turns.take(never, async () => {
      begun.push(nth)
      most = Math.max(most, running += 1)
      await new Promise(setImmediate)
      running -= 1
    })))
    assert.equal(most, 2)
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('pass on the place of a task that fails', async () => {
    const turns = makeTurns(1)
    const failing = turns.take(never, () => Promise.reject(new Error('failed')))
    const next = turns.take(never, () => Promise.resolve('done'))
    assert.match(String(await failing.catch((error: unknown) => error)), /failed/)
    assert.equal(await next, 'done')
  })

  it('do not begin a task that is not wanted any more', async () => {
    const turns = makeTurns(1)
    const controller = new AbortController()
    let finish = (): void => undefined
    const first = turns.take(never, () => new Promise<void>((resolve) => { finish = resolve }))
    const unwanted = turns.take(controller.signal, () => Promise.reject(new Error('it has begun')))
    controller.abort()
    assert.match(String(await unwanted.catch((error: unknown) => error)), /aborted/)
    finish()
    await first
    assert.match(String(await turns.take(controller.signal, () => Promise.resolve()).catch((error: unknown) => error)), /aborted/)
    assert.equal(await turns.take(never, () => Promise.resolve('done')), 'done')
  })
})
