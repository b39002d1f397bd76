import { setTimeout as delay } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { WorkspaceBalance } from '../../adapters/knex/index.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { shareResult } from './share-result.js'

/** The most workspaces that are shown. Each one adds two time series. */
const MOST_WORKSPACES = 100

const FRESH_MS = 15 * SECOND_MS
const LONGEST_WAIT_MS = SECOND_MS
const MICROS = 1_000_000

/**
 * Shows `available` and `held` of the wallets with the least to spend, in units of their currency.
 *
 * The balances are read from the database when the metrics are requested, at most every 15 seconds. If the database fails or is slow, the
 * last balances are shown.
 */
export const showBalances = (register: Registry, read: (limit: number) => Promise<ReadonlyArray<WorkspaceBalance>>): void => {
  const balances = shareResult(FRESH_MS, () => read(MOST_WORKSPACES))
  const show = (name: string, help: string, amount: (balance: WorkspaceBalance) => bigint): void => {
    const gauge: Gauge<'workspace' | 'currency'> = new Gauge({
      name, help, labelNames: ['workspace', 'currency'], registers: [register], aggregator: 'first',
      collect: async () => {
        const latest = await Promise.race([balances().catch(() => undefined), delay(LONGEST_WAIT_MS, undefined, { ref: false })])
        if (latest === undefined) return
        gauge.reset()
        for (const balance of latest) gauge.set({ workspace: balance.workspace, currency: balance.currency }, Number(amount(balance)) / MICROS)
      },
    })
  }
  show('postern_wallet_available', 'What the wallets with the least to spend can spend.', ({ available }) => available)
  show('postern_wallet_held', 'The money on hold in the same wallets.', ({ held }) => held)
}
