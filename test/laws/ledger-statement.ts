import * as O from 'fp-ts/lib/Option.js'
import type { PageQuery } from '../../core/kernel/page.js'
import { auditWallet, type Entry } from '../../core/money/ledger.js'
import type { NewHold } from '../../core/money/wallet.js'
import { allPages, done, holds, same } from './expect.js'
import { GARBAGE_CURSORS, newName, newWorkspaceId, nextMoment, numbersFrom, times } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, type LedgerWorkspace, type Line, linesOf, NOON, openLedgerWorkspace } from './ledger-fixture.js'

/** The promises of a `Ledger` about its statements and about its audit of correct books. */
export const statementLaws: ReadonlyArray<Law<LedgerFixture>> = [
  {
    name: 'the totals are what all wallets of a currency have together',
    check: async (fixture) => {
      const { ledger, wallet } = fixture
      const [one, other] = [await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture)]
      const total = async () => {
        const totals = await done('the totals are read', ledger.totals())
        same('how many balances a currency has', totals.filter(({ currency }) => currency === one.currency).length, 1)
        return totals.find(({ currency }) => currency === one.currency) ?? { available: 0n, held: 0n }
      }
      const before = await total()
      await one.topUp(700n)
      await other.topUp(50n)
      await done('a price is set aside', wallet.hold(other.price(20n)))
      const after = await total()
      same(
        'what was added', { available: after.available - before.available, held: after.held - before.held }, { available: 730n, held: 20n },
      )
    },
  },
  {
    name: 'a statement has every movement of a wallet, newest first',
    check: async (fixture) => {
      const { wallet } = fixture
      const { price, topUp, statement } = await openLedgerWorkspace(fixture)
      same('a new wallet', await statement(), [])
      const reference = newName()
      const lines: Line[] = []
      const expectLine = (kind: Line['kind'], { message, amount, at }: NewHold): void =>
        void lines.unshift({ kind, micros: amount.micros, message, reference: undefined, at })
      const hold = async (micros: bigint): Promise<NewHold> => {
        const held = price(micros, await nextMoment())
        await done('hold', wallet.hold(held))
        expectLine('hold', held)
        return held
      }
      const move = async (kind: 'capture' | 'release' | 'refund', held: NewHold): Promise<void> => {
        const of = { ...held, at: await nextMoment() }
        await done(kind, wallet[kind](of))
        expectLine(kind, of)
      }
      const at = await nextMoment()
      await topUp(1_000n, reference, at)
      lines.unshift({ kind: 'top_up', micros: 1_000n, message: undefined, reference, at })
      const spent = await hold(30n)
      await move('capture', spent)
      await move('refund', spent)
      const spare = await hold(20n)
      await move('release', spare)
      await move('capture', spare)
      const entries = await statement()
      same('the movements, newest first', linesOf(entries), lines)
      same('each entry has an id of its own', new Set(entries.map(({ id }) => id)).size, lines.length)
    },
  },
  {
    name: 'a captured part is a capture of the part and a release of the rest, and the hold keeps its first amount',
    check: async (fixture) => {
      const { wallet, ledger } = fixture
      const { workspace, price, topUp, statement } = await openLedgerWorkspace(fixture)
      await topUp(1_000n, newName(), await nextMoment())
      const [fresh, late] = [price(30n, await nextMoment()), price(50n, await nextMoment())]
      for (const hold of [fresh, late]) await done('hold', wallet.hold(hold))
      await done('release', wallet.release({ ...late, at: await nextMoment() }))
      for (const again of ['seen', 'seen again']) {
        await done('a part', wallet.capturePart({ ...fresh, micros: 12n, at: await nextMoment(), note: again }))
        await done('a part of a released hold', wallet.capturePart({ ...late, micros: 20n, at: await nextMoment() }))
      }
      await done('refund', wallet.refund({ ...fresh, at: await nextMoment() }))
      const entries = await statement()
      const of = ({ message }: NewHold) => entries.filter((entry) => entry.message === message).map(({ kind, micros }) => [kind, micros])
        .toReversed()
      same('the part of a hold', of(fresh).toSorted(), [['capture', 12n], ['hold', 30n], ['refund', 12n], ['release', 18n]])
      same('the part of a released hold', of(late), [['hold', 50n], ['release', 50n], ['capture', 20n]])
      const noted = entries.filter(({ note }) => note !== undefined)
      same('the notes', noted.map(({ kind, note }) => [kind, note]).toSorted(), [['capture', 'seen'], ['release', 'seen']])
      const books = await done('the books are read', ledger.books(workspace))
      same('nothing is off', O.isSome(books) ? auditWallet(books.value) : ['no books'], [])
      same('the captured holds', O.isSome(books) && books.value.holds.captured, 20n)
      const days = O.toUndefined(await done('the days are read', ledger.days(workspace, { from: '0', to: 'g' })))
      same('the balance at the end', days?.closing, 980n)
      same(
        'the sums of the captures and refunds', ['capture', 'refund'].map((kind) =>
          (days?.days ?? []).reduce((sum, day) => (day.kind === kind ? sum + day.micros : sum), 0n)), [32n, 12n],
      )
    },
  },
  {
    name: 'the note of a move is kept with the entry that the move writes',
    check: async (fixture) => {
      const { wallet } = fixture
      const { topUp, price, statement } = await openLedgerWorkspace(fixture)
      await topUp(100n)
      const [first, second] = [price(30n), price(40n)]
      for (const hold of [first, second]) await done('a hold succeeds', wallet.hold(hold))
      await Promise.all([
        done('a capture with a note', wallet.capture({ ...first, note: 'seen as sent: ünï' })),
        done('a capture without a note', wallet.capture(second)),
      ])
      await done('a refund with a note', wallet.refund({ ...first, note: 'given back' }))
      await done('a repeated refund with another note', wallet.refund({ ...first, note: 'once more' }))
      const noted = (await statement()).filter(({ kind }) => kind === 'capture' || kind === 'refund')
      same(
        'each entry has the note of its move', new Set(noted.map(({ kind, message, note }) => [kind, message, note].join(' '))), new Set([
          ['capture', first.message, 'seen as sent: ünï'].join(' '), ['capture', second.message, undefined].join(' '),
          ['refund', first.message, 'given back'].join(' '),
        ]),
      )
    },
  },
  {
    name: 'what changes nothing leaves no entry',
    check: async (fixture) => {
      const { wallet } = fixture
      const { price, topUp, statement } = await openLedgerWorkspace(fixture)
      await topUp(100n)
      const hold = price(30n)
      await Promise.all(times(3, () => done('hold', wallet.hold(hold))))
      await wallet.hold(price(500n))
      for (const move of ['release', 'release', 'refund', 'refund', 'capture', 'release'] as const) await done(move, wallet[move](hold))
      await done('a move without a hold', wallet.capture(price(1n)))
      same('one entry for each movement', (await statement()).map(({ kind }) => kind).toSorted(), ['hold', 'release', 'top_up'])
    },
  },
  {
    name: 'a statement never has another workspace\'s entries',
    check: async (fixture) => {
      const [ours, theirs] = [await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture)]
      await ours.topUp(100n)
      same('another workspace', await theirs.statement(), [])
      const nowhere = await done('statement', fixture.ledger.statement(newWorkspaceId(), { limit: 5 }))
      same('no workspace', nowhere, { items: [], next: undefined })
    },
  },
  {
    name: 'pages of a statement have each entry exactly once, though others are written meanwhile',
    check: async (fixture) => {
      const { workspace, topUp, statement } = await openLedgerWorkspace(fixture)
      for (const step of times(7, (index) => index)) await topUp(BigInt(step + 1), newName(), await nextMoment())
      const all = await statement()
      same('the entries, newest first', all.map(({ micros }) => micros), [7n, 6n, 5n, 4n, 3n, 2n, 1n])
      const read = (query: Parameters<LedgerFixture['ledger']['statement']>[1]) => fixture.ledger.statement(workspace, query)
      for (const limit of [1, 3, 7]) same(`pages of ${limit}`, await allPages('statement', read, limit), all)
      const seen = await allPages('statement', read, 2, async () => topUp(100n, newName(), await nextMoment()))
      same('pages while money is added', seen, all)
    },
  },
  {
    name: 'the last page of a statement has no next, also where it is full',
    check: async (fixture) => {
      const { workspace, topUp } = await openLedgerWorkspace(fixture)
      for (const step of times(4, (index) => index)) await topUp(BigInt(step + 1), newName(), await nextMoment())
      const read = (query: PageQuery) => done('statement', fixture.ledger.statement(workspace, query))
      for (const limit of [4, 5]) same('a page with every entry has no next', (await read({ limit })).next, undefined)
      const { next } = await read({ limit: 2 })
      const last = await read({ limit: 2, ...(next !== undefined && { cursor: next }) })
      same('a full page with every entry that is left', [last.items.map(({ micros }) => micros), last.next], [[2n, 1n], undefined])
    },
  },
  {
    name: 'a statement\'s cursor that is none of ours, or of another list, never fails',
    check: async (fixture) => {
      const [ours, theirs] = [await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture)]
      for (const { topUp } of [ours, theirs]) for (const micros of [1n, 2n]) await topUp(micros)
      const other = await done('another statement', fixture.ledger.statement(theirs.workspace, { limit: 1 }))
      const { message } = ours.price(1n)
      for (const cursor of [
        ...GARBAGE_CURSORS, ...(other.next === undefined ? [] : [other.next]), message, `${NOON}.${message}`, ours.workspace,
      ]) {
        const { items } = await done('a cursor that is none of ours', fixture.ledger.statement(ours.workspace, { limit: 5, cursor }))
        const foreign = items.filter(({ id }) => other.items.some((entry) => entry.id === id))
        same('a cursor of another workspace shows nothing of it', foreign, [])
      }
    },
  },
  {
    name: 'available, held, captured and refunded add up to what was topped up',
    check: async (fixture) => {
      const account = await openLedgerWorkspace(fixture)
      for (const seed of [1, 2, 3]) {
        await busy(fixture, account, seed)
        const entries = await allPages('statement', (query) => fixture.ledger.statement(account.workspace, query), 50)
        const { available, held } = await account.topUp(1n)
        const sum = (kind: Entry['kind']): bigint =>
          entries.filter((entry) => entry.kind === kind).reduce((total, { micros }) => total + micros, 0n)
        same(`the books (seed ${seed})`, available + held + sum('capture') - sum('refund'), sum('top_up') + sum('adjustment') + 1n)
        const negative = entries.filter(({ kind, micros }) => kind !== 'adjustment' && micros < 0n)
        same('no entry but an adjustment is negative', linesOf(negative), [])
      }
    },
  },
  {
    name: 'an audit counts the workspaces and finds nothing off where nothing is',
    check: async (fixture) => {
      const [untouched, settled, mixed] = [
        await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture),
      ]
      await Promise.all([everyMove(fixture, settled), busy(fixture, mixed, 10)])
      const accounts = [untouched, settled, mixed]
      const { workspaces, broken } = await done('an audit', fixture.ledger.audit())
      holds('an audit looks at every workspace', workspaces >= accounts.length, workspaces)
      const ours = accounts.map(({ workspace }) => workspace)
      same('an audit finds nothing off in sound books', broken.filter(({ workspace }) => ours.includes(workspace)), [])
    },
  },
]

const ENDS = [
  [], ['capture'], ['release'], ['refund'], ['capture', 'refund'], ['release', 'capture'], ['release', 'capture', 'refund'],
] as const

/** Moves one hold to each possible end, and leaves one open. */
const everyMove = async ({ wallet }: LedgerFixture, account: LedgerWorkspace): Promise<void> => {
  await account.topUp(1_000n)
  for (const moves of ENDS) {
    const hold = account.price(10n)
    await done('hold', wallet.hold(hold))
    for (const move of moves) await done(move, wallet[move](hold))
  }
}

/** Random top-ups, holds and moves in small concurrent groups. */
const busy = async ({ ledger, wallet }: LedgerFixture, { workspace, price }: LedgerWorkspace, seed: number): Promise<void> => {
  const random = numbersFrom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const prices = times(8, () => price(BigInt(below(60))))
  const topUp = () => done('money is added', ledger.topUp({ workspace, micros: BigInt(1 + below(90)), reference: newName(), at: NOON }))
  const moves = [wallet.capture, wallet.release, wallet.refund]
  for (let handful = 0; handful < 6; handful += 1) {
    await Promise.all(
      times(8, async () => {
        const hold = prices[below(prices.length)]
        const move = moves[below(6)]
        if (hold === undefined || below(5) === 0) await topUp()
        else if (move === undefined) await wallet.hold(hold)
        else await done('a hold is moved', move(hold))
      }),
    )
  }
}
