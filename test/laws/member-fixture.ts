import assert from 'node:assert/strict'
import * as O from 'fp-ts/lib/Option.js'
import type { AuditLog } from '../../core/access/acting.js'
import {
  type Access, type Digest, type Invitation, type Member, type Members, type Session, SESSION_MS, sessionIdOf, type Sessions,
} from '../../core/access/members.js'
import type { AuditEntry, Email, Role } from '../../core/kernel/actor.js'
import { auditIdOf, type MemberId, memberIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { OutboxEntry } from '../../core/kernel/outbox.js'
import { done } from './expect.js'
import { newName } from './ids.js'

/** The members with their sessions over one storage, and the control over the environment that their laws need. */
export type MembersFixture = {
  readonly members: Members
  readonly sessions: Sessions
  readonly auditLog: AuditLog
  /** The same storage as another process opens it. */
  readonly elsewhere: { readonly members: Members; readonly sessions: Sessions }
  /** Opens a new workspace. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
  /** Archives a workspace of the same storage. */
  readonly archiveWorkspace: (workspace: WorkspaceId) => Promise<void>
}

/** A time at which no data of a law is old, exact to a minute. */
export const NOON = Date.UTC(2026, 10, 2, 12)

export const newMemberId = (): MemberId => memberIdOf(crypto.randomUUID())
export const newEmail = (): Email => `${newName()}@example.com` as Email
export const newDigest = (): Digest => `${newName()}${newName()}` as Digest

export const OPERATOR: Access = { _tag: 'Operator' }
export const roleIn = (workspace: WorkspaceId, role: Role = 'developer'): Access => ({ _tag: 'Role', workspace, role })

/** An invitation of a new person; `more` replaces parts of it. Its link ends an hour after noon. */
export const invitation = (access: Access, more: Partial<Invitation> = {}): Invitation => ({
  id: newMemberId(), email: newEmail(), access, at: NOON, link: { digest: newDigest(), expiresAt: NOON + 3_600_000 },
  invitedBy: 'ops@example.com', onlyHere: false, ...more,
})

/** A person with an access, who has used the link of the invitation. */
export const joined = async ({ members }: Pick<MembersFixture, 'members'>, given: Invitation): Promise<Member> => {
  await done('an invitation', members.invite(given))
  return done('its link', members.takeLink(given.link.digest, given.at, undefined))
}

/** A new person with a role in a new workspace. */
export const newMember = async (fixture: MembersFixture) => {
  const { workspace } = await fixture.openWorkspace()
  const given = invitation(roleIn(workspace))
  return { workspace, given, member: await joined(fixture, given) }
}

/** A new person who is invited into a new workspace, and the link. */
export const invited = async ({ members, openWorkspace }: MembersFixture) => {
  const { workspace } = await openWorkspace()
  const given = invitation(roleIn(workspace))
  return { workspace, given, digest: given.link.digest, member: await done('a person is invited', members.invite(given)) }
}

/** A member in a form that can be compared. */
export const shown = (member: Member): unknown => ({ ...member, roles: [...member.roles].sort() })

/** The current state of a member; fails if there is none. */
export const memberNow = async ({ members }: Pick<MembersFixture, 'members'>, id: MemberId): Promise<Member> => {
  const found = await done('a member is looked for', members.find(id))
  return O.isSome(found) ? found.value : assert.fail('the member exists: saw none')
}

/** A session of a member that began at a given time. */
export const newSession = (member: MemberId, at = NOON, more: Partial<Session> = {}): Session => ({
  id: sessionIdOf(crypto.randomUUID()), member, openedBy: 'password', createdAt: at, lastSeenAt: at, expiresAt: at + SESSION_MS, ...more,
})

/** An entry to store with a write, and whether it was stored. */
export const newAlong = ({ auditLog }: Pick<MembersFixture, 'auditLog'>) => {
  const entry: AuditEntry = {
    id: auditIdOf(`${Date.now().toString(16).padStart(12, '0')}${newName().slice(12)}`), at: NOON, by: { type: 'system' },
    act: 'member.invite', outcome: 'done', subject: newName(),
  }
  const seen: Array<unknown> = []
  return {
    outboxEntries: (outcome: unknown): ReadonlyArray<OutboxEntry> => {
      seen.push(outcome)
      return [entry]
    },
    seen,
    isStored: async (): Promise<boolean> => {
      const { items } = await done('the audit log is listed', auditLog.list({ limit: 1_000 }))
      return items.some(({ id }) => id === entry.id)
    },
  }
}
