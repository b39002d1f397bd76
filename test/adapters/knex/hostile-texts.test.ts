import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { type WorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { type IdempotencyKey, type MessageId, messageIdOf, type PlatformId } from '../../../core/messages/message.js'
import { describeEachStorage } from '../../support/each-storage.js'
import { rightOf } from '../../support/right-of.js'

const USD = 'USD' as Currency
const AT = Date.UTC(2026, 10, 1)

const HOSTILE = [
  '\'; DROP TABLE messages; -- ', '\\\'; DROP TABLE messages; -- ', '"; DELETE FROM wallets; # ', '\\', '\\\\', '\'\'', '`; SELECT 1', '?',
  '?? ? \\?', ':name $1 ${x}', '/* ', '*/ ; COMMIT; ', '\n; ROLLBACK;\r\n', '{"a": "b"}', '\uFF07; DROP TABLE holds', 'é日本🔑',
]

// Several statements share one text on MySQL, and several rows one list of values. Each value must be escaped there.
await describeEachStorage('Texts that look like SQL', ({ storage }) => {
  let workspace: WorkspaceId

  before(async () => {
    workspace = workspaceIdOf(randomUUID())
    rightOf(await storage().workspaces.create({ id: workspace, name: HOSTILE.join(), currency: USD, createdAt: AT }))
  })

  const openAll = (ids: ReadonlyArray<MessageId>) => Promise.all(HOSTILE.map(async (text, index) => {
    const id = ids[index] ?? messageIdOf(randomUUID())
    const price = { micros: 1n, currency: USD, category: 'service' } as const
    const message = { _tag: 'Template', to: '15550001' as PhoneNumber, name: text, language: text } as const
    const [opening] = await Promise.all([
      storage().messageLog.open({ id, workspace, at: AT, price, message, claim: { key: text as IdempotencyKey, request: text } }),
      storage().wallet.hold({ workspace, message: id, amount: price, at: AT }),
    ])
    return rightOf(opening)
  }))

  it('are stored unchanged, many of them in one transaction', async () => {
    for (const credited of await Promise.all(
      HOSTILE.map((reference) => storage().ledger.topUp({ workspace, micros: 10n, reference, at: AT })),
    )) {
      rightOf(credited)
    }
    const ids = HOSTILE.map(() => messageIdOf(randomUUID()))
    assert.deepEqual((await openAll(ids)).map(({ _tag }) => _tag), HOSTILE.map(() => 'Opened'))
    await Promise.all(HOSTILE.map((text, index) => Promise.all([
      storage().messageLog.apply(workspace, ids[index] ?? messageIdOf(randomUUID()), {
        state: 'accepted', at: AT, platformId: `wamid.${text}` as PlatformId,
      }),
      storage().wallet.capture({ workspace, message: ids[index] ?? messageIdOf(randomUUID()), at: AT }),
    ])))

    const found = await Promise.all(
      HOSTILE.map((text) => storage().messageLog.find(workspace, { platformId: `wamid.${text}` as PlatformId })),
    )
    assert.deepEqual(
      found.map((answer) => {
        const record = rightOf(answer)
        return record._tag === 'Some' ? [record.value.id, record.value.templateName, record.value.language, record.value.state] : undefined
      }),
      HOSTILE.map((text, index) => [ids[index], text, text, 'accepted']),
    )
    assert.deepEqual(new Set((await openAll([])).map(({ _tag }) => _tag)), new Set(['Claimed']), 'each key is found again')
    const statement = rightOf(await storage().ledger.statement(workspace, { limit: 100 }))
    assert.sameMembers(statement.items.flatMap(({ reference }) => reference ?? []), HOSTILE)
    assert.deepEqual(rightOf(await storage().workspaces.list()).map(({ name }) => name), [HOSTILE.join()])
    assert.deepEqual(rightOf(await storage().ledger.audit()), { workspaces: 1, broken: [] })
  })
})
