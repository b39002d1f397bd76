import type { Law } from './law.js'
import { statementLaws } from './ledger-statement.js'
import { topUpLaws } from './ledger-top-up.js'
import type { LedgerWorld } from './ledger-world.js'

export type { LedgerWorld } from './ledger-world.js'

/** What every `Ledger` promises. */
export const ledgerLaws: ReadonlyArray<Law<LedgerWorld>> = [...topUpLaws, ...statementLaws]
