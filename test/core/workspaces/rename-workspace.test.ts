import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { SCOPES } from '../../../core/kernel/actor.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { makeArchiveWorkspace, makeRenameWorkspace } from '../../../core/workspaces/use-cases.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { gateway, NOON } from '../gateway.js'
import { bySystem } from '../use-cases/by-system.js'

const NOWHERE = workspaceIdOf('0'.repeat(32))

const open = async () => {
  const { workspace, addWorkspace, now, passes, storage } = await gateway()
  const { workspaces } = storage
  const find = async () => O.toUndefined(await done(workspaces.find(workspace)))
  return {
    workspace, addWorkspace, passes, storage, find,
    renameWorkspace: bySystem(makeRenameWorkspace({ workspaces })), archiveWorkspace: bySystem(makeArchiveWorkspace({ workspaces, now })),
  }
}

describe('Renaming a workspace', () => {
  it('gives it another name, and its own again', async () => {
    const { workspace, find, renameWorkspace } = await open()
    assert.equal(rightOf(await renameWorkspace({ workspace, name: ' Boutique ' })), 'Boutique')
    assert.equal((await find())?.name, 'Boutique')
    rightOf(await renameWorkspace({ workspace, name: 'Boutique' }))
  })

  it('refuses an invalid name, the name of another workspace, and a workspace that does not exist', async () => {
    const { workspace, addWorkspace, find, renameWorkspace } = await open()
    rightOf(await renameWorkspace({ workspace, name: 'Boutique' }))
    const other = await addWorkspace()
    assert.equal(leftOf(await renameWorkspace({ workspace, name: ' ' }))._tag, 'InvalidName')
    assert.deepEqual(leftOf(await renameWorkspace({ workspace, name: 'Shop' })), { _tag: 'NameTaken', name: 'Shop', by: other.workspace })
    assert.deepEqual(leftOf(await renameWorkspace({ workspace: NOWHERE, name: 'Kiosk' })), { _tag: 'UnknownWorkspace' })
    assert.equal((await find())?.name, 'Boutique')
    rightOf(await renameWorkspace({ workspace, name: 'Shop', again: true }))
  })
})

describe('Archiving a workspace', () => {
  it('ends its use at that moment, once, and its keys with it', async () => {
    const { workspace, passes, storage: { keyStore }, find, archiveWorkspace } = await open()
    const { key } = await done(keyStore.mint({ workspace, name: 'till', at: NOON, scopes: SCOPES }))
    rightOf(await archiveWorkspace({ workspace }))
    passes(1_000)
    rightOf(await archiveWorkspace({ workspace }))
    assert.equal((await find())?.archivedAt, NOON)
    assert.deepEqual(leftOf(await keyStore.principalOf(key, NOON)), { _tag: 'UnknownApiKey' })
  })

  it('refuses a workspace that does not exist', async () => {
    const { archiveWorkspace } = await open()
    assert.deepEqual(leftOf(await archiveWorkspace({ workspace: NOWHERE })), { _tag: 'UnknownWorkspace' })
  })
})
