import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, PortFailure } from '../errors.js'
import type { Member, PendingInvitation } from '../member.js'
import type { Members } from '../ports/members.js'
import type { Actor } from '../principal.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { type ActDeps, checkView } from './acting.js'

/** All members, or those of a workspace, oldest first. Those of a workspace show their roles in it alone. */
export type ListMembers = (command: ListMembersCommand) => TE.TaskEither<Forbidden | PortFailure, ReadonlyArray<Member>>

/** For whom the members are listed, and of which workspace. */
export type ListMembersCommand = { readonly by: Actor; readonly workspace?: WorkspaceId }

/** What listing members needs. */
export type ListMembersDeps = ActDeps & { readonly members: Pick<Members, 'list'> }

/** Makes the use case of what it needs. */
export const makeListMembers =
  (deps: ListMembersDeps): ListMembers =>
  ({ by, workspace }) =>
  async () => {
    const allowed = await checkView(deps, { by, act: 'member.view', workspace })
    if (E.isLeft(allowed)) return allowed
    const members = await deps.members.list(workspace)()
    return E.isLeft(members) || workspace === undefined ? members : E.right(members.right.map((member) => seenFrom(workspace, member)))
  }

/** The invitations that were not accepted yet: all, or those into a workspace. */
export type ListInvitations = (command: ListMembersCommand) => TE.TaskEither<Forbidden | PortFailure, ReadonlyArray<PendingInvitation>>

/** What listing invitations needs. */
export type ListInvitationsDeps = ActDeps & { readonly members: Pick<Members, 'pending'>; readonly now: Clock }

/** Makes the use case of what it needs. Only in the list of all it shows which need an operator: an owner would learn who has access elsewhere. */
export const makeListInvitations =
  (deps: ListInvitationsDeps): ListInvitations =>
  ({ by, workspace }) =>
  async () => {
    const allowed = await checkView(deps, { by, act: 'member.view', workspace })
    if (E.isLeft(allowed)) return allowed
    const pending = await deps.members.pending(deps.now(), workspace)()
    return E.isLeft(pending) || workspace === undefined ? pending : E.right(pending.right.map((one) => ({ ...one, needsOperator: false })))
  }

/** An owner of one workspace does not learn in which others a member is. */
const seenFrom = (workspace: WorkspaceId, { invitedBy: _, ...member }: Member): Member =>
  ({ ...member, roles: new Map([...member.roles].filter(([id]) => id === workspace)) })
