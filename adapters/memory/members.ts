import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type {
  Access, Along, Identity, Invitation, LastOperator, LinkUnusable, Member, MemberElsewhere, MemberId, MemberNotFound, Members, UnknownWorkspace, WorkspaceId,
} from '../../core/ports/members.js'
import { deleteWhere, memberWithEmail, openAccessState, type AccessState, type MemberRecord } from './access-state.js'
import { openEventState, storeEvents, type EventState } from './event-state.js'
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
      atomic((): E.Either<UnknownWorkspace | MemberElsewhere, Member> => {
        const { access, link, email, onlyHere } = invitation
        if (access._tag === 'Role' && !workspaces.has(access.workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        const record = memberWithEmail(state, email) ?? { member: newMember(invitation), passwordDigest: undefined }
        if (onlyHere && isElsewhere(record.member, access)) return E.left({ _tag: 'MemberElsewhere' })
        const member = withAccess(record.member, access)
        note(along, member)
        record.member = member
        members.set(member.id, record)
        deleteWhere(links, (other) => other.member === member.id)
        links.set(link.digest, { member: member.id, expiresAt: link.expiresAt })
        return E.right(member)
      }),
    remove: (id, from, along) => atomic(() => remove(state, { id, from, note: (member) => note(along, member) })),
    hasOperator: () => infallible(() => operators(state) > 0),
    addFirstLink: ({ digest, expiresAt }) => infallible(() => void links.set(digest, { member: undefined, expiresAt })),
    peekLink: (digest, at) =>
      infallible(() => {
        const link = links.get(digest)
        if (link === undefined || at >= link.expiresAt) return O.none
        if (link.member === undefined) return operators(state) > 0 ? O.none : O.some({ _tag: 'FirstOperator' })
        return purposeOf(members.get(link.member))
      }),
    takeLink: (digest, at, first, along) =>
      atomic((): E.Either<LinkUnusable, Member> => {
        const link = links.get(digest)
        if (link === undefined || at >= link.expiresAt) return UNUSABLE
        const record = link.member === undefined ? firstOperator(state, first, at) : members.get(link.member)
        if (record === undefined) return UNUSABLE
        note(along, record.member)
        members.set(record.member.id, record)
        links.delete(digest)
        if (link.member === undefined) deleteWhere(links, ({ member }) => member === undefined)
        return E.right(record.member)
      }),
    withPassword: (email) => infallible(() => O.fromNullable(copyOf(memberWithEmail(state, email)))),
    setPassword: (id, passwordDigest, keep, along) =>
      change(members, id, (record) => {
        const member = { ...record.member, hasPassword: true }
        note(along, member)
        Object.assign(record, { member, passwordDigest })
        deleteWhere(state.sessions, ({ session }) => session.member === id && session.id !== keep)
        deleteWhere(links, (link) => link.member === id)
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
  id, email, isOperator: false, roles: new Map(), createdAt: at, lastSignInAt: undefined, hasPassword: false,
})

const withAccess = (member: Member, access: Access): Member =>
  (access._tag === 'Operator' ? { ...member, isOperator: true } : { ...member, roles: new Map([...member.roles, [access.workspace, access.role]]) })

const isElsewhere = ({ isOperator, roles }: Member, access: Access): boolean =>
  isOperator || [...roles.keys()].some((workspace) => access._tag === 'Operator' || workspace !== access.workspace)

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
  if (record === undefined || (from !== 'everywhere' && !record.member.roles.has(from))) return E.left({ _tag: 'MemberNotFound', member: id })
  const { isOperator, roles } = record.member
  if (from === 'everywhere' && isOperator && operators(state) === 1) return E.left({ _tag: 'LastOperator' })
  note(record.member)
  if (from !== 'everywhere' && (isOperator || roles.size > 1)) {
    record.member = { ...record.member, roles: new Map([...roles].filter(([workspace]) => workspace !== from)) }
    return E.right(undefined)
  }
  state.members.delete(id)
  deleteWhere(state.sessions, ({ session }) => session.member === id)
  deleteWhere(state.links, ({ member }) => member === id)
  deleteWhere(state.identities, ({ member }) => member === id)
  return E.right(undefined)
}
