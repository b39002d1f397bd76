import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { AppId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { InvalidName } from '../kernel/text.js'
import type { Clock, Instant } from '../kernel/time.js'
import type { NoSuchApp, SenderOf } from '../senders/sender.js'

/**
 * An app of the platform whose webhooks arrive at an address of their own, in addition to the app of the environment. A sender belongs to one app; the
 * notifications of other apps have no effect on it.
 */
export type PlatformApp = {
  readonly id: AppId
  /** Unique among the apps. It may be a part of the address, instead of the id. */
  readonly name: string
  readonly createdAt: Instant
  /** Since when a second app secret is valid beside the first; absent while there is only one. */
  readonly rotatingSince?: Instant
}

/** The secrets that an app shares with the platform. */
export type AppSecrets = {
  /** The key of the signatures of notifications; the older one, if there are two. */
  readonly appSecret: string
  /** The newer app secret, which is valid too. */
  readonly secondAppSecret?: string
  /** The token of the handshake that verifies the address. */
  readonly verifyToken: string
}

/** An app to be added, which has one app secret. */
export type NewApp = Omit<PlatformApp, 'rotatingSince'> & Omit<AppSecrets, 'secondAppSecret'>

/** A change of the secrets of an app: a second app secret is added, the older or the newer of two is removed, or the verify token is replaced. */
export type AppChange =
  | { readonly _tag: 'SecretAdded'; readonly appSecret: string }
  | { readonly _tag: 'OlderRemoved' }
  | { readonly _tag: 'NewerRemoved' }
  | { readonly _tag: 'VerifyTokenReplaced'; readonly verifyToken: string }

/** Another app has this name. */
export type AppNameTaken = { readonly _tag: 'AppNameTaken'; readonly name: string }

/** The app has two app secrets, so no third one can be added. */
export type AppHasTwoSecrets = { readonly _tag: 'AppHasTwoSecrets'; readonly id: AppId }

/** The app has one app secret, which cannot be removed. */
export type AppHasOneSecret = { readonly _tag: 'AppHasOneSecret'; readonly id: AppId }

/** `count` senders belong to the app, so it cannot be removed; `senders` are the first of them by workspace and id, at most `SENDERS_NAMED`. */
export type AppInUse = { readonly _tag: 'AppInUse'; readonly id: AppId; readonly count: number; readonly senders: ReadonlyArray<SenderOf> }

/** The maximum number of senders that `AppInUse` names. */
export const SENDERS_NAMED = 5

/** There are already as many apps as there may be, which is `most`. */
export type TooManyApps = { readonly _tag: 'TooManyApps'; readonly most: number }

/** An app secret or a verify token that is not 1 to 256 printable ASCII characters without spaces. */
export type InvalidAppSecret = { readonly _tag: 'InvalidAppSecret'; readonly of: 'app_secret' | 'verify_token' }

/** How many senders belong to an app; without an id, to the app of the environment. */
export type SendersOfApp = { readonly app: string | undefined; readonly senders: number }

/** The maximum number of apps. Concurrent additions may exceed it by a few. */
export const MAX_APPS = 1_000

/** The apps of the platform. Their secrets are encrypted at rest. */
export interface Apps {
  /**
   * Adds an app. `AppNameTaken`: another app has its name; letter case matters. Of concurrent additions with one name, one succeeds.
   *
   * If it was added, `outboxEntries` is called, and its entries are stored in the same step.
   */
  readonly add: (app: NewApp, outboxEntries?: MakeOutboxEntries<AppId>) => Promise<E.Either<AppNameTaken | PortFailure, void>>
  /** Every app, oldest first, without secrets. */
  readonly list: () => Promise<E.Either<PortFailure, ReadonlyArray<PlatformApp>>>
  /**
   * The number of senders of each app, in no particular order; without an app, of those of the environment. An app without senders has no entry. Empty if the storage
   * keeps no senders.
   */
  readonly countSenders: () => Promise<E.Either<PortFailure, ReadonlyArray<SendersOfApp>>>
  /** The secrets of an app, as they are after every change that was made before the call; none if no app has that id. */
  readonly secretsOf: (id: AppId) => Promise<E.Either<PortFailure, Option<AppSecrets>>>
  /**
   * Changes the secrets of an app at a given time. Right: the changed app.
   *
   * `NoSuchApp`: no app has that id. `AppHasTwoSecrets`: a third app secret cannot be added; of concurrent additions of a second one, one succeeds.
   * `AppHasOneSecret`: the only app secret cannot be removed. With each left nothing is changed. A secret that can no longer be decrypted can be removed and replaced.
   *
   * If something was changed, `outboxEntries` is called, and its entries are stored in the same step.
   */
  readonly change: (
    id: AppId, change: AppChange, at: Instant, outboxEntries?: MakeOutboxEntries<AppId>,
  ) => Promise<E.Either<ChangeAppFailure | PortFailure, PlatformApp>>
  /**
   * Removes an app with its secrets; another app may then have its name.
   *
   * `NoSuchApp`: no app has that id. `AppInUse`: senders belong to it, if the storage keeps senders too; nothing was changed. If a sender is set with the app at the same
   * time, exactly one of both succeeds: `assign` and `replace` of senders refuse an app that does not exist.
   *
   * If it was removed, `outboxEntries` is called, and its entries are stored in the same step.
   */
  readonly remove: (id: AppId, outboxEntries?: MakeOutboxEntries<AppId>) => Promise<E.Either<RemoveAppFailure | PortFailure, void>>
}

/** How a change of the secrets of an app can fail. */
export type ChangeAppFailure = NoSuchApp | AppHasTwoSecrets | AppHasOneSecret

/** How removing an app can fail. */
export type RemoveAppFailure = NoSuchApp | AppInUse

/**
 * An app after a change of its secrets: the rule of `Apps.change` about the number of app secrets. Once the platform signs with the second one, the older one is
 * removed; if the second one was mistyped, the newer one is removed.
 */
export const changedApp = (
  app: PlatformApp, { _tag }: Pick<AppChange, '_tag'>, at: Instant,
): E.Either<AppHasTwoSecrets | AppHasOneSecret, PlatformApp> => {
  const { rotatingSince, ...withOne } = app
  switch (_tag) {
    case 'SecretAdded':
      return rotatingSince === undefined ? E.right({ ...withOne, rotatingSince: at }) : E.left({ _tag: 'AppHasTwoSecrets', id: app.id })
    case 'OlderRemoved':
    case 'NewerRemoved':
      return rotatingSince === undefined ? E.left({ _tag: 'AppHasOneSecret', id: app.id }) : E.right(withOne)
    case 'VerifyTokenReplaced':
      return E.right(app)
  }
}

const APP_NAME = /^(?!app_|environment$)[A-Za-z0-9_-]{1,64}$/

/** The word for the app of the environment where an app is named, so it is no name of an app. */
export const ENVIRONMENT = 'environment'

/** Whether a text has the form of an app's name. */
export const isAppName = (text: string): boolean => APP_NAME.test(text)

const parseAppName = (text: string): E.Either<InvalidName, string> =>
  isAppName(text)
    ? E.right(text)
    : E.left({
        _tag: 'InvalidName', reason: 'the name of an app must have 1 to 64 letters of ASCII, digits, hyphens and underscores, must not begin with app_, and must not be environment',
      })

const SECRET = /^[!-~]{1,256}$/

const parseSecret = (text: string, of: InvalidAppSecret['of']): E.Either<InvalidAppSecret, string> => {
  const secret = text.trim()
  return SECRET.test(secret) ? E.right(secret) : E.left({ _tag: 'InvalidAppSecret', of })
}

/** The path of an app's webhook, below the address of the gateway. */
export const webhookPathOf = ({ name }: Pick<PlatformApp, 'name'>): string => `/webhooks/platform/${name}`

/** Adds an app of the platform. */
export type AddApp = (command: AddAppCommand) => Promise<E.Either<AddAppError, AddedApp>>

/** Without `verifyToken` a random one is created. Spaces around the secrets are removed. */
export type AddAppCommand = { readonly by: Actor; readonly name: string; readonly appSecret: string; readonly verifyToken?: string }

/** The app, and its verify token, which can be shown only once. */
export type AddedApp = { readonly app: PlatformApp; readonly verifyToken: string }

/** How adding an app can fail. */
export type AddAppError = InvalidName | InvalidAppSecret | AppNameTaken | TooManyApps | Forbidden | PortFailure

/** The dependencies of adding an app. */
export type AddAppDeps = ActDeps & {
  readonly apps: Pick<Apps, 'add' | 'list'>
  readonly newAppId: () => AppId
  readonly newVerifyToken: () => string
  readonly now: Clock
}

export const makeAddApp =
  (deps: AddAppDeps): AddApp =>
  ({ by, ...command }) =>
    perform(
      deps, { by, act: 'app.add', workspace: undefined, ...(isAppName(command.name) && { details: { name: command.name } }) },
      { describe: (id: AppId) => ({ subject: id }), describeAnswer: ({ app }: AddedApp) => ({ subject: app.id }) }, add(deps, command),
    )

const add =
  ({ apps, newAppId, newVerifyToken, now }: AddAppDeps, command: Omit<AddAppCommand, 'by'>) =>
  async (outboxEntries: MakeOutboxEntries<AppId>): Promise<E.Either<Exclude<AddAppError, Forbidden>, AddedApp>> => {
    const name = parseAppName(command.name)
    if (E.isLeft(name)) return name
    const appSecret = parseSecret(command.appSecret, 'app_secret')
    if (E.isLeft(appSecret)) return appSecret
    const verifyToken = command.verifyToken === undefined ? E.right(newVerifyToken()) : parseSecret(command.verifyToken, 'verify_token')
    if (E.isLeft(verifyToken)) return verifyToken
    const others = await apps.list()
    if (E.isLeft(others)) return others
    if (others.right.length >= MAX_APPS) return E.left({ _tag: 'TooManyApps', most: MAX_APPS })
    const app: PlatformApp = { id: newAppId(), name: name.right, createdAt: now() }
    const added = await apps.add({ ...app, appSecret: appSecret.right, verifyToken: verifyToken.right }, outboxEntries)
    return E.isLeft(added) ? added : E.right({ app, verifyToken: verifyToken.right })
  }

/** Finds an app by its id or its name. No name has the form of an id. */
export type FindApp = (idOrName: string) => Promise<E.Either<NoSuchApp | PortFailure, PlatformApp>>

/** The dependencies of finding an app. */
export type FindAppDeps = { readonly apps: Pick<Apps, 'list'> }

export const makeFindApp =
  ({ apps }: FindAppDeps): FindApp =>
  async (named) => {
    const all = await apps.list()
    if (E.isLeft(all)) return all
    const found = all.right.find(({ id, name }) => id === named || name === named)
    return found === undefined ? E.left({ _tag: 'NoSuchApp', named }) : E.right(found)
  }

/**
 * Changes the secrets of an app: adds a second app secret, which is valid together with the first, removes one of two, or replaces the verify token.
 *
 * Gateways accept an added secret immediately. They may accept a removed one for some seconds, because they cache secrets.
 */
export type RotateApp = (command: RotateAppCommand) => Promise<E.Either<RotateAppError, PlatformApp>>

/** `app` is the id or the name. Spaces around a secret are removed. */
export type RotateAppCommand = { readonly by: Actor; readonly app: string; readonly change: AppChange }

/** How changing the secrets of an app can fail. */
export type RotateAppError = InvalidAppSecret | ChangeAppFailure | Forbidden | PortFailure

/** The dependencies of changing the secrets of an app. */
export type RotateAppDeps = ActDeps & { readonly apps: Pick<Apps, 'list' | 'change'>; readonly now: Clock }

export const makeRotateApp =
  (deps: RotateAppDeps): RotateApp =>
  async ({ by, app: named, change: given }) => {
    const found = await makeFindApp(deps)(named)
    if (E.isLeft(found) && found.left._tag === 'PortFailure') return E.left(found.left)
    const change = parseChange(given)
    return perform(
      deps, {
        by, act: 'app.rotate', workspace: undefined,
        ...(E.isRight(found) && { subject: found.right.id, details: { name: found.right.name, change: CHANGES[given._tag] } }),
      }, {},
      async (outboxEntries: MakeOutboxEntries<AppId>): Promise<E.Either<Exclude<RotateAppError, Forbidden>, PlatformApp>> => {
        if (E.isLeft(found)) return found
        return E.isLeft(change) ? change : deps.apps.change(found.right.id, change.right, deps.now(), outboxEntries)
      },
    )
  }

const parseChange = (change: AppChange): E.Either<InvalidAppSecret, AppChange> => {
  switch (change._tag) {
    case 'SecretAdded':
      return E.map((appSecret: string): AppChange => ({ ...change, appSecret }))(parseSecret(change.appSecret, 'app_secret'))
    case 'VerifyTokenReplaced':
      return E.map((verifyToken: string): AppChange => ({ ...change, verifyToken }))(parseSecret(change.verifyToken, 'verify_token'))
    case 'OlderRemoved':
    case 'NewerRemoved':
      return E.right(change)
  }
}

/** The words for changes in the audit log. */
const CHANGES: Readonly<Record<AppChange['_tag'], string>> = {
  SecretAdded: 'second_secret_added', OlderRemoved: 'older_secret_removed', NewerRemoved: 'newer_secret_removed',
  VerifyTokenReplaced: 'verify_token_replaced',
}

/**
 * Removes an app that no sender belongs to. Gateways may accept notifications at its address for some seconds, because they cache secrets; then they answer 404.
 */
export type RemoveApp = (command: RemoveAppCommand) => Promise<E.Either<RemoveAppError, PlatformApp>>

/** `app` is the id or the name. */
export type RemoveAppCommand = { readonly by: Actor; readonly app: string }

/** How removing it can fail. */
export type RemoveAppError = RemoveAppFailure | Forbidden | PortFailure

/** The dependencies of removing it. */
export type RemoveAppDeps = ActDeps & { readonly apps: Pick<Apps, 'list' | 'remove'> }

export const makeRemoveApp =
  (deps: RemoveAppDeps): RemoveApp =>
  async ({ by, app: named }) => {
    const found = await makeFindApp(deps)(named)
    if (E.isLeft(found) && found.left._tag === 'PortFailure') return E.left(found.left)
    return perform(
      deps, {
        by, act: 'app.remove', workspace: undefined,
        ...(E.isRight(found) && { subject: found.right.id, details: { name: found.right.name } }),
      }, {},
      async (outboxEntries: MakeOutboxEntries<AppId>): Promise<E.Either<Exclude<RemoveAppError, Forbidden>, PlatformApp>> => {
        if (E.isLeft(found)) return found
        const removed = await deps.apps.remove(found.right.id, outboxEntries)
        return E.isLeft(removed) ? removed : found
      },
    )
  }

/** The use cases of apps, and the reads that their webhooks need. */
export type AppUseCases = {
  readonly addApp: AddApp
  readonly rotateApp: RotateApp
  readonly removeApp: RemoveApp
  readonly findApp: FindApp
  readonly listApps: Apps['list']
  readonly countSenders: Apps['countSenders']
  readonly readSecrets: Apps['secretsOf']
}

export const makeAppUseCases = (deps: AddAppDeps & RotateAppDeps & RemoveAppDeps & { readonly apps: Apps }): AppUseCases => ({
  addApp: makeAddApp(deps), rotateApp: makeRotateApp(deps), removeApp: makeRemoveApp(deps), findApp: makeFindApp(deps),
  listApps: deps.apps.list, countSenders: deps.apps.countSenders, readSecrets: deps.apps.secretsOf,
})
