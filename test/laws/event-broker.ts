import type { StoredEvent } from '../../core/kernel/outbox.js'
import { type EventEndpointsFixture, NOON, stored } from './event-fixture.js'
import { done, holds, same } from './expect.js'
import { newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The promises of every `EventDeliveries` about the broker. */
export const brokerLaws: ReadonlyArray<Law<EventEndpointsFixture>> = [
  {
    name: 'the broker is behind in the workspaces with events after its position, longest waiting first',
    check: async (fixture) => {
      const [first, second] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const behind = async () => (await done('what the broker has not got is read', fixture.eventDeliveries.brokerDue(100_000)))
        .filter(({ workspace }) => workspace === first.workspace || workspace === second.workspace)
      same('before an event', await behind(), [])
      await stored(fixture, second.workspace, { at: NOON - 1 })
      const [event, last] = (await stored(fixture, first.workspace, { at: NOON - 2 }, { at: NOON })) as readonly [StoredEvent, StoredEvent]
      same('after some', await behind(), [{ workspace: first.workspace, position: 0 }, { workspace: second.workspace, position: 0 }])
      const moved = (from: number, to: number) =>
        done('the broker is moved', fixture.eventDeliveries.recordBroker({ workspace: first.workspace, from, to }))
      same('to the first', await moved(0, event.position), true)
      same('what is left', await behind(), [
        { workspace: second.workspace, position: 0 },
        { workspace: first.workspace, position: event.position },
      ])
      same('from a wrong position', [await moved(0, last.position), await moved(last.position, last.position + 1)], [false, false])
      same('to the last', await moved(event.position, last.position), true)
      same('what is left then', await behind(), [{ workspace: second.workspace, position: 0 }])
      holds(
        'at most one', (await done('what the broker has not got is read', fixture.eventDeliveries.brokerDue(1))).length === 1,
        'another count',
      )
    },
  },
  {
    name: 'of concurrent moves of the broker from one position one moves it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, second] = (await stored(fixture, workspace, {}, {})) as readonly [StoredEvent, StoredEvent]
      for (const { from, to } of [{ from: 0, to: first.position }, { from: first.position, to: second.position }]) {
        const outcomes = await Promise.all(
          times(5, () => done('the broker is moved', fixture.eventDeliveries.recordBroker({ workspace, from, to }))),
        )
        same('how many moved it', outcomes.filter((moved) => moved).length, 1)
      }
      const unknown = { workspace: newWorkspaceId(), from: 5, to: 6 }
      same('a workspace without events', await done('the broker is moved', fixture.eventDeliveries.recordBroker(unknown)), false)
    },
  },
]
