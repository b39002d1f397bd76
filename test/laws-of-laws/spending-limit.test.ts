import * as E from 'fp-ts/lib/Either.js'
import {
  checkSpending, type HoldState, type MoveHold, type NewHold, type SpendingCheck, spendingDay, type Wallet,
} from '../../core/money/wallet.js'
import { spendingLimitLaws } from '../laws/spending-limit.js'
import { brokenMemory } from './broken-memory.js'
import { describeMutations, namesOf } from './mutation.js'

/** How limits are counted, each part right by default. */
type Counting = {
  /** Under which name a hold counts. */
  readonly nameOf: (hold: NewHold) => string
  readonly check: typeof checkSpending
  /** Whether a price counts while its hold has this state. */
  readonly counts: (state: HoldState) => boolean
  /** Whether a hold counts that the message already has. */
  readonly countsAgain: boolean
  /** Whether what is given back counts for the name of the move's moment. */
  readonly givesBackLater: boolean
  /** Whether the count is read, and written after a while. */
  readonly waits: boolean
  /** Whether the limit is checked before the balance. */
  readonly limitFirst: boolean
}

const RIGHT: Counting = {
  nameOf: ({ workspace, at, spending }) => `${workspace} ${spending?.key} ${spendingDay(at)}`,
  check: checkSpending,
  counts: (state) => state === 'held' || state === 'captured',
  countsAgain: false, givesBackLater: false, waits: false, limitFirst: false,
}

/** A wallet that counts beside the one in memory, with a part of the counting replaced. */
const counting = (flaw: Partial<Counting>) => brokenMemory('wallet', (wallet, { balance }): Partial<Wallet> => {
  const { nameOf, check, counts, countsAgain, givesBackLater, waits, limitFirst } = { ...RIGHT, ...flaw }
  const spent = new Map<string, bigint>()
  const holds = new Map<string, { readonly hold: NewHold; isCounted: boolean }>()
  const add = (name: string, micros: bigint): void => void spent.set(name, (spent.get(name) ?? 0n) + micros)
  const moving = (move: MoveHold): MoveHold => async (of) => {
    const moved = await move(of)
    const known = holds.get(of.message)
    if (known === undefined || E.isLeft(moved) || moved.right === undefined || counts(moved.right) === known.isCounted) return moved
    known.isCounted = !known.isCounted
    const micros = known.hold.amount.micros
    add(nameOf(givesBackLater ? { ...known.hold, at: of.at } : known.hold), known.isCounted ? micros : -micros)
    return moved
  }
  return {
    hold: async (of) => {
      const { spending, ...unlimited } = of
      if (spending === undefined || (holds.has(of.message) && !countsAgain)) return wallet.hold(unlimited)
      const name = nameOf(of)
      const before = spent.get(name) ?? 0n
      const allowed = check({ amount: of.amount, limit: spending.limit, spent: before, at: of.at })
      if (E.isLeft(allowed) && (limitFirst || (await balance(of.workspace)).available >= of.amount.micros)) return allowed
      if (waits) await new Promise((resolve) => { setImmediate(resolve) })
      const held = await wallet.hold(unlimited)
      if (E.isLeft(held)) return held
      if (waits) spent.set(name, before + of.amount.micros)
      else add(name, of.amount.micros)
      holds.set(of.message, { hold: of, isCounted: true })
      return held
    },
    capture: moving(wallet.capture), release: moving(wallet.release), refund: moving(wallet.refund),
  }
})

const CONCURRENT = 'concurrent holds of a key never pass its limit, and reach it where enough is asked for'
const GIVEN_BACK = 'what is released or refunded is given back once, to the day of its hold'
const PART = 'the rest of a captured part is given back to the day of its hold, and the part stays spent until it is refunded'
const LATE = 'a hold that is captured after it was released counts again, even beyond the limit'
const AGAIN = 'holding again for the same message counts once and succeeds where the limit is reached'
const MIDNIGHT = 'a day begins at midnight UTC with nothing spent'
const OWN = 'each key of each workspace has a limit of its own, and a hold without a key none'
const MONEY_FIRST = 'too little money is said before the limit, and counts for no limit'
const ONCE_MORE = 'a message that the limit refused can be held once something was given back'
const EVERY_KIND = 'under concurrent calls of every kind a key has spent the prices that are held or captured'

const checkLess = (check: SpendingCheck): ReturnType<typeof checkSpending> => checkSpending({ ...check, spent: check.spent + 1n })

describeMutations('the spending limits', spendingLimitLaws, [
  { defect: 'keeps no limit', open: counting({ check: () => E.right(undefined) }), breaks: namesOf(spendingLimitLaws) },
  { defect: 'leaves the last micro', open: counting({ check: checkLess }), breaks: namesOf(spendingLimitLaws) },
  { defect: 'does not count the rest of a captured part as given back', open: counting({}), breaks: [PART] },
  { defect: 'reads, waits and counts', open: counting({ waits: true }), breaks: [CONCURRENT] },
  { defect: 'gives nothing back', open: counting({ counts: () => true }), breaks: [GIVEN_BACK, ONCE_MORE, EVERY_KIND] },
  { defect: 'gives captured prices back', open: counting({ counts: (state) => state === 'held' }), breaks: [GIVEN_BACK, EVERY_KIND] },
  { defect: 'gives back to the day of the move', open: counting({ givesBackLater: true }), breaks: [GIVEN_BACK] },
  {
    defect: 'forgets what is captured after its release',
    open: counting({ check: (of) => checkSpending({ ...of, spent: of.spent > of.limit ? of.limit : of.spent }) }),
    breaks: [LATE],
  },
  { defect: 'counts a repeated hold again', open: counting({ countsAgain: true }), breaks: [AGAIN] },
  {
    defect: 'counts one total for all days',
    open: counting({ nameOf: ({ workspace, spending }) => `${workspace} ${spending?.key}` }),
    breaks: [MIDNIGHT],
  },
  {
    defect: 'counts 24 hours from noon',
    open: counting({ nameOf: (hold) => RIGHT.nameOf({ ...hold, at: hold.at + 43_200_000 }) }),
    breaks: [MIDNIGHT],
  },
  {
    defect: 'counts one total for all keys',
    open: counting({ nameOf: ({ workspace, at }) => `${workspace} ${spendingDay(at)}` }),
    breaks: [OWN],
  },
  {
    defect: 'counts one total for all workspaces',
    open: counting({ nameOf: ({ at, spending }) => `${spending?.key} ${spendingDay(at)}` }),
    breaks: [OWN],
  },
  { defect: 'checks the limit first', open: counting({ limitFirst: true }), breaks: [MONEY_FIRST] },
])
