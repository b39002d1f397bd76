import type { Along } from '../../core/kernel/outbox.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type ActEntriesFixture, actEntriesLaws } from '../laws/entries-of-acts.js'
import { describeMutations } from './mutation.js'

type Write = 'create' | 'rename' | 'archive' | 'assign' | 'add' | 'change' | 'rotateSecret' | 'remove'

/** Memory of which one write loses what it is to take along. */
const losing = (write: Write) => async (): Promise<ActEntriesFixture> => {
  const fixture = await openMemoryFixture()
  const { workspaces, senders, eventEndpoints } = fixture
  const kept = <Outcome>(of: Write, along: Along<Outcome> | undefined): Along<Outcome> | undefined => (of === write ? undefined : along)
  return {
    ...fixture,
    workspaces: {
      ...workspaces,
      create: (workspace, along) => workspaces.create(workspace, kept('create', along)),
      rename: (id, name, along) => workspaces.rename(id, name, kept('rename', along)),
      archive: (id, at, along) => workspaces.archive(id, at, kept('archive', along)),
    },
    senders: { ...senders, assign: (workspace, sender, along) => senders.assign(workspace, sender, kept('assign', along)), remove: (workspace, along) => senders.remove(workspace, kept('remove', along)) },
    eventEndpoints: {
      ...eventEndpoints,
      add: (endpoint, along) => eventEndpoints.add(endpoint, kept('add', along)),
      change: (id, change, at, along) => eventEndpoints.change(id, change, at, kept('change', along)),
      rotateSecret: (id, secret, until, along) => eventEndpoints.rotateSecret(id, secret, until, kept('rotateSecret', along)),
      remove: (id, along) => eventEndpoints.remove(id, kept('remove', along)),
    },
  }
}

/** Memory that notes first and writes then, so that a write that fails is noted too. */
const hasty = async (): Promise<ActEntriesFixture> => {
  const fixture = await openMemoryFixture()
  const { workspaces, senders, eventEndpoints, auditLog } = fixture
  const note = <Outcome>(along: Along<Outcome> | undefined, outcome: Outcome): void =>
    void auditLog.append((along?.(outcome) ?? []).flatMap((entry) => ('act' in entry ? [entry] : [])))
  return {
    ...fixture,
    workspaces: {
      ...workspaces,
      create: (workspace, along) => { note(along, workspace); return workspaces.create(workspace) },
      rename: (id, name, along) => { note(along, id); return workspaces.rename(id, name) },
      archive: (id, at, along) => { note(along, id); return workspaces.archive(id, at) },
    },
    senders: { ...senders, assign: (workspace, sender, along) => { note(along, workspace); return senders.assign(workspace, sender) } },
    eventEndpoints: {
      ...eventEndpoints,
      add: (endpoint, along) => { note(along, endpoint.id); return eventEndpoints.add(endpoint) },
      remove: (id, along) => { note(along, id); return eventEndpoints.remove(id) },
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
