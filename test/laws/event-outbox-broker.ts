import type { StoredEvent } from '../../core/kernel/outbox.js'
import { NOON } from './event-fixture.js'
import { after, append, CONTENT, type EventOutboxFixture, listens, removeAll, withContent } from './event-outbox-fixture.js'
import { done, same } from './expect.js'
import { newWorkspaceId } from './ids.js'
import type { Law } from './law.js'

/** The promises of an `EventOutbox` about which workspaces' events a broker gets. */
export const eventOutboxBrokerLaws: ReadonlyArray<Law<EventOutboxFixture>> = [
  {
    name: 'an outbox that stores events for a broker says so',
    check: async ({ eventOutbox }) => { same('it has a broker', eventOutbox.hasBroker, true) },
  },
  {
    name: 'a broker listens to every workspace',
    check: async (fixture) => {
      same('a workspace', await listens(fixture, (await fixture.openWorkspace()).workspace), true)
      same('a workspace that does not exist', await listens(fixture, newWorkspaceId()), true)
    },
  },
  {
    name: 'the content of an event waits for the broker, and so does its workspace',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const waits = async () =>
        (await done('the backlog is read', fixture.eventOutbox.backlog(100_000))).oldest.filter((one) => one.workspace === workspace)
      await append(fixture, workspace, [withContent(workspace)])
      const [{ position }] = (await after(fixture, workspace)) as readonly [StoredEvent]
      await removeAll(fixture, 0)
      same('before the broker has got it', (await after(fixture, workspace))[0]?.content, CONTENT)
      same('the workspace waits', await waits(), [{ workspace, at: NOON }])
      same(
        'the broker is moved',
        await done('the broker is moved', fixture.eventDeliveries.recordBroker({ workspace, from: 0, to: position })), true,
      )
      await removeAll(fixture, 0)
      same('after the broker has got it', (await after(fixture, workspace))[0]?.content, undefined)
      same('the workspace waits no longer', await waits(), [])
    },
  },
]
