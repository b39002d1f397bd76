import { PULL_LISTENS_MS, type StoredEvent } from '../../core/kernel/outbox.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import { addedEndpoint, newAttempt, newEvent, NOON, openEndpoint, positionOf, progressOf } from './event-fixture.js'
import { after, append, CONTENT, eventIn, type EventOutboxFixture, moveEndpoint, removeAll, withContent } from './event-outbox-fixture.js'
import { done, holds, same } from './expect.js'
import { longAgo } from './ids.js'
import type { Law } from './law.js'

/** Before every event of the laws, so that nothing is deleted by its age. */
const NO_AGE = 0

/** Which events an `EventOutbox` deletes, and what it reports about waiting events. */
export const removalLaws: ReadonlyArray<Law<EventOutboxFixture>> = [
  {
    name: 'the content of an event is deleted once every endpoint has got the event, and the rest of it is kept',
    check: async (fixture) => {
      const first = await openEndpoint(fixture)
      const { workspace } = first
      const second = await addedEndpoint(fixture, workspace)
      const event = withContent(workspace)
      await append(fixture, workspace, [event])
      const stored = (await after(fixture, workspace)) as readonly [StoredEvent]
      const [{ id, position }] = stored
      const from = [await positionOf(fixture, first) ?? 0, await positionOf(fixture, second) ?? 0] as const
      const kept = async (): Promise<void> => {
        await removeAll(fixture, NO_AGE)
        same('the content is kept', await after(fixture, workspace), stored)
      }
      await kept()
      await moveEndpoint(fixture, first, from[0], position)
      await kept()
      await moveEndpoint(fixture, second, from[1], position, { retry: id })
      await kept()
      await moveEndpoint(fixture, second, position, position, { tried: id })
      same('how much is deleted', await removeAll(fixture, NO_AGE), 1)
      const { content: _content, ...rest } = event
      same('what is left', (await after(fixture, workspace)).map(eventIn), [rest])
    },
  },
  {
    name: 'an endpoint that is disabled keeps no content',
    check: async (fixture) => {
      const endpoint = await openEndpoint(fixture)
      await append(fixture, endpoint.workspace, [withContent(endpoint.workspace)])
      await done('the endpoint is disabled', fixture.eventEndpoints.change(endpoint.id, { status: 'disabled' }, NOON))
      holds('something is deleted', (await removeAll(fixture, NO_AGE)) > 0, 0)
      same('the content', (await after(fixture, endpoint.workspace))[0]?.content, undefined)
    },
  },
  {
    name: 'the content of an event is kept while an application asks for events',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      await append(fixture, workspace, [withContent(workspace)])
      await done('a pull is noted', fixture.eventOutbox.notePull(workspace, NOON))
      await removeAll(fixture, NO_AGE, NOON + PULL_LISTENS_MS - 1)
      same('within a week', (await after(fixture, workspace))[0]?.content, CONTENT)
      await removeAll(fixture, NO_AGE, NOON + PULL_LISTENS_MS + HOUR_MS)
      same('after a week', (await after(fixture, workspace))[0]?.content, undefined)
    },
  },
  {
    name: 'events and attempts that are older than a moment are deleted, also if an endpoint waits for them',
    check: async (fixture) => {
      const moment = longAgo()
      await removeAll(fixture, moment)
      const endpoint = await openEndpoint(fixture)
      const { workspace } = endpoint
      await done('a pull is noted', fixture.eventOutbox.notePull(workspace, NOON))
      const [old, recent] = [withContent(workspace, { at: moment - 1 }), withContent(workspace, { at: moment })]
      await append(fixture, workspace, [old, recent])
      const from = await positionOf(fixture, endpoint) ?? 0
      const attempts = [newAttempt(endpoint, old, { at: moment - 1 }), newAttempt(endpoint, recent, { at: moment })]
      await done('attempts are noted', fixture.eventDeliveries.record(progressOf(endpoint, from, { attempts })))
      holds('something is deleted', (await removeAll(fixture, moment)) >= 1, 0)
      same('the events', (await after(fixture, workspace)).map(eventIn), [recent])
      const { items } = await done('the attempts are read', fixture.eventDeliveries.attempts(endpoint.id, { limit: 10 }))
      same('the attempts', items.map(({ event }) => event), [recent.id])
    },
  },
  {
    name: 'an event never gets the position of one that was deleted',
    check: async (fixture) => {
      const moment = longAgo()
      const { workspace } = await fixture.openWorkspace()
      await append(fixture, workspace, [newEvent(workspace, { at: moment - 1 }), newEvent(workspace, { at: moment - 1 })])
      const last = (await after(fixture, workspace)).at(-1)?.position ?? 0
      await removeAll(fixture, moment)
      same('no event is left', await after(fixture, workspace), [])
      await append(fixture, workspace, [newEvent(workspace)])
      same('a reader who has seen the last one gets the new one', (await after(fixture, workspace, last)).length, 1)
    },
  },
  {
    name: 'the backlog counts the stored events, and names the workspaces whose events have waited longest for an endpoint',
    check: async (fixture) => {
      const moment = longAgo()
      const backlog = (limit: number) => done('the backlog is read', fixture.eventOutbox.backlog(limit))
      const { stored: before } = await backlog(1)
      const [first, second, { workspace: unheard }] = [
        await openEndpoint(fixture), await openEndpoint(fixture), await fixture.openWorkspace(),
      ]
      const workspaces = [first.workspace, second.workspace, unheard]
      const waiting = async () => (await backlog(100_000)).oldest.filter(({ workspace }) => workspaces.includes(workspace))
      for (const [index, workspace] of workspaces.entries()) {
        await append(fixture, workspace, [newEvent(workspace, { at: moment - index }), newEvent(workspace, { at: moment + 10 })])
      }
      same('how many are stored', (await backlog(1)).stored, before + 6)
      same('the oldest first', await waiting(), [
        { workspace: second.workspace, at: moment - 1 },
        { workspace: first.workspace, at: moment },
      ])
      same('at most as many as are asked for', (await backlog(1)).oldest.length, 1)
      const [{ id, position }, last] = (await after(fixture, second.workspace)) as readonly [StoredEvent, StoredEvent]
      await moveEndpoint(fixture, second, await positionOf(fixture, second) ?? 0, position)
      same('after the first was delivered', await waiting(), [
        { workspace: first.workspace, at: moment },
        { workspace: second.workspace, at: moment + 10 },
      ])
      await moveEndpoint(fixture, second, position, last.position, { retry: id })
      same('while one is to be tried again', (await waiting())[0], { workspace: second.workspace, at: moment - 1 })
      await moveEndpoint(fixture, second, last.position, last.position, { tried: id })
      same('after all were delivered', await waiting(), [{ workspace: first.workspace, at: moment }])
      await removeAll(fixture, moment + 11)
    },
  },
]
