import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidEmail, PortFailure, UnknownWorkspace } from '../errors.js'
import { type MemberId, parseEmail } from '../member.js'
import type { Members } from '../ports/members.js'
import type { Principal } from '../principal.js'
import { INVITATION_MS, type Token } from '../session.js'
import { perform } from './acting.js'
import type { MemberDeps } from './member-deps.js'
import type { InviteCommand, Invited } from './member-commands.js'

/** Invites a person to an access, with a link that signs in once. */
export type InviteMember = (command: InviteCommand) => TE.TaskEither<InviteMemberError, Invited>

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
 * Makes the use case of what it needs.
 *
 * Who invites sees the link, and the link signs in as the person. So an owner's link does not work for a person who has access to more than the owner's
 * workspace: an operator must invite her. Nor does the answer tell an owner who these people are. Operators learn what the person has already.
 */
export const makeInviteMember =
  (deps: InviteMemberDeps): InviteMember =>
  ({ by, access, ...command }) =>
  async () => {
    const email = parseEmail(command.email)
    const [workspace, given] = access._tag === 'Role' ? [access.workspace, access.role] : [undefined, 'operator']
    const acting = { by, act: 'member.invite', workspace, details: { access: given }, ...(E.isRight(email) && { subject: email.right }) } as const
    return perform(deps, acting, {}, async (along): Promise<E.Either<InviteMemberError, Invited>> => {
      if (E.isLeft(email)) return email
      const [id, at, token] = [deps.newMemberId(), deps.now(), deps.newToken()]
      const link = { digest: deps.digestOf(token), expiresAt: at + INVITATION_MS }
      const isOperators = isAboveOwners(by.principal)
      const invitation = { id, email: email.right, access, at, link, invitedBy: inviterOf(by.principal), onlyHere: !isOperators }
      const invited = await deps.members.invite(invitation, along)()
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
    case 'CommandLine': return principal.user === undefined ? 'the command line' : `the command line (${principal.user.slice(0, 100)})`
    case 'Key': case 'System': return 'the gateway'
  }
}
