import type { Entry } from '../../core/ports/ledger.js'
import type { NewHold } from '../../core/ports/wallet.js'
import { allPages, done, holds, same } from './expect.js'
import { newName, newWorkspaceId, nextMoment, numbersFrom, times } from './ids.js'
import type { Law } from './law.js'
import { linesOf, NOON, openAccount, type Account, type LedgerWorld, type Line } from './ledger-world.js'

/** What a `Ledger` promises of its statements and of its audit of sound books. */
export const statementLaws: ReadonlyArray<Law<LedgerWorld>> = [
  {
    name: 'a statement has every movement of a wallet, newest first',
    check: async (world) => {
      const { wallet } = world
      const { price, topUp, statement } = await openAccount(world)
      same('a new wallet', await statement(), [])
      const reference = newName()
      const lines: Line[] = []
      const noted = (kind: Line['kind'], { message, amount, at }: NewHold): void =>
        void lines.unshift({ kind, micros: amount.micros, message, reference: undefined, at })
      const hold = async (micros: bigint): Promise<NewHold> => {
        const held = price(micros, await nextMoment())
        await done('hold', wallet.hold(held))
        noted('hold', held)
        return held
      }
      const move = async (kind: 'capture' | 'release' | 'refund', held: NewHold): Promise<void> => {
        const of = { ...held, at: await nextMoment() }
        await done(kind, wallet[kind](of))
        noted(kind, of)
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
    name: 'what changes nothing leaves no entry',
    check: async (world) => {
      const { wallet } = world
      const { price, topUp, statement } = await openAccount(world)
      await topUp(100n)
      const hold = price(30n)
      await Promise.all(times(3, () => done('hold', wallet.hold(hold))))
      await wallet.hold(price(500n))()
      for (const move of ['release', 'release', 'refund', 'refund', 'capture', 'release'] as const) await done(move, wallet[move](hold))
      await done('a move without a hold', wallet.capture(price(1n)))
      same('one entry for each movement', (await statement()).map(({ kind }) => kind).toSorted(), ['hold', 'release', 'top_up'])
    },
  },
  {
    name: 'a statement never has another workspace\'s entries',
    check: async (world) => {
      const [ours, theirs] = [await openAccount(world), await openAccount(world)]
      await ours.topUp(100n)
      same('another workspace', await theirs.statement(), [])
      const nowhere = await done('statement', world.ledger.statement(newWorkspaceId(), { limit: 5 }))
      same('no workspace', nowhere, { items: [], next: undefined })
    },
  },
  {
    name: 'pages of a statement have each entry exactly once, though others are written meanwhile',
    check: async (world) => {
      const { workspace, topUp, statement } = await openAccount(world)
      for (const step of times(7, (index) => index)) await topUp(BigInt(step + 1), newName(), await nextMoment())
      const all = await statement()
      same('the entries, newest first', all.map(({ micros }) => micros), [7n, 6n, 5n, 4n, 3n, 2n, 1n])
      const read = (query: Parameters<LedgerWorld['ledger']['statement']>[1]) => world.ledger.statement(workspace, query)
      for (const limit of [1, 3, 7]) same(`pages of ${limit}`, await allPages('statement', read, limit), all)
      const seen = await allPages('statement', read, 2, async () => topUp(100n, newName(), await nextMoment()))
      same('pages while money is added', seen, all)
    },
  },
  {
    name: 'a statement\'s cursor that is none of ours never fails',
    check: async (world) => {
      const { workspace, topUp } = await openAccount(world)
      await topUp(1n)
      for (const cursor of ['', '\u0000', '🙂', '__proto__', '%', 'zzz', '!', '\' or 1=1 --', 'x'.repeat(10_240), '\ud800']) {
        await done('a cursor that is none of ours', world.ledger.statement(workspace, { limit: 5, cursor }))
      }
    },
  },
  {
    name: 'available, held, captured and refunded add up to what was topped up',
    check: async (world) => {
      const account = await openAccount(world)
      for (const seed of [1, 2, 3]) {
        await busy(world, account, seed)
        const entries = await allPages('statement', (query) => world.ledger.statement(account.workspace, query), 50)
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
    check: async (world) => {
      const [untouched, settled, mixed] = [await openAccount(world), await openAccount(world), await openAccount(world)]
      await Promise.all([everyMove(world, settled), busy(world, mixed, 10)])
      const accounts = [untouched, settled, mixed]
      const { workspaces, broken } = await done('an audit', world.ledger.audit())
      holds('an audit looks at every workspace', workspaces >= accounts.length, workspaces)
      const ours = accounts.map(({ workspace }) => workspace)
      same('an audit finds nothing off in sound books', broken.filter(({ workspace }) => ours.includes(workspace)), [])
    },
  },
]

const ENDS = [
  [], ['capture'], ['release'], ['refund'], ['capture', 'refund'], ['release', 'capture'], ['release', 'capture', 'refund'],
] as const

/** Takes one hold to each end there is, and leaves one open. */
const everyMove = async ({ wallet }: LedgerWorld, account: Account): Promise<void> => {
  await account.topUp(1_000n)
  for (const moves of ENDS) {
    const hold = account.price(10n)
    await done('hold', wallet.hold(hold))
    for (const move of moves) await done(move, wallet[move](hold))
  }
}

/** Random top-ups, holds and moves in concurrent handfuls. */
const busy = async ({ ledger, wallet }: LedgerWorld, { workspace, price }: Account, seed: number): Promise<void> => {
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
        else if (move === undefined) await wallet.hold(hold)()
        else await done('a hold is moved', move(hold))
      }),
    )
  }
}
