import * as E from 'fp-ts/lib/Either.js'
import type { Leases } from '../../core/kernel/leases.js'

/** The leases that this process holds. It acquires them when they are needed and keeps them while they are used. */
export type HeldLeases = {
  /** Whether this process has a lease; acquires it if it is free. After a refusal, the lease is not requested again for some seconds. */
  readonly hold: (name: string) => Promise<boolean>
  /** Whether this process has a lease now. */
  readonly isHeld: (name: string) => boolean
  /** Whether a lease was refused recently. */
  readonly isRefused: (name: string) => boolean
  /** Renews the leases that were used recently; the others expire. */
  readonly renew: () => Promise<void>
  /** Frees a lease that this process has, so that another one may have it. */
  readonly release: (name: string) => Promise<void>
  readonly releaseAll: () => Promise<void>
}

/** How long a lease lasts. After a process is killed, no other process takes over its work until the lease expires. */
const LEASE_MS = 15_000

/** How often leases are renewed, in milliseconds. */
export const RENEW_EVERY_MS = 5_000

/** How long a lease is not requested again after it was refused, or after the request failed. */
const REFUSED_MS = 3_000
const FAILED_MS = 1_000

/** A lease that was unused for this long is no longer renewed. */
const UNUSED_MS = 30_000

/** Acquires no leases before one is requested. `now` is in milliseconds and never goes back; `onFailure` gets the cause if `take` fails. */
export const makeHeldLeases = (leases: Leases, now: () => number, onFailure: (error: unknown) => void): HeldLeases => {
  const held = new Map<string, { readonly until: number; usedAt: number }>()
  const refusedUntil = new Map<string, number>()

  const isHeld = (name: string): boolean => (held.get(name)?.until ?? 0) > now()
  const isRefused = (name: string): boolean => (refusedUntil.get(name) ?? 0) > now()

  const take = async (name: string, usedAt: number): Promise<boolean> => {
    // The lease counts from before the request, so it never lasts longer here than in the storage.
    const until = now() + LEASE_MS
    const taken = await leases.take(name, LEASE_MS)
    if (E.isLeft(taken)) {
      onFailure(taken.left.cause)
      refusedUntil.set(name, now() + FAILED_MS)
      return false
    }
    if (taken.right) held.set(name, { until, usedAt })
    else {
      held.delete(name)
      refusedUntil.set(name, now() + REFUSED_MS)
    }
    return taken.right
  }

  return {
    isHeld,
    isRefused,
    hold: async (name) => {
      const lease = held.get(name)
      if (lease === undefined || !isHeld(name)) return isRefused(name) ? false : take(name, now())
      lease.usedAt = now()
      return true
    },
    renew: async () => {
      const used = [...held].filter(([, { usedAt }]) => now() - usedAt < UNUSED_MS)
      await Promise.all(used.map(([name, { usedAt }]) => take(name, usedAt)))
      for (const name of [...held.keys()]) if (!isHeld(name)) held.delete(name)
    },
    release: async (name) => {
      if (held.delete(name)) await leases.release(name)
    },
    releaseAll: async () => {
      const names = [...held.keys()]
      held.clear()
      await Promise.all(names.map((name) => leases.release(name)))
    },
  }
}
