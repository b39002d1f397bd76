import { assert } from 'chai'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { makeCreateWorkspace } from '../../../core/workspaces/use-cases.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { NOON, USD } from '../gateway.js'
import { bySystem } from '../use-cases/by-system.js'

const open = () => {
  const storage = makeMemoryStorage()
  let made = 0
  const createWorkspace = bySystem(makeCreateWorkspace({
    workspaces: storage.workspaces, pricedIn: () => USD, now: () => NOON,
    newWorkspaceId: () => workspaceIdOf(String((made += 1)).padStart(32, '0')),
  }))
  return { ...storage, createWorkspace }
}

describe('Creating a workspace', () => {
  it("makes one with an empty wallet in the rate card's currency", async () => {
    const { createWorkspace, workspaces, ledger } = open()
    const workspace = rightOf(await createWorkspace({ name: ' Shop ' }))
    assert.deepEqual(workspace, { id: workspaceIdOf('1'.padStart(32, '0')), name: 'Shop', currency: USD, createdAt: NOON })
    assert.deepEqual(await done(workspaces.list()), [workspace])
    assert.deepNestedInclude(await done(ledger.balance(workspace.id)), { value: { available: 0n, held: 0n, currency: USD } })
  })

  it('refuses a currency that the rate card has no prices in', async () => {
    const { createWorkspace, workspaces } = open()
    const euro = 'EUR' as Currency
    assert.deepEqual(leftOf(await createWorkspace({ name: 'Shop', currency: euro })), {
      _tag: 'CurrencyNotPriced', wanted: euro, priced: USD,
    })
    assert.isEmpty(await done(workspaces.list()))
  })

  it('refuses a name that is empty, too long, of several lines, or like an id', async () => {
    const { createWorkspace, workspaces } = open()
    for (const name of ['', '  ', 'x'.repeat(201), 'a\nb', 'ws_1', ' ws_shop']) {
      assert.equal(leftOf(await createWorkspace({ name }))._tag, 'InvalidName')
    }
    assert.isEmpty(await done(workspaces.list()))
    rightOf(await createWorkspace({ name: 'x'.repeat(200) }))
  })

  it('refuses a name that another workspace has, unless it is wanted again', async () => {
    const { createWorkspace, workspaces } = open()
    const first = rightOf(await createWorkspace({ name: 'Shop' }))
    assert.deepEqual(leftOf(await createWorkspace({ name: 'Shop ' })), { _tag: 'NameTaken', name: 'Shop', by: first.id })
    assert.lengthOf(await done(workspaces.list()), 1)
    rightOf(await createWorkspace({ name: 'Shop', again: true }))
    rightOf(await createWorkspace({ name: 'shop' }))
    assert.lengthOf(await done(workspaces.list()), 3)
  })

  it('takes the name of an archived workspace', async () => {
    const { createWorkspace, workspaces } = open()
    const first = rightOf(await createWorkspace({ name: 'Shop' }))
    await done(workspaces.archive(first.id, NOON))
    rightOf(await createWorkspace({ name: 'Shop' }))
  })
})
