import type { Leases } from '../../core/kernel/leases.js'
import { done, same } from './expect.js'
import { newName, times } from './ids.js'
import type { Law } from './law.js'

/** The leases of two holders, and the power over time that their laws need. */
export type LeasesFixture = {
  readonly leases: Leases
  /** The same leases as another holder sees them. */
  readonly elsewhere: Leases
  /** Lets so many milliseconds pass for both holders. */
  readonly passes: (ms: number) => Promise<void>
}

/** Longer than the calls of a law take on a busy machine. */
const TTL_MS = 20_000

const take = (leases: Leases, name: string, ttlMs = TTL_MS): Promise<boolean> => done('a lease is asked for', leases.take(name, ttlMs))

const release = (leases: Leases, name: string): Promise<void> => done('a lease is released', leases.release(name))

/** What every `Leases` promises. */
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
]
