import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeAdmissionControl } from '../../../adapters/admission/admission-control.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { gateway, type Gateway, KEY, OPENING_BALANCE } from '../gateway.js'
import { UNKNOWN } from '../../support/scripted-platform.js'

const KEYED = { idempotencyKey: KEY }

/** A gateway that admits one send at a time and lets none wait. */
const oneAtATime = async () => {
  const admission = makeAdmissionControl({ maxInFlight: 1, maxWaiting: 0, maxWaitMs: 0, platformTimeoutMs: 10_000 })
  const gw = await gateway({ admission })
  const busy = async (work: () => Promise<void>): Promise<void> => {
    const permit = await admission.admit('ws_other' as WorkspaceId)
    await work()
    if (E.isRight(permit)) permit.right.release()
  }
  return { gw, admission, busy }
}

describe('A send that is not admitted', () => {
  it('is refused, and leaves no message and no hold', async () => {
    const { gw, busy } = await oneAtATime()
    await busy(async () => {
      const refusal = leftOf(await gw.sendText())
      assert.equal(refusal._tag, 'PlatformUnreachable')
      assert.notProperty(refusal, 'messageId')
    })
    assert.deepEqual(gw.sent, [])
    assert.deepEqual(await gw.messages(), [])
    assert.deepEqual(await gw.entries(), [])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('leaves its idempotency key free', async () => {
    const { gw, busy } = await oneAtATime()
    await busy(async () => { leftOf(await gw.sendText(KEYED)) })
    assert.isFalse(rightOf(await gw.sendText(KEYED)).replayed)
  })

  it('is refused for its window or its sender rather than for want of room', async () => {
    const admission = makeAdmissionControl({ maxInFlight: 1, maxWaiting: 0, maxWaitMs: 0, platformTimeoutMs: 10_000 })
    await admission.admit('ws_other' as WorkspaceId)
    assert.equal(leftOf(await (await gateway({ admission, lastInbound: undefined })).sendText())._tag, 'WindowClosed')
    assert.equal(leftOf(await (await gateway({ admission, sender: false })).sendTemplate())._tag, 'SenderNotConfigured')
  })
})

describe('A send that cannot begin within 20 seconds', () => {
  const BEGINS_WITHIN_MS = 20_000

  /** A gateway of which one call to storage takes some time, once. */
  const slow = async (call: 'senderOf' | 'hold', ms: number): Promise<Gateway> => {
    let passes: Gateway['passes'] = () => undefined
    let calls = 0
    const slowly = <Args extends ReadonlyArray<unknown>, Result>(name: typeof call, method: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        if (name === call && calls++ === 0) passes(ms)
        return method(...args)
      }
    const gw = await gateway({
      ports: ({ senders, wallet }) => ({
        senders: { ...senders, senderOf: slowly('senderOf', senders.senderOf) }, wallet: { ...wallet, hold: slowly('hold', wallet.hold) },
      }),
    })
    passes = gw.passes
    return gw
  }

  it('is refused before anything is written', async () => {
    const gw = await slow('senderOf', BEGINS_WITHIN_MS)
    assert.equal(leftOf(await gw.sendText())._tag, 'PlatformUnreachable')
    assert.deepEqual(gw.sent, [])
    assert.deepEqual(await gw.messages(), [])
  })

  it('is refused and releases its price if its hold took too long', async () => {
    const gw = await slow('hold', BEGINS_WITHIN_MS)
    assert.equal(leftOf(await gw.sendText(KEYED))._tag, 'PortFailure')
    assert.deepEqual(gw.sent, [])
    assert.deepEqual((await gw.messages()).map(({ state }) => state), ['refused'])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    assert.isFalse(rightOf(await gw.sendText({ ...KEYED, text: 'Another' })).replayed)
  })

  it('is sent if it begins a millisecond earlier', async () => {
    for (const call of ['senderOf', 'hold'] as const) {
      const gw = await slow(call, BEGINS_WITHIN_MS - 1)
      rightOf(await gw.sendText())
      assert.lengthOf(gw.sent, 1)
    }
  })
})

describe('A request that repeats an earlier one', () => {
  it('gets the first answer again though no send is admitted', async () => {
    const { gw, busy } = await oneAtATime()
    const first = rightOf(await gw.sendText(KEYED))
    await busy(async () => assert.deepEqual(rightOf(await gw.sendText(KEYED)), { ...first, replayed: true }))
    assert.lengthOf(gw.sent, 1)
  })

  it('does not wait to be admitted', async () => {
    let [hasRoom, admitted] = [true, 0]
    const admit = async () => {
      admitted += 1
      return E.right({ release: () => undefined })
    }
    const gw = await gateway({ admission: { hasRoom: () => hasRoom, admit } })
    const first = rightOf(await gw.sendText(KEYED))
    hasRoom = false
    assert.deepEqual(rightOf(await gw.sendText(KEYED)), { ...first, replayed: true })
    assert.equal(admitted, 1)
  })
})

describe('A send that has ended', () => {
  it('lets the next one in, whatever became of it', async () => {
    const { gw, admission } = await oneAtATime()
    rightOf(await gw.sendText())
    gw.willNextAnswer(UNKNOWN)
    leftOf(await gw.sendText())
    assert.equal(admission.state().inFlight, 0)
    rightOf(await gw.sendText())
  })
})
