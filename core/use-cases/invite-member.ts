import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidEmail, MemberElsewhere, PortFailure, UnknownWorkspace } from '../errors.js'
import { parseEmail, type Member, type MemberId } from '../member.js'
import type { Members } from '../ports/members.js'
import type { Principal } from '../principal.js'
import { INVITATION_MS, type Token } from '../session.js'
import { perform } from './acting.js'
import type { MemberDeps } from './member-deps.js'
import type { InviteCommand, Invited } from './member-commands.js'

/** Gives a person access, with a link that signs in once. */
export type InviteMember = (command: InviteCommand) => TE.TaskEither<InviteMemberError, Invited>

/** How an invitation can fail. */
export type InviteMemberError = InvalidEmail | UnknownWorkspace | MemberElsewhere | Forbidden | PortFailure

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
 * The link signs in as the person, with all that she may do anywhere, and the member who invites sees the link. So an owner cannot invite a person who has access
 * to more than the owner's workspace.
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
      const [at, token] = [deps.now(), deps.newToken()]
      const link = { digest: deps.digestOf(token), expiresAt: at + INVITATION_MS }
      const onlyHere = !isAboveOwners(by.principal)
      const invited = await deps.members.invite({ id: deps.newMemberId(), email: email.right, access, at, link, onlyHere }, along)()
      return E.isLeft(invited) ? invited : E.right(invitedAs(invited.right, token, link.expiresAt))
    })
  }

const isAboveOwners = (principal: Principal): boolean => (principal._tag === 'Member' ? principal.isOperator : principal._tag !== 'Key')

const invitedAs = ({ id, email }: Member, token: Token, expiresAt: number): Invited => ({ member: id, email, token, expiresAt })
