import * as E from 'fp-ts/lib/Either.js'
import {
  attempt, type Balance, type Currency, type HoldState, type InsufficientBalance, type MoveHold, type NewHold, portFailure, type PortFailure,
  type StaleHold, stepHold, type Wallet, type WorkspaceId,
} from 'postern'
import { timeKey, type LevelStore } from './level-store.js'

// JSON has no bigint, so amounts are stored as decimal digits.
type WalletRow = { readonly currency: Currency; readonly available: string; readonly held: string }
type HoldRow = { readonly state: HoldState; readonly micros: string; readonly at: number }

const failure = portFailure('Wallet')

/** The wallets over LevelDB. The changes of one wallet run one after another, and each step is one atomic write. */
export const makeLevelWallet = (store: LevelStore): Wallet => {
  const { get, write, entries, inTurn } = store

  const hold = async ({ workspace, message, amount, at }: NewHold): Promise<E.Either<InsufficientBalance | PortFailure, void>> => {
    const balance = await balanceOf(store, workspace)
    const key = `hold/${workspace}/${message}`
    if ((await get<HoldRow>(key)) !== undefined) return E.right(undefined)
    if (balance?.currency !== amount.currency) return E.left(failure('the workspace has no wallet in that currency'))
    const { available, held } = balance
    if (available < amount.micros) return E.left({ _tag: 'InsufficientBalance', required: amount.micros, ...balance })
    const row: HoldRow = { state: 'held', micros: String(amount.micros), at }
    await write([
      [key, row],
      [`held/${timeKey(at)}/${message}`, workspace],
      walletEntry(workspace, { ...balance, available: available - amount.micros, held: held + amount.micros }),
    ])
    return E.right(undefined)
  }

  const settle = (move: Parameters<typeof stepHold>[1]): MoveHold => ({ workspace, message }) =>
    attempt(() => inTurn(`wallet/${workspace}`, async () => {
      const key = `hold/${workspace}/${message}`
      const [row, balance] = await Promise.all([get<HoldRow>(key), balanceOf(store, workspace)])
      const step = row && stepHold(row.state, move)
      if (row === undefined || step === undefined || balance === undefined) return row?.state
      const micros = BigInt(row.micros)
      await write([
        [key, { ...row, state: step.state }],
        [`held/${timeKey(row.at)}/${message}`, undefined],
        walletEntry(workspace, { ...balance, available: balance.available + step.available * micros, held: balance.held + step.held * micros }),
      ])
      return step.state
    }), failure)

  return {
    hold: async (price) => {
      const outcome = await attempt(() => inTurn(`wallet/${price.workspace}`, () => hold(price)), failure)
      return E.isLeft(outcome) ? outcome : outcome.right
    },
    capture: settle('capture'),
    release: settle('release'),
    refund: settle('refund'),
    holdOf: ({ workspace, message }) => attempt(async () => (await get<HoldRow>(`hold/${workspace}/${message}`))?.state, failure),
    // The cursor is the key of a page's last hold. Keys sort by time, so no hold is skipped while others are settled.
    stale: ({ before, limit, cursor = '' }) =>
      attempt(async () => {
        const items: StaleHold[] = []
        let last = ''
        for await (const [key, workspace] of entries<WorkspaceId>({ from: `held/${cursor}`, to: `held/${timeKey(before)}` })) {
          if (items.length === limit) return { items, next: last }
          last = key.slice('held/'.length)
          items.push({ workspace, message: last.slice(last.indexOf('/') + 1) as StaleHold['message'] })
        }
        return { items, next: undefined }
      }, failure),
  }
}

/** Opens a wallet with an available balance. */
export const openLevelWallet = ({ write }: LevelStore, workspace: WorkspaceId, currency: Currency, micros: bigint): Promise<void> =>
  write([walletEntry(workspace, { currency, available: micros, held: 0n })])

/** The balance of a workspace's wallet; `undefined` if it has none. */
export const balanceOf = async ({ get }: LevelStore, workspace: WorkspaceId): Promise<Balance | undefined> => {
  const row = await get<WalletRow>(`wallet/${workspace}`)
  return row && { currency: row.currency, available: BigInt(row.available), held: BigInt(row.held) }
}

const walletEntry = (workspace: WorkspaceId, { currency, available, held }: Balance): readonly [string, WalletRow] =>
  [`wallet/${workspace}`, { currency, available: String(available), held: String(held) }]
