import type * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from './failure.js'
import { MINUTE_MS } from './time.js'

/**
 * Leases as one holder sees them, such as one process. Only one holder at a time has the lease of a given name.
 *
 * A lease saves work and keeps two processes apart in normal operation. A process that was suspended may continue after its lease has expired, so work under a
 * lease must be safe to do twice.
 *
 * Leases expire by one clock for all holders, if the storage has one: the clock of the database server.
 */
export type Leases = {
  /**
   * Takes a free lease, or renews one from now on, for a given number of milliseconds; `false` while another holder has it. If holders ask simultaneously, one gets it.
   *
   * No lease of this name lasts longer than `longestMs`, by default `LONGEST_LEASE_MS`, or `ttlMs` if that is longer. A lease that expires later was stored by a
   * clock that was ahead, so it counts as free.
   */
  readonly take: (name: string, ttlMs: number, longestMs?: number) => Promise<E.Either<PortFailure, boolean>>
  /** Frees the holder's own lease immediately, whatever the clock says later; another holder's lease stays. If this fails, the lease expires by itself. */
  readonly release: (name: string) => Promise<E.Either<PortFailure, void>>
}

/** The maximum duration of a lease, unless `take` names another. */
export const LONGEST_LEASE_MS = 10 * MINUTE_MS

/** The maximum duration of a lease that is taken with these arguments. */
export const longestLease = (ttlMs: number, longestMs: number = LONGEST_LEASE_MS): number => Math.max(ttlMs, longestMs)
