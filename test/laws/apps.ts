import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { AuditLog } from '../../core/access/acting.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import { type AppId, appIdOf, auditIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import type { SenderAssignment, SenderDirectory, SenderId, SenderOf } from '../../core/senders/sender.js'
import { type AppChange, type Apps, type AppSecrets, type NewApp, SENDERS_NAMED } from '../../core/workspaces/apps.js'
import { NOON } from './entries-fixture.js'
import { type AtRest, hides } from './at-rest.js'
import { done, holds, refused, same } from './expect.js'
import { longAgo, newName, times } from './ids.js'
import type { Law } from './law.js'
import { newSender } from './senders-fixture.js'

/** The apps of the platform, and the audit log and the senders of the same storage. */
export type AppsFixture = {
  readonly apps: Apps
  /** The same storage as another node sees it, if there are several nodes. */
  readonly elsewhere?: { readonly apps: Apps; readonly senders: AppsFixture['senders'] }
  readonly auditLog: Pick<AuditLog, 'list'>
  readonly senders: Pick<SenderAssignment, 'assign' | 'remove' | 'replace'> & Pick<SenderDirectory, 'ownerOf'>
  /** Opens a workspace that has no sender. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

const newApp = (more: Partial<NewApp> = {}): NewApp => ({
  id: appIdOf(newName()), name: newName(), createdAt: longAgo(), appSecret: newName(), verifyToken: newName(), ...more,
})

const added = async ({ apps }: AppsFixture, more: Partial<NewApp> = {}): Promise<NewApp> => {
  const app = newApp(more)
  await done('an app is added', apps.add(app))
  return app
}

const secretsOf = ({ apps }: Pick<AppsFixture, 'apps'>, id: AppId): Promise<O.Option<AppSecrets>> =>
  done('the secrets of an app are read', apps.secretsOf(id))

const change = ({ apps }: AppsFixture, id: AppId, changes: AppChange, at = NOON) => done('an app is changed', apps.change(id, changes, at))

const listed = async ({ apps }: Pick<AppsFixture, 'apps'>, ids: ReadonlyArray<AppId>) =>
  (await done('the apps are listed', apps.list())).filter(({ id }) => ids.includes(id))

const adding = (appSecret: string): AppChange => ({ _tag: 'SecretAdded', appSecret })

const elsewhereOf = (fixture: AppsFixture): Pick<AppsFixture, 'apps' | 'senders'> => fixture.elsewhere ?? fixture

/** The app of a sender; `none` if no workspace has the sender. */
const appOf = async ({ senders }: Pick<AppsFixture, 'senders'>, id: SenderId): Promise<string | undefined> => {
  const owner = await done('the owner of a sender is read', senders.ownerOf(id, NOON))
  return O.isNone(owner) ? 'none' : owner.value.app
}

const tagOf = (outcome: E.Either<{ readonly _tag: string }, unknown>): string =>
  (E.isLeft(outcome) ? outcome.left._tag : 'it succeeded')

/** An audit entry with the id of the changed app, and a mark. */
const noting = (mark: string): MakeOutboxEntries<AppId> => (subject): ReadonlyArray<AuditEntry> =>
  [{ id: auditIdOf(newName()), at: NOON, by: { type: 'system' }, act: 'app.rotate', outcome: 'done', subject, details: { mark } }]

/** The marks of the entries about an app. */
const noted = async ({ auditLog }: AppsFixture, id: AppId): Promise<ReadonlyArray<unknown>> =>
  (await done('the audit log is listed', auditLog.list({ limit: 1_000 }))).items.filter(({ subject }) => subject === id)
    .map(({ details }) => details?.['mark']).sort()

/** The promises of every `Apps`. */
export const appsLaws: ReadonlyArray<Law<AppsFixture>> = [
  {
    name: 'an app is listed without its secrets, which are read by its id from the very next call on, everywhere',
    check: async (fixture) => {
      const { appSecret, verifyToken, ...app } = await added(fixture)
      same('the listed app', await listed(elsewhereOf(fixture), [app.id]), [app])
      same('its secrets', await secretsOf(elsewhereOf(fixture), app.id), O.some({ appSecret, verifyToken }))
      same('of no app', await secretsOf(fixture, appIdOf(newName())), O.none)
    },
  },
  {
    name: 'apps are listed oldest first',
    check: async (fixture) => {
      const at = longAgo()
      const [second, first, third] = [
        await added(fixture, { createdAt: at + 2 }), await added(fixture, { createdAt: at + 1 }),
        await added(fixture, { createdAt: at + 3 }),
      ]
      const ids = [first, second, third].map(({ id }) => id)
      same('the order', (await listed(fixture, ids)).map(({ id }) => id), ids)
    },
  },
  {
    name: 'two apps never have one name, and letter case distinguishes names',
    check: async (fixture) => {
      const name = `a${newName()}`
      const outcomes = await Promise.all(times(6, (index) => (index % 2 === 0 ? fixture : elsewhereOf(fixture)).apps.add(newApp({ name }))))
      same('those that were added', outcomes.filter(({ _tag }) => _tag === 'Right').length, 1)
      await refused('the same name', 'AppNameTaken', fixture.apps.add(newApp({ name })))
      await added(fixture, { name: name.toUpperCase() })
    },
  },
  {
    name: 'a second app secret is valid together with the first, until either of them is removed',
    check: async (fixture) => {
      const { id, name, createdAt, appSecret, verifyToken } = await added(fixture)
      const [app, second, third] = [{ id, name, createdAt }, newName(), newName()]
      same('with two secrets', await change(fixture, id, adding(second), NOON), { ...app, rotatingSince: NOON })
      same('both secrets', await secretsOf(elsewhereOf(fixture), id), O.some({ appSecret, secondAppSecret: second, verifyToken }))
      same('the newer one removed', await change(fixture, id, { _tag: 'NewerRemoved' }), app)
      same('the older one', await secretsOf(fixture, id), O.some({ appSecret, verifyToken }))
      await change(fixture, id, adding(third), NOON + 1)
      same('since when there are two', await listed(fixture, [id]), [{ ...app, rotatingSince: NOON + 1 }])
      same('the older one removed', await change(fixture, id, { _tag: 'OlderRemoved' }), app)
      same('the newer one', await secretsOf(elsewhereOf(fixture), id), O.some({ appSecret: third, verifyToken }))
    },
  },
  {
    name: 'an app never has three app secrets, and never none',
    check: async (fixture) => {
      const { id, appSecret, verifyToken } = await added(fixture)
      for (const _tag of ['OlderRemoved', 'NewerRemoved'] as const) {
        await refused('the only secret is removed', 'AppHasOneSecret', fixture.apps.change(id, { _tag }, NOON))
      }
      same('the only secret', await secretsOf(fixture, id), O.some({ appSecret, verifyToken }))
      const outcomes = await Promise.all(times(6, (index) =>
        (index % 2 === 0 ? fixture : elsewhereOf(fixture)).apps.change(id, adding(`secret-${index}`), NOON)))
      const [first] = outcomes.flatMap(({ _tag }, index) => (_tag === 'Right' ? [index] : []))
      same('those that were added', outcomes.filter(({ _tag }) => _tag === 'Right').length, 1)
      await refused('a third secret', 'AppHasTwoSecrets', fixture.apps.change(id, adding(newName()), NOON + 1))
      const expected = { appSecret, secondAppSecret: `secret-${String(first)}`, verifyToken }
      same('the two secrets', await secretsOf(fixture, id), O.some(expected))
    },
  },
  {
    name: 'a replaced verify token leaves the app secrets as they are',
    check: async (fixture) => {
      const { id, appSecret } = await added(fixture)
      const [second, first, last] = [newName(), newName(), newName()]
      await change(fixture, id, { _tag: 'VerifyTokenReplaced', verifyToken: first })
      same('with one app secret', await secretsOf(fixture, id), O.some({ appSecret, verifyToken: first }))
      await change(fixture, id, adding(second))
      await change(fixture, id, { _tag: 'VerifyTokenReplaced', verifyToken: last })
      same('with two', await secretsOf(fixture, id), O.some({ appSecret, secondAppSecret: second, verifyToken: last }))
    },
  },
  {
    name: 'a change concerns its own app alone, and an app that does not exist cannot be changed',
    check: async (fixture) => {
      const [ours, theirs] = [await added(fixture), await added(fixture)]
      await change(fixture, ours.id, adding(newName()))
      await change(fixture, ours.id, { _tag: 'VerifyTokenReplaced', verifyToken: newName() })
      const { appSecret, verifyToken, ...app } = theirs
      same('the secrets of the other', await secretsOf(fixture, theirs.id), O.some({ appSecret, verifyToken }))
      same('the other', await listed(fixture, [theirs.id]), [app])
      await refused('no app', 'NoSuchApp', fixture.apps.change(appIdOf(newName()), adding(newName()), NOON))
    },
  },
  {
    name: 'a removed app has no secrets, is not listed, and its name is free; no other app is removed',
    check: async (fixture) => {
      const [ours, theirs] = [await added(fixture), await added(fixture)]
      await done('it is removed', fixture.apps.remove(ours.id))
      same('its secrets', await secretsOf(elsewhereOf(fixture), ours.id), O.none)
      same('those that are listed', (await listed(elsewhereOf(fixture), [ours.id, theirs.id])).map(({ id }) => id), [theirs.id])
      await refused('it is removed again', 'NoSuchApp', fixture.apps.remove(ours.id))
      await refused('it is changed', 'NoSuchApp', fixture.apps.change(ours.id, adding(newName()), NOON))
      await added(fixture, { name: ours.name })
    },
  },
  {
    name: 'an app is not removed while senders belong to it, and the refusal has their number and the first of them',
    check: async (fixture) => {
      const { apps, senders } = fixture
      const [app, other] = [await added(fixture), await added(fixture)]
      const users: Array<SenderOf> = []
      for (const { workspace } of [await fixture.openWorkspace(), await fixture.openWorkspace()]) {
        for (let set = 0; set < SENDERS_NAMED - 1; set += 1) {
          const sender = newSender()
          await done('a sender is set', senders.assign(workspace, { ...sender, app: app.id }))
          users.push({ workspace, sender: sender.phoneNumberId })
        }
      }
      users.sort((a, b) => (`${a.workspace} ${a.sender}` < `${b.workspace} ${b.sender}` ? -1 : 1))
      const refusal = await apps.remove(app.id)
      same('the refusal', refusal, E.left({ _tag: 'AppInUse', id: app.id, count: users.length, senders: users.slice(0, SENDERS_NAMED) }))
      same('it is listed', (await listed(fixture, [app.id])).length, 1)
      await done('an app without senders is removed', apps.remove(other.id))
      for (const of of users) await done('a sender is removed', senders.remove(of))
      await done('it is removed', apps.remove(app.id))
    },
  },
  {
    name: 'a sender is never set or replaced with an app that does not exist, and the refusal changes nothing',
    check: async (fixture) => {
      const { apps, senders } = fixture
      const [{ workspace }, app, gone] = [await fixture.openWorkspace(), await added(fixture), await added(fixture)]
      await done('an app is removed', apps.remove(gone.id))
      const [sender, another] = [{ ...newSender(), app: app.id }, newSender()]
      await done('a sender is set', senders.assign(workspace, sender))
      for (const id of [gone.id, appIdOf(newName())]) {
        const refusals = [
          await refused('a new sender', 'NoSuchApp', senders.assign(workspace, { ...another, app: id }, () => noting('set')(app.id))),
          await refused('a known one', 'NoSuchApp', senders.assign(workspace, { ...sender, app: id }, () => noting('set again')(app.id))),
          await refused('a moved one', 'NoSuchApp', senders.replace(
            { workspace, sender: sender.phoneNumberId }, { ...another, app: id }, NOON, () => noting('moved')(app.id),
          )),
        ]
        same('the app that the refusals name', refusals.map(({ named }) => named), [id, id, id])
      }
      same('the app of the sender', await appOf(fixture, sender.phoneNumberId), app.id)
      same('that of no sender', await appOf(fixture, another.phoneNumberId), 'none')
      same('what is noted', await noted(fixture, app.id), [])
    },
  },
  {
    name: 'if an app is removed while a sender is set or replaced with it, exactly one of both succeeds, everywhere',
    check: async (fixture) => {
      for (let round = 0; round < 12; round += 1) {
        const [{ workspace }, app] = [await fixture.openWorkspace(), await added(fixture)]
        const [sender, moved] = [newSender(), newSender()]
        const isMove = round % 3 === 2
        if (isMove) await done('a sender of the environment is set', fixture.senders.assign(workspace, sender))
        const [here, there] = round % 4 < 2 ? [fixture, elsewhereOf(fixture)] : [elsewhereOf(fixture), fixture]
        const set = () => (isMove
          ? here.senders.replace({ workspace, sender: sender.phoneNumberId }, { ...moved, app: app.id }, NOON)
          : here.senders.assign(workspace, { ...moved, app: app.id }))
        const remove = () => there.apps.remove(app.id)
        const isSetFirst = round % 2 === 0
        const [first, second] = isSetFirst ? [set(), remove()] : [remove(), set()]
        const [ofSet, ofRemoval] = isSetFirst ? [await first, await second] : [await second, await first]
        const isSet = E.isRight(ofSet)
        same('the failure', isSet ? tagOf(ofRemoval) : tagOf(ofSet), isSet ? 'AppInUse' : 'NoSuchApp')
        same('whether the app is removed', E.isRight(ofRemoval), !isSet)
        same('whether the app is listed', (await listed(fixture, [app.id])).length, isSet ? 1 : 0)
        same('the app of the sender', await appOf(fixture, moved.phoneNumberId), isSet ? app.id : 'none')
      }
    },
  },
  {
    name: 'the senders of each app are counted, and those of the environment apart',
    check: async (fixture) => {
      const [ours, theirs] = [await added(fixture), await added(fixture)]
      const [{ workspace }, { apps, senders }] = [await fixture.openWorkspace(), fixture]
      const ofEnvironment = async (): Promise<number> =>
        (await done('senders are counted', apps.countSenders())).find(({ app }) => app === undefined)?.senders ?? 0
      const before = await ofEnvironment()
      for (const app of [ours.id, ours.id, undefined]) {
        await done('a sender is set', senders.assign(workspace, { ...newSender(), ...(app !== undefined && { app }) }))
      }
      const counts = await done('senders are counted', apps.countSenders())
      same('the counts', counts.filter(({ app }) => app === ours.id || app === theirs.id), [{ app: ours.id, senders: 2 }])
      holds('one more of the environment', (await ofEnvironment()) > before, before)
    },
  },
  {
    name: 'an app that is added, changed or removed stores the entries made of it, and one that is not stores none',
    check: async (fixture) => {
      const { apps } = fixture
      const app = newApp()
      await done('it is added', apps.add(app, noting('added')))
      const namesake = newApp({ name: app.name })
      await refused('its name is taken', 'AppNameTaken', apps.add(namesake, () => noting('taken')(app.id)))
      await refused('it has one secret', 'AppHasOneSecret', apps.change(app.id, { _tag: 'OlderRemoved' }, NOON, noting('none')))
      await done('it has a second secret', apps.change(app.id, adding(newName()), NOON, noting('second')))
      await refused('it has two secrets', 'AppHasTwoSecrets', apps.change(app.id, adding(newName()), NOON, noting('third')))
      await done('the older one is removed', apps.change(app.id, { _tag: 'OlderRemoved' }, NOON, noting('removed')))
      const token: AppChange = { _tag: 'VerifyTokenReplaced', verifyToken: newName() }
      await done('it has another token', apps.change(app.id, token, NOON, noting('token')))
      const [{ workspace }, sender] = [await fixture.openWorkspace(), newSender()]
      await done('a sender is set', fixture.senders.assign(workspace, { ...sender, app: app.id }))
      await refused('it has a sender', 'AppInUse', apps.remove(app.id, noting('in use')))
      await done('the sender is removed', fixture.senders.remove({ workspace, sender: sender.phoneNumberId }))
      await done('it is removed', apps.remove(app.id, noting('gone')))
      await refused('it is removed again', 'NoSuchApp', apps.remove(app.id, noting('again')))
      same('what is noted', await noted(fixture, app.id), ['added', 'gone', 'removed', 'second', 'token'])
    },
  },
]

/** The promises of every `Apps` that stores its apps on disk about its stored data. */
export const appsAtRestLaws: ReadonlyArray<Law<AppsFixture & AtRest>> = [
  {
    name: 'app secrets and verify tokens are encrypted at rest',
    check: async (fixture) => {
      const { id, appSecret, verifyToken } = await added(fixture)
      const [second, token] = [newName(), newName()]
      await change(fixture, id, adding(second))
      await change(fixture, id, { _tag: 'VerifyTokenReplaced', verifyToken: token })
      const secrets = [appSecret, verifyToken, second, token].flatMap((secret) => [secret, btoa(secret).replaceAll('=', '')])
      await hides('the secrets of an app are not stored as they are', fixture, id, secrets)
    },
  },
]
