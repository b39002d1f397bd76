import * as O from 'fp-ts/lib/Option.js'
import { attempt, countedIdOf, type InboundMark, type Instant, markInbound, portFailure, type WindowClock } from 'postern'
import type { LevelStore } from './level-store.js'

const failure = portFailure('WindowClock')

/** The window clock over LevelDB. */
export const makeLevelWindowClock = ({ get, write, inTurn }: LevelStore, now: () => Instant = Date.now): WindowClock => ({
  now,
  lastInbound: (workspace, customer) =>
    attempt(async () => O.fromNullable((await get<InboundMark>(`inbound/${workspace}/${customer}`))?.lastInbound), failure),
  recordInbound: (workspace, customer, at, statedAt) => {
    const key = `inbound/${workspace}/${countedIdOf(customer)}`
    return attempt(() => inTurn(key, async () => {
      const before = await get<InboundMark>(key)
      const mark = markInbound(before, at, statedAt)
      if (mark !== before) await write([[key, mark]])
    }), failure)
  },
})
