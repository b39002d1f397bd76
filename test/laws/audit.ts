import { done, holds, same } from './expect.js'
import type { Law } from './law.js'
import { openAccount, type LedgerWorld } from './ledger-world.js'

/** A ledger's world with the power to do what no port can: to put a wallet's books wrong. */
export type AuditWorld = LedgerWorld & {
  /** The wallet of a workspace has one micro more to spend than its entries say. */
  readonly misplaceMicro: (workspace: Parameters<LedgerWorld['ledger']['balance']>[0]) => Promise<void>
}

/** What every `Ledger` promises of books that are off; a list of its own, since not every world can put them so. */
export const auditLaws: ReadonlyArray<Law<AuditWorld>> = [
  {
    name: 'an audit finds a workspace whose books are off by one micro, and says how',
    check: async (world) => {
      const [sound, off] = [await openAccount(world), await openAccount(world)]
      for (const { topUp } of [sound, off]) await topUp(2n ** 53n)
      await world.misplaceMicro(off.workspace)
      const { broken } = await done('an audit', world.ledger.audit())
      const found = broken.filter(({ workspace }) => workspace === sound.workspace || workspace === off.workspace)
      same('the one workspace whose books are off', found.map(({ workspace }) => workspace), [off.workspace])
      holds('a finding says what is off', found.every(({ fault }) => fault.length > 0), found)
    },
  },
]
