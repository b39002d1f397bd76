import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { portFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Balance, type Currency, MAX_MICROS } from '../../core/kernel/money.js'
import { DAY_MS } from '../../core/kernel/time.js'
import type { Adjustment, Credit, Entry, Ledger } from '../../core/money/ledger.js'
import { newName } from '../laws/ids.js'
import { type LedgerFixture, ledgerLaws } from '../laws/ledger.js'
import { andThen, brokenMemory, noting, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const KEY_SPENDING = 'the spending of keys is the prices of their holds of that day that are held or captured, and 0 for a key without any'

type Added = ReturnType<Ledger['topUp']>

const EMPTY: Balance = { available: 0n, held: 0n, currency: 'USD' as Currency }
const down = portFailure('Ledger')('down')
const broken = (defect: (ledger: Ledger) => Partial<Ledger>): (() => Promise<LedgerFixture>) => brokenMemory('ledger', defect)

const balanceNow = ({ balance }: Ledger, workspace: WorkspaceId): Added => withResult(balance(workspace), O.getOrElse(() => EMPTY))

/** Replaces what an addition answers by the balance where `when` says so. */
const answeringBalance = async (ledger: Ledger, workspace: WorkspaceId, task: Added, when: (answer: Awaited<Added>) => boolean): Added => {
  const answer = await task
  return when(answer) ? balanceNow(ledger, workspace) : answer
}

const failedWith = (tag: string) => (answer: Awaited<Added>): boolean => E.isLeft(answer) && answer.left._tag === tag

/** A ledger that answers one failure of both kinds of addition with the balance. */
const ignoringFailure = (tag: string) => broken((ledger) => ({
  topUp: (credit) => answeringBalance(ledger, credit.workspace, ledger.topUp(credit), failedWith(tag)),
  adjust: (credit) => answeringBalance(ledger, credit.workspace, ledger.adjust(credit), failedWith(tag)),
}))

/** A ledger that changes every addition before it is made. */
const changing = (change: <One extends Credit>(credit: One) => One) =>
  broken(({ topUp, adjust }) => ({ topUp: (credit) => topUp(change(credit)), adjust: (adjustment) => adjust(change(adjustment)) }))

const changingEntries = (change: (entries: ReadonlyArray<Entry>) => ReadonlyArray<Entry>) => broken(({ statement }) => ({
  statement: (...of) => withResult(statement(...of), ({ items, next }) => ({ items: change(items), next })),
}))

describeMutations('the ledger', ledgerLaws, [
  {
    defect: 'has a balance where there is no workspace',
    open: broken(({ balance }) => ({ balance: (of) => withResult(balance(of), O.alt(() => O.some(EMPTY))) })),
    breaks: ['a new wallet is empty, and a workspace that does not exist has no balance'],
  },
  { defect: 'answers with the balance before', open: broken((ledger) => ({
    topUp: (credit) => andThen(balanceNow(ledger, credit.workspace), (before) => withResult(ledger.topUp(credit), () => before)),
    adjust: (credit) => andThen(balanceNow(ledger, credit.workspace), (before) => withResult(ledger.adjust(credit), () => before)),
  })), breaks: ['a top-up is answered with the balance afterwards', 'an adjustment of either sign is answered with the balance afterwards'] },
  { defect: 'ignores references', open: changing((credit) => ({ ...credit, reference: newName() })), breaks: [
    'the same reference with the same amount credits a workspace once',
    'concurrent top-ups with one reference and different amounts credit one of them',
    'concurrent top-ups with the same reference credit once',
    'the same reference with the same amount adjusts a wallet once, and the first note is kept',
  ] },
  { defect: 'answers another amount of a reference with success', open: ignoringFailure('ReferenceReused'), breaks: [
    'a reference that was credited with another amount is ReferenceReused with that amount, and nothing is added',
    'a reference of an adjustment with another amount is ReferenceReused with the first one, and nothing changes',
  ] },
  { defect: 'keeps the reference of a refused top-up', open: broken(({ topUp }) => {
    const refused = new Set<string>()
    return {
      topUp: async (credit) => {
        if (refused.has(credit.reference)) return E.left(down)
        const answer = await topUp(credit)
        if (E.isLeft(answer)) refused.add(credit.reference)
        return answer
      },
    }
  }), breaks: ['a reference is free again where its top-up was refused'] },
  { defect: 'loses all but one of concurrent top-ups', open: broken((ledger) => {
    const busy = new Set<string>()
    return {
      topUp: async (credit) => {
        if (busy.has(credit.workspace)) return balanceNow(ledger, credit.workspace)
        busy.add(credit.workspace)
        const answer = await ledger.topUp(credit)
        await new Promise((resolve) => { setImmediate(resolve) })
        busy.delete(credit.workspace)
        return answer
      },
    }
  }), breaks: ['concurrent top-ups with different references credit each', 'one top-up among concurrent ones that is refused costs its neighbours nothing'] },
  { defect: 'has one list of references for all workspaces', open: broken((ledger) => {
    const owners = new Map<string, WorkspaceId>()
    return {
      topUp: (credit) => {
        const owner = owners.get(credit.reference) ?? credit.workspace
        owners.set(credit.reference, owner)
        return owner === credit.workspace ? ledger.topUp(credit) : balanceNow(ledger, credit.workspace)
      },
    }
  }), breaks: ['a reference of another workspace is a reference of its own'] },
  {
    defect: 'compares references without case and spaces',
    open: changing((credit) => ({ ...credit, reference: credit.reference.trim().toLowerCase() })),
    breaks: ['references that differ in any character are different references'],
  },
  { defect: 'answers an unknown workspace with success', open: ignoringFailure('UnknownWorkspace'), breaks: [
    'money cannot be added to a workspace that does not exist',
    'a workspace that does not exist cannot be adjusted',
  ] },
  { defect: 'answers a balance out of range with success', open: ignoringFailure('BalanceOutOfRange'), breaks: [
    'a balance that would pass the most a wallet can hold is BalanceOutOfRange, and nothing is added',
    'an adjustment never takes available below zero, not even among concurrent holds',
    'an adjustment never takes a wallet beyond the most it can hold',
  ] },
  { defect: 'does not count money on hold', open: broken((ledger) => ({
    topUp: (credit) => andThen(balanceNow(ledger, credit.workspace), ({ held }) =>
      answeringBalance(ledger, credit.workspace, ledger.topUp(credit), (answer) => held > 0n && failedWith('BalanceOutOfRange')(answer))),
  })), breaks: ['money on hold counts towards the most a wallet can hold'] },
  {
    defect: 'fails for an amount that no wallet can hold',
    open: broken(({ topUp }) => ({ topUp: async (credit) => (credit.micros > MAX_MICROS ? E.left(down) : topUp(credit)) })),
    breaks: ['an amount that no wallet can hold is BalanceOutOfRange'],
  },
  { defect: 'counts in floating point', open: changing((credit) => ({ ...credit, micros: BigInt(Number(credit.micros)) })), breaks: ['amounts beyond 2^53 micros are added exactly'] },
  { defect: 'keeps no note', open: changingEntries((entries) => entries.map(({ note: _note, ...entry }) => entry)), breaks: [
    'an adjustment is an entry with its amount, its reference and its note as given',
    'the note of a move is kept with the entry that the move writes',
  ] },
  {
    defect: 'lists a hold at the amount that was captured',
    open: changingEntries((entries) => entries.map((entry) => {
      const captured = entries.find(({ kind, message }) => kind === 'capture' && message === entry.message)
      return entry.kind === 'hold' && captured !== undefined ? { ...entry, micros: captured.micros } : entry
    })),
    breaks: ['a captured part is a capture of the part and a release of the rest, and the hold keeps its first amount'],
  },
  { defect: 'has one list of references for top-ups and adjustments', open: broken((ledger) => {
    const credited = new Set<string>()
    return {
      topUp: (credit) => noting(ledger.topUp(credit), () => void credited.add(credit.reference)),
      adjust: (adjustment: Adjustment) =>
        credited.has(adjustment.reference) ? balanceNow(ledger, adjustment.workspace) : ledger.adjust(adjustment),
    }
  }), breaks: ['references of adjustments are apart from those of top-ups'] },
  { defect: 'refuses to adjust a wallet below zero', open: broken((ledger) => ({
    adjust: (adjustment) => andThen(balanceNow(ledger, adjustment.workspace), async ({ available }): Added =>
      (available < 0n ? E.left({ _tag: 'BalanceOutOfRange' }) : ledger.adjust(adjustment))),
  })), breaks: ['a wallet whose available is below zero may be adjusted upwards'] },
  { defect: 'leaves adjustments out of its audit', open: broken(({ adjust, audit }) => {
    const adjusted = new Set<WorkspaceId>()
    return {
      adjust: (adjustment) => noting(adjust(adjustment), () => void adjusted.add(adjustment.workspace)),
      audit: () => withResult(audit(), ({ broken: found, workspaces }) => ({
        workspaces, broken: [...found, ...Array.from(adjusted, (workspace) => ({ workspace, fault: 'its entries say less' }))],
      })),
    }
  }), breaks: ['adjustments are part of what an audit compares'] },
  { defect: 'lists the oldest entry first', open: changingEntries((entries) => entries.toReversed()), breaks: ['a statement has every movement of a wallet, newest first'] },
  {
    defect: 'lists a hold twice',
    open: changingEntries((entries) => entries.flatMap((entry) => (entry.kind === 'hold' ? [entry, entry] : [entry]))),
    breaks: ['what changes nothing leaves no entry'],
  },
  { defect: 'shows another workspace\'s entries where a wallet has none', open: broken(({ topUp, statement }) => {
    const funded: WorkspaceId[] = []
    return {
      topUp: (credit) => noting(topUp(credit), () => void funded.push(credit.workspace)),
      statement: (workspace, query) =>
        andThen(statement(workspace, query), (page) => statement(page.items.length > 0 ? workspace : funded[0] ?? workspace, query)),
    }
  }), breaks: ['a statement never has another workspace\'s entries'] },
  {
    defect: 'lists the first page only',
    open: broken(({ statement }) => ({ statement: (...of) => withResult(statement(...of), ({ items }) => ({ items, next: undefined })) })),
    breaks: ['pages of a statement have each entry exactly once, though others are written meanwhile'],
  },
  { defect: 'sets next though the last page is full', open: broken(({ statement }) => ({
    statement: (workspace, query) =>
      withResult(statement(workspace, query), ({ items }) => ({
        items, next: items.length === query.limit ? items.at(-1)?.id : undefined,
      })),
  })), breaks: ['the last page of a statement has no next, also where it is full'] },
  { defect: 'fails for a cursor of another list', open: broken(({ statement }) => {
    const given = new Set<string>()
    return {
      statement: async (workspace, query) => {
        if (query.cursor !== undefined && !given.has(`${workspace} ${query.cursor}`)) return E.left(down)
        const answer = await statement(workspace, query)
        if (E.isRight(answer)) given.add(`${workspace} ${answer.right.next ?? ''}`)
        return answer
      },
    }
  }), breaks: ['a statement\'s cursor that is none of ours, or of another list, never fails'] },
  { defect: 'leaves captures out', open: changingEntries((entries) => entries.filter(({ kind }) => kind !== 'capture')), breaks: ['available, held, captured and refunded add up to what was topped up'] },
  { defect: 'adds the spending of all days up', open: broken(({ keySpending }) => ({
    keySpending: async (workspace, keys, at) => {
      const [day, next] = [await keySpending(workspace, keys, at), await keySpending(workspace, keys, at + DAY_MS)]
      return E.isLeft(day) || E.isLeft(next)
        ? day
        : E.right(new Map(Array.from(day.right, ([key, spent]) => [key, spent + (next.right.get(key) ?? 0n)])))
    },
  })), breaks: [KEY_SPENDING] },
  { defect: 'leaves out keys that spent nothing', open: broken(({ keySpending }) => ({
    keySpending: (...of) => withResult(keySpending(...of), (spent) => new Map([...spent].filter(([, micros]) => micros > 0n))),
  })), breaks: [KEY_SPENDING] },
  { defect: 'adds only what is available up', open: broken(({ totals }) => ({
    totals: () => withResult(totals(), (all) => all.map((balance) => ({ ...balance, held: 0n }))),
  })), breaks: ['the totals are what all wallets of a currency have together'] },
  { defect: 'shows settled holds as open', open: broken(({ statement }) => ({
    openHolds: (workspace, limit) => withResult(statement(workspace, { limit: 100 }), ({ items }) =>
      items.flatMap(({ kind, message, micros, at }) =>
        kind === 'hold' && message !== undefined ? [{ message, micros, at }] : []).toReversed().slice(0, limit)),
  })), breaks: ['the open holds of a workspace are those that are still held, oldest first, and at most as many as asked for'] },
  { defect: 'leaves releases out of the books', open: broken(({ books }) => ({
    books: (of) => withResult(books(of), O.map(({ entries: { release: _release, ...entries }, ...wallet }) => ({ ...wallet, entries }))),
  })), breaks: ['the books of a workspace are its wallet and the sums of its entries and holds, and of no other workspace'] },
  { defect: 'takes a cursor for the place of an entry that it knows', open: broken(({ statement }) => ({
    statement: (workspace, query) =>
      query.cursor !== undefined && /^(f+|0+)$/.test(query.cursor)
        ? statement(workspace, { limit: query.limit })
        : statement(workspace, query),
  })), breaks: ['a cursor of a statement is compared like the id of an entry'] },
  {
    defect: 'counts no workspaces',
    open: broken(({ audit }) => ({ audit: () => withResult(audit(), ({ broken: found }) => ({ workspaces: 0, broken: found })) })),
    breaks: ['an audit counts the workspaces and finds nothing off where nothing is'],
  },
  { defect: 'lists movements newest first', open: broken(({ movements }) => ({
    movements: (...of) => withResult(movements(...of), ({ items, next }) => ({ items: items.toReversed(), next })),
  })), breaks: ['the movements of a period are those that change the balance, oldest first, page by page, and those of zero only on request'] },
  { defect: 'has the present balance at the end of every period', open: broken(({ days, balance }) => ({
    days: async (workspace, period) => {
      const now = await balance(workspace)
      const total = E.isRight(now) && O.isSome(now.right) ? now.right.value.available + now.right.value.held : 0n
      return withResult(days(workspace, period), O.map((found) => ({ ...found, closing: total })))
    },
  })), breaks: ['the days of a period have the sums of its movements by kind, and the balance at its end'] },
  { defect: 'puts movements into the day before', open: broken(({ days }) => ({
    days: (...of) => withResult(days(...of), O.map((found) =>
      ({ ...found, days: found.days.map((day) => ({ ...day, start: day.start - DAY_MS })) }))),
  })), breaks: ['a movement belongs to the UTC day in its id'] },
])
