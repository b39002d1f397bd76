import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { type IdempotencyKey, KEY_KEPT_MS, messageIdOf, type MessageState } from '../../../../core/messages/message.js'
import { fundedWorkspace } from '../../../support/books.js'
import { describeEachStorage } from '../../../support/each-storage.js'
import { rightOf } from '../../../support/right-of.js'

const NOW = Date.UTC(2026, 10, 1)

await describeEachStorage('Expired idempotency keys', ({ storage }) => {
  let workspace: WorkspaceId

  before(async () => { workspace = await fundedWorkspace(storage(), 1_000n) })

  const claim = async (key: string, at: number, state?: Exclude<MessageState, 'queued' | 'pending'>): Promise<string> => {
    const id = messageIdOf(randomUUID())
    const price = { micros: 1n, currency: 'USD' as Currency, category: 'service' } as const
    const message = { _tag: 'Text', to: '15550001' as PhoneNumber, text: 'hello' } as const
    const opening = rightOf(
      await storage().messageLog.open({ id, workspace, message, price, at, claim: { key: key as IdempotencyKey, request: key } }),
    )
    if (state !== undefined) rightOf(await storage().messageLog.apply(workspace, id, { state, at }))
    return opening._tag
  }

  it('are removed, and all others are kept', async () => {
    const old = NOW - KEY_KEPT_MS
    for (let hundred = 0; hundred < 11; hundred += 1) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => claim(`old ${100 * hundred + index}`, old - index, 'accepted')))
    }
    await claim('young', old + 1, 'accepted')
    await claim('pending', old)
    await claim('unconfirmed', old, 'unconfirmed')
    assert.equal(await storage().removeExpiredClaims(), 1_100)
    assert.equal(await storage().removeExpiredClaims(), 0)
    for (const key of ['young', 'pending', 'unconfirmed']) assert.equal(await claim(key, NOW), 'Claimed')
    assert.equal(await claim('old 0', NOW), 'Opened')
  })
}, { secret: undefined, now: () => NOW })
