import type { Law } from './law.js'
import { adjustmentLaws } from './ledger-adjust.js'
import { booksLaws } from './ledger-books.js'
import { daysLaws } from './ledger-days.js'
import { keySpendingLaws } from './ledger-key-spending.js'
import { statementLaws } from './ledger-statement.js'
import { topUpLaws } from './ledger-top-up.js'
import type { LedgerFixture } from './ledger-fixture.js'

export type { LedgerFixture } from './ledger-fixture.js'

/** The promises of every `Ledger`. */
export const ledgerLaws: ReadonlyArray<Law<LedgerFixture>> = [
  ...topUpLaws, ...adjustmentLaws, ...statementLaws, ...keySpendingLaws, ...booksLaws, ...daysLaws,
]
