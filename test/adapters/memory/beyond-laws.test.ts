import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { makeMemoryKeyStore } from '../../../adapters/memory/access.js'
import { makeMemoryWallet } from '../../../adapters/memory/accounts.js'
import { makeMemoryMessageLog } from '../../../adapters/memory/messages.js'
import { makeMemoryWorkspaces } from '../../../adapters/memory/workspaces.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { SCOPES } from '../../../core/kernel/actor.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import type { Draft } from '../../../core/messages/message-log.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { openAccounts } from './memory-fixture.js'

const EUR = 'EUR' as Currency

const draft = (more: Partial<Draft> = {}): Draft => ({
  id: messageIdOf(uuidv7()), workspace: workspaceIdOf(uuidv7()), at: 1_000,
  message: { _tag: 'Text', to: '15550100999' as PhoneNumber, text: 'Hello' },
  price: { micros: 1n, currency: EUR, category: 'service' }, ...more,
})

describe('memory', () => {
  it('names the port and the reason if a hold has no wallet or another currency', async () => {
    const { accounts, openWorkspace } = openAccounts()
    const { workspace } = await openWorkspace()
    const { hold } = makeMemoryWallet(accounts)
    const newHold = { workspace, message: messageIdOf(uuidv7()), amount: { micros: 1n, currency: EUR }, at: 1_000 }
    assert.deepEqual(await hold({ ...newHold, workspace: workspaceIdOf(uuidv7()) }), {
      _tag: 'Left', left: { _tag: 'PortFailure', port: 'Wallet', cause: 'the workspace has no wallet' },
    })
    assert.deepEqual(await hold(newHold), {
      _tag: 'Left', left: { _tag: 'PortFailure', port: 'Wallet', cause: 'the price is in EUR, the wallet in USD' },
    })
  })

  it('refuses to open an id a second time, and keeps the first message', async () => {
    const { open, find } = makeMemoryMessageLog()
    const first = draft()
    await open(first)
    const before = await find(first.workspace, { id: first.id })
    assert.deepEqual(await open({ ...first, at: 2_000 }), {
      _tag: 'Left', left: { _tag: 'PortFailure', port: 'MessageLog', cause: 'a message of that id has been opened before' },
    })
    assert.deepEqual(await find(first.workspace, { id: first.id }), before)
  })

  it('lists stale messages of one moment by their ids, in whatever order they were opened', async () => {
    const { open, stale } = makeMemoryMessageLog()
    const drafts = Array.from({ length: 4 }, () => draft())
    const [a, b, c, d] = drafts
    for (const one of [c, a, d, b]) if (one !== undefined) await open(one)
    assert.deepEqual(await stale({ state: 'pending', before: 2_000, limit: 10 }), {
      _tag: 'Right', right: drafts.map(({ workspace, id }) => ({ workspace, id })),
    })
  })

  it('lists workspaces of one moment by their ids, in whatever order they were created', async () => {
    const { create, list } = makeMemoryWorkspaces(new Map(), new Map())
    const ids = Array.from({ length: 4 }, () => workspaceIdOf(uuidv7()))
    const [a, b, c, d] = ids
    for (const id of [c, a, d, b]) if (id !== undefined) await create({ id, name: 'shop', currency: EUR, createdAt: 1_000 })
    const listed = await list()
    assert.deepEqual(listed._tag === 'Right' && listed.right.map(({ id }) => id), ids)
  })

  it('lists keys oldest first, in whatever order they were minted', async () => {
    const workspace = workspaceIdOf(uuidv7())
    const { mint, list } = makeMemoryKeyStore(new Map([[workspace, {}]]))
    for (const at of [3_000, 1_000, 2_000]) await mint({ workspace, name: 'test', at, scopes: SCOPES })
    const listed = await list(workspace)
    assert.deepEqual(listed._tag === 'Right' && listed.right.map(({ createdAt }) => createdAt), [1_000, 2_000, 3_000])
  })

  it('names the entry of a hold after its message', async () => {
    const { accounts, openWorkspace } = openAccounts()
    const { workspace, currency } = await openWorkspace()
    const message = messageIdOf(uuidv7())
    await makeMemoryWallet(accounts).hold({ workspace, message, amount: { micros: 0n, currency }, at: 1_000 })
    assert.deepEqual(accounts.get(workspace)?.entries.map(({ id }) => `msg_${id}`), [message])
  })
})
