import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { appIdOf } from '../../../core/kernel/ids.js'
import { makeAdministration } from '../../../core/postern.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { type AddAppCommand, type AppChange, MAX_APPS } from '../../../core/workspaces/apps.js'
import { memoryWorld, NOON } from '../../support/memory-world.js'
import { done } from '../../support/right-of.js'

const SECRET = '0123456789abcdef0123456789abcdef'

const opened = () => {
  const { storage, ports, settings, addWorkspace } = memoryWorld()
  const { apps } = makeAdministration(ports, settings)
  if (apps === undefined) throw new Error('the storage has apps')
  const add = (command: Partial<AddAppCommand> = {}) => apps.addApp({ by: SYSTEM, name: 'acme', appSecret: SECRET, ...command })
  const rotate = (change: AppChange, app = 'acme') => apps.rotateApp({ by: SYSTEM, app, change })
  return {
    ...apps, add, rotate, storage, addWorkspace,
    /** Everything that the audit log contains, as a text, and its acts with their details. */
    audited: async () => {
      const { items } = await done(storage.auditLog.list({ limit: 100 }))
      const acts = items.toReversed().map(({ act, outcome, subject, details }) => ({ act, outcome, subject, details }))
      return { text: JSON.stringify(items), acts }
    },
  }
}

const leftOf = (outcome: E.Either<{ readonly _tag: string }, unknown>): unknown => (E.isLeft(outcome) ? outcome.left : outcome)

describe('An app of the platform', () => {
  it('is added with the given verify token, or with a random one', async () => {
    const { add, readSecrets } = opened()
    const given = await done(add({ verifyToken: ' my-word\n', appSecret: `${SECRET}\n` }))
    assert.deepEqual(await done(readSecrets(given.app.id)), O.some({ appSecret: SECRET, verifyToken: 'my-word' }))
    const made = await done(add({ name: 'other' }))
    assert.match(made.verifyToken, /^[A-Za-z0-9_-]{43}$/)
    assert.deepEqual(await done(readSecrets(made.app.id)), O.some({ appSecret: SECRET, verifyToken: made.verifyToken }))
  })

  it('has a name that is safe in an address and differs from every id', async () => {
    const { add } = opened()
    for (const name of ['', ' acme', 'a b', 'ä', 'a/b', 'a.b', 'x'.repeat(65), `app_${'0'.repeat(32)}`, 'app_', 'environment']) {
      assert.deepInclude(leftOf(await add({ name })), { _tag: 'InvalidName' }, name)
    }
    for (const name of ['a', 'A-1_b', 'x'.repeat(64), 'apple', 'environments']) await done(add({ name }))
    assert.deepEqual(leftOf(await add({ name: 'a' })), { _tag: 'AppNameTaken', name: 'a' })
  })

  it('is not added with an app secret or a verify token that the platform could not have', async () => {
    const { add, rotate, listApps } = opened()
    for (const bad of ['', '  ', 'a b', 'é', 'x'.repeat(257)]) {
      assert.deepEqual(leftOf(await add({ appSecret: bad })), { _tag: 'InvalidAppSecret', of: 'app_secret' })
      assert.deepEqual(leftOf(await add({ verifyToken: bad })), { _tag: 'InvalidAppSecret', of: 'verify_token' })
    }
    assert.deepEqual(await done(listApps()), [])
    await done(add())
    assert.deepEqual(leftOf(await rotate({ _tag: 'SecretAdded', appSecret: '' })), { _tag: 'InvalidAppSecret', of: 'app_secret' })
    assert.deepEqual(
      leftOf(await rotate({ _tag: 'VerifyTokenReplaced', verifyToken: '' })), { _tag: 'InvalidAppSecret', of: 'verify_token' },
    )
  })

  it('is found by its id and its name', async () => {
    const { add, findApp } = opened()
    const { app } = await done(add())
    for (const named of [app.id, 'acme']) assert.deepEqual(await done(findApp(named)), app)
    assert.deepEqual(leftOf(await findApp('Acme')), { _tag: 'NoSuchApp', named: 'Acme' })
  })

  it('has two app secrets from the start of a rotation to its end, and can be changed by its id', async () => {
    const { add, rotate, readSecrets } = opened()
    const { app, verifyToken } = await done(add())
    const one = (appSecret: string) => O.some({ appSecret, verifyToken })
    assert.deepEqual(leftOf(await rotate({ _tag: 'OlderRemoved' })), { _tag: 'AppHasOneSecret', id: app.id })
    assert.deepEqual(await done(rotate({ _tag: 'SecretAdded', appSecret: ' mistyped ' }, app.id)), { ...app, rotatingSince: NOON })
    assert.deepEqual(await done(readSecrets(app.id)), O.some({ appSecret: SECRET, secondAppSecret: 'mistyped', verifyToken }))
    assert.deepEqual(leftOf(await rotate({ _tag: 'SecretAdded', appSecret: 'right' })), { _tag: 'AppHasTwoSecrets', id: app.id })
    await done(rotate({ _tag: 'NewerRemoved' }))
    assert.deepEqual(await done(readSecrets(app.id)), one(SECRET))
    await done(rotate({ _tag: 'SecretAdded', appSecret: 'right' }))
    assert.deepEqual(await done(rotate({ _tag: 'OlderRemoved' })), app)
    assert.deepEqual(await done(readSecrets(app.id)), one('right'))
    assert.deepEqual(leftOf(await rotate({ _tag: 'OlderRemoved' }, 'other')), { _tag: 'NoSuchApp', named: 'other' })
  })

  it('is removed by its name or its id, with its secrets', async () => {
    const { add, removeApp, readSecrets, listApps } = opened()
    const [{ app }, { app: other }] = [await done(add()), await done(add({ name: 'other' }))]
    assert.deepEqual(await done(removeApp({ by: SYSTEM, app: 'acme' })), app)
    assert.deepEqual(await done(readSecrets(app.id)), O.none)
    assert.deepEqual(leftOf(await removeApp({ by: SYSTEM, app: 'acme' })), { _tag: 'NoSuchApp', named: 'acme' })
    await done(removeApp({ by: SYSTEM, app: other.id }))
    assert.deepEqual(await done(listApps()), [])
  })

  it('is not removed while a sender belongs to it', async () => {
    const { add, removeApp, storage, addWorkspace, audited } = opened()
    const [{ app }, { workspace }] = [await done(add()), await addWorkspace({ sender: false })]
    const sender = senderIdOf('1001')
    await done(storage.senders.assign(workspace, { phoneNumberId: sender, accessToken: 'EAA', businessAccountId: undefined, app: app.id }))
    const inUse = { _tag: 'AppInUse', id: app.id, count: 1, senders: [{ workspace, sender }] }
    assert.deepEqual<unknown>(leftOf(await removeApp({ by: SYSTEM, app: 'acme' })), inUse)
    await done(storage.senders.remove({ workspace, sender }))
    await done(removeApp({ by: SYSTEM, app: 'acme' }))
    const removal = { act: 'app.remove', subject: app.id }
    assert.deepEqual<unknown>((await audited()).acts.filter(({ act }) => act === 'app.remove'), [
      { ...removal, outcome: 'refused', details: { name: 'acme', reason: 'AppInUse' } },
      { ...removal, outcome: 'done', details: { name: 'acme' } },
    ])
  })

  it('leaves entries in the audit log without its secrets', async () => {
    const { add, rotate, audited } = opened()
    const { app, verifyToken } = await done(add({ verifyToken: 'the-first-word' }))
    await done(rotate({ _tag: 'SecretAdded', appSecret: 'the-second-secret' }))
    await rotate({ _tag: 'SecretAdded', appSecret: 'the-third-secret' })
    await done(rotate({ _tag: 'VerifyTokenReplaced', verifyToken: 'the-second-word' }))
    await rotate({ _tag: 'OlderRemoved' }, 'other')
    const { text, acts } = await audited()
    const rotated = (change: string) => ({ act: 'app.rotate', subject: app.id, details: { name: 'acme', change } })
    assert.deepEqual<unknown>(acts, [
      { act: 'app.add', outcome: 'done', subject: app.id, details: { name: 'acme' } },
      { ...rotated('second_secret_added'), outcome: 'done' },
      {
        act: 'app.rotate', outcome: 'refused', subject: app.id,
        details: { name: 'acme', change: 'second_secret_added', reason: 'AppHasTwoSecrets' },
      },
      { ...rotated('verify_token_replaced'), outcome: 'done' },
      { act: 'app.rotate', outcome: 'refused', subject: undefined, details: { reason: 'NoSuchApp' } },
    ])
    for (const secret of [SECRET, verifyToken, 'the-second-secret', 'the-third-secret', 'the-second-word']) assert.notInclude(text, secret)
  })

  it('is refused once there are as many as there may be', async () => {
    const { add, storage: { apps } } = opened()
    for (let made = 0; made < MAX_APPS; made += 1) {
      await done(apps.add({ id: appIdOf(uuidv7()), name: `app-${made}`, createdAt: NOON, appSecret: SECRET, verifyToken: 'word' }))
    }
    assert.deepEqual(leftOf(await add()), { _tag: 'TooManyApps', most: MAX_APPS })
  })
})
