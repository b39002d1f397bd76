import * as E from 'fp-ts/lib/Either.js'
import type { Leases } from '../../core/kernel/leases.js'
import { openMemoryLeases } from '../adapters/memory/memory-fixture.js'
import { type LeasesFixture, leasesLaws } from '../laws/leases.js'
import { describeMutations } from './mutation.js'

/** Opens leases in which some methods of both holders are replaced by defective ones. */
const broken = (defect: (leases: Leases) => Partial<Leases>) => async (): Promise<LeasesFixture> => {
  const { leases, elsewhere, ...time } = openMemoryLeases()
  return { leases: { ...leases, ...defect(leases) }, elsewhere: { ...elsewhere, ...defect(elsewhere) }, ...time }
}

describeMutations('leases', leasesLaws, [
  {
    defect: 'gives a lease that another holder has to a holder that asks for it twice',
    open: broken(({ take }) => {
      const asked = new Set<string>()
      return { take: async (name, ttlMs) => (asked.has(name) ? E.right(true) : (asked.add(name), take(name, ttlMs))) }
    }),
    breaks: ['one holder at a time has a lease, and renews it'],
  },
  {
    defect: 'does not renew a lease',
    open: broken(({ take }) => {
      const taken = new Set<string>()
      return { take: async (name, ttlMs) => (taken.has(name) ? E.right(false) : (taken.add(name), take(name, ttlMs))) }
    }),
    breaks: ['one holder at a time has a lease, and renews it', 'a renewal counts from its own moment, also where it is shorter'],
  },
  {
    defect: 'has one lease for all names',
    open: broken(({ take, release }) => ({
      take: (_name, ttlMs, longestMs) => take('all', ttlMs, longestMs), release: () => release('all'),
    })),
    breaks: ['the leases of two names are apart'],
  },
  {
    defect: 'looks, waits and takes the lease from the other holder',
    open: async () => {
      const seen = new Set<string>()
      const { leases, elsewhere, ...time } = openMemoryLeases()
      const waiting = (of: Leases, other: Leases): Leases => ({
        ...of,
        take: async (name, ttlMs) => {
          const isFirst = !seen.has(name)
          await new Promise((resolve) => { setImmediate(resolve) })
          seen.add(name)
          if (isFirst) await other.release(name)
          return of.take(name, ttlMs)
        },
      })
      return { leases: waiting(leases, elsewhere), elsewhere: waiting(elsewhere, leases), ...time }
    },
    breaks: ['of two holders that ask at once one takes the lease'],
  },
  {
    defect: 'keeps a lease for ever',
    open: broken(({ take }) => ({ take: (name) => take(name, Infinity, Infinity) })),
    breaks: ['a lease ends with its time, and then another holder can take it from the first'],
  },
  {
    defect: 'never shortens a lease',
    open: broken(({ take }) => ({ take: (name, ttlMs, longestMs) => take(name, Math.max(ttlMs, 1_000), longestMs) })),
    breaks: ['a renewal counts from its own moment, also where it is shorter'],
  },
  {
    defect: 'releases nothing',
    open: broken(() => ({ release: async () => E.right(undefined) })),
    breaks: ['a lease that its holder releases is free at once, and one that it does not have stays'],
  },
  {
    defect: 'releases the lease of anyone',
    open: async () => {
      const held = new Map()
      const open = openMemoryLeases(held)
      const release: Leases['release'] = async (name) => E.right(void held.delete(name))
      return { ...open, leases: { ...open.leases, release }, elsewhere: { ...open.elsewhere, release } }
    },
    breaks: ['a lease that its holder releases is free at once, and one that it does not have stays'],
  },
  {
    defect: 'believes a lease of any end',
    open: broken(({ take }) => ({ take: (name, ttlMs) => take(name, ttlMs, Infinity) })),
    breaks: ['a lease further ahead than any can be is free, because a wrong clock has stored it'],
  },
  {
    defect: 'does not know that a lease may last longer',
    open: broken(({ take }) => ({ take: (name, ttlMs) => take(name, ttlMs) })),
    breaks: ['a lease that may last longer is kept from those who know that it may'],
  },
  {
    defect: 'releases a lease by an end that is now',
    open: broken(({ take }) => ({
      release: async (name) => {
        const taken = await take(name, 0)
        return E.isLeft(taken) ? taken : E.right(undefined)
      },
    })),
    breaks: ['a lease that was released stays free if the clock is set back'],
  },
])
