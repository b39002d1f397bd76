import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { appIdOf } from '../../../core/kernel/ids.js'
import { makeAdministration } from '../../../core/postern.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { addApp } from '../../support/add-app.js'
import { memoryWorld } from '../../support/memory-world.js'
import { done, leftOf } from '../../support/right-of.js'

const [APP, OTHER] = [appIdOf(uuidv7()), appIdOf(uuidv7())]
const ID = '27681414235104944'

const opened = async () => {
  const { ports, settings, storage, addWorkspace } = memoryWorld()
  const { workspaces } = makeAdministration(ports, settings)
  const { workspace } = await addWorkspace({ sender: false })
  for (const app of [APP, OTHER]) await addApp(storage, app)
  const form = { phoneNumberId: ID, accessToken: 'token', businessAccountId: undefined }
  const given = (more: { readonly app?: string | null } = {}) => workspaces.assignSender({ by: SYSTEM, workspace, ...form, ...more })
  return {
    given, assign: (more: { readonly app?: string | null } = {}) => done(given(more)),
    replace: (phoneNumberId: string, more: { readonly app?: string | null } = {}) => done(workspaces.replaceSender({
      by: SYSTEM, workspace, sender: senderIdOf(ID), replacement: { ...form, phoneNumberId, ...more },
    })),
    appOf: async (id = ID) => O.toUndefined(await done(storage.senders.senderOf(workspace, senderIdOf(id))))?.app,
    details: async () => (await done(storage.auditLog.list({ limit: 1 }))).items[0]?.details,
  }
}

describe('The app of a sender', () => {
  it('is that of the environment if none was ever given', async () => {
    const { assign, appOf } = await opened()
    assert.isUndefined((await assign()).app)
    assert.isUndefined(await appOf())
  })

  it('stays if the sender is set again without an app, for example with a new token, and changes if one is given', async () => {
    const { assign, appOf, details } = await opened()
    await assign({ app: APP })
    assert.deepInclude(await details(), { app: APP })
    assert.equal((await assign()).app, APP)
    assert.equal(await appOf(), APP)
    assert.notProperty(await details(), 'app')
    assert.isUndefined((await assign({ app: null })).app)
    assert.isUndefined(await appOf())
    assert.deepInclude(await details(), { app: null })
  })

  it('stays if the number moves to another account, unless another app is given', async () => {
    for (const [given, expected] of [[{}, APP], [{ app: null }, undefined], [{ app: OTHER }, OTHER]] as const) {
      const { assign, replace, appOf } = await opened()
      await assign({ app: APP })
      assert.equal((await replace('3003', given)).app, expected)
      assert.equal(await appOf('3003'), expected)
    }
  })

  it('is refused if it does not exist, and the sender stays as it was', async () => {
    const { given, appOf, details } = await opened()
    await given({ app: APP })
    const gone = appIdOf(uuidv7())
    assert.deepEqual<unknown>(leftOf(await given({ app: gone })), { _tag: 'NoSuchApp', named: gone })
    assert.equal(await appOf(), APP)
    assert.deepInclude(await details(), { app: gone, reason: 'NoSuchApp' })
  })
})
