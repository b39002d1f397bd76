import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AttemptName } from '../attempts.js'
import type { MemberNotFound, PortFailure, TooManyAttempts } from '../errors.js'
import type { Along } from '../event.js'
import type { Member, MemberId, Role } from '../member.js'
import type { Digest, Session, SessionId } from '../session.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export { delayedUntil, levelOf, NO_ATTEMPTS, withAttempt, withoutAttempt } from '../attempts.js'
export type { AttemptName, Attempts } from '../attempts.js'
export type { MemberNotFound, PortFailure, TooManyAttempts } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { Member, MemberId, Role } from '../member.js'
export { CLOCK_SKEW_MS, SESSION_IDLE_MS, SESSION_MS } from '../session.js'
export type { Digest, Session, SessionId, SessionOpening } from '../session.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** Who is signed in. The token of a session is stored as a digest only. */
export interface Sessions {
  /**
   * Begins a session of a member, whose last sign-in it is from then on. `along` is called in the same step. `MemberNotFound`: there is no such member, or her
   * credentials were changed since they had the given version, so that a sign-in with the old credentials opens none.
   */
  readonly open: (session: Session, digest: Digest, along?: Along<Session>, credentialsVersion?: number) => TaskEither<MemberNotFound | PortFailure, void>
  /**
   * The session of a token with its member as she is now; none if it was ended, has expired or was idle for too long, or the member was removed.
   * It notes the request, exact to a minute. The moment of a gateway whose clock is up to `CLOCK_SKEW_MS` behind changes nothing for the worse.
   */
  readonly find: (digest: Digest, at: Instant) => TaskEither<PortFailure, Option<{ readonly session: Session; readonly member: Member }>>
  /**
   * What sessions may do now, asked for many in one step: the rights of those that have not ended, but only in the given workspaces, and which of those are
   * archived. It is no request of theirs, so it is not noted as one.
   */
  readonly standing: (sessions: ReadonlyArray<SessionId>, workspaces: ReadonlyArray<WorkspaceId>, at: Instant) => TaskEither<PortFailure, Standing>
  /** A member's sessions that have not ended, the one last seen first. */
  readonly list: (member: MemberId, at: Instant) => TaskEither<PortFailure, ReadonlyArray<Session>>
  /** Ends sessions of a member: the given ones, or all but `except`. Right: how many it ended. `along` is called with those that it ended, if any. */
  readonly end: (
    member: MemberId, which: { readonly only: ReadonlyArray<SessionId> } | { readonly except: SessionId | undefined }, at: Instant,
    along?: Along<ReadonlyArray<Session>>,
  ) => TaskEither<PortFailure, number>
  /**
   * Counts an attempt for each name (of an email, of a network address) as a wrong one, before it is known to be; `TooManyAttempts` if one of them must wait
   * for the end of a delay, and then none counts. `withAttempt` says what each makes of a name. Concurrent attempts, on any gateway, never pass a delay.
   */
  readonly countAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => TaskEither<TooManyAttempts | PortFailure, void>
  /** Whether an attempt with each name may be made now: refuses as `countAttempt` would, and counts nothing. So what must wait is known before any work is done for it. */
  readonly mayAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => TaskEither<TooManyAttempts | PortFailure, void>
  /** Takes back an attempt that was counted at a moment and turned out not to be wrong, by `withoutAttempt`. A name that has none is passed over. */
  readonly uncountAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => TaskEither<PortFailure, void>
  /** Forgets all attempts of names. */
  readonly clearAttempts: (names: ReadonlyArray<AttemptName>) => TaskEither<PortFailure, void>
  /** Deletes what has ended: sessions, links and attempts; at most `limit` of each. Right: how many. */
  readonly removeOld: (at: Instant, limit: number) => TaskEither<PortFailure, number>
}

/** What sessions may do at a moment, and which of their workspaces can only be read. */
export type Standing = {
  readonly rights: ReadonlyMap<SessionId, { readonly isOperator: boolean; readonly roles: ReadonlyMap<WorkspaceId, Role> }>
  readonly archived: ReadonlySet<WorkspaceId>
}
