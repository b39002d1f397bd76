import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  CLOCK_SKEW_MS, delayedUntil, levelOf, NO_ATTEMPTS, SESSION_IDLE_MS, SESSION_MS, withAttempt, withoutAttempt, type Along, type AlongEntry, type AttemptName, type Attempts, type Digest, type Instant, type Member, type MemberId,
  type MemberNotFound, type PortFailure, type Role, type Session, type SessionId, type SessionOpening, type Sessions, type Standing, type TooManyAttempts,
  type WorkspaceId,
} from '../../../core/ports/sessions.js'

const longest: ReadonlyArray<number> = [CLOCK_SKEW_MS, SESSION_IDLE_MS, SESSION_MS]
const opened: SessionOpening = 'password'
const stored = (session: Session, along?: Along<Session>): ReadonlyArray<AlongEntry> => (session.openedBy === opened ? along?.(session) ?? [] : [])

const attempts = new Map<string, Attempts>()
const attemptsOf = ({ name }: AttemptName): Attempts => attempts.get(name) ?? NO_ATTEMPTS

export const sessions: Sessions = {
  open: (session: Session, digest: Digest, along?: Along<Session>): TE.TaskEither<MemberNotFound | PortFailure, void> =>
    (stored(session, along).length > digest.length ? TE.left({ _tag: 'MemberNotFound', member: session.member }) : TE.right(undefined)),
  find: (_digest: Digest, _at: Instant): TE.TaskEither<PortFailure, O.Option<{ readonly session: Session; readonly member: Member }>> => TE.right(O.none),
  standing: (ids: ReadonlyArray<SessionId>, places: ReadonlyArray<WorkspaceId>, _at: Instant): TE.TaskEither<PortFailure, Standing> =>
    TE.right({ rights: new Map(ids.map((id) => [id, { isOperator: false, roles: new Map(places.map((place): [WorkspaceId, Role] => [place, 'viewer'])) }])), archived: new Set(places) }),
  list: (_member: MemberId, _at: Instant): TE.TaskEither<PortFailure, ReadonlyArray<Session>> => TE.right([]),
  end: (
    _member: MemberId, _which: { readonly only: ReadonlyArray<SessionId> } | { readonly except: SessionId | undefined }, _at: Instant,
    _along?: Along<ReadonlyArray<Session>>,
  ): TE.TaskEither<PortFailure, number> => TE.right(longest.length),
  countAttempt: (names: ReadonlyArray<AttemptName>, at: Instant): TE.TaskEither<TooManyAttempts | PortFailure, void> => {
    const retryAt = delayedUntil(names.map(attemptsOf), at)
    if (retryAt !== undefined) return TE.left({ _tag: 'TooManyAttempts', retryAt })
    for (const limit of names) attempts.set(limit.name, withAttempt(limit, attemptsOf(limit), at))
    return TE.right(undefined)
  },
  mayAttempt: (names: ReadonlyArray<AttemptName>, at: Instant): TE.TaskEither<TooManyAttempts | PortFailure, void> => {
    const retryAt = delayedUntil(names.map(attemptsOf), at)
    return retryAt === undefined ? TE.right(undefined) : TE.left({ _tag: 'TooManyAttempts', retryAt })
  },
  uncountAttempt: (names: ReadonlyArray<AttemptName>, at: Instant): TE.TaskEither<PortFailure, void> => {
    for (const limit of names) if (levelOf(limit, attemptsOf(limit), at) > 0) attempts.set(limit.name, withoutAttempt(limit, attemptsOf(limit), at))
    return TE.right(undefined)
  },
  clearAttempts: (_names: ReadonlyArray<AttemptName>): TE.TaskEither<PortFailure, void> => TE.right(undefined),
  removeOld: (_at: Instant, limit: number): TE.TaskEither<PortFailure, number> => TE.right(limit),
}
