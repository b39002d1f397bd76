import type { EntriesOf } from '../../core/kernel/outbox.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type ActEntriesFixture, actEntriesLaws } from '../laws/entries-of-acts.js'
import { describeMutations } from './mutation.js'

type Write = 'create' | 'rename' | 'archive' | 'assign' | 'add' | 'change' | 'rotateSecret' | 'remove'

/** Memory of which one write loses what it is to take along. */
const losing = (write: Write) => async (): Promise<ActEntriesFixture> => {
  const fixture = await openMemoryFixture()
  const { workspaces, senders, eventEndpoints } = fixture
  const kept = <Outcome>(of: Write, entriesOf: EntriesOf<Outcome> | undefined): EntriesOf<Outcome> | undefined => (of === write ? undefined : entriesOf)
  return {
    ...fixture,
    workspaces: {
      ...workspaces,
      create: (workspace, entriesOf) => workspaces.create(workspace, kept('create', entriesOf)),
      rename: (id, name, entriesOf) => workspaces.rename(id, name, kept('rename', entriesOf)),
      archive: (id, at, entriesOf) => workspaces.archive(id, at, kept('archive', entriesOf)),
    },
    senders: { ...senders, assign: (workspace, sender, entriesOf) => senders.assign(workspace, sender, kept('assign', entriesOf)), remove: (workspace, entriesOf) => senders.remove(workspace, kept('remove', entriesOf)) },
    eventEndpoints: {
      ...eventEndpoints,
      add: (endpoint, entriesOf) => eventEndpoints.add(endpoint, kept('add', entriesOf)),
      change: (id, change, at, entriesOf) => eventEndpoints.change(id, change, at, kept('change', entriesOf)),
      rotateSecret: (id, secret, until, entriesOf) => eventEndpoints.rotateSecret(id, secret, until, kept('rotateSecret', entriesOf)),
      remove: (id, entriesOf) => eventEndpoints.remove(id, kept('remove', entriesOf)),
    },
  }
}

/** Memory that notes first and writes then, so that a write that fails is noted too. */
const hasty = async (): Promise<ActEntriesFixture> => {
  const fixture = await openMemoryFixture()
  const { workspaces, senders, eventEndpoints, auditLog } = fixture
  const note = <Outcome>(entriesOf: EntriesOf<Outcome> | undefined, outcome: Outcome): void =>
    void auditLog.append((entriesOf?.(outcome) ?? []).flatMap((entry) => ('act' in entry ? [entry] : [])))
  return {
    ...fixture,
    workspaces: {
      ...workspaces,
      create: (workspace, entriesOf) => { note(entriesOf, workspace); return workspaces.create(workspace) },
      rename: (id, name, entriesOf) => { note(entriesOf, id); return workspaces.rename(id, name) },
      archive: (id, at, entriesOf) => { note(entriesOf, id); return workspaces.archive(id, at) },
    },
    senders: { ...senders, assign: (workspace, sender, entriesOf) => { note(entriesOf, workspace); return senders.assign(workspace, sender) } },
    eventEndpoints: {
      ...eventEndpoints,
      add: (endpoint, entriesOf) => { note(entriesOf, endpoint.id); return eventEndpoints.add(endpoint) },
      remove: (id, entriesOf) => { note(entriesOf, id); return eventEndpoints.remove(id) },
    },
  }
}

const MADE = 'a workspace that is made stores the audit entry made of it, once'
const RENAMED = 'a workspace that is renamed or archived stores the audit entry made of it, and one that does not exist stores none'
const SENDER = 'a sender that is set or removed stores the audit entry made of it, and one that is not stores none'
const ENDPOINT = 'an endpoint that is added, changed, given another secret or removed stores the audit entry made of it'
const NO_ENDPOINT = 'an endpoint that does not exist, or not in any workspace, stores no audit entry'

describeMutations('audit entries that are stored with a write', actEntriesLaws, [
  { defect: 'loses the entry of a new workspace', open: losing('create'), breaks: [MADE] },
  { defect: 'loses the entry of a new name', open: losing('rename'), breaks: [RENAMED] },
  { defect: 'loses the entry of the end of a workspace', open: losing('archive'), breaks: [RENAMED] },
  { defect: 'loses the entry of a sender', open: losing('assign'), breaks: [SENDER] },
  { defect: 'loses the entry of a new endpoint', open: losing('add'), breaks: [ENDPOINT] },
  { defect: 'loses the entry of a change of an endpoint', open: losing('change'), breaks: [ENDPOINT] },
  { defect: 'loses the entry of a new secret', open: losing('rotateSecret'), breaks: [ENDPOINT] },
  { defect: 'loses the entry of an endpoint that is removed', open: losing('remove'), breaks: [ENDPOINT] },
  { defect: 'notes before it writes', open: hasty, breaks: [MADE, RENAMED, SENDER, ENDPOINT, NO_ENDPOINT] },
])
