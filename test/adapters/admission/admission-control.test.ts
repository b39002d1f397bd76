import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { type AdmissionOptions, makeAdmissionControl } from '../../../adapters/admission/admission-control.js'
import type { PlatformUnreachable } from '../../../core/kernel/failure.js'
import { type WorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Permit } from '../../../core/kernel/limits.js'

const OPTIONS: AdmissionOptions = { maxInFlight: 2, maxWaiting: 3, maxWaitMs: 60_000, platformTimeoutMs: 10_000 }
const [ONE, TWO] = [workspaceIdOf(uuidv7()), workspaceIdOf(uuidv7())]

/** Admits sends and notes their results in order. */
const open = (options: Partial<AdmissionOptions> = {}) => {
  const refused: string[] = []
  const control = makeAdmissionControl({ ...OPTIONS, onRefused: (why) => refused.push(why), ...options })
  const admitted: string[] = []
  const permits: Permit[] = []
  const admit = async (workspace: WorkspaceId, name: string): Promise<E.Either<PlatformUnreachable, Permit>> => {
    const permit = await control.admit(workspace)
    if (E.isLeft(permit)) return permit
    admitted.push(name)
    permits.push(permit.right)
    return permit
  }
  const releaseAll = async (): Promise<void> => {
    for (let permit = permits.shift(); permit !== undefined; permit = permits.shift()) {
      permit.release()
      await new Promise(setImmediate)
    }
  }
  return { control, refused, admitted, admit, releaseAll }
}

describe('the admission control', () => {
  it('admits as many sends at once as it may', async () => {
    const { control, admit } = open()
    await Promise.all([admit(ONE, 'a'), admit(ONE, 'b')])
    assert.deepEqual(control.state(), { inFlight: 2, waiting: 0, limit: 2 })
    assert.isFalse(control.hasRoom())
  })

  it('admits a send that waits once another one has ended', async () => {
    const { control, admit, admitted, releaseAll } = open()
    const waiting = ['a', 'b', 'c'].map((name) => admit(ONE, name))
    await waiting[1]
    assert.deepEqual(control.state(), { inFlight: 2, waiting: 1, limit: 2 })
    await releaseAll()
    assert.deepEqual(admitted, ['a', 'b', 'c'])
    assert.deepEqual(control.state(), { inFlight: 0, waiting: 0, limit: 2 })
  })

  it('counts a permit that is released twice once', async () => {
    const { control, admit } = open()
    const [first] = await Promise.all([admit(ONE, 'a'), admit(ONE, 'b')])
    if (E.isRight(first)) for (let time = 0; time < 2; time += 1) first.right.release()
    assert.equal(control.state().inFlight, 1)
  })

  it('lets workspaces that wait take turns', async () => {
    const { admit, admitted, releaseAll } = open({ maxInFlight: 1, maxWaiting: 9 })
    for (const name of ['a', 'a1', 'a2', 'a3']) void admit(ONE, name)
    for (const name of ['b1', 'b2']) void admit(TWO, name)
    await new Promise(setImmediate)
    await releaseAll()
    assert.deepEqual(admitted, ['a', 'a1', 'b1', 'a2', 'b2', 'a3'])
  })

  it('refuses a send at once if too many wait', async () => {
    const { admit, refused, releaseAll } = open({ maxInFlight: 1, maxWaiting: 1 })
    for (const name of ['a', 'b']) void admit(ONE, name)
    const third = await admit(ONE, 'c')
    assert.equal(E.isLeft(third) && third.left._tag, 'PlatformUnreachable')
    assert.deepEqual(refused, ['queue_full'])
    // A send that waits keeps the process alive until its deadline.
    await releaseAll()
  })

  it('refuses one of the workspace that floods, for one of a workspace with fewer', async () => {
    const { admit, admitted, releaseAll } = open({ maxInFlight: 1, maxWaiting: 2 })
    const [, , last] = ['a', 'a1', 'a2'].map((name) => admit(ONE, name))
    void admit(TWO, 'b1')
    assert.isTrue(last !== undefined && E.isLeft(await last))
    await releaseAll()
    assert.deepEqual(admitted, ['a', 'a1', 'b1'])
  })

  it('refuses a send that has waited too long', async () => {
    const { control, admit, refused } = open({ maxInFlight: 1, maxWaitMs: 20 })
    void admit(ONE, 'a')
    const second = await admit(ONE, 'b')
    assert.equal(E.isLeft(second) && second.left._tag, 'PlatformUnreachable')
    assert.deepEqual(refused, ['waited_too_long'])
    assert.equal(control.state().waiting, 0)
  })
})
