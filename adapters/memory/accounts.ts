import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'
import type { BatchId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import { pageOf } from '../../core/kernel/page.js'
import { type Instant, UTC_DAYS } from '../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { isMessageId, type MessageId, type MessageRecord } from '../../core/messages/message.js'
import {
  type Adjustment, type Audit, auditWallet, balanceChange, type Credit, type DaySum, type Entry, type Ledger, type LedgerDays,
  type LedgerPeriod, type OpenHold, type ReferenceReused, type WalletTotals,
} from '../../core/money/ledger.js'
import {
  checkSplit, type HoldPart, type NoSuchSharedHold, type SharedHold, type SharedHoldReleased, type SharedHolds,
} from '../../core/money/shared-holds.js'
import {
  addToBalance, afterMoneyAdded, type AlertState, type BalanceOutOfRange, becomesLow, changeByPart, changeHold, checkSpending,
  type ExceedsHold, type FreeMessages, type FreeTaking, type HoldChange, type HoldState, type InsufficientBalance, isAmount, type MoveHold,
  type NewHold, NO_ALERTS, spendingDay, type SpendingLimitReached, type TakenBy, type Wallet, type WalletAlert, type WalletAlerts,
  withThreshold,
} from '../../core/money/wallet.js'
import { type EventState, openEventState, storeEvents } from './events.js'
import { atomic, infallible, newId, pageById } from './kernel.js'

/** The books of all workspaces, which `Wallet` and `Ledger` both write. */
export type Accounts = Map<WorkspaceId, Account>

/** A workspace's wallet, its holds by message, and every movement in the order in which it was written. */
export type Account = {
  readonly currency: Currency
  available: bigint
  held: bigint
  alerts: AlertState
  readonly holds: Map<HoldId, HoldRecord>
  /** Spending, by the name of a key and a day (`spendingName`). */
  readonly spending: Map<string, bigint>
  readonly entries: Entry[]
  /** The amount credited under each reference of a top-up. */
  readonly topUps: Map<string, bigint>
  /** The amount of each reference of an adjustment. */
  readonly adjustments: Map<string, bigint>
}

/** The id of a hold: its message, or the batch whose messages share it. */
type HoldId = MessageId | BatchId

/** The money of one message or batch. */
export type HoldRecord = {
  state: HoldState
  micros: bigint
  /** The amount that was reserved first. */
  readonly reserved: bigint
  readonly at: Instant
  readonly key?: string
  /** The shared hold of which it is a part, if it is one. */
  readonly batch?: BatchId
  /** When its money was reserved for its key, if that was before it became the hold of the message. */
  readonly reservedAt?: Instant
}

/** The name of a key and the day of a given time. */
export const spendingName = (key: string, at: Instant): string => `${key} ${spendingDay(at)}`

/** An empty wallet in a currency. */
export const openAccount = (currency: Currency): Account => ({
  currency, available: 0n, held: 0n, alerts: NO_ALERTS, holds: new Map(), spending: new Map(), entries: [], topUps: new Map(),
  adjustments: new Map(),
})

/** Writes a movement of reserved money. The entry of a hold has the id of its message or batch, every other entry a new id. */
const addEntry = (
  account: Account, of: HoldId, { kind, micros, at, note, batch }: Pick<Entry, 'kind' | 'micros' | 'at' | 'note'> & { batch?: BatchId },
): void => {
  const id = kind === 'hold' ? of.slice('msg_'.length) : newId()
  const [message, reference] = isMessageId(of) ? [of, batch] : [undefined, of]
  account.entries.push({ id, kind, micros, message, reference, ...(note !== undefined && { note }), at })
}

/** The alerts of the wallets in memory. */
export const makeMemoryWalletAlerts = (accounts: Accounts, events: EventState): WalletAlerts => ({
  alertsOf: (workspace) => infallible(() => O.map(({ alerts }: Account) => alerts)(O.fromNullable(accounts.get(workspace)))),
  setThreshold: (workspace, threshold, outboxEntries = () => []) =>
    atomic(() => setThreshold({ account: accounts.get(workspace), events }, threshold, outboxEntries)),
  raiseLow: ({ workspace, micros, at }, outboxEntries = () => []) => infallible(() => {
    const account = accounts.get(workspace)
    const threshold = account?.alerts.threshold
    if (account === undefined || threshold === undefined || !becomesLow(account.alerts, account.available - micros)) return false
    storeEvents(events, outboxEntries({ _tag: 'WalletLow', workspace, balance: balanceOf(account), threshold, at }))
    account.alerts = { ...account.alerts, lowSince: at }
    return true
  }),
})

const setThreshold = (
  { account, events }: { readonly account: Account | undefined; readonly events: EventState }, threshold: bigint | undefined,
  outboxEntries: MakeOutboxEntries<AlertState>,
): E.Either<UnknownWorkspace, AlertState> => {
  if (account === undefined) return E.left({ _tag: 'UnknownWorkspace' })
  const alerts = withThreshold(account.alerts, threshold, account.available)
  storeEvents(events, outboxEntries(alerts))
  account.alerts = alerts
  return E.right(alerts)
}

/** The wallets in memory. */
export const makeMemoryWallet = (books: Accounts, events: EventState = openEventState()): Wallet => ({
  hold: (hold, outboxEntries = () => []) => atomic(() => setAside(books, hold, (alert) => { storeEvents(events, outboxEntries(alert)) })),
  capture: mover(books, 'capture'),
  capturePart: ({ micros, ...of }) => atomic(() => changeIn(books, of, (hold) => changeByPart(hold, micros))),
  release: mover(books, 'release'),
  refund: mover(books, 'refund'),
  holdOf: ({ workspace, message }) => infallible(() => books.get(workspace)?.holds.get(message)?.state),
  stale: ({ before, ...query }) =>
    infallible(() => {
      const stale = [...books].flatMap(([workspace, { holds }]) =>
        [...holds].flatMap(([message, { state, at, batch }]) =>
          (state === 'held' && at < before && isMessageId(message) ? [{ workspace, message, ...(batch && { batch }) }] : [])),
      )
      return pageById(stale, query, ({ message }) => message)
    }),
})

/** The shared holds in memory. */
export const makeMemorySharedHolds = (books: Accounts, events: EventState = openEventState()): SharedHolds => ({
  hold: ({ hold: message, ...hold }, outboxEntries = () => []) =>
    atomic(() => setAside(books, { ...hold, message }, (alert) => { storeEvents(events, outboxEntries(alert)) })),
  split: (part) => atomic(() => split(books, part)),
  release: ({ hold: message, ...of }) => infallible(() => {
    moveHold(books, 'release', { ...of, message })
    return sharedIn(books.get(of.workspace), message)
  }),
  find: ({ workspace, hold }) => infallible(() => sharedIn(books.get(workspace), hold)),
})

const sharedIn = (account: Account | undefined, hold: BatchId): SharedHold | undefined => {
  const found = account?.holds.get(hold)
  return found && { state: found.state === 'held' ? 'held' : 'released', reserved: found.reserved, left: found.micros }
}

const split = (
  books: Accounts, { workspace, hold, message, micros, at }: HoldPart,
): E.Either<NoSuchSharedHold | SharedHoldReleased | ExceedsHold, void> => {
  const account = books.get(workspace)
  if (account?.holds.has(message) === true) return E.right(undefined)
  const allowed = checkSplit(sharedIn(account, hold), { hold, micros })
  if (E.isLeft(allowed)) return allowed
  const from = account?.holds.get(hold)
  if (account === undefined || from === undefined) return E.left({ _tag: 'NoSuchSharedHold', hold })
  from.micros -= micros
  account.holds.set(message, {
    state: 'held', micros, reserved: micros, at, batch: hold, reservedAt: from.at, ...(from.key !== undefined && { key: from.key }),
  })
  addEntry(account, message, { kind: 'hold', micros, at, batch: hold })
  return E.right(undefined)
}

/** Reserves money for a message or for a batch. */
type Reservation = Omit<NewHold, 'message'> & { readonly message: HoldId }

/** Sets a price aside by the rules of `Wallet.hold`; `raise` gets the alert that it raises. */
export const setAside = (
  books: Accounts, { workspace, message, amount, at, spending }: Reservation, raise: (alert: WalletAlert) => void,
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
  const hold: HoldRecord = { state: 'held', micros: required, reserved: required, at, ...(spending !== undefined && { key: spending.key }) }
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
  addEntry(account, message, { kind: 'hold', micros: required, at })
  return E.right(undefined)
}

const mover = (books: Accounts, move: Move): MoveHold => (of) => infallible(() => moveHold(books, move, of))

type Move = Parameters<typeof changeHold>[1]

type MoveOf = Omit<Parameters<MoveHold>[0], 'message'> & { readonly message: HoldId }

/** Moves a hold by the rule of `changeHold`. */
export const moveHold = (books: Accounts, move: Move, of: MoveOf): HoldState | undefined =>
  E.toUnion(changeIn(books, of, (hold): E.Either<never, HoldChange | undefined> => E.right(changeHold(hold, move))))

/** Changes a hold by a rule; returns its state, or `undefined` if there is none. */
const changeIn = <Refusal>(
  books: Accounts, { workspace, message, at, note }: MoveOf, rule: (hold: HoldRecord) => E.Either<Refusal, HoldChange | undefined>,
): E.Either<Refusal, HoldState | undefined> => {
  const account = books.get(workspace)
  const hold = account?.holds.get(message)
  if (account === undefined || hold === undefined) return E.right(undefined)
  const change = rule(hold)
  if (E.isLeft(change)) return change
  if (change.right === undefined) return E.right(hold.state)
  const { state, micros, available, held, entries } = change.right
  hold.state = state
  hold.micros = micros
  account.available += available
  account.held += held
  addSpending(account, hold, -available)
  for (const entry of entries) addEntry(account, message, { ...entry, at, ...(note !== undefined && { note }) })
  return E.right(state)
}

/** Money that becomes available again was not spent, and the reverse. */
const addSpending = ({ spending }: Account, { key, at, reservedAt = at }: HoldRecord, micros: bigint): void => {
  if (key === undefined) return
  const name = spendingName(key, reservedAt)
  spending.set(name, (spending.get(name) ?? 0n) + micros)
}

const walletFailure = portFailure('Wallet')

/** How many free messages of each count were used, and the count of which each message has used one. */
export type FreeState = { readonly counts: Map<string, number>; readonly takes: Map<string, string> }

/** The free messages of senders, in memory. */
export const makeMemoryFreeMessages = (state: FreeState = { counts: new Map(), takes: new Map() }): FreeMessages => {
  const { counts, takes } = state
  return {
    take: (taking) => infallible(() => takeFree(state, taking)),
    giveBack: (message) =>
      infallible(() => {
        const count = takes.get(keyOf(message))
        if (count === undefined) return
        takes.delete(keyOf(message))
        addTo(state, count, -1)
      }),
    taken: (phoneNumberId, month) => infallible(() => counts.get(countOf(phoneNumberId, month)) ?? 0),
  }
}

/** Uses a free message, if one is left or the message has already used one. */
export const takeFree = (state: FreeState, { phoneNumberId, month, limit, ...message }: FreeTaking): boolean => {
  const { counts, takes } = state
  if (takes.has(keyOf(message))) return true
  const count = countOf(phoneNumberId, month)
  if ((counts.get(count) ?? 0) >= limit) return false
  takes.set(keyOf(message), count)
  addTo(state, count, 1)
  return true
}

const addTo = ({ counts }: FreeState, count: string, change: number): void => void counts.set(count, (counts.get(count) ?? 0) + change)

const keyOf = ({ workspace, message }: TakenBy): string => `${workspace} ${message}`

const countOf = (phoneNumberId: string, month: string): string => `${month} ${phoneNumberId}`

/** Finds what an entry shows of its message. */
type MessageOf = (workspace: WorkspaceId, message: MessageId) => Pick<MessageRecord, 'error' | 'sender'> | undefined

/** The operator's side of the wallets in memory. */
export const makeMemoryLedger = (
  accounts: Accounts, events: EventState = openEventState(), messageOf: MessageOf = () => undefined,
): Ledger =>
  ({
    topUp: (credit, outboxEntries) =>
      atomic(() => add({ account: accounts.get(credit.workspace), events }, 'top_up', credit, outboxEntries)),
    adjust: (adjustment, outboxEntries) =>
      atomic(() => add({ account: accounts.get(adjustment.workspace), events }, 'adjustment', adjustment, outboxEntries)),
    balance: (workspace) => infallible(() => O.map(balanceOf)(O.fromNullable(accounts.get(workspace)))),
    statement: (workspace, query) =>
      infallible(() => {
        const { items, next } = pageById(accounts.get(workspace)?.entries ?? [], query, ({ id }) => id)
        return { items: items.map((entry) => withMessage(entry, (message) => messageOf(workspace, message))), next }
      }),
    movements: (workspace, { limit, cursor, from, to, withFree }) =>
      infallible(() => {
        const found = movementsOf(accounts.get(workspace), { from, to })
          .filter(({ id, micros }) => (cursor === undefined || id > cursor) && (withFree || micros !== 0n))
        return pageOf(found.map((entry) => withMessage(entry, (message) => messageOf(workspace, message))), limit, ({ id }) => id)
      }),
    days: (workspace, period) => infallible(() => O.map(daysIn(period))(O.fromNullable(accounts.get(workspace)))),
    keySpending: (workspace, keys, at) =>
      infallible(() => new Map(keys.map((key) => [key, accounts.get(workspace)?.spending.get(spendingName(key, at)) ?? 0n]))),
    totals: () => infallible(() => totalsOf(accounts)),
    openHolds: (workspace, limit) => infallible(() => openHoldsOf(accounts.get(workspace)).slice(0, limit)),
    books: (workspace) => infallible(() => O.map(booksOf)(O.fromNullable(accounts.get(workspace)))),
    audit: () => infallible(() => auditAccounts(accounts)),
  })

const movementsOf = (account: Account | undefined, { from, to }: LedgerPeriod): ReadonlyArray<Entry> =>
  (account?.entries ?? []).filter(({ id, kind }) => kind !== 'hold' && kind !== 'release' && id >= from && id < to)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))

const daysIn = (period: LedgerPeriod) => (account: Account): LedgerDays => {
  const movements = movementsOf(account, period)
  const days = new Map<string, DaySum>()
  for (const { id, kind, micros } of movements) {
    if (kind === 'hold' || kind === 'release') continue
    const start = UTC_DAYS.startOf(parseInt(id.slice(0, 12), 16))
    const before = days.get(`${start} ${kind}`) ?? { start, kind, entries: 0, free: 0, micros: 0n }
    days.set(`${start} ${kind}`, {
      ...before, entries: before.entries + 1, free: before.free + (micros === 0n ? 1 : 0), micros: before.micros + micros,
    })
  }
  const later = movementsOf(account, { from: period.to, to: 'g' })
  return {
    closing: later.reduce((balance, { kind, micros }) => balance - balanceChange(kind, micros), account.available + account.held),
    held: account.held, days: [...days.values()], paid: movements.filter(({ kind }) => kind === 'top_up' || kind === 'adjustment'),
  }
}

/** An entry with the sender of its message, and, if its money was returned, with the error of the message. */
const withMessage = (entry: Entry, messageOf: (message: MessageId) => ReturnType<MessageOf>): Entry => {
  const { kind, message } = entry
  const { sender, error } = (message && messageOf(message)) ?? {}
  const isReturned = kind === 'release' || kind === 'refund'
  return { ...entry, ...(sender !== undefined && { sender }), ...(isReturned && error !== undefined && { error }) }
}

type Books = { readonly account: Account; readonly events: EventState }

type Addition = Credit & Partial<Pick<Adjustment, 'note'>>

const add = (
  { account, events }: { readonly account: Account | undefined; readonly events: EventState }, kind: 'top_up' | 'adjustment',
  addition: Addition, outboxEntries?: MakeOutboxEntries<Balance>,
): E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange, Balance> => {
  if (account === undefined) return E.left({ _tag: 'UnknownWorkspace' })
  const { micros, reference } = addition
  if (!isAmount(micros)) return E.left({ _tag: 'BalanceOutOfRange' })
  const credited = referencesOf(account, kind).get(reference)
  if (credited !== undefined) return credited === micros ? E.right(balanceOf(account)) : E.left({ _tag: 'ReferenceReused', credited })
  return addMoney({ account, events }, kind, addition, outboxEntries)
}

/** Adds an amount of either sign to a wallet, under an unused reference. */
export const addMoney = (
  { account, events }: Books, kind: 'top_up' | 'adjustment', { micros, reference, at, note }: Addition,
  outboxEntries?: MakeOutboxEntries<Balance>,
): E.Either<BalanceOutOfRange, Balance> => {
  const after = addToBalance(balanceOf(account), micros)
  if (E.isLeft(after)) return after
  if (outboxEntries !== undefined) storeEvents(events, outboxEntries(after.right))
  referencesOf(account, kind).set(reference, micros)
  account.available = after.right.available
  if (micros > 0n) account.alerts = afterMoneyAdded(account.alerts, account.available)
  account.entries.push({ id: newId(), kind, micros, message: undefined, reference, ...(note !== undefined && { note }), at })
  return after
}

const referencesOf = (account: Account, kind: 'top_up' | 'adjustment'): Map<string, bigint> =>
  kind === 'top_up' ? account.topUps : account.adjustments

const totalsOf = (accounts: Accounts): ReadonlyArray<Balance> => {
  const totals = new Map<string, Balance>()
  for (const { currency, available, held } of accounts.values()) {
    const before = totals.get(currency)
    totals.set(currency, { currency, available: (before?.available ?? 0n) + available, held: (before?.held ?? 0n) + held })
  }
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, balance]) => balance)
}

const openHoldsOf = (account: Account | undefined): ReadonlyArray<OpenHold> =>
  Array.from(account?.holds ?? []).flatMap(([of, { state, micros, at }]): ReadonlyArray<OpenHold> =>
    (state === 'held' ? [{ ...(isMessageId(of) ? { message: of } : { batch: of }), micros, at }] : []))
    .sort((a, b) => a.at - b.at || (String(a.message ?? a.batch) < String(b.message ?? b.batch) ? -1 : 1))

/** The balance of an account. */
export const balanceOf = ({ available, held, currency }: Account): Balance => ({ available, held, currency })

/** Compares every workspace's wallet with its entries and holds. */
export const auditAccounts = (accounts: Accounts): Audit => ({
  workspaces: accounts.size,
  broken: Array.from(accounts, ([workspace, account]) => faultsOf(account).map((fault) => ({ workspace, fault }))).flat(),
})

const faultsOf = (account: Account): ReadonlyArray<string> => auditWallet(booksOf(account))

/** A wallet with the sums of its entries and holds. */
export const booksOf = ({ available, held, entries, holds }: Account): WalletTotals => ({
  available,
  held,
  entries: sums(entries.map(({ kind, micros }) => [kind, micros])),
  holds: sums(Array.from(holds.values(), ({ state, micros }) => [state, micros])),
})

const sums = <Name extends string>(amounts: ReadonlyArray<readonly [Name, bigint]>): { readonly [Key in Name]?: bigint } => {
  const total: { [Key in Name]?: bigint } = {}
  for (const [name, micros] of amounts) total[name] = (total[name] ?? 0n) + micros
  return total
}
