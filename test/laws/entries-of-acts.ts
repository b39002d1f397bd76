import type { AuditEntry } from '../../core/kernel/actor.js'
import { auditIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import type { AccessPorts, EventPorts, StoragePorts } from '../../core/ports.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { NOON } from './entries-fixture.js'
import { newEndpoint, newEndpointSecret } from './event-fixture.js'
import { allPages, done, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The ports with which an operator changes workspaces, senders and endpoints, and the audit log that records it. */
export type ActEntriesPorts =
  & Pick<StoragePorts, 'workspaces' | 'senders'> & Pick<EventPorts, 'eventEndpoints'> & Pick<AccessPorts, 'auditLog'>

/** Those ports over one storage. */
export type ActEntriesFixture = ActEntriesPorts & {
  /** The same storage as another node sees it, if there are several nodes. */
  readonly elsewhere?: ActEntriesPorts
  /** Opens a workspace without a sender, endpoints and audit entries. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId; readonly currency: Currency }>
}

/** Stores an audit entry that contains the result of the write. */
const noting = <Outcome>(workspace: WorkspaceId, subjectOf: (outcome: Outcome) => string): MakeOutboxEntries<Outcome> => (outcome) =>
  [entryOf(workspace, subjectOf(outcome))]

const entryOf = (workspace: WorkspaceId, subject: string): AuditEntry =>
  ({ id: auditIdOf(newName()), at: NOON, by: { type: 'system' }, act: 'workspace.rename', outcome: 'done', workspace, subject })

/** The subjects of a workspace's entries, in any order. */
const noted = async ({ auditLog }: ActEntriesFixture, workspace: WorkspaceId): Promise<ReadonlyArray<string | undefined>> =>
  (await allPages('the audit log is listed', (page) => auditLog.list({ workspace, ...page }), 50)).map(({ subject }) => subject).sort()

const nodeOf = (fixture: ActEntriesFixture, index: number): ActEntriesPorts => (index % 2 === 0 ? fixture : fixture.elsewhere ?? fixture)

/** Which audit entries the writes of operators store. */
export const actEntriesLaws: ReadonlyArray<Law<ActEntriesFixture>> = [
  {
    name: 'a workspace that is made stores the audit entry made of it, once',
    check: async (fixture) => {
      const id = newWorkspaceId()
      const workspace = { id, name: ' Größe ', currency: 'USD' as Currency, createdAt: NOON }
      await Promise.all(times(6, (index) =>
        done(
          'the workspace is made', nodeOf(fixture, index).workspaces.create(workspace, noting(id, (made) => `${made.id} ${made.name}`)),
        )))
      same('what is noted', await noted(fixture, id), [`${id}  Größe `])
    },
  },
  {
    name: 'a workspace that is renamed or archived stores the audit entry made of it, and one that does not exist stores none',
    check: async (fixture) => {
      const [{ workspace }, unknown] = [await fixture.openWorkspace(), newWorkspaceId()]
      await done('it is renamed', fixture.workspaces.rename(workspace, 'Acme 2', noting(workspace, (id) => `renamed ${id}`)))
      await done('it is archived', fixture.workspaces.archive(workspace, NOON, noting(workspace, (id) => `archived ${id}`)))
      await refused(
        'no such workspace', 'UnknownWorkspace', fixture.workspaces.rename(unknown, 'Acme', noting(unknown, (id) => `renamed ${id}`)),
      )
      await refused(
        'no such workspace', 'UnknownWorkspace', fixture.workspaces.archive(unknown, NOON, noting(unknown, (id) => `archived ${id}`)),
      )
      same('what is noted', await noted(fixture, workspace), [`archived ${workspace}`, `renamed ${workspace}`])
      same('of a workspace that does not exist', await noted(fixture, unknown), [])
    },
  },
  {
    name: 'a sender that is set or removed stores the audit entry made of it, and one that is not stores none',
    check: async (fixture) => {
      const [{ workspace }, { workspace: other }, unknown] = [
        await fixture.openWorkspace(), await fixture.openWorkspace(), newWorkspaceId(),
      ]
      const sender = { phoneNumberId: senderIdOf(newName()), accessToken: 'token', businessAccountId: undefined }
      const outboxEntries = (of: WorkspaceId) => noting<WorkspaceId>(of, (id) => `sender of ${id}`)
      await done('a sender is set', fixture.senders.assign(workspace, sender, outboxEntries(workspace)))
      await refused('the number of another workspace', 'SenderTaken', fixture.senders.assign(other, sender, outboxEntries(other)))
      await refused(
        'no such workspace', 'UnknownWorkspace',
        fixture.senders.assign(unknown, { ...sender, phoneNumberId: senderIdOf(newName()) }, outboxEntries(unknown)),
      )
      const removing = (of: WorkspaceId) => noting<string>(of, (id) => `removed ${id}`)
      const ours = { workspace, sender: sender.phoneNumberId }
      await refused('no sender', 'UnknownSender', fixture.senders.remove({ ...ours, workspace: other }, removing(other)))
      await done('a sender is removed', fixture.senders.remove(ours, removing(workspace)))
      same('what is noted', await noted(fixture, workspace), [`removed ${sender.phoneNumberId}`, `sender of ${workspace}`])
      same('of the other', await noted(fixture, other), [])
      same('of a workspace that does not exist', await noted(fixture, unknown), [])
    },
  },
  {
    name: 'an endpoint that is added, changed, given another secret or removed stores the audit entry made of it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const endpoint = newEndpoint(workspace)
      const { eventEndpoints } = fixture
      await done('it is added', eventEndpoints.add(endpoint, noting(workspace, (id) => `added ${id}`)))
      await done(
        'its address is changed',
        eventEndpoints.change(
          endpoint.id, { description: 'new' }, NOON, noting(workspace, ({ endpoint: after }) => `changed ${after.description}`),
        ),
      )
      await done(
        'it is disabled',
        eventEndpoints.change(
          endpoint.id, { status: 'disabled' }, NOON, noting(workspace, ({ from, endpoint: { status } }) => `changed ${from} to ${status}`),
        ),
      )
      await done(
        'it has a new secret',
        eventEndpoints.rotateSecret(endpoint.id, newEndpointSecret(), NOON, noting(workspace, (id) => `rotated ${id}`)),
      )
      await Promise.all(times(6, (index) =>
        done('it is removed', nodeOf(fixture, index).eventEndpoints.remove(endpoint.id, noting(workspace, (id) => `removed ${id}`)))))
      same('what is noted', await noted(fixture, workspace), [
        `added ${endpoint.id}`, 'changed enabled to disabled', 'changed new', `removed ${endpoint.id}`, `rotated ${endpoint.id}`,
      ])
    },
  },
  {
    name: 'an endpoint that does not exist, or not in any workspace, stores no audit entry',
    check: async (fixture) => {
      const [{ workspace }, unknown] = [await fixture.openWorkspace(), newWorkspaceId()]
      const [{ id }, outboxEntries] = [newEndpoint(workspace), noting(workspace, () => 'an endpoint')]
      await done('no such endpoint', fixture.eventEndpoints.change(id, { status: 'disabled' }, NOON, outboxEntries))
      await done('no such endpoint', fixture.eventEndpoints.rotateSecret(id, newEndpointSecret(), NOON, outboxEntries))
      await done('no such endpoint', fixture.eventEndpoints.remove(id, outboxEntries))
      await refused(
        'no such workspace', 'UnknownWorkspace', fixture.eventEndpoints.add(newEndpoint(unknown), noting(unknown, () => 'an endpoint')),
      )
      same('what is noted', await noted(fixture, workspace), [])
      same('of a workspace that does not exist', await noted(fixture, unknown), [])
    },
  },
]
