import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  Access, Along, AlongEntry, Digest, Email, Identity, Instant, Invitation, LastOperator, Link, LinkPurpose, LinkUnusable, Member, MemberId,
  MemberNotFound, Members, PendingInvitation, PortFailure, Role, SessionId, UnknownWorkspace, WorkspaceId,
} from '../../../core/ports/members.js'

const roleIn = (access: Access): Role | undefined => (access._tag === 'Role' ? access.role : undefined)
const unusable: LinkUnusable = { _tag: 'LinkUnusable' }
const stored = (member: Member, along?: Along<Member>): ReadonlyArray<AlongEntry> => along?.(member) ?? []

export const members: Members = {
  find: (_id: MemberId): TE.TaskEither<PortFailure, O.Option<Member>> => TE.right(O.none),
  withEmail: (_email: Email): TE.TaskEither<PortFailure, O.Option<Member>> => TE.right(O.none),
  list: (_workspace?: WorkspaceId): TE.TaskEither<PortFailure, ReadonlyArray<Member>> => TE.right([]),
  invite: ({ access }: Invitation, _along?: Along<Member>): TE.TaskEither<UnknownWorkspace | PortFailure, Member> =>
    TE.left(roleIn(access) === undefined ? { _tag: 'PortFailure', port: 'Members', cause: undefined } : { _tag: 'UnknownWorkspace' }),
  pending: (_at: Instant, _workspace?: WorkspaceId): TE.TaskEither<PortFailure, ReadonlyArray<PendingInvitation>> => TE.right([]),
  remove: (id: MemberId, from: 'everywhere' | WorkspaceId, _along?: Along<Member>): TE.TaskEither<MemberNotFound | LastOperator | PortFailure, void> =>
    TE.left(from === 'everywhere' ? { _tag: 'LastOperator' } : { _tag: 'MemberNotFound', member: id }),
  hasOperator: (): TE.TaskEither<PortFailure, boolean> => TE.right(false),
  addFirstLink: (_link: Link): TE.TaskEither<PortFailure, void> => TE.right(undefined),
  peekLink: (_digest: Digest, _at: Instant): TE.TaskEither<PortFailure, O.Option<LinkPurpose>> => TE.right(O.some({ _tag: 'FirstOperator' })),
  takeLink: (
    _digest: Digest, _at: Instant, _first: { readonly id: MemberId; readonly email: Email } | undefined, _along?: Along<Member>,
  ): TE.TaskEither<LinkUnusable | PortFailure, Member> => TE.left(unusable),
  acceptAll: (id: MemberId, _at: Instant, _along?: Along<Member>): TE.TaskEither<MemberNotFound | PortFailure, Member> => TE.left({ _tag: 'MemberNotFound', member: id }),
  withPassword: (_email: Email): TE.TaskEither<PortFailure, O.Option<{ readonly member: Member; readonly passwordDigest: string | undefined }>> => TE.right(O.none),
  setPassword: (id: MemberId, _digest: string, _keep: SessionId, along?: Along<Member>): TE.TaskEither<MemberNotFound | PortFailure, void> =>
    TE.left({ _tag: 'MemberNotFound', member: `${id} ${stored.length} ${along?.length}` }),
  withIdentity: (_identity: Identity): TE.TaskEither<PortFailure, O.Option<Member>> => TE.right(O.none),
  joinIdentity: (_id: MemberId, _identity: Identity): TE.TaskEither<MemberNotFound | PortFailure, boolean> => TE.right(false),
}
