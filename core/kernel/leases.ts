import type * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from './failure.js'

/**
 * Leases as one holder sees them, such as one process: of all holders, one at a time has the lease of a name.
 *
 * A lease saves work and keeps two processes apart while all is well. A process that stands still may go on after its lease has ended, so work under a lease
 * must be safe when it is done twice.
 */
export type Leases = {
  /** Takes a free lease, or renews one from now on, for so many milliseconds; `false` while another holder has it. Of holders that ask at once, one takes it. */
  readonly take: (name: string, ttlMs: number) => Promise<E.Either<PortFailure, boolean>>
  /** Frees the holder's own lease at once; that of another holder stays. If this fails, the lease ends with its time. */
  readonly release: (name: string) => Promise<E.Either<PortFailure, void>>
}
