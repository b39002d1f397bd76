import * as E from 'fp-ts/lib/Either.js'
import { makePasswordTurns } from '../../adapters/scrypt/password-turns.js'
import type { PasswordTurn, PasswordTurns, TurnOf } from '../../core/access/sign-in.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { type PasswordTurnsFixture, passwordTurnsLaws } from '../laws/password-turns.js'
import { describeMutations } from './mutation.js'

type Limits = Parameters<PasswordTurnsFixture['openTurns']>[0]

const WAITS = 'a turn waits until the one before it has ended'
const APART = 'those who are known and anonymous callers do not wait for each other, however many these are'
const QUIET_FIRST = 'of those who wait the one who asked least of late has the next turn'
const RIGHT = 'a turn that was right does not count as asked for'
const TOO_LONG = 'one who waits too long is TooManyRequests and takes no turn'
const TOO_MANY = 'if too many wait one who asked most is TooManyRequests'
const IN_TIME = 'one who asked most has a turn too while those who asked less keep coming'
const AGAIN = 'ending a turn again changes nothing'

/** What such an adapter never gives is not waited for as long as a law would wait. */
const broken = (open: (limits: Limits) => PasswordTurns) => async (): Promise<PasswordTurnsFixture> =>
  ({ openTurns: ({ waiting, waitMs }) => open({ waiting, waitMs: Math.min(waitMs, 200) }) })

/** Turns that are changed as they are taken. */
const changing = (limits: Limits, change: { readonly of?: (of: TurnOf) => TurnOf; readonly turn?: (turn: PasswordTurn) => PasswordTurn }): PasswordTurns => {
  const { take } = makePasswordTurns(limits)
  return { take: (of) => take((change.of ?? ((one: TurnOf) => one))(of)).then(E.map(change.turn ?? ((turn: PasswordTurn) => turn))) }
}

/** Counts each end, lets all wait in order of arrival, and gives a turn to those who waited too long. */
const counter = ({ waiting, waitMs }: Limits): PasswordTurns => {
  const full: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: 1 }
  const lineOf = () => {
    let free = 1
    const line: Array<() => void> = []
    const turn: PasswordTurn = {
      end: () => {
        free += 1
        line.shift()?.()
      },
    }
    return async (): Promise<E.Either<TooManyRequests, PasswordTurn>> => {
      if (free <= 0) {
        if (line.length >= waiting) return E.left(full)
        await new Promise<void>((resolve) => {
          line.push(resolve)
          setTimeout(resolve, waitMs).unref()
        })
      }
      free -= 1
      return E.right(turn)
    }
  }
  const lines = { Known: lineOf(), Stranger: lineOf() }
  return { take: ({ _tag }) => lines[_tag]() }
}

/** Turns without lots: while one turn is under way, those who asked more than once are refused. */
const withoutLots = (limits: Limits): PasswordTurns => {
  const { take } = makePasswordTurns(limits)
  const asked = new Map<string, number>()
  return {
    take: async (of) => {
      const name = of._tag === 'Known' ? of.name : of.network
      asked.set(name, (asked.get(name) ?? 0) + 1)
      return (asked.get(name) ?? 0) > 3 ? E.left({ _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: 1 }) : take(of)
    },
  }
}

describeMutations('the turns of passwords', passwordTurnsLaws, [
  { defect: 'gives every turn at once', open: broken(() => ({ take: async () => E.right({ end: () => undefined }) })), breaks: [WAITS, QUIET_FIRST, TOO_LONG, TOO_MANY, AGAIN] },
  {
    defect: 'takes those who are known for anonymous callers',
    open: broken((limits) => changing(limits, { of: () => ({ _tag: 'Stranger', network: 'one' }) })), breaks: [APART, QUIET_FIRST, TOO_MANY],
  },
  { defect: 'counts turns that were right', open: broken((limits) => changing(limits, { turn: ({ end }) => ({ end: () => end(false) }) })), breaks: [RIGHT] },
  { defect: 'counts no turns', open: broken((limits) => changing(limits, { turn: ({ end }) => ({ end: () => end(true) }) })), breaks: [RIGHT] },
  { defect: 'counts each end, and lets all wait in order of arrival', open: broken(counter), breaks: [QUIET_FIRST, RIGHT, TOO_LONG, TOO_MANY, AGAIN] },
  { defect: 'refuses those who asked often, however long they try', open: broken(withoutLots), breaks: [IN_TIME] },
  { defect: 'lets any number wait', open: broken((limits) => makePasswordTurns({ ...limits, waiting: limits.waiting + 1_000 })), breaks: [TOO_MANY] },
])
