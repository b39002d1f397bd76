import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { MessageId } from '../../core/messages/message.js'
import { done, holds, same } from './expect.js'
import type { Law } from './law.js'
import { type LedgerFixture, openLedgerWorkspace } from './ledger-fixture.js'

/** A ledger's fixture that can do what no port can: make a wallet's books wrong. */
export type AuditFixture = LedgerFixture & {
  /** Makes the wallet of a workspace have one micro more available than its entries show. */
  readonly misplaceMicro: (workspace: WorkspaceId) => Promise<void>
  /** Makes the hold of a message count one micro more than was captured of it. */
  readonly misplaceCapture: (hold: { readonly workspace: WorkspaceId; readonly message: MessageId }) => Promise<void>
}

/** The promises of every `Ledger` about wrong books; a separate list, because not every fixture can make them wrong. */
export const auditLaws: ReadonlyArray<Law<AuditFixture>> = [
  {
    name: 'an audit finds a workspace whose books are off by one micro, and says how',
    check: async (fixture) => {
      const [sound, off] = [await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture)]
      for (const { topUp } of [sound, off]) await topUp(2n ** 53n)
      await fixture.misplaceMicro(off.workspace)
      const { broken } = await done('an audit', fixture.ledger.audit())
      const found = broken.filter(({ workspace }) => workspace === sound.workspace || workspace === off.workspace)
      same('the one workspace whose books are off', found.map(({ workspace }) => workspace), [off.workspace])
      holds('a finding says what is off', found.every(({ fault }) => fault.length > 0), found)
    },
  },
  {
    name: 'an audit finds a captured hold that differs from its entry by one micro',
    check: async (fixture) => {
      const { workspace, topUp, price } = await openLedgerWorkspace(fixture)
      await topUp(100n)
      const hold = price(30n)
      await done('a hold succeeds', fixture.wallet.hold(hold))
      await done('a capture succeeds', fixture.wallet.capture(hold))
      await fixture.misplaceCapture(hold)
      const { broken } = await done('an audit', fixture.ledger.audit())
      const found = broken.filter((finding) => finding.workspace === workspace)
      holds('the workspace whose hold is off is found', found.length > 0, found)
    },
  },
]
