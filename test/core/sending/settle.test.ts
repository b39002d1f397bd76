import { assert } from 'chai'
import type { MemoryStorage } from '../../../adapters/memory/index.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { failing, type FailureOptions } from '../failing-method.js'
import { gateway, KEY, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'
import { platformIdOf, REJECTED, UNKNOWN } from '../../support/scripted-platform.js'

const SPENT = { available: OPENING_BALANCE - TEXT_PRICE, held: 0n }
const UNDER_WAY = { available: OPENING_BALANCE - TEXT_PRICE, held: TEXT_PRICE }
const UNTOUCHED = { available: OPENING_BALANCE, held: 0n }

const logFails =
  (how: FailureOptions = {}) =>
  ({ messageLog }: MemoryStorage): Partial<MemoryStorage> => ({
    messageLog: { ...messageLog, apply: failing(messageLog.apply, { times: 1, ...how }) },
  })

const walletFails =
  (how: FailureOptions = {}) =>
  ({ wallet }: MemoryStorage): Partial<MemoryStorage> => ({
    wallet: {
      ...wallet, capture: failing(wallet.capture, { times: 1, ...how }), release: failing(wallet.release, { times: 1, ...how }),
    },
  })

const bothFail =
  (how: FailureOptions = {}) =>
  (storage: MemoryStorage): Partial<MemoryStorage> => ({ ...logFails(how)(storage), ...walletFails(how)(storage) })

describe('Settling a message the platform accepted', () => {
  it('is the platform\'s reply though the log cannot be written, and is written later', async () => {
    const gw = await gateway({ ports: logFails() })
    const sent = rightOf(await gw.sendText())
    assert.equal(sent.platformId, platformIdOf(sent))
    assert.lengthOf(gw.later, 1)
    assert.equal((await gw.message(sent.id)).state, 'pending')
    assert.deepEqual(await gw.balance(), SPENT)
    await gw.retry()
    assert.deepInclude(await gw.message(sent.id), { state: 'accepted', platformId: sent.platformId })
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
  })

  it('is the platform\'s reply though the wallet cannot be written, and is written later', async () => {
    const gw = await gateway({ ports: walletFails() })
    const sent = rightOf(await gw.sendText())
    assert.lengthOf(gw.later, 1)
    assert.equal((await gw.message(sent.id)).state, 'accepted')
    assert.deepEqual(await gw.balance(), UNDER_WAY)
    await gw.retry()
    assert.deepEqual(await gw.balance(), SPENT)
  })

  it('is the platform\'s reply though neither can be written, and is written later', async () => {
    const gw = await gateway({ ports: bothFail() })
    const sent = rightOf(await gw.sendText())
    assert.lengthOf(gw.later, 2)
    assert.deepEqual(await gw.balance(), UNDER_WAY)
    await gw.retry()
    assert.equal((await gw.message(sent.id)).state, 'accepted')
    assert.deepEqual(await gw.balance(), SPENT)
  })

  it('writes the log and the wallet side by side: neither waits for the other', async () => {
    for (const first of ['log', 'wallet'] as const) {
      let finish = (): void => {}
      const gate = new Promise<void>((resolve) => { finish = resolve })
      const last = async <Result>(work: () => Promise<Result>) => { await gate; return work() }
      const opening = async <Result>(work: () => Promise<Result>) => { const result = await work(); finish(); return result }
      const [log, wallet] = first === 'log' ? [opening, last] : [last, opening]
      const gw = await gateway({
        ports: (storage) => ({
          messageLog: { ...storage.messageLog, apply: (...of) => log(() => storage.messageLog.apply(...of)) },
          wallet: { ...storage.wallet, capture: (of) => wallet(() => storage.wallet.capture(of)) },
        }),
      })
      const { id } = rightOf(await gw.sendText())
      assert.equal((await gw.message(id)).state, 'accepted')
      assert.deepEqual(await gw.balance(), SPENT)
    }
  })

  it('changes nothing a second time if it was written and the answer was lost', async () => {
    const gw = await gateway({ ports: bothFail({ answerLost: true }) })
    const sent = rightOf(await gw.sendText())
    const before = await gw.message(sent.id)
    assert.equal(before.state, 'accepted')
    assert.lengthOf(gw.later, 2)
    await gw.retry()
    assert.deepEqual(await gw.message(sent.id), before)
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
  })

  it('guards its key while it is still to be written', async () => {
    const gw = await gateway({ ports: bothFail() })
    const sent = rightOf(await gw.sendText({ idempotencyKey: KEY }))
    assert.equal(leftOf(await gw.sendText({ idempotencyKey: KEY }))._tag, 'IdempotencyInProgress')
    await gw.retry()
    assert.deepEqual(rightOf(await gw.sendText({ idempotencyKey: KEY })), { ...sent, replayed: true })
    assert.lengthOf(gw.sent, 1)
  })
})

describe('Settling late, after the platform has reported', () => {
  it('leaves a message that was delivered delivered, and charged once', async () => {
    const gw = await gateway({ ports: bothFail() })
    const sent = rightOf(await gw.sendText())
    rightOf(await gw.receive(gw.status(sent.id, 'delivered', { platformId: sent.platformId })))
    // The report found the wallet able again, and took the price.
    await gw.retry()
    assert.deepInclude(await gw.message(sent.id), { state: 'delivered', platformId: sent.platformId })
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
    assert.deepEqual(await gw.balance(), SPENT)
  })

  it('leaves a message that failed failed, and its price with the workspace', async () => {
    const gw = await gateway({ ports: bothFail() })
    const sent = rightOf(await gw.sendText())
    rightOf(await gw.receive(gw.status(sent.id, 'failed')))
    await gw.retry()
    assert.equal((await gw.message(sent.id)).state, 'failed')
    assert.deepEqual(await gw.balance(), UNTOUCHED)
    assert.isEmpty(await gw.brokenBooks())
  })
})

describe('Settling a message the platform did not accept', () => {
  it('is the platform\'s reply though nothing can be written, and is written later', async () => {
    const gw = await gateway({ ports: bothFail() })
    gw.willAnswer(REJECTED)
    assert.deepInclude(leftOf(await gw.sendText({ idempotencyKey: KEY })), REJECTED)
    assert.lengthOf(gw.later, 2)
    assert.deepEqual(await gw.balance(), UNDER_WAY)
    await gw.retry()
    const [message] = await gw.messages()
    assert.deepInclude(message, { state: 'refused', error: REJECTED.error })
    assert.deepEqual(await gw.entries(), ['hold', 'release'])
    assert.deepEqual(await gw.balance(), UNTOUCHED)
    assert.isFalse(rightOf(await gw.sendText({ idempotencyKey: KEY })).replayed)
  })
})

describe('Settling a message of unknown outcome', () => {
  it('is the platform\'s reply though the log cannot be written, keeps the hold, and is written later', async () => {
    const gw = await gateway({ ports: logFails() })
    gw.willAnswer(UNKNOWN)
    assert.deepInclude(leftOf(await gw.sendText()), UNKNOWN)
    assert.lengthOf(gw.later, 1)
    await gw.retry()
    assert.deepEqual((await gw.messages()).map(({ state }) => state), ['unconfirmed'])
    assert.deepEqual(await gw.balance(), UNDER_WAY)
  })

  it('written after a status has confirmed the message leaves it confirmed and charged', async () => {
    const gw = await gateway({ ports: logFails() })
    gw.willAnswer(UNKNOWN)
    leftOf(await gw.sendText())
    const { id } = gw.sent[0]!
    rightOf(await gw.receive(gw.status(id, 'sent')))
    await gw.retry()
    assert.equal((await gw.message(id)).state, 'sent')
    assert.deepEqual(await gw.balance(), SPENT)
  })
})
