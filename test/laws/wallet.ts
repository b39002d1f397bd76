import type { Law } from './law.js'
import { holdLaws } from './wallet-hold.js'
import { settlementLaws } from './wallet-settle.js'
import { staleHoldLaws } from './wallet-stale.js'
import type { WalletWorld } from './wallet-world.js'

export type { WalletWorld } from './wallet-world.js'

/** What every `Wallet` promises. */
export const walletLaws: ReadonlyArray<Law<WalletWorld>> = [...holdLaws, ...settlementLaws, ...staleHoldLaws]
