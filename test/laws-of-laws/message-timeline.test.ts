import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import type { MessageTimeline } from '../../core/timeline.js'
import { messageTimelineLaws } from '../laws/message-timeline.js'
import { andThen, brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (timeline: MessageTimeline) => Partial<MessageTimeline>) => brokenMemory('messageTimeline', defect)

const MOVES = 'the moves of a message\'s money are those of the statement, oldest first'
const EVENTS = 'the events of a message are given with the attempts to deliver each, oldest first'
const RECEIVED = 'what a customer wrote is given by any of the ids, newest first, with its content as long as that is stored'

describeMutations('the timeline of a message', messageTimelineLaws, [
  {
    defect: 'gives the newest move first',
    open: broken(({ entries }) => ({ entries: (query) => withResult(entries(query), RA.reverse) })),
    breaks: [MOVES],
  },
  {
    defect: 'forgets the outcome of a hold',
    open: broken(({ entries }) => ({ entries: (query) => withResult(entries(query), RA.filter(({ kind }) => kind === 'hold')) })),
    breaks: [MOVES],
  },
  {
    defect: 'loses notes',
    open: broken(({ entries }) => ({ entries: (query) => withResult(entries(query), RA.map(({ note: _note, ...entry }) => entry)) })),
    breaks: [MOVES],
  },
  {
    defect: 'gives the moves of a message to every workspace',
    open: brokenMemory('messageTimeline', ({ entries }, { workspaces }) => ({
      entries: (query) =>
        andThen(workspaces.list(), (all) =>
          withResult(Promise.all(all.map(({ id }: Workspace) => entries({ ...query, workspace: id }))).then(E.sequenceArray), RA.flatten)),
    })),
    breaks: ['a message without a hold, or of another workspace, has no moves'],
  },
  {
    defect: 'forgets attempts',
    open: broken(({ events }) => ({ events: (query) => withResult(events(query), RA.map((event) => ({ ...event, attempts: [] }))) })),
    breaks: [EVENTS],
  },
  {
    defect: 'gives the newest event first',
    open: broken(({ events }) => ({ events: (query) => withResult(events(query), RA.reverse) })),
    breaks: [EVENTS],
  },
  {
    defect: 'gives what customers wrote oldest first',
    open: broken(({ received }) => ({ received: (query) => withResult(received(query), RA.reverse) })),
    breaks: [RECEIVED],
  },
  {
    defect: 'forgets what a customer wrote',
    open: broken(({ received }) => ({
      received: (query) => withResult(received(query), RA.map(({ content: _content, ...event }) => event)),
    })),
    breaks: [RECEIVED],
  },
  {
    defect: 'looks for one id only',
    open: broken(({ received }) => ({ received: (query) => received({ ...query, customer: query.customer.slice(0, 1) }) })),
    breaks: [RECEIVED],
  },
])
