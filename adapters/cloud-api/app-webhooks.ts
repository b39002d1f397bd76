import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { type AppId, isAppId } from '../../core/kernel/ids.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'
import { type Apps, type AppSecrets, isAppName, type PlatformApp } from '../../core/workspaces/apps.js'
import { type CloudApiWebhook, makeWebhook, type ReadNotification } from './webhook.js'

/** The webhook of one app of the platform, with its secrets as they were read last. */
export type AppWebhook = CloudApiWebhook & {
  /** The same webhook after its secrets were read again, by a read that began after the call; the same object if they are unchanged, and `undefined` if the app is gone. */
  readonly renewed: () => Promise<E.Either<PortFailure, AppWebhook | undefined>>
}

/** Finds the webhook of an app by the app's id or name; `undefined` if there is no such app. */
export type FindAppWebhook<Webhook extends AppWebhook = AppWebhook> = (app: string) => Promise<E.Either<PortFailure, Webhook | undefined>>

/** The dependencies of the webhooks of apps. */
export type AppWebhooksDeps<More extends object> = {
  readonly apps: Pick<Apps, 'list' | 'secretsOf'>
  /** Further properties of an app's webhook, such as functions that count and log. */
  readonly more?: (app: Pick<PlatformApp, 'id' | 'name'>) => More
  /** A clock that never goes back. */
  readonly now?: Clock
}

/** How long the list of apps and the secrets of an app are cached, in milliseconds. A secret that was removed may be accepted for that time. */
const KEPT_MS = 5 * SECOND_MS

/**
 * The shortest time between the beginnings of two reads of the same thing, in milliseconds. Callers that have to know the latest state wait for the next read and share
 * it. So forged notifications and invented names cause at most ten reads a second, whatever their number.
 */
const APART_MS = 100

/**
 * Creates the webhooks of the platform's apps.
 *
 * Apps and their secrets are cached. Before it reports that an app does not exist, it reads the list of apps again; `renewed` does the same with the secrets of an app.
 * So a caller that uses them before it refuses a request refuses none that the latest state allows.
 */
export const makeAppWebhooks = <More extends object = object>(
  { apps, more, now = () => performance.now() }: AppWebhooksDeps<More>,
): FindAppWebhook<AppWebhook & More> => {
  type Found = AppWebhook & More
  const directory = makeCached(async () => E.map(directoryOf)(await apps.list()), now)
  const webhooks = new Map<AppId, Cached<Found | undefined>>()

  const webhookOf = (app: PlatformApp): Cached<Found | undefined> => {
    let last: { readonly secrets: AppSecrets; readonly webhook: Found } | undefined
    const added = more?.(app) as More
    const cached: Cached<Found | undefined> = makeCached<Found | undefined>(async () => {
      const read = await apps.secretsOf(app.id)
      if (E.isLeft(read)) return read
      if (O.isNone(read.right)) return E.right(undefined)
      const secrets = read.right.value
      if (last === undefined || !areSame(last.secrets, secrets)) {
        const webhook = makeWebhook(secrets)
        last = {
          secrets,
          webhook: { ...webhook, read: (raw) => E.map(arrivedAt(app.id))(webhook.read(raw)), renewed: () => cached.renewed(), ...added },
        }
      }
      return E.right(last.webhook)
    }, now)
    webhooks.set(app.id, cached)
    return cached
  }

  return async (named) => {
    if (!isAppId(named) && !isAppName(named)) return E.right(undefined)
    let known = await directory.latest()
    if (E.isRight(known) && !known.right.has(named)) known = await directory.renewed()
    if (E.isLeft(known)) return known
    const app = known.right.get(named)
    return app === undefined ? E.right(undefined) : (webhooks.get(app.id) ?? webhookOf(app)).latest()
  }
}

/** The content of a notification with the app at whose webhook it arrived. */
const arrivedAt = (app: AppId) => ({ reports, ignored, relayed }: ReadNotification): ReadNotification => ({
  reports: reports.map((report) => ({ ...report, app })), ignored, relayed: relayed.map((change) => ({ ...change, app })),
})

const directoryOf = (apps: ReadonlyArray<PlatformApp>): ReadonlyMap<string, PlatformApp> =>
  new Map(apps.flatMap((app) => [[app.id as string, app], [app.name, app]]))

const areSame = (one: AppSecrets, other: AppSecrets): boolean =>
  one.appSecret === other.appSecret && one.secondAppSecret === other.secondAppSecret && one.verifyToken === other.verifyToken

type Cached<Value> = {
  /** The cached value, or that of a new read if the cached one is too old. */
  readonly latest: () => Promise<E.Either<PortFailure, Value>>
  /** The value of a read that begins after the call. Calls that wait for a read to begin share it. */
  readonly renewed: () => Promise<E.Either<PortFailure, Value>>
}

const makeCached = <Value>(read: () => Promise<E.Either<PortFailure, Value>>, now: Clock): Cached<Value> => {
  let cached: { readonly value: Value; readonly at: number } | undefined
  let waiting: Promise<E.Either<PortFailure, Value>> | undefined
  let running: Promise<unknown> = Promise.resolve()
  let begunAt = -Infinity

  const readInTurn = async (): Promise<E.Either<PortFailure, Value>> => {
    await running
    const waitMs = begunAt + APART_MS - now()
    if (waitMs > 0) await delay(waitMs)
    waiting = undefined
    const at = begunAt = now()
    const reading = read()
    running = reading.catch(() => undefined)
    const result = await reading
    if (E.isRight(result)) cached = { value: result.right, at }
    return result
  }
  const renewed = (): Promise<E.Either<PortFailure, Value>> => (waiting ??= readInTurn())
  return {
    latest: async () => (cached !== undefined && now() - cached.at <= KEPT_MS ? E.right(cached.value) : renewed()),
    renewed,
  }
}
