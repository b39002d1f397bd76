import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LastOperator, LinkUnusable, MemberElsewhere, MemberNotFound, PortFailure, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { Access, Email, Member, MemberId } from '../member.js'
import type { Digest, SessionId } from '../session.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { LastOperator, LinkUnusable, MemberElsewhere, MemberNotFound, PortFailure, UnknownWorkspace } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { Access, Email, Member, MemberId, Role } from '../member.js'
export type { Digest, SessionId } from '../session.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** The people who may sign in, the links by which they first do, and their passwords. Links and passwords are stored as digests only. */
export interface Members {
  /** One member; none if none has that id. */
  readonly find: (id: MemberId) => TaskEither<PortFailure, Option<Member>>
  /** The member with an email; none if none has it. */
  readonly withEmail: (email: Email) => TaskEither<PortFailure, Option<Member>>
  /** All members, or those with a role in a workspace, oldest first by their ids. */
  readonly list: (workspace?: WorkspaceId) => TaskEither<PortFailure, ReadonlyArray<Member>>
  /**
   * Gives the person with an email access, and a link that signs in once. A person who is no member yet becomes one with the given id. An access that the
   * member has in the same workspace is replaced. The member's earlier links no longer work.
   *
   * `along` is called with the member afterwards. `UnknownWorkspace`: the role is in a workspace that does not exist. `MemberElsewhere`: the invitation is
   * `onlyHere` and the person is an operator or has a role in another workspace; nothing changes, so that a link for her never gets into other hands.
   */
  readonly invite: (invitation: Invitation, along?: Along<Member>) => TaskEither<UnknownWorkspace | MemberElsewhere | PortFailure, Member>
  /**
   * Takes access away: all of it, with the member and everything of hers, or that of one workspace; a member with none left is removed. Her sessions and
   * links end where the member is removed. `along` is called with the member as she was.
   *
   * `MemberNotFound`: there is no such member, or she has no role in the workspace. `LastOperator`: no operator would be left; concurrent removals leave one.
   */
  readonly remove: (id: MemberId, from: 'everywhere' | WorkspaceId, along?: Along<Member>) => TaskEither<MemberNotFound | LastOperator | PortFailure, void>
  /** Whether there is an operator. */
  readonly hasOperator: () => TaskEither<PortFailure, boolean>
  /** Stores a link that makes the first operator. It works only while there is no operator. */
  readonly addFirstLink: (link: Link) => TaskEither<PortFailure, void>
  /** What a link is for, without using it up; none if it is unusable. */
  readonly peekLink: (digest: Digest, at: Instant) => TaskEither<PortFailure, Option<LinkPurpose>>
  /**
   * Uses a link up. Right: the member whom it signs in. A link for the first operator makes the person of `first` an operator, and a member if she is none;
   * of concurrent uses of one link, and of all links for the first operator, exactly one succeeds.
   *
   * `LinkUnusable`: it was used, was replaced, has expired or never was, or it is for the first operator and there is an operator or no `first`.
   */
  readonly takeLink: (
    digest: Digest, at: Instant, first: { readonly id: MemberId; readonly email: Email } | undefined, along?: Along<Member>,
  ) => TaskEither<LinkUnusable | PortFailure, Member>
  /** The member with an email, with the digest of her password if she has one; none if none has the email. */
  readonly withPassword: (email: Email) => TaskEither<PortFailure, Option<{ readonly member: Member; readonly passwordDigest: string | undefined }>>
  /** Replaces a member's password and ends her sessions but `keep`, and her links, in the same step. `along` is called with the member. */
  readonly setPassword: (id: MemberId, passwordDigest: string, keep: SessionId, along?: Along<Member>) => TaskEither<MemberNotFound | PortFailure, void>
  /** The member of a person at an identity provider; none if no member has that identity. */
  readonly withIdentity: (identity: Identity) => TaskEither<PortFailure, Option<Member>>
  /**
   * Joins a member to a person at an identity provider. Right: whether the identity is the member's now. It is not where the identity was joined to another
   * member, and where the member was joined to another person of the same issuer: an email that got a new owner does not take its member along.
   */
  readonly joinIdentity: (id: MemberId, identity: Identity) => TaskEither<MemberNotFound | PortFailure, boolean>
}

/** Access for the person with an email, with a link. */
export type Invitation = {
  readonly id: MemberId
  readonly email: Email
  readonly access: Access
  readonly at: Instant
  readonly link: Link
  /** Whether it is refused for a person who has access elsewhere. */
  readonly onlyHere: boolean
}

/** A link that signs in once, by the digest of its token. It no longer works at `expiresAt`. */
export type Link = { readonly digest: Digest; readonly expiresAt: Instant }

/** Whom a link signs in. */
export type LinkPurpose = { readonly _tag: 'Member'; readonly email: Email } | { readonly _tag: 'FirstOperator' }

/** A person at an identity provider: the provider's issuer, and its name for the person (`sub`). */
export type Identity = { readonly issuer: string; readonly subject: string }
