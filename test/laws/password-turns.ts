import * as E from 'fp-ts/lib/Either.js'
import type { PasswordTurn, PasswordTurns, TurnOf } from '../../core/access/sign-in.js'
import { done, refused, same } from './expect.js'
import { newName, times } from './ids.js'
import type { Law } from './law.js'

/** Creates turns: one anonymous caller has a turn at a time, and one known caller has another. */
export type PasswordTurnsFixture = {
  /** Turns with a waiting limit for anonymous callers and the same limit for known callers, each for at most `waitMs`. */
  readonly openTurns: (limits: { readonly waiting: number; readonly waitMs: number }) => PasswordTurns
}

/** Longer than a check takes. */
const LONG_MS = 60_000

const stranger = (network = newName()): TurnOf => ({ _tag: 'Stranger', network })
const known = (name = newName()): TurnOf => ({ _tag: 'Known', name })

const taken = (turns: PasswordTurns, of: TurnOf): Promise<PasswordTurn> => done('a turn', turns.take(of))

/** Asks for a turn and ends it as soon as it begins, recording the name. */
const takeAndEnd = async (turns: PasswordTurns, of: TurnOf, name: string, begun: string[], wasRight = false): Promise<boolean> => {
  const turn = await turns.take(of)
  if (E.isLeft(turn)) return false
  begun.push(name)
  turn.right.end(wasRight)
  return true
}

/** The promises of every `PasswordTurns`. */
export const passwordTurnsLaws: ReadonlyArray<Law<PasswordTurnsFixture>> = [
  {
    name: 'a turn waits until the one before it has ended',
    check: async ({ openTurns }) => {
      for (const of of [stranger, known]) {
        const turns = openTurns({ waiting: 1, waitMs: LONG_MS })
        const begun: string[] = []
        const first = await taken(turns, of())
        const second = takeAndEnd(turns, of(), 'second', begun)
        await new Promise((resolve) => setTimeout(resolve, 5))
        same('the second turn before the first has ended', [...begun], [])
        first.end(false)
        await second
        same('the second turn when the first has ended', begun, ['second'])
      }
    },
  },
  {
    name: 'those who are known and anonymous callers do not wait for each other, however many these are',
    check: async ({ openTurns }) => {
      for (const [one, other] of [[stranger, known], [known, stranger]] as const) {
        const turns = openTurns({ waiting: 3, waitMs: LONG_MS })
        const first = await taken(turns, one())
        const waiting = times(5, () => takeAndEnd(turns, one(), '', []))
        const begun: string[] = []
        same('one of the others', await takeAndEnd(turns, other(), 'other', begun), true)
        first.end(false)
        await Promise.all(waiting)
      }
    },
  },
  {
    name: 'of those who wait the one who asked least of late has the next turn',
    check: async ({ openTurns }) => {
      for (const of of [stranger, known]) {
        const turns = openTurns({ waiting: 10, waitMs: LONG_MS })
        const [loud, quiet] = [newName(), newName()]
        const begun: string[] = []
        const first = await taken(turns, of(loud))
        const waiting = [takeAndEnd(turns, of(loud), 'loud', begun), takeAndEnd(turns, of(loud), 'loud again', begun), takeAndEnd(turns, of(quiet), 'quiet', begun)]
        first.end(false)
        await Promise.all(waiting)
        same('the turns', begun, ['quiet', 'loud', 'loud again'])
      }
    },
  },
  {
    name: 'a turn that was right does not count as asked for',
    check: async ({ openTurns }) => {
      const turns = openTurns({ waiting: 10, waitMs: LONG_MS })
      const [wrong, right] = [newName(), newName()]
      for (let turn = 0; turn < 2; turn += 1) await takeAndEnd(turns, stranger(wrong), '', [])
      for (let turn = 0; turn < 5; turn += 1) await takeAndEnd(turns, stranger(right), '', [], true)
      const begun: string[] = []
      const first = await taken(turns, stranger())
      const waiting = [takeAndEnd(turns, stranger(wrong), 'wrong', begun), takeAndEnd(turns, stranger(right), 'right', begun)]
      first.end(false)
      await Promise.all(waiting)
      same('the turns', begun, ['right', 'wrong'])
    },
  },
  {
    name: 'one who waits too long is TooManyRequests and takes no turn',
    check: async ({ openTurns }) => {
      const turns = openTurns({ waiting: 1, waitMs: 5 })
      const first = await taken(turns, stranger())
      await refused('one who waits longer than may be', 'TooManyRequests', turns.take(stranger()))
      first.end(false)
      const next = await taken(turns, stranger())
      next.end(false)
    },
  },
  {
    name: 'if too many wait one who asked most is TooManyRequests',
    check: async ({ openTurns }) => {
      const turns = openTurns({ waiting: 2, waitMs: LONG_MS })
      const loud = newName()
      const begun: string[] = []
      const first = await taken(turns, stranger(loud))
      const waiting = [takeAndEnd(turns, stranger(loud), 'loud', begun), takeAndEnd(turns, stranger(loud), 'loud again', begun)]
      await refused('one more of the same network', 'TooManyRequests', turns.take(stranger(loud)))
      const quiet = takeAndEnd(turns, stranger(), 'quiet', begun)
      same('who made room', await waiting[1], false)
      first.end(false)
      await Promise.all([...waiting, quiet])
      same('the turns', begun, ['quiet', 'loud'])
    },
  },
  {
    name: 'one who asked most has a turn too while those who asked less keep coming',
    check: async ({ openTurns }) => {
      for (const of of [stranger, known]) {
        const turns = openTurns({ waiting: 1, waitMs: LONG_MS })
        const loud = newName()
        for (let turn = 0; turn < 3; turn += 1) await takeAndEnd(turns, of(loud), '', [])
        let current = await taken(turns, of())
        const begun: string[] = []
        const waiting = takeAndEnd(turns, of(loud), 'loud', begun)
        for (let turn = 0; turn < 4; turn += 1) {
          const next = turns.take(of())
          current.end(false)
          current = await done('a turn of one who asked less', next)
        }
        same('the turns of the one who asked most', [...begun], ['loud'])
        current.end(false)
        await waiting
      }
    },
  },
  {
    name: 'ending a turn again changes nothing',
    check: async ({ openTurns }) => {
      const turns = openTurns({ waiting: 0, waitMs: LONG_MS })
      const first = await taken(turns, stranger())
      first.end(false)
      const second = await taken(turns, stranger())
      first.end(false)
      await refused('a turn while the second is under way', 'TooManyRequests', turns.take(stranger()))
      second.end(false)
    },
  },
]
