import type { Either } from 'fp-ts/lib/Either.js'
import type { SignInPlace } from '../../core/access/sign-in.js'
import type { MemberId } from '../../core/kernel/ids.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'

/** A request as a page sees it. */
export type PageRequest = {
  /** Where the request was made, without its query. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The fields of a form; empty where the request has none. A field that was sent twice is not here. */
  readonly form: Readonly<Record<string, string>>
  readonly place: SignInPlace
  /** The token of the session's cookie. */
  readonly token: string | undefined
  /** What the browser kept of an earlier sign-in. */
  readonly device: string | undefined
  /** The origin at which browsers reach the console; `undefined` where only a client's word says it. */
  readonly origin: string | undefined
  /** Counts the request as one of a member, and waits for its turn; left where she has too many under way. */
  readonly enter: (member: MemberId) => Promise<Either<TooManyRequests, void>>
}
