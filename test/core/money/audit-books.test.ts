import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { messageIdOf } from '../../../core/messages/message.js'
import { makeAuditBooks } from '../../../core/money/use-cases.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway, type Gateway, UNCONFIRMED_AFTER_MS, USD } from '../gateway.js'
import { UNKNOWN } from '../../support/scripted-platform.js'

/** A message that the log says was released, and whose price was captured. */
const chargedAndReleased = async (gw: Gateway) => {
  gw.willAnswer(UNKNOWN)
  leftOf(await gw.sendTemplate())
  const { id } = gw.sent.at(-1)!
  rightOf(await gw.storage.wallet.capture({ workspace: gw.workspace, message: id, at: gw.now() }))
  rightOf(await gw.storage.messageLog.apply(gw.workspace, id, { state: 'released', at: gw.now() }))
  return id
}

describe('An audit of the books', () => {
  it('compares each hold with the state of its message', async () => {
    const gw = await gateway()
    const { id: sound } = rightOf(await gw.sendTemplate())
    const id = await chargedAndReleased(gw)
    rightOf(await gw.storage.wallet.release({ workspace: gw.workspace, message: sound, at: gw.now() }))
    const nowhere = messageIdOf(uuidv7())
    const hold = { workspace: gw.workspace, message: nowhere, amount: { micros: 1n, currency: USD }, at: gw.now() }
    rightOf(await gw.storage.wallet.hold(hold))
    rightOf(await gw.storage.wallet.capture(hold))
    assert.sameDeepMembers([...await gw.brokenBooks()], [
      { workspace: gw.workspace, fault: `the price of ${id} is captured, but the message is released` },
      { workspace: gw.workspace, fault: `the price of ${nowhere} is captured, but there is no such message` },
    ])
  })

  it('leaves a price that is still held to reconciliation, until its message is too old for that', async () => {
    let writes = false
    const gw = await gateway({
      ports: ({ wallet }) => ({ wallet: { ...wallet, capture: async (of) => (writes ? wallet.capture(of) : E.left(DOWN)) } }),
    })
    const { id } = rightOf(await gw.sendTemplate())
    const inAWhile = makeAuditBooks({ ...gw.deps, windowClock: { now: () => Date.now() + UNCONFIRMED_AFTER_MS + 1_000 } })
    assert.deepEqual((await done(makeAuditBooks({ ...gw.deps, windowClock: { now: Date.now } })())).broken, [])
    assert.deepEqual((await done(inAWhile())).broken, [{ workspace: gw.workspace, fault: `the price of ${id} is held, but the message is accepted` }])
    writes = true
    await gw.retry()
    assert.deepEqual((await done(inAWhile())).broken, [])
  })

  it('does not report what has been written since it looked', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.sendTemplate())
    const messageMoney = {
      mismatches: async () =>
        E.right({ items: [{ workspace: gw.workspace, message: id, hold: 'released', state: 'accepted' } as const], next: undefined }),
    }
    assert.deepEqual((await done(makeAuditBooks({ ...gw.deps, messageMoney })())).broken, [])
  })

  it('fails if a port does', async () => {
    const gw = await gateway()
    await chargedAndReleased(gw)
    const { storage: { ledger, messageMoney, messageLog, wallet }, deps } = gw
    const failures = [
      { ledger: { audit: failing(ledger.audit) } }, { messageMoney: { mismatches: failing(messageMoney.mismatches) } },
      { messageLog: { find: failing(messageLog.find) } }, { wallet: { holdOf: failing(wallet.holdOf) } },
    ]
    for (const ports of failures) assert.deepEqual(leftOf(await makeAuditBooks({ ...deps, ...ports })()), DOWN)
  })
})
