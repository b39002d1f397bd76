import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { portFailure, type Instant, type WindowClock } from 'postern'

/** What a store of texts has to offer: one value a key, and a change of it that nothing comes between. */
export type Store = {
  readonly get: (key: string) => Promise<string | undefined>
  readonly update: (key: string, change: (before: string | undefined) => string) => Promise<void>
}

/** A window clock over a key-value store. */
export const makeStoreWindowClock = (store: Store, now: () => Instant = Date.now): WindowClock => ({
  now,
  lastInbound: (workspace, customer) =>
    TE.tryCatch(async () => {
      const value = await store.get(`${workspace} ${customer}`)
      return value === undefined ? O.none : O.some(Number(value))
    }, failure),
  recordInbound: (workspace, customer, at) =>
    TE.tryCatch(() => store.update(`${workspace} ${customer}`, (before) => String(Math.max(at, Number(before ?? at)))), failure),
})

const failure = portFailure('WindowClock')
