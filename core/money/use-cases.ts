import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, checkView, perform } from '../access/acting.js'
import { type ApiKey, hasEnded, type KeyStore } from '../access/keys.js'
import { type CustomerId, isForgotten } from '../customers/customer.js'
import type { WindowClock } from '../customers/window.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { csvLine } from '../kernel/csv.js'
import {
  type Balance, type Category, checkCorrection, checkCredit, type Currency, formatMicros, type InvalidAmount,
} from '../kernel/money.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import { type InvalidNote, type InvalidReference, parseNote, parseReference } from '../kernel/text.js'
import { type Clock, DAY_MS, type Instant, iso } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import { isThrough, type MessageLog, type SenderFilter } from '../messages/message-log.js'
import { firstMessageIdAt, type MessageRecord, moneyMove } from '../messages/message.js'
import { bucketStart, KEPT_MS, type MessageCount, type MessageStatistics } from '../messages/statistics.js'
import {
  type Audit, type Ledger, type MessageMoney, type MoneyMismatch, type ReferenceReused, walletToppedUp,
} from './ledger.js'
import { type AlertState, type BalanceOutOfRange, checkThreshold, type Wallet, type WalletAlerts } from './wallet.js'

/** Adds money to a wallet, once for each reference. Right: the new balance. */
export type TopUp = (command: TopUpCommand) => Promise<E.Either<TopUpError, ToppedUp>>

/** The new balance; `isNew` if this call changed it, and not an earlier call with this reference. */
export type ToppedUp = Balance & { readonly isNew: boolean }

/** `reference` names the payment, such as an invoice; a top-up without one is always added. */
export type TopUpCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly micros: bigint; readonly reference?: string }

/** How adding money can fail. */
export type TopUpError = InvalidAmount | InvalidReference | UnknownWorkspace | ReferenceReused | BalanceOutOfRange | Forbidden | PortFailure

/** The dependencies of adding money. */
export type TopUpDeps = ActDeps & {
  readonly ledger: Pick<Ledger, 'topUp'>
  /** A reference that no other top-up uses. */
  readonly newReference: () => string
  readonly now: Clock
}

export const makeTopUp =
  ({ ledger, newReference, now, ...deps }: TopUpDeps): TopUp =>
  async ({ by, workspace, ...command }) => {
    const credit = parseCredit({ workspace, micros: command.micros, reference: command.reference ?? newReference() })
    const acting = {
      by, act: 'wallet.top_up', workspace, subject: workspace, ...(E.isRight(credit) && { details: topUpDetails(credit.right) }),
    } as const
    let isNew = false
    const toppedUp = await perform(
      deps, acting, E.isRight(credit) ? { events: walletToppedUp(credit.right) } : {},
      async (outboxEntries: MakeOutboxEntries<Balance>): Promise<E.Either<Exclude<TopUpError, Forbidden>, Balance>> => {
        if (E.isLeft(credit)) return credit
        return ledger.topUp({ ...credit.right, at: now() }, (balance) => {
          isNew = true
          return outboxEntries(balance)
        })
      },
    )
    return E.isLeft(toppedUp) ? toppedUp : E.right({ ...toppedUp.right, isNew })
  }

type Credit = { readonly workspace: WorkspaceId; readonly micros: bigint; readonly reference: string }

const parseCredit = (given: Credit): E.Either<InvalidAmount | InvalidReference, Credit> => {
  const micros = checkCredit(given.micros)
  if (E.isLeft(micros)) return micros
  const reference = parseReference(given.reference)
  return E.isLeft(reference) ? reference : E.right({ ...given, micros: micros.right, reference: reference.right })
}

const topUpDetails = ({ micros, reference }: Credit) => ({ amount: formatMicros(micros), reference })

/** Corrects a wallet by an amount of either sign, once for each reference. Right: the new balance. */
export type AdjustWallet = (command: AdjustWalletCommand) => Promise<E.Either<AdjustWalletError, ToppedUp>>

/** `note` states the reason, and is kept in the statement; a correction without a reference is always made. */
export type AdjustWalletCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly micros: bigint
  readonly note: string
  readonly reference?: string
}

/** How correcting a wallet can fail. */
export type AdjustWalletError =
  | InvalidAmount | InvalidNote | InvalidReference | UnknownWorkspace | ReferenceReused | BalanceOutOfRange | Forbidden | PortFailure

/** The dependencies of correcting a wallet. */
export type AdjustWalletDeps = ActDeps & {
  readonly ledger: Pick<Ledger, 'adjust'>
  /** A reference that no other correction uses. */
  readonly newReference: () => string
  readonly now: Clock
}

export const makeAdjustWallet =
  ({ ledger, newReference, now, ...deps }: AdjustWalletDeps): AdjustWallet =>
  async ({ by, workspace, ...command }) => {
    const adjustment = parseAdjustment({ workspace, ...command, reference: command.reference ?? newReference() })
    const acting = {
      by,
      act: 'wallet.adjust',
      workspace,
      subject: workspace,
      ...(E.isRight(adjustment) && { details: adjustmentDetails(adjustment.right) }),
    } as const
    let isNew = false
    const adjusted = await perform(
      deps, acting, {},
      async (outboxEntries: MakeOutboxEntries<Balance>): Promise<E.Either<Exclude<AdjustWalletError, Forbidden>, Balance>> => {
        if (E.isLeft(adjustment)) return adjustment
        return ledger.adjust({ ...adjustment.right, at: now() }, (balance) => {
          isNew = true
          return outboxEntries(balance)
        })
      },
    )
    return E.isLeft(adjusted) ? adjusted : E.right({ ...adjusted.right, isNew })
  }

type Given = { readonly workspace: WorkspaceId; readonly micros: bigint; readonly note: string; readonly reference: string }

const parseAdjustment = (given: Given): E.Either<InvalidAmount | InvalidNote | InvalidReference, Given> => {
  const micros = checkCorrection(given.micros)
  if (E.isLeft(micros)) return micros
  const note = parseNote(given.note)
  if (E.isLeft(note)) return note
  const reference = parseReference(given.reference)
  return E.isLeft(reference) ? reference : E.right({ ...given, micros: micros.right, note: note.right, reference: reference.right })
}

const adjustmentDetails = ({ micros, reference, note }: Given) => ({ amount: formatMicros(micros), reference, note })

/** Sets or removes the amount below which a wallet is low. Right: the resulting alerts. */
export type SetWalletAlert = (command: SetWalletAlertCommand) => Promise<E.Either<SetWalletAlertError, AlertState>>

/** The wallet's workspace, and the threshold in micros; `undefined` for none. */
export type SetWalletAlertCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly threshold: bigint | undefined }

/** How setting a threshold can fail. */
export type SetWalletAlertError = InvalidAmount | UnknownWorkspace | Forbidden | PortFailure

/** The dependencies of setting a threshold. */
export type SetWalletAlertDeps = ActDeps & { readonly walletAlerts: Pick<WalletAlerts, 'setThreshold'> }

export const makeSetWalletAlert =
  ({ walletAlerts, ...deps }: SetWalletAlertDeps): SetWalletAlert =>
  async ({ by, workspace, ...command }) => {
    const threshold = command.threshold === undefined ? E.right(undefined) : checkThreshold(command.threshold)
    const details = E.isRight(threshold) && { details: { threshold: threshold.right === undefined ? null : formatMicros(threshold.right) } }
    const acting = { by, act: 'wallet.set_alert', workspace, subject: workspace, ...details } as const
    return perform(
      deps, acting, {},
      async (outboxEntries: MakeOutboxEntries<AlertState>): Promise<E.Either<Exclude<SetWalletAlertError, Forbidden>, AlertState>> =>
        (E.isLeft(threshold) ? threshold : walletAlerts.setThreshold(workspace, threshold.right, outboxEntries)),
    )
  }

/** Checks the books of every workspace: its wallet against its entries and holds, and each hold against the state of its message. */
export type AuditBooks = () => Promise<E.Either<PortFailure, Audit>>

/** The dependencies of checking them. */
export type AuditBooksDeps = {
  readonly ledger: Pick<Ledger, 'audit'>
  readonly messageMoney: Pick<MessageMoney, 'mismatches'>
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly wallet: Pick<Wallet, 'holdOf'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** The age of a message, in milliseconds, from which reconciliation settles a price that is still held. */
  readonly unconfirmedAfterMs: number
}

/** The number of holds in one query. */
const LOOK = 2_000

export const makeAuditBooks =
  (deps: AuditBooksDeps): AuditBooks =>
  async () => {
    const audit = await deps.ledger.audit()
    if (E.isLeft(audit)) return audit
    const mismatches = await standing(deps)
    return E.map((found: ReadonlyArray<MoneyMismatch>): Audit => ({
      ...audit.right,
      broken: [...audit.right.broken, ...found.map((mismatch) => ({ workspace: mismatch.workspace, fault: faultOf(mismatch) }))],
    }))(mismatches)
  }

/** The mismatches that are not just messages under way, whose state and money are written one after the other. */
const standing = async (deps: AuditBooksDeps): Promise<E.Either<PortFailure, ReadonlyArray<MoneyMismatch>>> => {
  const heldSince = firstMessageIdAt(deps.windowClock.now() - deps.unconfirmedAfterMs)
  const found: MoneyMismatch[] = []
  let cursor: string | undefined
  do {
    const page = await deps.messageMoney.mismatches({ limit: LOOK, ...(cursor !== undefined && { cursor }) })
    if (E.isLeft(page)) return page
    found.push(...page.right.items.filter(({ hold, message }) => hold !== 'held' || message < heldSince))
    cursor = page.right.next
  } while (cursor !== undefined)
  const still: MoneyMismatch[] = []
  for (const mismatch of found) {
    const stands = await isUnchanged(deps, mismatch)
    if (E.isLeft(stands)) return stands
    if (stands.right) still.push(mismatch)
  }
  return E.right(still)
}

const isUnchanged = async (
  { messageLog, wallet }: AuditBooksDeps, { workspace, message, hold, state }: MoneyMismatch,
): Promise<E.Either<PortFailure, boolean>> => {
  const found = await messageLog.find(workspace, { id: message })
  if (E.isLeft(found)) return found
  return E.map((now: typeof hold | undefined) => now === hold && O.toUndefined(found.right)?.state === state)(
    await wallet.holdOf({ workspace, message }),
  )
}

const faultOf = ({ message, hold, state }: MoneyMismatch): string =>
  `the price of ${message} is ${hold}, but ${state === undefined ? 'there is no such message' : `the message is ${state}`}`

/**
 * Adds up the cost of a workspace's messages from the beginning of the UTC day of `since` until now or `before`. The sums by category cover all messages and come from the
 * roll-up. The sums by category, market, template and API key cover the newest `SPEND_LOOKED_AT` messages, because the roll-up contains none of these. With `sender`
 * only messages of that sender count, those among the newest `SPEND_LOOKED_AT` messages of the workspace.
 */
export type ReportSpend = (
  workspace: WorkspaceId, since: Instant, before?: Instant, sender?: SenderFilter,
) => Promise<E.Either<PortFailure, SpendReport>>

/** Spending, highest amount first. `messages` are those in `shares`. `reachedBack` is set if older messages were not looked at; it is when the oldest one looked at was opened. */
export type SpendReport = {
  readonly categories: ReadonlyArray<CategorySpend>
  readonly shares: ReadonlyArray<SpendShare>
  readonly templates: ReadonlyArray<TemplateSpend>
  readonly keys: ReadonlyArray<KeySpend>
  readonly messages: number
  readonly reachedBack: Instant | undefined
}

/** A number of messages, and their cost in micros. */
type Spent = { readonly messages: number; readonly micros: bigint }

/** The messages of a template and their cost in micros; `undefined` for messages without a template. */
export type TemplateSpend = { readonly template: string | undefined; readonly messages: number; readonly micros: bigint }

/**
 * The messages that were sent with an API key or one of its rotated successors, and their cost in micros. `undefined` for messages that people sent in the console,
 * and for messages of a version that did not record the key.
 */
export type KeySpend = { readonly key: Pick<ApiKey, 'id' | 'name'> | undefined; readonly messages: number; readonly micros: bigint }

/** The charged messages of a category and their cost in micros, as far as they are rolled up. */
export type CategorySpend = { readonly category: Category; readonly messages: number; readonly micros: bigint }

/** The messages of a category to a market, and their cost in micros; the market of erased customers is unknown. */
export type SpendShare = {
  readonly category: Category
  readonly market: string | undefined
  readonly messages: number
  readonly micros: bigint
}

/** The first line of a CSV file of the cost of templates, with its line end. */
export const TEMPLATES_CSV_HEADER = csvLine(['template', 'messages', 'cost', 'currency'])

/**
 * The lines of a CSV file of the cost of templates, with their line ends; an empty name stands for messages without a template.
 *
 * If the report did not look at all messages, a last line named `(not looked at)` contains the rest of the sum of the categories, so that the file shows the whole spend.
 */
export const templateCsvLines = ({ templates, categories, reachedBack }: SpendReport, currency: Currency): ReadonlyArray<string> => {
  const line = (template: string, { messages, micros }: Spent): string =>
    csvLine([template, String(messages), formatMicros(micros), currency])
  const [all, looked] = [spendSum(categories), spendSum(templates)]
  const rest = { messages: all.messages - looked.messages, micros: all.micros - looked.micros }
  return [
    ...templates.map((one) => line(one.template ?? '', one)),
    ...(reachedBack === undefined || rest.messages <= 0 ? [] : [line('(not looked at)', rest)]),
  ]
}

/** The sum of the lines of a report. */
export const spendSum = (lines: ReadonlyArray<Spent>): Spent =>
  lines.reduce(
    (sum, { messages, micros }) => ({ messages: sum.messages + messages, micros: sum.micros + micros }), { messages: 0, micros: 0n },
  )

/** The dependencies of the report. */
export type ReportSpendDeps = {
  readonly messageLog: Pick<MessageLog, 'list'>
  readonly messageStatistics: Pick<MessageStatistics, 'counts'>
  readonly keyStore: Pick<KeyStore, 'list'>
  readonly now: Clock
  /** The market of a customer, as the rate card names it. */
  readonly marketOf: (to: CustomerId) => string
}

/** The maximum number of messages that one report looks at, and how many are read at once. */
const SPEND_LOOKED_AT = 5_000
const READ_AT_ONCE = 200

export const makeReportSpend =
  ({ keyStore, messageLog, messageStatistics, marketOf, now }: ReportSpendDeps): ReportSpend =>
  async (workspace, moment, before, sender) => {
    const since = bucketStart('1d', moment)
    const [counts, keys] = await Promise.all([
      messageStatistics.counts(workspace, '1d', { from: since, to: before ?? now() + 1 }, sender), keyStore.list(workspace),
    ])
    if (E.isLeft(counts)) return counts
    if (E.isLeft(keys)) return keys
    const categories = spendByCategory(counts.right)
    const [shares, templates, byKey] = [
      new Map<string, SpendShare>(), new Map<string | undefined, TemplateSpend>(), new Map<string | undefined, KeySpend>(),
    ]
    const keyOf = namesOfRotations(keys.right)
    let messages = 0
    const report = (reachedBack: Instant | undefined): SpendReport =>
      ({
        categories, shares: dearestFirst([...shares.values()]), templates: dearestFirst([...templates.values()]),
        keys: dearestFirst([...byKey.values()]), messages, reachedBack,
      })
    let cursor: string | undefined
    for (let looked = 0; looked < SPEND_LOOKED_AT; looked += READ_AT_ONCE) {
      const read = await messageLog.list(workspace, {
        limit: READ_AT_ONCE, ...(cursor !== undefined && { cursor }), ...(before !== undefined && { before }),
      })
      if (E.isLeft(read)) return read
      const { items, next } = read.right
      const inTime = items.filter(({ createdAt }) => createdAt >= since)
      for (const message of inTime.filter((one) => isCharged(one) && (sender === undefined || isThrough(sender, one)))) {
        const { keyId, price: { category, micros }, templateName: template, to } = message
        const market = isForgotten(to) ? undefined : marketOf(to)
        const key = keyId === undefined ? undefined : keyOf(keyId)
        addMessage(shares, `${category} ${market ?? ''}`, { category, market }, micros)
        addMessage(templates, template, { template }, micros)
        addMessage(byKey, key?.id, { key }, micros)
        messages += 1
      }
      if (next === undefined || inTime.length < items.length) return E.right(report(undefined))
      if (looked + READ_AT_ONCE >= SPEND_LOOKED_AT) return E.right(report(items.at(-1)?.createdAt))
      cursor = next
    }
    return E.right(report(undefined))
  }

/** The UTC months whose messages are all counted, newest first, each with the cost of its messages by category; the first month is the current one. */
export type ListMonths = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<MonthSpend>>>

/** The cost of the messages of a month. It ends before `end`. */
export type MonthSpend = { readonly start: Instant; readonly end: Instant; readonly categories: ReadonlyArray<CategorySpend> }

/** The dependencies of listing months. */
export type ListMonthsDeps = Pick<ReportSpendDeps, 'messageStatistics' | 'now'>

export const makeListMonths =
  ({ messageStatistics, now }: ListMonthsDeps): ListMonths =>
  async (workspace) => {
    const at = now()
    const starts = monthsUntil(at).filter((start, index) => index === 0 || start >= at - KEPT_MS['1d'])
    const counts = await messageStatistics.counts(workspace, '1d', { from: Math.min(...starts), to: at + 1 })
    return E.map((all: ReadonlyArray<MessageCount>) => starts.map((start): MonthSpend => {
      const end = monthAfter(start)
      return { start, end, categories: spendByCategory(all.filter((count) => count.start >= start && count.start < end)) }
    }))(counts)
  }

const monthStart = (at: Instant): Instant => Date.parse(`${iso(at).slice(0, 7)}-01T00:00:00Z`)

/** No month has more than 31 days, so 32 days after the beginning of a month the next one has begun. */
const monthAfter = (start: Instant): Instant => monthStart(start + 32 * DAY_MS)

/** The beginnings of a month and of the previous months that may still be counted, newest first. */
const monthsUntil = (at: Instant): ReadonlyArray<Instant> => {
  const present = monthStart(at)
  const last = monthStart(present - 1)
  return [present, last, monthStart(last - 1)]
}

const spendByCategory = (counts: ReadonlyArray<MessageCount>): ReadonlyArray<CategorySpend> => {
  const sums = new Map<Category, CategorySpend>()
  for (const { state, category, messages, micros } of counts) {
    if (moneyMove(state) !== 'capture') continue
    const before = sums.get(category) ?? { category, messages: 0, micros: 0n }
    sums.set(category, { category, messages: before.messages + messages, micros: before.micros + micros })
  }
  return dearestFirst([...sums.values()])
}

const isCharged = ({ state }: MessageRecord): boolean => moneyMove(state) === 'capture'

/** Adds a message to the line of a report with its name; `line` contains the fields of a new line. */
const addMessage = <Name, Line extends object>(lines: Map<Name, Line & Spent>, name: Name, line: Line, micros: bigint): void => {
  const before = lines.get(name)
  lines.set(name, { ...line, messages: (before?.messages ?? 0) + 1, micros: (before?.micros ?? 0n) + micros })
}

const dearestFirst = <A extends { readonly micros: bigint }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...all].sort((a, b) => (a.micros < b.micros ? 1 : a.micros > b.micros ? -1 : 0))

/** Lists the keys of a workspace, oldest first, with today's spending of the keys that have a limit. */
export type ListKeys = (command: {
  readonly by: Actor
  readonly workspace: WorkspaceId
}) => Promise<E.Either<Forbidden | PortFailure, ReadonlyArray<KeyInUse>>>

/** A key in its current state. */
export type KeyInUse = ApiKey & {
  /** Whether it is neither revoked nor expired. */
  readonly isValid: boolean
  /** Today's spending (UTC) of this key and the other keys of its rotations, in micros; undefined if it has no limit. */
  readonly spentToday: bigint | undefined
}

/** The dependencies of listing keys. */
export type ListKeysDeps = ActDeps & {
  readonly keyStore: Pick<KeyStore, 'list'>
  readonly ledger: Pick<Ledger, 'keySpending'>
  readonly now: Clock
}

export const makeListKeys =
  ({ keyStore, ledger, now, ...deps }: ListKeysDeps): ListKeys =>
  async ({ by, workspace }) => {
    const allowed = await checkView(deps, { by, act: 'workspace.view', workspace })
    if (E.isLeft(allowed)) return allowed
    const keys = await keyStore.list(workspace)
    if (E.isLeft(keys)) return keys
    const firsts = firstOfRotations(keys.right)
    const limited = keys.right.filter(({ spendingLimit }) => spendingLimit !== undefined)
    const at = now()
    const spent = await ledger.keySpending(workspace, [...new Set(limited.map(({ id }) => firsts(id)))], at)
    if (E.isLeft(spent)) return spent
    return E.right(keys.right.map((key) => ({
      ...key, isValid: !hasEnded(key, at), spentToday: key.spendingLimit === undefined ? undefined : spent.right.get(firsts(key.id)) ?? 0n,
    })))
  }

/** Returns for each key the identity that stands for all of its rotations: the id of the first key, with the name of the newest. An unknown key has no name. */
const namesOfRotations = (keys: ReadonlyArray<ApiKey>): ((id: string) => Pick<ApiKey, 'id' | 'name'>) => {
  const firsts = firstOfRotations(keys)
  const names = new Map(keys.map(({ id, name }) => [firsts(id), name]))
  return (id) => {
    const first = firsts(id)
    return { id: first, name: names.get(first) ?? '' }
  }
}

/** Finds the first key of the rotations that a key came from; the spending of all of them is counted under its id. */
const firstOfRotations = (keys: ReadonlyArray<ApiKey>): ((id: string) => string) => {
  const predecessors = new Map(keys.flatMap(({ id, replacedBy }) => (replacedBy === undefined ? [] : [[replacedBy, id] as const])))
  return (id) => {
    let first = id
    for (let before = predecessors.get(first); before !== undefined; before = predecessors.get(first)) first = before
    return first
  }
}
