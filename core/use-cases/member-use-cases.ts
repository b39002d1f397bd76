import type * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  Forbidden, IdentityRefused, InvalidEmail, InvalidPassword, LastOperator, LinkUnusable, MemberNotFound, NotSignedIn, PortFailure, SignInRefused, TooManyAttempts,
  UnknownWorkspace,
} from '../errors.js'
import type { Access, Email, Member, MemberId } from '../member.js'
import type { Identity, LinkPurpose } from '../ports/members.js'
import type { Actor, MemberPrincipal } from '../principal.js'
import type { Session, SessionId, Token } from '../session.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/** The use cases of people who sign in. */
export type MemberUseCases = {
  /** Signs in with an email and a password. */
  readonly signIn: (command: SignInCommand) => TE.TaskEither<SignInRefused | TooManyAttempts | PortFailure, SignedIn>
  /** Signs in a person for whom an identity provider vouches. */
  readonly signInWithIdentity: (command: IdentityCommand) => TE.TaskEither<IdentityRefused | PortFailure, SignedIn>
  /** What a link is for; it can still be used afterwards. */
  readonly peekLink: (command: { readonly token: string }) => TE.TaskEither<LinkUnusable | PortFailure, LinkPurpose>
  /** Uses a link up and signs in its member. */
  readonly takeLink: (command: TakeLinkCommand) => TE.TaskEither<LinkUnusable | InvalidEmail | TooManyAttempts | PortFailure, SignedIn>
  /** Who a session belongs to, with what she may do now. */
  readonly authenticate: (command: { readonly token: string }) => TE.TaskEither<NotSignedIn | PortFailure, Authenticated>
  /** Sets one's own password. */
  readonly setPassword: (command: SetPasswordCommand) => TE.TaskEither<InvalidPassword | SignInRefused | TooManyAttempts | MemberNotFound | PortFailure, void>
  /** One's own sessions, the one last seen first. */
  readonly listSessions: (command: { readonly signedIn: Authenticated }) => TE.TaskEither<PortFailure, ReadonlyArray<Session>>
  /** Ends one's own sessions. Right: how many. */
  readonly endSessions: (command: EndSessionsCommand) => TE.TaskEither<PortFailure, number>
  /** Gives somebody access, with a link that signs in once. */
  readonly inviteMember: (command: InviteCommand) => TE.TaskEither<InvalidEmail | UnknownWorkspace | Forbidden | PortFailure, Invited>
  /** Takes access away. */
  readonly removeMember: (command: RemoveMemberCommand) => TE.TaskEither<InvalidEmail | MemberNotFound | LastOperator | Forbidden | PortFailure, void>
  /** All members, or those of a workspace. */
  readonly listMembers: (command: { readonly by: Actor; readonly workspace?: WorkspaceId }) => TE.TaskEither<Forbidden | PortFailure, ReadonlyArray<Member>>
  /** A link for the first operator; none if there is an operator already. */
  readonly firstLink: () => TE.TaskEither<PortFailure, { readonly token: Token; readonly expiresAt: Instant } | undefined>
}

/** From where somebody signs in. */
export type SignInPlace = { readonly address?: string | undefined; readonly userAgent?: string | undefined }

/** An email and a password as they were typed. */
export type SignInCommand = SignInPlace & { readonly email: string; readonly password: string }

/** What an identity provider says of a person, already verified to come from it. Only a verified email counts. */
export type IdentityCommand = SignInPlace & { readonly identity: Identity; readonly email: string | undefined; readonly isEmailVerified: boolean }

/** The token of a link; the first operator says her email. */
export type TakeLinkCommand = SignInPlace & { readonly token: string; readonly email?: string | undefined }

/** A new session; its token goes into the cookie and can be shown this once only. */
export type SignedIn = { readonly token: Token; readonly session: Session; readonly principal: MemberPrincipal; readonly hasPassword: boolean }

/** A session that is in use, and who it is. */
export type Authenticated = { readonly session: Session; readonly principal: MemberPrincipal; readonly hasPassword: boolean }

/** `current` is needed where the member has a password and has not come by a link within the last 15 minutes. All her other sessions end. */
export type SetPasswordCommand = SignInPlace & { readonly signedIn: Authenticated; readonly current?: string | undefined; readonly password: string }

/** Ends sessions of one's own: one, the others, or all. */
export type EndSessionsCommand = { readonly signedIn: Authenticated; readonly which: 'others' | 'all' | { readonly id: SessionId }; readonly address?: string | undefined }

/** Whom to give which access. An owner may give roles in her workspace; only an operator makes operators. */
export type InviteCommand = { readonly by: Actor; readonly email: string; readonly access: Access }

/** The member and the token of the link that signs her in once. */
export type Invited = { readonly member: MemberId; readonly email: Email; readonly token: Token; readonly expiresAt: Instant }

/** Whose access ends: everywhere (for operators), or in one workspace. */
export type RemoveMemberCommand = { readonly by: Actor; readonly email: string; readonly from: 'everywhere' | WorkspaceId }
