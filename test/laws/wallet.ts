import type { Law } from './law.js'
import { holdLaws } from './wallet-hold.js'
import { settlementLaws } from './wallet-moves.js'
import { partLaws } from './wallet-parts.js'
import { staleHoldLaws } from './wallet-stale.js'
import type { WalletFixture } from './wallet-fixture.js'

export type { WalletFixture } from './wallet-fixture.js'

/** The promises of every `Wallet`. */
export const walletLaws: ReadonlyArray<Law<WalletFixture>> = [...holdLaws, ...settlementLaws, ...partLaws, ...staleHoldLaws]
