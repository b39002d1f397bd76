import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LastOperator, LinkUnusable, MemberNotFound, PortFailure, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { Access, Email, Member, MemberId, PendingInvitation } from '../member.js'
import type { Digest, SessionId } from '../session.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { LastOperator, LinkUnusable, MemberNotFound, PortFailure, UnknownWorkspace } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { Access, Email, Member, MemberId, PendingInvitation, Role } from '../member.js'
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
   * Makes a link that signs the person with an email in once and gives her an access. A person who is no member yet becomes one with the given id, and without
   * any access. What the invitation adds to her rights waits until this link is taken; what it takes away, a higher role in the same workspace, is gone at once.
   * The link of an earlier invitation for the same (the same workspace, or all) no longer works; those for others do.
   *
   * The answer is the same whatever access the person has elsewhere. `along` is called with the member afterwards.
   * `UnknownWorkspace`: the role is in a workspace that does not exist.
   */
  readonly invite: (invitation: Invitation, along?: Along<Member>) => TaskEither<UnknownWorkspace | PortFailure, Member>
  /** The invitations whose links were not taken and have not expired: all, or those into a workspace, in the order of the members' ids. */
  readonly pending: (at: Instant, workspace?: WorkspaceId) => TaskEither<PortFailure, ReadonlyArray<PendingInvitation>>
  /**
   * Takes access away, and invitations that wait for it: all of it, with the member and everything of hers, or that of one workspace; a member with none left
   * and none that waits is removed. Her sessions and links end where the member is removed. `along` is called with the member as she was.
   *
   * `MemberNotFound`: there is no such member, or she has no role in the workspace and no invitation into it. `LastOperator`: no operator would be left; concurrent removals leave one.
   */
  readonly remove: (id: MemberId, from: 'everywhere' | WorkspaceId, along?: Along<Member>) => TaskEither<MemberNotFound | LastOperator | PortFailure, void>
  /** Whether there is an operator. */
  readonly hasOperator: () => TaskEither<PortFailure, boolean>
  /** Stores a link that makes the first operator. It works only while there is no operator. */
  readonly addFirstLink: (link: Link) => TaskEither<PortFailure, void>
  /** What a link is for, without using it up; none if it is unusable, as `takeLink` says. */
  readonly peekLink: (digest: Digest, at: Instant) => TaskEither<PortFailure, Option<LinkPurpose>>
  /**
   * Uses a link up. Right: the member whom it signs in, with the access of its invitation. A link for the first operator makes the person of `first` an
   * operator, and a member if she is none; of concurrent uses of one link, and of all links for the first operator, exactly one succeeds.
   *
   * Whoever used the member before need not be the person who has this link, so her password is forgotten and her sessions end in the same step. Only those
   * that an identity provider vouched for stay.
   *
   * `LinkUnusable`: it was used, was replaced, has expired or never was; it is for the first operator and there is an operator or no `first`; its invitation
   * is `onlyHere` and the member has access elsewhere by now: the link stays as it is then.
   */
  readonly takeLink: (
    digest: Digest, at: Instant, first: { readonly id: MemberId; readonly email: Email } | undefined, along?: Along<Member>,
  ) => TaskEither<LinkUnusable | PortFailure, Member>
  /**
   * Accepts every invitation of a member that waits, for an identity provider vouches for the person. Right: the member with their accesses. If there was one,
   * her password is forgotten and her sessions end as by a link; `along` is called with her then. `MemberNotFound`: there is no such member.
   */
  readonly acceptAll: (id: MemberId, at: Instant, along?: Along<Member>) => TaskEither<MemberNotFound | PortFailure, Member>
  /** The member with an email, with the digest of her password if she has one; none if none has the email. */
  readonly withPassword: (email: Email) => TaskEither<PortFailure, Option<{ readonly member: Member; readonly passwordDigest: string | undefined }>>
  /**
   * Replaces a member's password and ends her sessions but `keep`, and those of her links that would add nothing to her rights, in the same step.
   * Invitations that still wait stay. `along` is called with the member.
   */
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
  /** Who invites, in words, at most 254 characters. */
  readonly invitedBy: string
  /** Whether the link works only for a person without access elsewhere: the owner who invites sees the link, and could sign in as that person. */
  readonly onlyHere: boolean
}

/** A link that signs in once, by the digest of its token. It no longer works at `expiresAt`. */
export type Link = { readonly digest: Digest; readonly expiresAt: Instant }

/** Whom a link signs in. */
export type LinkPurpose = { readonly _tag: 'Member'; readonly email: Email } | { readonly _tag: 'FirstOperator' }

/** A person at an identity provider: the provider's issuer, and its name for the person (`sub`). */
export type Identity = { readonly issuer: string; readonly subject: string }
