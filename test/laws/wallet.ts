import type { Law } from './law.js'
import { holdLaws } from './wallet-hold.js'
import { settlementLaws } from './wallet-moves.js'
import { staleHoldLaws } from './wallet-stale.js'
import type { WalletFixture } from './wallet-fixture.js'

export type { WalletFixture } from './wallet-fixture.js'

/** What every `Wallet` promises. */
export const walletLaws: ReadonlyArray<Law<WalletFixture>> = [...holdLaws, ...settlementLaws, ...staleHoldLaws]
