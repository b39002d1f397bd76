import { randomUUID } from 'node:crypto'
import type { KnexStorage } from '../../adapters/knex/index.js'

/** Leases of one holder: of all processes on one database, one at a time has the lease of a name. */
export type Leases = {
  /** Takes or renews a lease for so many milliseconds; `false` if another process has it. */
  readonly take: (name: string, ttlMs: number) => Promise<boolean>
  /** Ends a lease, so that another process can take it at once. If this fails, the lease ends by itself. */
  readonly release: (name: string) => Promise<void>
}

/** Makes the leases of a new holder. */
export const makeLeases = (lease: KnexStorage['lease']): Leases => {
  const holder = randomUUID()
  return {
    take: (name, ttlMs) => lease(name, holder, ttlMs),
    release: (name) => lease(name, holder, 0).then(() => undefined, () => undefined),
  }
}
