import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { AppId } from '../../core/kernel/ids.js'
import type { SenderOf } from '../../core/senders/sender.js'
import {
  type AppChange, type AppNameTaken, type Apps, type AppSecrets, type ChangeAppFailure, changedApp, type PlatformApp, type RemoveAppFailure,
  SENDERS_NAMED,
} from '../../core/workspaces/apps.js'
import { type EventState, openEventState, storeEvents } from './events.js'
import { atomic, infallible } from './kernel.js'

/** The apps and their secrets. */
export type AppsState = Map<AppId, { readonly app: PlatformApp; readonly secrets: AppSecrets }>

/** Every sender with its app, by workspace and id. */
export type SendersWithApps = () => ReadonlyArray<SenderOf & { readonly app: string | undefined }>

/** The platform's apps in memory. Nothing is stored on disk here, so their secrets are not encrypted. */
export const makeMemoryApps = (
  events: EventState = openEventState(), apps: AppsState = new Map(), listSenders: SendersWithApps = () => [],
): Apps => ({
  add: ({ id, name, createdAt, appSecret, verifyToken }, outboxEntries) =>
    atomic((): E.Either<AppNameTaken, void> => {
      if ([...apps.values()].some(({ app }) => app.name === name)) return E.left({ _tag: 'AppNameTaken', name })
      apps.set(id, { app: { id, name, createdAt }, secrets: { appSecret, verifyToken } })
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(id))
      return E.right(undefined)
    }),
  list: () => infallible(() =>
    Array.from(apps.values(), ({ app }) => app).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))),
  countSenders: () => infallible(() => {
    const counts = new Map<string | undefined, number>()
    for (const { app } of listSenders()) counts.set(app, (counts.get(app) ?? 0) + 1)
    return Array.from(counts, ([app, senders]) => ({ app, senders }))
  }),
  secretsOf: (id) => infallible(() => O.fromNullable(apps.get(id)?.secrets)),
  change: (id, change, at, outboxEntries) =>
    atomic((): E.Either<ChangeAppFailure, PlatformApp> => {
      const known = apps.get(id)
      if (known === undefined) return E.left({ _tag: 'NoSuchApp', named: id })
      const changed = changedApp(known.app, change, at)
      if (E.isLeft(changed)) return changed
      apps.set(id, { app: changed.right, secrets: secretsAfter(known.secrets, change) })
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(id))
      return changed
    }),
  remove: (id, outboxEntries) =>
    atomic((): E.Either<RemoveAppFailure, void> => {
      if (!apps.has(id)) return E.left({ _tag: 'NoSuchApp', named: id })
      const senders = listSenders().filter(({ app }) => app === id).map(({ workspace, sender }) => ({ workspace, sender }))
      if (senders.length > 0) return E.left({ _tag: 'AppInUse', id, count: senders.length, senders: senders.slice(0, SENDERS_NAMED) })
      apps.delete(id)
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(id))
      return E.right(undefined)
    }),
})

const secretsAfter = ({ secondAppSecret, ...secrets }: AppSecrets, change: AppChange): AppSecrets => {
  switch (change._tag) {
    case 'SecretAdded': return { ...secrets, secondAppSecret: change.appSecret }
    case 'OlderRemoved': return { ...secrets, appSecret: secondAppSecret ?? secrets.appSecret }
    case 'NewerRemoved': return secrets
    case 'VerifyTokenReplaced':
      return { ...secrets, ...(secondAppSecret !== undefined && { secondAppSecret }), verifyToken: change.verifyToken }
  }
}
