import * as E from 'fp-ts/lib/Either.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'
import {
  becomesLow, checkSpending, type HoldState, type InsufficientBalance, type MoveHold, type NewHold, type SpendingLimitReached, stepHold, type Wallet,
  type WalletAlert,
} from '../../core/money/wallet.js'
import { type Account, type Accounts, addEntry, type HoldRecord, spendingName } from './accounts.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { pageById } from './page.js'
import { atomic, infallible } from './task.js'

/** The wallets in memory. */
export const makeMemoryWallet = (books: Accounts, events: EventState = openEventState()): Wallet => ({
  hold: (hold, along = () => []) => atomic(() => setAside(books, hold, (alert) => { storeEvents(events, along(alert)) })),
  capture: mover(books, 'capture'),
  release: mover(books, 'release'),
  refund: mover(books, 'refund'),
  holdOf: ({ workspace, message }) => infallible(() => books.get(workspace)?.holds.get(message)?.state),
  stale: ({ before, ...query }) =>
    infallible(() => {
      const stale = [...books].flatMap(([workspace, { holds }]) =>
        [...holds].filter(([, { state, at }]) => state === 'held' && at < before).map(([message]) => ({ workspace, message })),
      )
      return pageById(stale, query, ({ message }) => message)
    }),
})

const setAside = (
  books: Accounts, { workspace, message, amount, at, spending }: NewHold, raise: (alert: WalletAlert) => void,
): E.Either<InsufficientBalance | SpendingLimitReached | PortFailure, void> => {
  const account = books.get(workspace)
  if (account === undefined) return E.left(walletFailure('the workspace has no wallet'))
  if (account.holds.has(message)) return E.right(undefined)
  const { available, held, currency } = account
  if (amount.currency !== currency) return E.left(walletFailure(`the price is in ${amount.currency}, the wallet in ${currency}`))
  const required = amount.micros
  if (available < required) {
    if (account.alerts.exhaustedSince === undefined) {
      raise({ _tag: 'WalletExhausted', workspace, balance: { available, held, currency }, required, at })
      account.alerts = { ...account.alerts, exhaustedSince: at }
    }
    return E.left({ _tag: 'InsufficientBalance', required, available, held, currency })
  }
  const hold: HoldRecord = { state: 'held', micros: amount.micros, at, ...(spending !== undefined && { key: spending.key }) }
  if (spending !== undefined) {
    const spent = account.spending.get(spendingName(spending.key, at)) ?? 0n
    const allowed = checkSpending({ amount, limit: spending.limit, spent, at })
    if (E.isLeft(allowed)) return allowed
  }
  const left = { available: available - required, held: held + required, currency }
  const { threshold } = account.alerts
  if (threshold !== undefined && becomesLow(account.alerts, left.available)) {
    raise({ _tag: 'WalletLow', workspace, balance: left, threshold, at })
    account.alerts = { ...account.alerts, lowSince: at }
  }
  account.available = left.available
  account.held = left.held
  account.holds.set(message, hold)
  addSpending(account, hold, amount.micros)
  addEntry(account, 'hold', amount.micros, message, at)
  return E.right(undefined)
}

const mover = (books: Accounts, move: Move): MoveHold => (of) => infallible(() => moveHold(books, move, of))

type Move = Parameters<typeof stepHold>[1]

/** Moves the hold of a message by the rule of `stepHold`. */
export const moveHold = (books: Accounts, move: Move, { workspace, message, at, note }: Parameters<MoveHold>[0]): HoldState | undefined => {
  const account = books.get(workspace)
  const hold = account?.holds.get(message)
  if (account === undefined || hold === undefined) return undefined
  const step = stepHold(hold.state, move)
  if (step === undefined) return hold.state
  hold.state = step.state
  account.available += step.available * hold.micros
  account.held += step.held * hold.micros
  addSpending(account, hold, -step.available * hold.micros)
  for (const kind of step.entries) addEntry(account, kind, hold.micros, message, at, note)
  return step.state
}

/** What becomes available again was not spent, and the other way round. */
const addSpending = ({ spending }: Account, { key, at }: HoldRecord, micros: bigint): void => {
  if (key === undefined) return
  const name = spendingName(key, at)
  spending.set(name, (spending.get(name) ?? 0n) + micros)
}

const walletFailure = portFailure('Wallet')
