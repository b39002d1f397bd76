import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Actor, MemberPrincipal, Principal, Role } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MemberId, WorkspaceId } from '../kernel/ids.js'
import { beginningOf } from '../kernel/text.js'
import type { Clock } from '../kernel/time.js'
import type { UnknownWorkspace, Workspace } from '../kernel/workspace.js'
import type { Forbidden } from './access.js'
import { type ActDeps, checkView, perform } from './acting.js'
import {
  type FirstLink, type FirstLinkDeps, makeFirstLink, makePeekLink, makeSetPassword, makeTakeLink, type PeekLink, type PeekLinkDeps, type SetPassword,
  type SetPasswordDeps, type TakeLink, type TakeLinkDeps,
} from './links.js'
import {
  type InvalidEmail, INVITATION_MS, type LastOperator, type Member, type MemberNotFound, type Members, parseEmail, type PendingInvitation, type Session,
  type SessionId, type Sessions, type Standing, type Token,
} from './members.js'
import {
  type Authenticate, type Authenticated, type AuthenticateDeps, byMember, type EndSessionsCommand, type InviteCommand, type Invited, makeAuthenticate,
  makeSignIn, makeSignInWithIdentity, type MemberDeps, ownEntry, type RemoveMemberCommand, type SignIn, type SignInDeps, type SignInWithIdentity,
  type SignInWithIdentityDeps,
} from './sign-in.js'

/** A person who goes on seeing a workspace, with the rights that she had when she began. */
export type Watcher = {
  readonly session: SessionId; readonly isOperator: boolean; readonly workspace: WorkspaceId; readonly role: Role | undefined; readonly isArchived: boolean
}

/** Finds those whose session has ended, whose rights are others by now, or whose workspace was archived meanwhile. One step for however many they are. */
export type FindChangedWatchers = (watchers: ReadonlyArray<Watcher>) => Promise<E.Either<PortFailure, ReadonlySet<Watcher>>>

/** What finding them needs. */
export type FindChangedWatchersDeps = { readonly sessions: Pick<Sessions, 'standing'>; readonly now: Clock }

export const makeFindChangedWatchers =
  ({ sessions, now }: FindChangedWatchersDeps): FindChangedWatchers =>
  async (watchers) => {
    const [ids, workspaces] = [new Set(watchers.map(({ session }) => session)), new Set(watchers.map(({ workspace }) => workspace))]
    const standing = await sessions.standing([...ids], [...workspaces], now())
    return E.isLeft(standing) ? standing : E.right(new Set(watchers.filter((watcher) => hasChanged(watcher, standing.right))))
  }

/** A member who begins to watch a workspace. */
export const watcherOf = ({ session, principal }: Authenticated, { id, archivedAt }: Pick<Workspace, 'id' | 'archivedAt'>): Watcher => ({
  session: session.id, ...rightsIn(principal, id), workspace: id, isArchived: archivedAt !== undefined,
})

const rightsIn = ({ isOperator, roles }: Pick<MemberPrincipal, 'isOperator' | 'roles'>, workspace: WorkspaceId) => ({ isOperator, role: roles.get(workspace) })

/** A right more counts as a change, too: the browser opens its stream again. */
const hasChanged = ({ session, workspace, ...before }: Watcher, { rights, archived }: Standing): boolean => {
  const now = rights.get(session)
  if (now === undefined) return true
  const { isOperator, role } = rightsIn(now, workspace)
  return isOperator !== before.isOperator || role !== before.role || archived.has(workspace) !== before.isArchived
}

/** Invites a person to an access, with a link that signs in once. */
export type InviteMember = (command: InviteCommand) => Promise<E.Either<InviteMemberError, Invited>>

/** How an invitation can fail. */
export type InviteMemberError = InvalidEmail | UnknownWorkspace | Forbidden | PortFailure

/** What inviting needs. */
export type InviteMemberDeps = MemberDeps & {
  readonly members: Pick<Members, 'invite'>
  /** A new token of 256 random bits. */
  readonly newToken: () => Token
  /** A new id, which sorts after those before it. */
  readonly newMemberId: () => MemberId
}

/**
 * Who invites sees the link, and the link signs in as the person. So an owner's link does not work for a person who has access to more than the owner's
 * workspace: an operator must invite her. Nor does the answer tell an owner who these people are. Operators learn what the person has already.
 */
export const makeInviteMember =
  (deps: InviteMemberDeps): InviteMember =>
  async ({ by, access, ...command }) => {
    const email = parseEmail(command.email)
    const [workspace, given] = access._tag === 'Role' ? [access.workspace, access.role] : [undefined, 'operator']
    const acting = { by, act: 'member.invite', workspace, details: { access: given }, ...(E.isRight(email) && { subject: email.right }) } as const
    return perform(deps, acting, {}, async (entriesOf): Promise<E.Either<InviteMemberError, Invited>> => {
      if (E.isLeft(email)) return email
      const [id, at, token] = [deps.newMemberId(), deps.now(), deps.newToken()]
      const link = { digest: deps.digestOf(token), expiresAt: at + INVITATION_MS }
      const isOperators = isAboveOwners(by.principal)
      const invitation = { id, email: email.right, access, at, link, invitedBy: inviterOf(by.principal), onlyHere: !isOperators }
      const invited = await deps.members.invite(invitation, entriesOf)
      if (E.isLeft(invited)) return invited
      const known = isOperators && invited.right.id !== id ? { known: invited.right } : {}
      return E.right({ member: invited.right.id, email: email.right, token, expiresAt: link.expiresAt, ...known })
    })
  }

const isAboveOwners = (principal: Principal): boolean => (principal._tag === 'Member' ? principal.isOperator : principal._tag !== 'Key')

/** Who invites, in words. */
const inviterOf = (principal: Principal): string => {
  switch (principal._tag) {
    case 'Member': return principal.email
    case 'CommandLine': return principal.user === undefined ? 'the command line' : `the command line (${beginningOf(principal.user, 100)})`
    case 'Key': case 'System': return 'the gateway'
  }
}

/** All members, or those of a workspace, oldest first. Those of a workspace show their roles in it alone. */
export type ListMembers = (command: ListMembersCommand) => Promise<E.Either<Forbidden | PortFailure, ReadonlyArray<Member>>>

/** For whom the members are listed, and of which workspace. */
export type ListMembersCommand = { readonly by: Actor; readonly workspace?: WorkspaceId }

/** What listing members needs. */
export type ListMembersDeps = ActDeps & { readonly members: Pick<Members, 'list'> }

export const makeListMembers =
  (deps: ListMembersDeps): ListMembers =>
  async ({ by, workspace }) => {
    const allowed = await checkView(deps, { by, act: 'member.view', workspace })
    if (E.isLeft(allowed)) return allowed
    const members = await deps.members.list(workspace)
    return E.isLeft(members) || workspace === undefined ? members : E.right(members.right.map((member) => seenFrom(workspace, member)))
  }

/** The invitations that were not accepted yet: all, or those into a workspace. */
export type ListInvitations = (command: ListMembersCommand) => Promise<E.Either<Forbidden | PortFailure, ReadonlyArray<PendingInvitation>>>

/** What listing invitations needs. */
export type ListInvitationsDeps = ActDeps & { readonly members: Pick<Members, 'pending'>; readonly now: Clock }

/** Only in the list of all it shows which need an operator: an owner would learn who has access elsewhere. */
export const makeListInvitations =
  (deps: ListInvitationsDeps): ListInvitations =>
  async ({ by, workspace }) => {
    const allowed = await checkView(deps, { by, act: 'member.view', workspace })
    if (E.isLeft(allowed)) return allowed
    const pending = await deps.members.pending(deps.now(), workspace)
    return E.isLeft(pending) || workspace === undefined ? pending : E.right(pending.right.map((one) => ({ ...one, needsOperator: false })))
  }

/** An owner of one workspace does not learn in which others a member is. */
const seenFrom = (workspace: WorkspaceId, { invitedBy: _, ...member }: Member): Member =>
  ({ ...member, roles: new Map([...member.roles].filter(([id]) => id === workspace)) })

/** One's own sessions, the one last seen first. */
export type ListSessions = (command: { readonly signedIn: Authenticated }) => Promise<E.Either<PortFailure, ReadonlyArray<Session>>>

/** What listing sessions needs. */
export type ListSessionsDeps = { readonly sessions: Pick<Sessions, 'list'>; readonly now: Clock }

export const makeListSessions =
  ({ sessions, now }: ListSessionsDeps): ListSessions =>
  ({ signedIn }) =>
    sessions.list(signedIn.principal.member, now())

/** Takes access away. */
export type RemoveMember = (command: RemoveMemberCommand) => Promise<E.Either<RemoveMemberError, void>>

/** How taking access away can fail. */
export type RemoveMemberError = InvalidEmail | MemberNotFound | LastOperator | Forbidden | PortFailure

/** What taking access away needs. */
export type RemoveMemberDeps = ActDeps & { readonly members: Pick<Members, 'withEmail' | 'remove'> }

export const makeRemoveMember =
  (deps: RemoveMemberDeps): RemoveMember =>
  async ({ by, from, ...command }) => {
    const email = parseEmail(command.email)
    const workspace = from === 'everywhere' ? undefined : from
    const acting = { by, act: 'member.remove', workspace, ...(E.isRight(email) && { subject: email.right }) } as const
    return perform(deps, acting, {}, async (entriesOf): Promise<E.Either<RemoveMemberError, void>> => {
      if (E.isLeft(email)) return email
      const found = await deps.members.withEmail(email.right)
      if (E.isLeft(found)) return found
      const removed = O.isNone(found.right) ? NOT_FOUND : await deps.members.remove(found.right.value.id, from, entriesOf)
      return E.isLeft(removed) && removed.left._tag === 'MemberNotFound' ? E.left({ ...removed.left, member: email.right }) : removed
    })
  }

const NOT_FOUND: E.Either<MemberNotFound, void> = E.left({ _tag: 'MemberNotFound', member: '' })

/** Ends one's own sessions. Right: how many. */
export type EndSessions = (command: EndSessionsCommand) => Promise<E.Either<PortFailure, number>>

/** What ending sessions needs. */
export type EndSessionsDeps = MemberDeps & { readonly sessions: Pick<Sessions, 'end'> }

/** Ending the session that asks for it is a sign-out. */
export const makeEndSessions =
  (deps: EndSessionsDeps): EndSessions =>
  ({ signedIn: { session, principal }, which, address }) => {
    const ended = typeof which === 'object' ? { only: [which.id] } : { except: which === 'others' ? session.id : undefined }
    const act = typeof which === 'object' && which.id === session.id ? 'member.sign_out' : 'member.end_sessions'
    return deps.sessions.end(principal.member, ended, deps.now(), (sessions) =>
      ownEntry(deps, { ...byMember(principal, address), act, outcome: 'done', subject: principal.email, details: { sessions: sessions.map(({ id }) => id) } }))
  }

/** The use cases of people who sign in. */
export type MemberUseCases = MembershipUseCases & { readonly signIn: SignIn; readonly setPassword: SetPassword }

/** Those that compute with no password. */
export type MembershipUseCases = {
  readonly signInWithIdentity: SignInWithIdentity
  readonly peekLink: PeekLink
  readonly takeLink: TakeLink
  readonly authenticate: Authenticate
  readonly listSessions: ListSessions
  readonly endSessions: EndSessions
  readonly inviteMember: InviteMember
  readonly removeMember: RemoveMember
  readonly listMembers: ListMembers
  readonly listInvitations: ListInvitations
  readonly firstLink: FirstLink
  readonly findChangedWatchers: FindChangedWatchers
}

/** What the use cases without passwords need together. */
export type MembershipUseCasesDeps =
  & SignInWithIdentityDeps & PeekLinkDeps & TakeLinkDeps & AuthenticateDeps & ListSessionsDeps & EndSessionsDeps & InviteMemberDeps & RemoveMemberDeps
  & ListMembersDeps & ListInvitationsDeps & FirstLinkDeps & FindChangedWatchersDeps

/** What all of them need together. */
export type MemberUseCasesDeps = MembershipUseCasesDeps & SignInDeps & SetPasswordDeps

export const makeMembershipUseCases = (deps: MembershipUseCasesDeps): MembershipUseCases => ({
  signInWithIdentity: makeSignInWithIdentity(deps),
  peekLink: makePeekLink(deps),
  takeLink: makeTakeLink(deps),
  authenticate: makeAuthenticate(deps),
  listSessions: makeListSessions(deps),
  endSessions: makeEndSessions(deps),
  inviteMember: makeInviteMember(deps),
  removeMember: makeRemoveMember(deps),
  listMembers: makeListMembers(deps),
  listInvitations: makeListInvitations(deps),
  firstLink: makeFirstLink(deps),
  findChangedWatchers: makeFindChangedWatchers(deps),
})

export const makeMemberUseCases = (deps: MemberUseCasesDeps): MemberUseCases => ({
  ...makeMembershipUseCases(deps), signIn: makeSignIn(deps), setPassword: makeSetPassword(deps),
})
