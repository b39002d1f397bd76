import { assert } from 'chai'
import { makeMintKey } from '../../../core/use-cases/mint-key.js'
import { makeRevokeKey } from '../../../core/use-cases/revoke-key.js'
import { workspaceIdOf } from '../../../core/workspace.js'
import { done, gateway, left, right } from '../gateway.js'

const open = async () => {
  const { workspace, now, passes, storage: { keyStore } } = await gateway()
  return { workspace, now, passes, keyStore, mintKey: makeMintKey({ keyStore, now }), revokeKey: makeRevokeKey({ keyStore, now }) }
}

describe('Minting a key', () => {
  it('makes a key of that name', async () => {
    const { workspace, now, keyStore, mintKey } = await open()
    const { id } = right(await mintKey({ workspace, name: ' till ' })())
    const [key] = await done(keyStore.list(workspace))
    assert.deepInclude(key, { id, name: 'till', createdAt: now(), revokedAt: undefined })
  })

  it('refuses a name that is none, and a workspace that does not exist', async () => {
    const { workspace, keyStore, mintKey } = await open()
    for (const name of ['', ' ', 'x'.repeat(201), 'a\tb']) assert.equal(left(await mintKey({ workspace, name })())._tag, 'InvalidName')
    assert.deepEqual(left(await mintKey({ workspace: workspaceIdOf('0'.repeat(32)), name: 'till' })()), { _tag: 'UnknownWorkspace' })
    assert.isEmpty(await done(keyStore.list(workspace)))
  })
})

describe('Revoking a key', () => {
  it('ends it at that moment, and once', async () => {
    const { workspace, now, passes, keyStore, mintKey, revokeKey } = await open()
    const { id } = right(await mintKey({ workspace, name: 'till' })())
    passes(1_000)
    const ended = now()
    right(await revokeKey({ id })())
    passes(1_000)
    right(await revokeKey({ id })())
    assert.deepInclude((await done(keyStore.list(workspace)))[0], { id, revokedAt: ended })
  })

  it('refuses an id that no key has', async () => {
    const { revokeKey } = await open()
    assert.deepEqual(left(await revokeKey({ id: 'nope' })()), { _tag: 'UnknownApiKey' })
  })
})
