import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type ActEntriesFixture, actEntriesLaws } from '../laws/entries-of-acts.js'
import { describeMutations } from './mutation.js'

type Write = 'create' | 'rename' | 'archive' | 'assign' | 'add' | 'change' | 'rotateSecret' | 'remove'

/** Memory of which one write loses what it is to take along. */
const losing = (write: Write) => async (): Promise<ActEntriesFixture> => {
  const fixture = await openMemoryFixture()
  const { workspaces, senders, eventEndpoints } = fixture
  const kept = <Outcome>(of: Write, outboxEntries: MakeOutboxEntries<Outcome> | undefined): MakeOutboxEntries<Outcome> | undefined =>
    of === write ? undefined : outboxEntries
  return {
    ...fixture,
    workspaces: {
      ...workspaces,
      create: (workspace, outboxEntries) => workspaces.create(workspace, kept('create', outboxEntries)),
      rename: (id, name, outboxEntries) => workspaces.rename(id, name, kept('rename', outboxEntries)),
      archive: (id, at, outboxEntries) => workspaces.archive(id, at, kept('archive', outboxEntries)),
    },
    senders: {
      ...senders,
      assign: (workspace, sender, outboxEntries) => senders.assign(workspace, sender, kept('assign', outboxEntries)),
      remove: (workspace, outboxEntries) => senders.remove(workspace, kept('remove', outboxEntries)),
    },
    eventEndpoints: {
      ...eventEndpoints,
      add: (endpoint, outboxEntries) => eventEndpoints.add(endpoint, kept('add', outboxEntries)),
      change: (id, change, at, outboxEntries) => eventEndpoints.change(id, change, at, kept('change', outboxEntries)),
      rotateSecret: (id, secret, until, outboxEntries) =>
        eventEndpoints.rotateSecret(id, secret, until, kept('rotateSecret', outboxEntries)),
      remove: (id, outboxEntries) => eventEndpoints.remove(id, kept('remove', outboxEntries)),
    },
  }
}

/** Memory that notes first and writes then, so that a write that fails is noted too. */
const hasty = async (): Promise<ActEntriesFixture> => {
  const fixture = await openMemoryFixture()
  const { workspaces, senders, eventEndpoints, auditLog } = fixture
  const note = <Outcome>(outboxEntries: MakeOutboxEntries<Outcome> | undefined, outcome: Outcome): void =>
    void auditLog.append((outboxEntries?.(outcome) ?? []).flatMap((entry) => ('act' in entry ? [entry] : [])))
  return {
    ...fixture,
    workspaces: {
      ...workspaces,
      create: (workspace, outboxEntries) => { note(outboxEntries, workspace); return workspaces.create(workspace) },
      rename: (id, name, outboxEntries) => { note(outboxEntries, id); return workspaces.rename(id, name) },
      archive: (id, at, outboxEntries) => { note(outboxEntries, id); return workspaces.archive(id, at) },
    },
    senders: {
      ...senders,
      assign: (workspace, sender, outboxEntries) => { note(outboxEntries, workspace); return senders.assign(workspace, sender) },
    },
    eventEndpoints: {
      ...eventEndpoints,
      add: (endpoint, outboxEntries) => { note(outboxEntries, endpoint.id); return eventEndpoints.add(endpoint) },
      remove: (id, outboxEntries) => { note(outboxEntries, id); return eventEndpoints.remove(id) },
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
