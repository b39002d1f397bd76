import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { billingLines, billingView, compareBilling } from '../../../apps/cli/wallet.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { type WorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { Category, Currency } from '../../../core/kernel/money.js'
import { type MessageId, messageIdOf, type PlatformId } from '../../../core/messages/message.js'
import { rightOf } from '../../support/right-of.js'

const [FIRST, SECOND] = ['1', '2'].map((digit) => workspaceIdOf(`019c000000007000800000000000000${digit}`)) as [WorkspaceId, WorkspaceId]
const AT = Date.UTC(2026, 10, 1)

/** A message log with as many messages as a test sends. */
const openLog = () => {
  const { messageLog } = makeMemoryStorage()
  const send = async (
    workspace: WorkspaceId, charged: Category, micros: bigint, pricing?: JsonObject, currency = 'EUR',
  ): Promise<MessageId> => {
    const id = messageIdOf(randomUUID())
    const message = { _tag: 'Text', to: '15550001' as PhoneNumber, text: 'hello' } as const
    rightOf(await messageLog.open({ id, workspace, message, price: { micros, currency: currency as Currency, category: charged }, at: AT }))
    rightOf(await messageLog.apply(workspace, id, {
      state: 'sent', at: AT, platformId: `wamid.${id}` as PlatformId, ...(pricing && { pricing }),
    }))
    return id
  }
  return { messageLog, send }
}

describe('The comparison of what was charged with what the platform bills', () => {
  it('says nothing if nothing was sent', async () => {
    const comparison = await compareBilling(openLog().messageLog, 20)
    assert.deepEqual(billingView(comparison), { billed: [], differences: [], more_differences: 0 })
    assert.deepEqual(billingLines(comparison), [])
  })

  it('shows per category what was charged and what the platform reports, and each difference', async () => {
    const { messageLog, send } = openLog()
    for (const _ of [1, 2]) await send(FIRST, 'marketing', 62_500n, { category: 'marketing', type: 'regular' })
    const recategorised = await send(FIRST, 'marketing', 62_500n, { category: 'utility', type: 'regular' })
    const free = await send(SECOND, 'service', 7_700n, { category: 'service', type: 'free_customer_service' })
    await send(SECOND, 'service', 0n, { category: 'service', type: 'free_customer_service' })
    await send(SECOND, 'utility', 7_700n)
    const unknown = await send(SECOND, 'utility', 7_700n, { category: 'referral_conversion' })

    const comparison = await compareBilling(messageLog, 20)
    const [one, two, three] = comparison.differences.map(({ id }) => id)
    assert.equal(one, recategorised)
    assert.sameMembers([two, three], [free, unknown])
    assert.deepEqual(billingLines(comparison).slice(0, 7), [
      '',
      'CATEGORY             CHARGED       EUR  PLATFORM BILLS  PLATFORM: FREE  NOT REPORTED',
      'service                    2  0.007700               0               2             0',
      'marketing                  3  0.187500               2               0             0',
      'utility                    2  0.015400               1               0             1',
      'referral_conversion        0  0.000000               1               0             0',
      '',
    ])
    assert.sameMembers([...billingLines(comparison).slice(7)], [
      'The platform bills these messages differently from what was charged:',
      `${recategorised} of ${FIRST}: charged 0.062500 EUR as marketing; the platform reports utility, regular`,
      `${free} of ${SECOND}: charged 0.007700 EUR as service; the platform reports service, free_customer_service`,
      `${unknown} of ${SECOND}: charged 0.007700 EUR as utility; the platform reports referral_conversion`,
    ])
    const view = billingView(comparison)
    assert.deepInclude(view.billed, {
      workspace: FIRST, currency: 'EUR' as Currency, charged: 'marketing', reported: 'marketing', type: 'regular', messages: 2, free: 0,
      amount: '0.125000',
    })
    assert.deepInclude(view.billed, {
      workspace: SECOND, currency: 'EUR' as Currency, charged: 'utility', reported: null, type: null, messages: 1, free: 0,
      amount: '0.007700',
    })
    assert.deepInclude(view.differences, {
      id: unknown, workspace: SECOND, charged: 'utility', reported: 'referral_conversion', type: null, price: '0.007700',
      currency: 'EUR' as Currency,
    })
    assert.equal(view.more_differences, 0)
  })

  it('has a table for each currency', async () => {
    const { messageLog, send } = openLog()
    await send(FIRST, 'service', 1n, undefined, 'USD')
    await send(SECOND, 'service', 2n, undefined, 'EUR')
    assert.deepEqual(
      billingLines(await compareBilling(messageLog, 20)).filter((line) => line !== '').map((line) => line.split(/ {2,}/).slice(0, 3)), [
        ['CATEGORY', 'CHARGED', 'EUR'], ['service', '1', '0.000002'], ['CATEGORY', 'CHARGED', 'USD'], ['service', '1', '0.000001'],
      ],
    )
  })

  it('lists a number of differences over all workspaces, and says how many more exist', async () => {
    const { messageLog, send } = openLog()
    for (const workspace of [FIRST, SECOND]) {
      for (const _ of Array.from({ length: 130 })) await send(workspace, 'marketing', 1n, { category: 'utility' })
    }
    for (const [limit, listed] of [[1, [1, 0]], [130, [130, 0]], [200, [130, 70]], [260, [130, 130]], [1_000, [130, 130]]] as const) {
      const comparison = await compareBilling(messageLog, limit)
      assert.deepEqual(
        [FIRST, SECOND].map((workspace) => comparison.differences.filter((one) => one.workspace === workspace).length), [...listed],
      )
      assert.equal(comparison.more, 260 - listed[0] - listed[1])
      assert.equal(billingLines(comparison).at(-1)?.startsWith(`and ${comparison.more} more`), limit < 260)
    }
  })
})
