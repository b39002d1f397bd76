import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Actor, MemberPrincipal, Principal, Role } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MemberId, WorkspaceId } from '../kernel/ids.js'
import type { Language } from '../kernel/language.js'
import { beginningOf } from '../kernel/text.js'
import type { Clock } from '../kernel/time.js'
import type { UnknownWorkspace, Workspace } from '../kernel/workspace.js'
import type { Forbidden } from './access.js'
import { type ActDeps, checkView, perform } from './acting.js'
import {
  type FirstLink, type FirstLinkDeps, makeFirstLink, makePeekLink, makeSetPassword, makeTakeLink, type PeekLink, type PeekLinkDeps,
  type SetPassword, type SetPasswordDeps, type TakeLink, type TakeLinkDeps,
} from './links.js'
import {
  type InvalidEmail, INVITATION_MS, type LastOperator, type Member, type MemberNotFound, type Members, parseEmail, type PendingInvitation,
  type Session, type SessionId, type Sessions, type Standing, type Token,
} from './members.js'
import {
  type Authenticate, type Authenticated, type AuthenticateDeps, byMember, type EndSessionsCommand, type InviteCommand, type Invited,
  makeAuthenticate, makeSignIn, makeSignInWithIdentity, type MemberDeps, ownEntry, type RemoveMemberCommand, type SignIn, type SignInDeps,
  type SignInWithIdentity, type SignInWithIdentityDeps,
} from './sign-in.js'

/** A person who keeps a page of a workspace open, or one of all workspaces, with the rights they had at the start. */
export type Watcher = {
  readonly session: SessionId
  readonly isOperator: boolean
  /** Absent for a page of all workspaces. */
  readonly workspace?: WorkspaceId
  readonly role: Role | undefined
  readonly isArchived: boolean
}

/** Finds the watchers whose session has ended, whose rights have changed, or whose workspace was archived meanwhile. One step, whatever their number. */
export type FindChangedWatchers = (watchers: ReadonlyArray<Watcher>) => Promise<E.Either<PortFailure, ReadonlySet<Watcher>>>

/** The dependencies of finding them. */
export type FindChangedWatchersDeps = { readonly sessions: Pick<Sessions, 'standing'>; readonly now: Clock }

export const makeFindChangedWatchers =
  ({ sessions, now }: FindChangedWatchersDeps): FindChangedWatchers =>
  async (watchers) => {
    const ids = new Set(watchers.map(({ session }) => session))
    const workspaces = new Set(watchers.flatMap(({ workspace = [] }) => workspace))
    const standing = await sessions.standing([...ids], [...workspaces], now())
    return E.isLeft(standing) ? standing : E.right(new Set(watchers.filter((watcher) => hasChanged(watcher, standing.right))))
  }

/** A member who starts to watch a workspace. */
export const watcherOf = ({ session, principal }: Authenticated, { id, archivedAt }: Pick<Workspace, 'id' | 'archivedAt'>): Watcher => ({
  session: session.id, ...rightsIn(principal, id), workspace: id, isArchived: archivedAt !== undefined,
})

/** A member who starts to watch a page of all workspaces. */
export const watcherOfAll = ({ session, principal }: Authenticated): Watcher => ({
  session: session.id, ...rightsIn(principal, undefined), isArchived: false,
})

const rightsIn = ({ isOperator, roles }: Pick<MemberPrincipal, 'isOperator' | 'roles'>, workspace: WorkspaceId | undefined) =>
  ({ isOperator, role: workspace && roles.get(workspace) })

/** An additional right counts as a change too: the browser then opens its stream again. */
const hasChanged = ({ session, workspace, ...before }: Watcher, { rights, archived }: Standing): boolean => {
  const now = rights.get(session)
  if (now === undefined) return true
  const { isOperator, role } = rightsIn(now, workspace)
  return isOperator !== before.isOperator || role !== before.role
    || (workspace !== undefined && archived.has(workspace) !== before.isArchived)
}

/** Invites a person and grants an access, with a link that signs in once. */
export type InviteMember = (command: InviteCommand) => Promise<E.Either<InviteMemberError, Invited>>

/** How an invitation can fail. */
export type InviteMemberError = InvalidEmail | UnknownWorkspace | Forbidden | PortFailure

/** The dependencies of inviting. */
export type InviteMemberDeps = MemberDeps & {
  readonly members: Pick<Members, 'invite'>
  /** A new token of 256 random bits. */
  readonly newToken: () => Token
  /** A new id, which sorts after the previous ones. */
  readonly newMemberId: () => MemberId
}

/**
 * The inviter sees the link, and the link signs in as the person. So an owner's link does not work for a person who has access to more than the owner's
 * workspace: an operator must invite them. The answer does not reveal to an owner who these people are. Operators see the person's existing access.
 */
export const makeInviteMember =
  (deps: InviteMemberDeps): InviteMember =>
  async ({ by, access, ...command }) => {
    const email = parseEmail(command.email)
    const [workspace, given] = access._tag === 'Role' ? [access.workspace, access.role] : [undefined, 'operator']
    const acting = {
      by, act: 'member.invite', workspace, details: { access: given }, ...(E.isRight(email) && { subject: email.right }),
    } as const
    return perform(deps, acting, {}, async (outboxEntries): Promise<E.Either<InviteMemberError, Invited>> => {
      if (E.isLeft(email)) return email
      const [id, at, token] = [deps.newMemberId(), deps.now(), deps.newToken()]
      const link = { digest: deps.digestOf(token), expiresAt: at + INVITATION_MS }
      const isOperators = isAboveOwners(by.principal)
      const invitation = { id, email: email.right, access, at, link, invitedBy: inviterOf(by.principal), onlyHere: !isOperators }
      const invited = await deps.members.invite(invitation, outboxEntries)
      if (E.isLeft(invited)) return invited
      const known = isOperators && invited.right.id !== id ? { known: invited.right } : {}
      return E.right({ member: invited.right.id, email: email.right, token, expiresAt: link.expiresAt, ...known })
    })
  }

const isAboveOwners = (principal: Principal): boolean => (principal._tag === 'Member' ? principal.isOperator : principal._tag !== 'Key')

/** The inviter, as text. */
const inviterOf = (principal: Principal): string => {
  switch (principal._tag) {
    case 'Member': return principal.email
    case 'CommandLine': return principal.user === undefined ? 'the command line' : `the command line (${beginningOf(principal.user, 100)})`
    case 'Key': case 'System': return 'the gateway'
  }
}

/** All members, or those of a workspace, oldest first. Members of a workspace are shown only with their role in it. */
export type ListMembers = (command: ListMembersCommand) => Promise<E.Either<Forbidden | PortFailure, ReadonlyArray<Member>>>

/** The actor, and the workspace. */
export type ListMembersCommand = { readonly by: Actor; readonly workspace?: WorkspaceId }

/** The dependencies of listing members. */
export type ListMembersDeps = ActDeps & { readonly members: Pick<Members, 'list'> }

export const makeListMembers =
  (deps: ListMembersDeps): ListMembers =>
  async ({ by, workspace }) => {
    const allowed = await checkView(deps, { by, act: 'member.view', workspace })
    if (E.isLeft(allowed)) return allowed
    const members = await deps.members.list(workspace)
    return E.isLeft(members) || workspace === undefined ? members : E.right(members.right.map((member) => seenFrom(workspace, member)))
  }

/** The invitations that were not accepted yet: all, or those to one workspace. */
export type ListInvitations = (command: ListMembersCommand) => Promise<E.Either<Forbidden | PortFailure, ReadonlyArray<PendingInvitation>>>

/** The dependencies of listing invitations. */
export type ListInvitationsDeps = ActDeps & { readonly members: Pick<Members, 'pending'>; readonly now: Clock }

/** Only the list of all invitations shows which need an operator; otherwise an owner would learn who has access elsewhere. */
export const makeListInvitations =
  (deps: ListInvitationsDeps): ListInvitations =>
  async ({ by, workspace }) => {
    const allowed = await checkView(deps, { by, act: 'member.view', workspace })
    if (E.isLeft(allowed)) return allowed
    const pending = await deps.members.pending(deps.now(), workspace)
    return E.isLeft(pending) || workspace === undefined ? pending : E.right(pending.right.map((one) => ({ ...one, needsOperator: false })))
  }

/** An owner of one workspace does not see the other workspaces of a member. */
const seenFrom = (workspace: WorkspaceId, { invitedBy: _, ...member }: Member): Member =>
  ({ ...member, roles: new Map([...member.roles].filter(([id]) => id === workspace)) })

/** A person's own sessions, the most recently used first. */
export type ListSessions = (command: { readonly signedIn: Authenticated }) => Promise<E.Either<PortFailure, ReadonlyArray<Session>>>

/** The dependencies of listing sessions. */
export type ListSessionsDeps = { readonly sessions: Pick<Sessions, 'list'>; readonly now: Clock }

export const makeListSessions =
  ({ sessions, now }: ListSessionsDeps): ListSessions =>
  ({ signedIn }) =>
    sessions.list(signedIn.principal.member, now())

/** Removes a person's access. */
export type RemoveMember = (command: RemoveMemberCommand) => Promise<E.Either<RemoveMemberError, void>>

/** How removing access can fail. */
export type RemoveMemberError = InvalidEmail | MemberNotFound | LastOperator | Forbidden | PortFailure

/** The dependencies of removing access. */
export type RemoveMemberDeps = ActDeps & { readonly members: Pick<Members, 'withEmail' | 'remove'> }

export const makeRemoveMember =
  (deps: RemoveMemberDeps): RemoveMember =>
  async ({ by, from, ...command }) => {
    const email = parseEmail(command.email)
    const workspace = from === 'everywhere' ? undefined : from
    const acting = { by, act: 'member.remove', workspace, ...(E.isRight(email) && { subject: email.right }) } as const
    return perform(deps, acting, {}, async (outboxEntries): Promise<E.Either<RemoveMemberError, void>> => {
      if (E.isLeft(email)) return email
      const found = await deps.members.withEmail(email.right)
      if (E.isLeft(found)) return found
      const removed = O.isNone(found.right) ? NOT_FOUND : await deps.members.remove(found.right.value.id, from, outboxEntries)
      return E.isLeft(removed) && removed.left._tag === 'MemberNotFound' ? E.left({ ...removed.left, member: email.right }) : removed
    })
  }

const NOT_FOUND: E.Either<MemberNotFound, void> = E.left({ _tag: 'MemberNotFound', member: '' })

/** Ends the person's own sessions. Right: how many. */
export type EndSessions = (command: EndSessionsCommand) => Promise<E.Either<PortFailure, number>>

/** The dependencies of ending sessions. */
export type EndSessionsDeps = MemberDeps & { readonly sessions: Pick<Sessions, 'end'> }

/** Ending the session that makes the request is a sign-out. */
export const makeEndSessions =
  (deps: EndSessionsDeps): EndSessions =>
  ({ signedIn: { session, principal }, which, address }) => {
    const ended = typeof which === 'object' ? { only: [which.id] } : { except: which === 'others' ? session.id : undefined }
    const act = typeof which === 'object' && which.id === session.id ? 'member.sign_out' : 'member.end_sessions'
    return deps.sessions.end(principal.member, ended, deps.now(), (sessions) =>
      ownEntry(deps, {
        ...byMember(principal, address), act, outcome: 'done', subject: principal.email,
        details: { sessions: sessions.map(({ id }) => id) },
      }))
  }

/** Sets the language in which a person gets e-mails; people choose it for themselves. */
export type ChooseLanguage =
  (command: { readonly signedIn: Authenticated; readonly language: Language }) => Promise<E.Either<PortFailure, void>>

/** The dependencies of choosing a language. */
export type ChooseLanguageDeps = { readonly members: Pick<Members, 'setLanguage'> }

export const makeChooseLanguage =
  ({ members }: ChooseLanguageDeps): ChooseLanguage =>
  ({ signedIn, language }) => members.setLanguage(signedIn.principal.member, language)

/** The use cases of people who sign in. */
export type MemberUseCases = MembershipUseCases & { readonly signIn: SignIn; readonly setPassword: SetPassword }

/** The use cases that need no computation with passwords. */
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
  readonly chooseLanguage: ChooseLanguage
  readonly firstLink: FirstLink
  readonly findChangedWatchers: FindChangedWatchers
}

/** What the use cases without passwords need together. */
export type MembershipUseCasesDeps =
  & SignInWithIdentityDeps & PeekLinkDeps & TakeLinkDeps & AuthenticateDeps & ListSessionsDeps & EndSessionsDeps & InviteMemberDeps
  & RemoveMemberDeps & ListMembersDeps & ListInvitationsDeps & ChooseLanguageDeps & FirstLinkDeps & FindChangedWatchersDeps

/** What all of these use cases need together. */
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
  chooseLanguage: makeChooseLanguage(deps),
  firstLink: makeFirstLink(deps),
  findChangedWatchers: makeFindChangedWatchers(deps),
})

export const makeMemberUseCases = (deps: MemberUseCasesDeps): MemberUseCases => ({
  ...makeMembershipUseCases(deps), signIn: makeSignIn(deps), setPassword: makeSetPassword(deps),
})
