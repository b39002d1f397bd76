import type { Access, Email, Member, MemberId } from '../member.js'
import type { Identity } from '../ports/members.js'
import type { Actor, MemberPrincipal } from '../principal.js'
import type { Session, SessionId, Token } from '../session.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/** From where a person signs in. */
export type SignInPlace = { readonly address?: string | undefined; readonly userAgent?: string | undefined }

/** An email and a password as they were typed, and what the browser kept of an earlier sign-in. */
export type SignInCommand = SignInPlace & { readonly email: string; readonly password: string; readonly device?: string | undefined }

/** What an identity provider says of a person, already verified to come from it. Only a verified email counts. */
export type IdentityCommand = SignInPlace & { readonly identity: Identity; readonly email: string | undefined; readonly isEmailVerified: boolean }

/** The token of a link; the first operator says her email. */
export type TakeLinkCommand = SignInPlace & { readonly token: string; readonly email?: string | undefined }

/** A new session; its token goes into the cookie and can be shown this once only. `device` goes into another cookie, after a sign-in with a password. */
export type SignedIn = {
  readonly token: Token; readonly session: Session; readonly principal: MemberPrincipal; readonly hasPassword: boolean; readonly device?: string
}

/** A session that is in use, and who it is. */
export type Authenticated = { readonly session: Session; readonly principal: MemberPrincipal; readonly hasPassword: boolean }

/** `current` is needed where the member has a password and has not come by a link within the last 15 minutes. All her other sessions end. */
export type SetPasswordCommand = SignInPlace & { readonly signedIn: Authenticated; readonly current?: string | undefined; readonly password: string }

/** Ends sessions of one's own: one, the others, or all. */
export type EndSessionsCommand = { readonly signedIn: Authenticated; readonly which: 'others' | 'all' | { readonly id: SessionId }; readonly address?: string | undefined }

/** Whom to give which access. An owner may give roles in her workspace; only an operator makes operators. */
export type InviteCommand = { readonly by: Actor; readonly email: string; readonly access: Access }

/** The member and the token of the link that signs her in once; `known` tells an operator what a person who was there before has, and who invited her. */
export type Invited = { readonly member: MemberId; readonly email: Email; readonly token: Token; readonly expiresAt: Instant; readonly known?: Member }

/** Whose access ends: everywhere (for operators), or in one workspace. */
export type RemoveMemberCommand = { readonly by: Actor; readonly email: string; readonly from: 'everywhere' | WorkspaceId }
