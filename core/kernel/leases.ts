import type * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from './failure.js'
import { MINUTE_MS } from './time.js'

/**
 * Leases as one holder sees them, such as one process: of all holders, one at a time has the lease of a name.
 *
 * A lease saves work and keeps two processes apart while all is well. A process that stands still may go on after its lease has ended, so work under a lease
 * must be safe when it is done twice.
 *
 * Leases end by one clock for all holders, if the storage has one: that of the database server.
 */
export type Leases = {
  /**
   * Takes a free lease, or renews one from now on, for so many milliseconds; `false` while another holder has it. Of holders that ask at once, one takes it.
   *
   * No lease of this name lasts longer than `longestMs`, by default `LONGEST_LEASE_MS` or `ttlMs` if that is longer. A lease that ends later was stored by a
   * clock that was ahead, and is free.
   */
  readonly take: (name: string, ttlMs: number, longestMs?: number) => Promise<E.Either<PortFailure, boolean>>
  /** Frees the holder's own lease at once, and whatever the clock says later; that of another holder stays. If this fails, the lease ends with its time. */
  readonly release: (name: string) => Promise<E.Either<PortFailure, void>>
}

/** How long a lease lasts at most, unless `take` says otherwise. */
export const LONGEST_LEASE_MS = 10 * MINUTE_MS

/** The longest that a lease can last which is asked for like this. */
export const longestLease = (ttlMs: number, longestMs: number = LONGEST_LEASE_MS): number => Math.max(ttlMs, longestMs)
