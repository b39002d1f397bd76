import { type Authenticate, type AuthenticateDeps, makeAuthenticate } from './authenticate.js'
import { type EndSessions, type EndSessionsDeps, makeEndSessions } from './end-sessions.js'
import { type FindChangedWatchers, type FindChangedWatchersDeps, makeFindChangedWatchers } from './watch-access.js'
import { type FirstLink, type FirstLinkDeps, makeFirstLink } from './first-link.js'
import { type InviteMember, type InviteMemberDeps, makeInviteMember } from './invite-member.js'
import { type ListInvitations, type ListInvitationsDeps, type ListMembers, type ListMembersDeps, makeListInvitations, makeListMembers } from './list-members.js'
import { type ListSessions, type ListSessionsDeps, makeListSessions } from './list-sessions.js'
import { type PeekLink, type PeekLinkDeps, makePeekLink } from './peek-link.js'
import { type RemoveMember, type RemoveMemberDeps, makeRemoveMember } from './remove-member.js'
import { type SetPassword, type SetPasswordDeps, makeSetPassword } from './set-password.js'
import { type SignIn, type SignInDeps, makeSignIn } from './sign-in.js'
import { type SignInWithIdentity, type SignInWithIdentityDeps, makeSignInWithIdentity } from './sign-in-with-identity.js'
import { type TakeLink, type TakeLinkDeps, makeTakeLink } from './take-link.js'

/** The use cases of people who sign in. */
export type MemberUseCases = {
  readonly signIn: SignIn
  readonly signInWithIdentity: SignInWithIdentity
  readonly peekLink: PeekLink
  readonly takeLink: TakeLink
  readonly authenticate: Authenticate
  readonly setPassword: SetPassword
  readonly listSessions: ListSessions
  readonly endSessions: EndSessions
  readonly inviteMember: InviteMember
  readonly removeMember: RemoveMember
  readonly listMembers: ListMembers
  readonly listInvitations: ListInvitations
  readonly firstLink: FirstLink
  readonly findChangedWatchers: FindChangedWatchers
}

/** What these use cases need together. */
export type MemberUseCasesDeps =
  & SignInDeps & SignInWithIdentityDeps & PeekLinkDeps & TakeLinkDeps & AuthenticateDeps & SetPasswordDeps & ListSessionsDeps
  & EndSessionsDeps & InviteMemberDeps & RemoveMemberDeps & ListMembersDeps & ListInvitationsDeps & FirstLinkDeps & FindChangedWatchersDeps

/** Makes the use cases of what they need. */
export const makeMemberUseCases = (deps: MemberUseCasesDeps): MemberUseCases => ({
  signIn: makeSignIn(deps),
  signInWithIdentity: makeSignInWithIdentity(deps),
  peekLink: makePeekLink(deps),
  takeLink: makeTakeLink(deps),
  authenticate: makeAuthenticate(deps),
  setPassword: makeSetPassword(deps),
  listSessions: makeListSessions(deps),
  endSessions: makeEndSessions(deps),
  inviteMember: makeInviteMember(deps),
  removeMember: makeRemoveMember(deps),
  listMembers: makeListMembers(deps),
  listInvitations: makeListInvitations(deps),
  firstLink: makeFirstLink(deps),
  findChangedWatchers: makeFindChangedWatchers(deps),
})
