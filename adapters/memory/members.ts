import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  addsTo, type Identity, type Invitation, isElsewhere, isForSame, type LastOperator, type LinkUnusable, type Member, type MemberNotFound, type Members,
  type PendingInvitation, withAccess,
} from '../../core/access/members.js'
import type { MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { type AccessState, deleteWhere, type LinkRecord, type MemberRecord, memberWithEmail, openAccessState } from './access-state.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { atomic, infallible } from './task.js'

/** The members in memory, with roles in the workspaces there are. */
export const makeMemoryMembers = (
  workspaces: ReadonlyMap<WorkspaceId, unknown>, state: AccessState = openAccessState(), events: EventState = openEventState(),
): Members => {
  const { members, links, identities } = state
  const note = (along: Along<Member> | undefined, member: Member): void => {
    if (along !== undefined) storeEvents(events, along(member))
  }
  return {
    find: (id) => infallible(() => memberOf(members.get(id))),
    withEmail: (email) => infallible(() => memberOf(memberWithEmail(state, email))),
    list: (workspace) =>
      infallible(() => everyMember(state).filter(({ roles }) => workspace === undefined || roles.has(workspace)).sort((a, b) => (a.id < b.id ? -1 : 1))),
    invite: (invitation, along) =>
      atomic((): E.Either<UnknownWorkspace, Member> => {
        const { access, link: { digest, expiresAt }, email, invitedBy, onlyHere } = invitation
        if (access._tag === 'Role' && !workspaces.has(access.workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        const record = memberWithEmail(state, email) ?? { member: { ...newMember(invitation), invitedBy }, passwordDigest: undefined }
        const member = addsTo(record.member, access) ? record.member : withAccess(record.member, access)
        note(along, member)
        record.member = member
        members.set(member.id, record)
        deleteWhere(links, (other) => other.invitation?.member === member.id && isForSame(other.invitation.access, access))
        links.set(digest, { expiresAt, invitation: { member: member.id, access, invitedBy, onlyHere } })
        return E.right(member)
      }),
    pending: (at, workspace) =>
      infallible(() =>
        [...links.values()].flatMap((link) => waiting(state, link, at))
          .filter(({ access }) => workspace === undefined || (access._tag === 'Role' && access.workspace === workspace))
          .sort((a, b) => (a.member < b.member ? -1 : a.member > b.member ? 1 : a.expiresAt - b.expiresAt))),
    remove: (id, from, along) => atomic(() => remove(state, { id, from, note: (member) => note(along, member) })),
    hasOperator: () => infallible(() => operators(state) > 0),
    addFirstLink: ({ digest, expiresAt }) => infallible(() => void links.set(digest, { expiresAt, invitation: undefined })),
    peekLink: (digest, at) =>
      infallible(() => {
        const link = links.get(digest)
        if (link === undefined || at >= link.expiresAt) return O.none
        if (link.invitation === undefined) return operators(state) > 0 ? O.none : O.some({ _tag: 'FirstOperator' })
        return purposeOf(invitee(state, link))
      }),
    takeLink: (digest, at, first, along) =>
      atomic((): E.Either<LinkUnusable, Member> => {
        const link = links.get(digest)
        if (link === undefined || at >= link.expiresAt) return UNUSABLE
        const record = link.invitation === undefined ? firstOperator(state, first, at) : invitee(state, link)
        if (record === undefined) return UNUSABLE
        const member = anew(link.invitation === undefined ? record.member : withAccess(record.member, link.invitation.access))
        note(along, member)
        startAnew(state, member)
        links.delete(digest)
        if (link.invitation === undefined) deleteWhere(links, ({ invitation }) => invitation === undefined)
        return E.right(member)
      }),
    acceptAll: (id, at, along) =>
      change(members, id, (record) => {
        const accesses = [...links.values()].flatMap((link) => waiting(state, link, at)).filter(({ member }) => member === id).map(({ access }) => access)
        if (accesses.length === 0) return record.member
        const member = anew(accesses.reduce(withAccess, record.member))
        note(along, member)
        startAnew(state, member)
        deleteWhere(links, ({ invitation }) => invitation?.member === id)
        return member
      }),
    withPassword: (email) => infallible(() => O.fromNullable(copyOf(memberWithEmail(state, email)))),
    setPassword: (id, passwordDigest, keep, along) =>
      change(members, id, (record) => {
        const member = { ...anew(record.member), hasPassword: true }
        note(along, member)
        Object.assign(record, { member, passwordDigest })
        deleteWhere(state.sessions, ({ session }) => session.member === id && session.id !== keep)
        deleteWhere(links, ({ invitation }) => invitation?.member === id && !addsTo(member, invitation.access))
      }),
    withIdentity: (identity) => infallible(() => memberOf(recordOf(members, identities.get(keyOf(identity))?.member))),
    joinIdentity: (id, identity) =>
      change(members, id, () => {
        const joined = identities.get(keyOf(identity))
        if (joined !== undefined) return joined.member === id
        if ([...identities.values()].some(({ member, issuer }) => member === id && issuer === identity.issuer)) return false
        identities.set(keyOf(identity), { member: id, issuer: identity.issuer })
        return true
      }),
  }
}

const UNUSABLE: E.Either<LinkUnusable, never> = E.left({ _tag: 'LinkUnusable' })

const keyOf = ({ issuer, subject }: Identity): string => JSON.stringify([issuer, subject])

const memberOf = (record: MemberRecord | undefined): O.Option<Member> => O.fromNullable(record?.member)

const recordOf = (members: ReadonlyMap<MemberId, MemberRecord>, id: MemberId | undefined) => (id === undefined ? undefined : members.get(id))

const copyOf = (record: MemberRecord | undefined): MemberRecord | undefined => record && { ...record }

const purposeOf = (record: MemberRecord | undefined) => O.map(({ email }: Member) => ({ _tag: 'Member', email }) as const)(memberOf(record))

const everyMember = ({ members }: AccessState): ReadonlyArray<Member> => Array.from(members.values(), ({ member }) => member)

const operators = (state: AccessState): number => everyMember(state).filter(({ isOperator }) => isOperator).length

const newMember = ({ id, email, at }: Pick<Invitation, 'id' | 'email' | 'at'>): Member => ({
  id, email, isOperator: false, roles: new Map(), createdAt: at, lastSignInAt: undefined, hasPassword: false, credentialsVersion: 0,
})

/** The member of a link, unless it is for a person without access elsewhere and she has some. */
const invitee = ({ members }: AccessState, { invitation }: LinkRecord): MemberRecord | undefined => {
  const record = invitation && members.get(invitation.member)
  return record !== undefined && invitation?.onlyHere === true && isElsewhere(record.member, invitation.access) ? undefined : record
}

const waiting = ({ members }: AccessState, { invitation, expiresAt }: LinkRecord, at: number): ReadonlyArray<PendingInvitation> => {
  const record = invitation && members.get(invitation.member)
  if (invitation === undefined || record === undefined || at >= expiresAt) return []
  const { member, access, invitedBy, onlyHere } = invitation
  return [{ member, email: record.member.email, access, invitedBy, expiresAt, needsOperator: onlyHere && isElsewhere(record.member, access) }]
}

const anew = (member: Member): Member => ({ ...member, hasPassword: false, credentialsVersion: member.credentialsVersion + 1 })

/** Stores a member without a password, and ends her sessions except those that an identity provider opened. */
const startAnew = ({ members, sessions }: AccessState, member: Member): void => {
  members.set(member.id, { member, passwordDigest: undefined })
  deleteWhere(sessions, ({ session }) => session.member === member.id && session.openedBy !== 'identity')
}

const firstOperator = (state: AccessState, first: Pick<Invitation, 'id' | 'email'> | undefined, at: number): MemberRecord | undefined => {
  if (first === undefined || operators(state) > 0) return undefined
  const record = memberWithEmail(state, first.email) ?? { member: newMember({ ...first, at }), passwordDigest: undefined }
  return { ...record, member: { ...record.member, isOperator: true } }
}

const change = <Result>(members: Map<MemberId, MemberRecord>, id: MemberId, to: (record: MemberRecord) => Result) =>
  atomic((): E.Either<MemberNotFound, Result> => {
    const record = members.get(id)
    return record === undefined ? E.left({ _tag: 'MemberNotFound', member: id }) : E.right(to(record))
  })

type Removal = { readonly id: MemberId; readonly from: 'everywhere' | WorkspaceId; readonly note: (member: Member) => void }

const remove = (state: AccessState, { id, from, note }: Removal): E.Either<MemberNotFound | LastOperator, void> => {
  const record = state.members.get(id)
  const ofHers = [...state.links].filter(([, { invitation }]) => invitation?.member === id)
  const ofThis = ofHers.filter(([, { invitation }]) => invitation?.access._tag === 'Role' && invitation.access.workspace === from)
  if (record === undefined || (from !== 'everywhere' && !record.member.roles.has(from) && ofThis.length === 0)) return E.left({ _tag: 'MemberNotFound', member: id })
  const { isOperator } = record.member
  if (from === 'everywhere' && isOperator && operators(state) === 1) return E.left({ _tag: 'LastOperator' })
  note(record.member)
  const roles = new Map([...record.member.roles].filter(([workspace]) => workspace !== from))
  if (from !== 'everywhere' && (isOperator || roles.size > 0 || ofHers.length > ofThis.length)) {
    record.member = { ...record.member, roles }
    for (const [digest] of ofThis) state.links.delete(digest)
    return E.right(undefined)
  }
  state.members.delete(id)
  deleteWhere(state.sessions, ({ session }) => session.member === id)
  deleteWhere(state.links, ({ invitation }) => invitation?.member === id)
  deleteWhere(state.identities, ({ member }) => member === id)
  return E.right(undefined)
}
