import type { StaleMessage, StaleQuery } from '../../core/messages/message-log.js'
import type { MessageId } from '../../core/messages/message.js'
import { done, holds, same } from './expect.js'
import { longAgo, newPlatformId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, openMessageWorkspace } from './message-fixture.js'

// Messages of long ago: the list covers every workspace, and few other messages are that old.

const EVERY = 100_000

const stale = ({ messageLog }: MessageLogFixture, query: StaleQuery): Promise<ReadonlyArray<StaleMessage>> =>
  done('stale messages are listed', messageLog.stale(query))

const among = (ids: ReadonlyArray<MessageId>, seen: ReadonlyArray<StaleMessage>): ReadonlyArray<StaleMessage> =>
  seen.filter(({ id }) => ids.includes(id))

/** The promises of a `MessageLog` about the messages whose outcome is unknown. */
export const staleMessageLaws: ReadonlyArray<Law<MessageLogFixture>> = [
  {
    name: 'stale lists messages in the state asked for that were opened before the moment, oldest first',
    check: async (fixture) => {
      const moment = longAgo()
      const { workspace, opened, apply } = await openMessageWorkspace(fixture)
      const newest = (await opened({ at: moment - 1 })).id
      const oldest = (await opened({ at: moment - 30_000 })).id
      const lost = (await opened({ at: moment - 20_000 })).id
      const known = (await opened({ at: moment - 10_000 })).id
      const young = [(await opened({ at: moment })).id, (await opened({ at: moment + 1 })).id]
      await apply(lost, { state: 'unconfirmed', at: moment + 5 })
      await apply(known, { state: 'accepted', at: moment + 5, platformId: newPlatformId() })
      const ids = [newest, oldest, lost, known, ...young]
      const pending = among(ids, await stale(fixture, { state: 'pending', before: moment, limit: EVERY }))
      same('the pending ones, oldest first', pending, [{ workspace, id: oldest }, { workspace, id: newest }])
      const unconfirmed = among(ids, await stale(fixture, { state: 'unconfirmed', before: moment, limit: EVERY }))
      same('the unconfirmed ones', unconfirmed, [{ workspace, id: lost }])
    },
  },
  {
    name: 'stale lists the messages of all workspaces',
    check: async (fixture) => {
      const moment = longAgo()
      const desks = [await openMessageWorkspace(fixture), await openMessageWorkspace(fixture), await openMessageWorkspace(fixture)]
      const drafts = await Promise.all(desks.map(({ opened }, index) => opened({ at: moment - 10 + index })))
      const seen = among(drafts.map(({ id }) => id), await stale(fixture, { state: 'pending', before: moment, limit: EVERY }))
      same('one of each workspace', seen, drafts.map(({ workspace, id }) => ({ workspace, id })))
    },
  },
  {
    name: 'stale lists no more than asked for, the oldest of them all',
    check: async (fixture) => {
      const moment = longAgo()
      const { opened } = await openMessageWorkspace(fixture)
      await Promise.all(times(5, (step) => opened({ at: moment - 10 + step })))
      const all = await stale(fixture, { state: 'pending', before: moment, limit: EVERY })
      holds('five stale messages are listed at least', all.length >= 5, all.length)
      same('the two oldest', await stale(fixture, { state: 'pending', before: moment, limit: 2 }), all.slice(0, 2))
    },
  },
  {
    name: 'a stale message that is settled is stale no more',
    check: async (fixture) => {
      const moment = longAgo()
      const { workspace, opened, apply } = await openMessageWorkspace(fixture)
      const { id } = await opened({ at: moment - 10 })
      const inState = async (state: StaleQuery['state']) => among([id], await stale(fixture, { state, before: moment, limit: EVERY }))
      const both = () => Promise.all([inState('pending'), inState('unconfirmed')])
      same('a pending message', await both(), [[{ workspace, id }], []])
      await apply(id, { state: 'unconfirmed', at: moment })
      same('an unconfirmed message', await both(), [[], [{ workspace, id }]])
      await apply(id, { state: 'released', at: moment })
      same('a message that was given up', await both(), [[], []])
    },
  },
]
