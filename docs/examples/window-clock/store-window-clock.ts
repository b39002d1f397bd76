import * as O from 'fp-ts/lib/Option.js'
import { attempt, countedIdOf, type InboundMark, type Instant, markInbound, parseJsonObject, portFailure, type WindowClock } from 'postern'

/** A key-value store of texts. `update` is atomic: no other write happens between its read and its write. */
export type Store = {
  readonly get: (key: string) => Promise<string | undefined>
  readonly update: (key: string, change: (before: string | undefined) => string) => Promise<void>
}

/** A window clock over a key-value store. */
export const makeStoreWindowClock = (store: Store, now: () => Instant = Date.now): WindowClock => ({
  now,
  lastInbound: (workspace, customer) =>
    attempt(async () => {
      const mark = markIn(await store.get(`${workspace} ${customer}`))
      return O.fromNullable(mark?.lastInbound)
    }, failure),
  recordInbound: (workspace, customer, at, statedAt) =>
    attempt(
      () => store.update(`${workspace} ${countedIdOf(customer)}`, (before) => JSON.stringify(markInbound(markIn(before), at, statedAt))), failure,
    ),
})

const markIn = (value = ''): InboundMark | undefined => {
  const { lastInbound, statedAt } = parseJsonObject(value) ?? {}
  return typeof lastInbound === 'number' ? { lastInbound, statedAt: typeof statedAt === 'number' ? statedAt : undefined } : undefined
}

const failure = portFailure('WindowClock')
