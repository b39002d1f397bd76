import { type Leases, LONGEST_LEASE_MS } from '../../core/kernel/leases.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import { done, same } from './expect.js'
import { newName, times } from './ids.js'
import type { Law } from './law.js'

/** The leases of two holders, and the control over time that their laws need. */
export type LeasesFixture = {
  readonly leases: Leases
  /** The same leases as another holder sees them. */
  readonly elsewhere: Leases
  /** Lets this many milliseconds pass for both holders. */
  readonly passes: (ms: number) => Promise<void>
  /** Sets the clock of both holders back by this many milliseconds, as if it had been ahead. */
  readonly clockGoesBack: (ms: number) => Promise<void>
}

/** Longer than the calls of a law take on a busy machine. */
const TTL_MS = 20_000

const take = (leases: Leases, name: string, ttlMs = TTL_MS): Promise<boolean> => done('a lease is asked for', leases.take(name, ttlMs))

const release = (leases: Leases, name: string): Promise<void> => done('a lease is released', leases.release(name))

/** The promises of every `Leases`. */
export const leasesLaws: ReadonlyArray<Law<LeasesFixture>> = [
  {
    name: 'one holder at a time has a lease, and renews it',
    check: async ({ leases, elsewhere }) => {
      const name = newName()
      same('a free lease', await take(leases, name), true)
      same('the lease of another holder', await take(elsewhere, name), false)
      same('the own lease again', await take(leases, name), true)
      same('a refused holder that asks again', await take(elsewhere, name), false)
    },
  },
  {
    name: 'the leases of two names are apart',
    check: async ({ leases, elsewhere }) => {
      const [name, other] = [newName(), newName()]
      same('a free lease', await take(leases, name), true)
      same('another name', await take(elsewhere, other), true)
      await release(elsewhere, other)
      same('the first name, after the other was released', await take(elsewhere, name), false)
    },
  },
  {
    name: 'of two holders that ask at once one takes the lease',
    check: async ({ leases, elsewhere, passes }) => {
      const names = times(10, newName)
      const askBoth = (name: string): Promise<ReadonlyArray<boolean>> => Promise.all([take(leases, name), take(elsewhere, name)])
      for (const what of ['a lease that nobody ever had', 'a lease that has ended']) {
        const taken = await Promise.all(names.map(askBoth))
        same(what, taken.map((both) => both.filter((one) => one).length), names.map(() => 1))
        await passes(TTL_MS)
      }
    },
  },
  {
    name: 'a lease ends with its time, and then another holder can take it from the first',
    check: async ({ leases, elsewhere, passes }) => {
      const name = newName()
      same('a free lease', await take(leases, name), true)
      await passes(TTL_MS / 2)
      same('in the middle of its time', await take(elsewhere, name), false)
      await passes(TTL_MS / 2)
      same('after its time', await take(elsewhere, name), true)
      same('the first holder, too late', await take(leases, name), false)
    },
  },
  {
    name: 'a renewal counts from its own moment, also where it is shorter',
    check: async ({ leases, elsewhere, passes }) => {
      const name = newName()
      await take(leases, name)
      await passes(TTL_MS / 2)
      await take(leases, name)
      await passes(TTL_MS / 2)
      same('after the first time, within the renewed one', await take(elsewhere, name), false)
      await take(leases, name, 1)
      await passes(1)
      same('after a shorter renewal', await take(elsewhere, name), true)
    },
  },
  {
    name: 'a lease that its holder releases is free at once, and one that it does not have stays',
    check: async ({ leases, elsewhere }) => {
      const name = newName()
      await release(leases, name)
      same('a lease that nobody had when it was released', await take(leases, name), true)
      await release(elsewhere, name)
      same('after another holder released it', await take(elsewhere, name), false)
      await release(leases, name)
      same('after its holder released it', await take(elsewhere, name), true)
      await release(leases, name)
      same('after the holder before released it again', await take(leases, name), false)
    },
  },
  {
    name: 'a lease further ahead than any can be is free, because a wrong clock has stored it',
    check: async ({ leases, elsewhere, clockGoesBack, passes }) => {
      const [name, crashed] = [newName(), newName()]
      same('a lease whose holder will crash', await take(leases, crashed), true)
      await clockGoesBack(LONGEST_LEASE_MS / 2)
      same('that lease once the clock is right', await take(elsewhere, crashed), false)
      await passes(LONGEST_LEASE_MS)
      same('that lease ten minutes later', await take(elsewhere, crashed), true)
      same('a free lease', await take(leases, name), true)
      await clockGoesBack(LONGEST_LEASE_MS / 2)
      same('as far ahead as a lease can be', await take(elsewhere, name), false)
      await clockGoesBack(LONGEST_LEASE_MS / 2)
      same('further ahead than a lease can be', await take(elsewhere, name), true)
      same('the first holder, whose lease was void', await take(leases, name), false)
    },
  },
  {
    name: 'a lease that may last longer is kept from those who know that it may',
    check: async ({ leases, elsewhere, passes }) => {
      const name = newName()
      same('a free lease', await done('a lease is asked for', leases.take(name, 2 * HOUR_MS)), true)
      same('another holder', await done('a lease is asked for', elsewhere.take(name, TTL_MS, 3 * HOUR_MS)), false)
      await passes(2 * HOUR_MS)
      same('after its time', await done('a lease is asked for', elsewhere.take(name, TTL_MS, 3 * HOUR_MS)), true)
    },
  },
  {
    name: 'a lease that was released stays free if the clock is set back',
    check: async ({ leases, elsewhere, clockGoesBack }) => {
      const name = newName()
      await take(leases, name)
      await release(leases, name)
      await clockGoesBack(LONGEST_LEASE_MS / 2)
      same('a released lease', await take(elsewhere, name), true)
    },
  },
]
