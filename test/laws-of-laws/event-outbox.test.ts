import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { eventOutboxBrokerLaws, type EventOutboxFixture, eventOutboxLaws } from '../laws/event-outbox.js'
import { andThen, brokenMemory, rounded, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (port: EventOutbox) => Partial<EventOutbox>): (() => Promise<EventOutboxFixture>) =>
  brokenMemory('eventOutbox', defect)

const EVERYWHERE = workspaceIdOf('019c0000000070008000000000000000')

describeMutations('the outbox of events', eventOutboxLaws, [
  { defect: 'hears everything', open: broken(() => ({ listens: async () => E.right(true) })), breaks: [
    'nothing listens to a workspace without an endpoint whose application never asked for events',
  ] },
  { defect: 'hears nothing', open: broken(() => ({ listens: async () => E.right(false) })), breaks: [
    'something listens to a workspace as long as one of its endpoints is enabled', 'something listens to a workspace for a week after its application asked for events',
  ] },
  { defect: 'passes every notification on', open: broken(() => ({ relays: async () => E.right(true) })), breaks: [
    "the platform's notifications are for a workspace with an enabled endpoint that gets them, which listens to nothing else",
  ] },
  { defect: 'takes an endpoint of notifications for a listener', open: broken(({ listens, relays }) => ({
    listens: async (workspace, at) => {
      const relayed = await relays(workspace)
      return E.isRight(relayed) && relayed.right ? relayed : listens(workspace, at)
    },
  })), breaks: ["the platform's notifications are for a workspace with an enabled endpoint that gets them, which listens to nothing else"] },
  { defect: 'forgets pulls', open: broken(() => ({ notePull: async () => E.right(undefined) })), breaks: [
    'something listens to a workspace for a week after its application asked for events', 'the content of an event is kept while an application asks for events',
  ] },
  { defect: 'stores nothing', open: broken(() => ({ append: async () => E.right(undefined) })), breaks: ['events come back as they were stored, in their order'] },
  { defect: 'rounds long numbers', open: broken(({ append }) => ({
    append: (workspace, events) =>
      append(
        workspace,
        events.map(({ data, content, ...event }) => ({ ...event, data: rounded(data), ...(content && { content: rounded(content) }) })),
      ),
  })), breaks: ['events come back as they were stored, in their order'] },
  { defect: 'drops contents', open: broken(({ append }) => ({
    append: (workspace, events) => append(workspace, events.map(({ content: _content, ...event }) => event)),
  })), breaks: ['events come back as they were stored, in their order'] },
  { defect: 'drops the trace context', open: broken(({ append }) => ({
    append: (workspace, events) => append(workspace, events.map(({ trace: _trace, ...event }) => event)),
  })), breaks: ['the trace context of an event is kept with it, whatever is stored beside it'] },
  {
    defect: 'lists what was seen already',
    open: broken(({ after }) => ({ after: (workspace, position, limit) => after(workspace, position - 1, limit) })),
    breaks: [
      'a reader gets the events after a position, at most as many as it asks for',
    ],
  },
  { defect: 'ignores keys', open: broken(({ append }) => ({
    append: (workspace, events) => append(workspace, events.map(({ key: _key, ...event }) => event)),
  })), breaks: ['of the events of a workspace with one key the first is stored'] },
  { defect: 'stores the events of an append one by one', open: broken(({ append }) => ({
    append: async (workspace, events) => {
      for (const event of events) {
        await append(workspace, [event])
        await new Promise((resolve) => { setTimeout(resolve, 1) })
      }
      return E.right(undefined)
    },
  })), breaks: ['a reader sees all events of an append or none'] },
  { defect: 'finds no event', open: broken(() => ({ find: async () => E.right(O.none) })), breaks: ['an event is found by its id, and never from another workspace'] },
  {
    defect: 'lists the events of every workspace',
    open: broken(({ after }) => {
      const one = makeMemoryStorage().eventOutbox
      return {
        after: (workspace, position, limit) => andThen(after(workspace, position, limit), (own) =>
          andThen(one.append(EVERYWHERE, own.map((event) => ({ ...event, workspace: EVERYWHERE }))), () =>
            one.after(EVERYWHERE, position, limit))),
      }
    }),
    breaks: ['a workspace lists only its own events'],
  },
  { defect: 'deletes nothing', open: broken(() => ({ removeOld: async () => E.right(0) })), breaks: [
    'the content of an event is deleted once every endpoint has got the event, and the rest of it is kept', 'an endpoint that is disabled keeps no content',
    'the content of an event is kept while an application asks for events', 'events and attempts that are older than a moment are deleted, also if an endpoint waits for them',
  ] },
  {
    defect: 'gives the positions of deleted events again',
    open: broken(({ after, removeOld }) => {
      let removed = 0
      return {
        removeOld: (...of) => withResult(removeOld(...of), (count) => { removed += count; return count }),
        after: (workspace, position, limit) => withResult(after(workspace, 0, limit), (events) =>
          events.map((event) => ({ ...event, position: event.position - removed })).filter((event) => event.position > position)),
      }
    }),
    breaks: ['an event never gets the position of one that was deleted'],
  },
  { defect: 'knows of nothing that waits', open: broken(() => ({ backlog: async () => E.right({ stored: 0, oldest: [] }) })), breaks: [
    'the backlog counts the stored events, and names the workspaces whose events have waited longest for an endpoint',
  ] },
])

describeMutations('the outbox of events with a broker', eventOutboxBrokerLaws, [
  { defect: 'does not know of the broker', open: () => openMemoryFixture(), breaks: [
    'an outbox that stores events for a broker says so', 'a broker listens to every workspace', 'the content of an event waits for the broker, and so does its workspace',
  ] },
])
