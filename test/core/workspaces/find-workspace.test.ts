import { assert } from 'chai'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Workspace } from '../../../core/kernel/workspace.js'
import { makeFindWorkspace } from '../../../core/workspaces/use-cases.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { NOON, USD } from '../gateway.js'

const workspace = (digit: string, name: string): Workspace => ({
  id: workspaceIdOf(digit.repeat(32)), name, currency: USD, createdAt: NOON,
})
const SHOP = workspace('1', 'Shop')
const TWINS = [workspace('2', 'Twin'), workspace('3', 'Twin')]

const open = async () => {
  const { workspaces } = makeMemoryStorage()
  for (const one of [SHOP, ...TWINS]) await done(workspaces.create(one))
  return makeFindWorkspace({ workspaces })
}

describe('Finding a workspace', () => {
  it('finds it by its id, and by a name that no other workspace has', async () => {
    const findWorkspace = await open()
    for (const named of [SHOP.id, 'Shop', ' Shop ']) assert.deepEqual(rightOf(await findWorkspace(named)), SHOP)
    assert.deepEqual(rightOf(await findWorkspace(TWINS[1]!.id)), TWINS[1])
  })

  it('takes an archived workspace by its name only if none in use has it', async () => {
    const { workspaces } = makeMemoryStorage()
    const findWorkspace = makeFindWorkspace({ workspaces })
    for (const one of TWINS) await done(workspaces.create(one))
    await done(workspaces.archive(TWINS[0]!.id, NOON))
    assert.deepEqual(rightOf(await findWorkspace('Twin')), TWINS[1])
    await done(workspaces.archive(TWINS[1]!.id, NOON))
    assert.equal(leftOf(await findWorkspace('Twin'))._tag, 'AmbiguousName')
  })

  it('finds none by an id or a name that no workspace has', async () => {
    const findWorkspace = await open()
    for (const named of ['shop', '', workspaceIdOf('9'.repeat(32))]) {
      assert.deepEqual(leftOf(await findWorkspace(named)), { _tag: 'NoSuchWorkspace', named })
    }
  })

  it('names the ids if several workspaces have the name', async () => {
    const findWorkspace = await open()
    assert.deepEqual(leftOf(await findWorkspace('Twin')), { _tag: 'AmbiguousName', named: 'Twin', ids: TWINS.map(({ id }) => id) })
  })
})
