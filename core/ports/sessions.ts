import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { MemberNotFound, PortFailure, TooManyAttempts } from '../errors.js'
import type { Along } from '../event.js'
import type { Member, MemberId } from '../member.js'
import type { Digest, Session, SessionId } from '../session.js'
import type { Instant } from '../time.js'

export type { MemberNotFound, PortFailure, TooManyAttempts } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { Member, MemberId } from '../member.js'
export { CLOCK_SKEW_MS, SESSION_IDLE_MS, SESSION_MS } from '../session.js'
export type { Digest, Session, SessionId, SessionOpening } from '../session.js'
export type { Instant } from '../time.js'

/** Who is signed in. The token of a session is stored as a digest only. */
export interface Sessions {
  /**
   * Begins a session of a member, whose last sign-in it is from then on. `along` is called in the same step. `MemberNotFound`: there is no such member, or her
   * credentials were changed since they had the given version, so that whoever proved them then has none now.
   */
  readonly open: (session: Session, digest: Digest, along?: Along<Session>, credentialsVersion?: number) => TaskEither<MemberNotFound | PortFailure, void>
  /**
   * The session of a token with its member as she is now; none if it was ended, has expired or was idle for too long, or the member was removed.
   * It notes the request, exact to a minute. The moment of a gateway whose clock is up to `CLOCK_SKEW_MS` behind changes nothing for the worse.
   */
  readonly find: (digest: Digest, at: Instant) => TaskEither<PortFailure, Option<{ readonly session: Session; readonly member: Member }>>
  /** A member's sessions that have not ended, the one last seen first. */
  readonly list: (member: MemberId, at: Instant) => TaskEither<PortFailure, ReadonlyArray<Session>>
  /** Ends sessions of a member: the given ones, or all but `except`. Right: how many it ended. `along` is called with those that it ended, if any. */
  readonly end: (
    member: MemberId, which: { readonly only: ReadonlyArray<SessionId> } | { readonly except: SessionId | undefined }, at: Instant,
    along?: Along<ReadonlyArray<Session>>,
  ) => TaskEither<PortFailure, number>
  /**
   * Counts an attempt to sign in for each name (of an email, of a network address); `TooManyAttempts` if one of them has had too many, and then none counts.
   * A name's first attempt begins its time, at whose end all its attempts are forgotten. Concurrent attempts, on any gateway, never pass a limit.
   */
  readonly countAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => TaskEither<TooManyAttempts | PortFailure, void>
  /** Forgets the attempts of names, after one succeeded. */
  readonly clearAttempts: (names: ReadonlyArray<AttemptName>) => TaskEither<PortFailure, void>
  /** Deletes what has ended: sessions, links and attempts; at most `limit` of each. Right: how many. */
  readonly removeOld: (at: Instant, limit: number) => TaskEither<PortFailure, number>
}

/** For what attempts are counted, and how many may be made within how many milliseconds. */
export type AttemptName = { readonly name: string; readonly most: number; readonly withinMs: number }
