import * as E from 'fp-ts/lib/Either.js'
import { makePasswordHashQueue } from '../../adapters/scrypt/password-hash-queue.js'
import type { PasswordHashSlot, PasswordHashQueue, PasswordHashCaller } from '../../core/access/passwords.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { type PasswordHashQueueFixture, passwordHashQueueLaws } from '../laws/password-hash-queue.js'
import { describeMutations } from './mutation.js'

type Limits = Parameters<PasswordHashQueueFixture['openQueue']>[0]

const WAITS = 'a caller waits until the slot is released'
const APART = 'known and anonymous callers do not wait for each other, however many there are'
const QUIET_FIRST = 'the waiting caller with the fewest recent attempts goes next'
const RIGHT = 'a slot with a correct password does not count as an attempt'
const TOO_LONG = 'a caller that waits too long gets TooManyRequests and no slot'
const TOO_MANY = 'if too many wait, a caller with the most attempts gets TooManyRequests'
const IN_TIME = 'a caller with the most attempts also gets a slot while callers with fewer attempts keep arriving'
const AGAIN = 'releasing a slot again changes nothing'

/** What such an adapter never gives is not waited for as long as a law would wait. */
const broken = (open: (limits: Limits) => PasswordHashQueue) => async (): Promise<PasswordHashQueueFixture> =>
  ({ openQueue: ({ waiting, waitMs }) => open({ waiting, waitMs: Math.min(waitMs, 200) }) })

/** A queue whose callers or slots are changed. */
const changing = (
  limits: Limits,
  change: { readonly of?: (of: PasswordHashCaller) => PasswordHashCaller; readonly slot?: (slot: PasswordHashSlot) => PasswordHashSlot },
): PasswordHashQueue => {
  const { take } = makePasswordHashQueue(limits)
  return {
    take: (of) =>
      take((change.of ?? ((one: PasswordHashCaller) => one))(of)).then(E.map(change.slot ?? ((slot: PasswordHashSlot) => slot))),
  }
}

/** Counts each end, lets all wait in order of arrival, and gives a slot to those who waited too long. */
const counter = ({ waiting, waitMs }: Limits): PasswordHashQueue => {
  const full: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: 1 }
  const lineOf = () => {
    let free = 1
    const line: Array<() => void> = []
    const slot: PasswordHashSlot = {
      end: () => {
        free += 1
        line.shift()?.()
      },
    }
    return async (): Promise<E.Either<TooManyRequests, PasswordHashSlot>> => {
      if (free <= 0) {
        if (line.length >= waiting) return E.left(full)
        await new Promise<void>((resolve) => {
          line.push(resolve)
          setTimeout(resolve, waitMs).unref()
        })
      }
      free -= 1
      return E.right(slot)
    }
  }
  const lines = { Known: lineOf(), Anonymous: lineOf() }
  return { take: ({ _tag }) => lines[_tag]() }
}

/** A queue without lots: while a slot is taken, callers with more than one attempt are refused. */
const withoutLots = (limits: Limits): PasswordHashQueue => {
  const { take } = makePasswordHashQueue(limits)
  const asked = new Map<string, number>()
  return {
    take: async (of) => {
      const name = of._tag === 'Known' ? of.name : of.network
      asked.set(name, (asked.get(name) ?? 0) + 1)
      return (asked.get(name) ?? 0) > 3 ? E.left({ _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: 1 }) : take(of)
    },
  }
}

describeMutations('the queue of password hashes', passwordHashQueueLaws, [
  {
    defect: 'gives every caller a slot immediately',
    open: broken(() => ({ take: async () => E.right({ end: () => undefined }) })),
    breaks: [WAITS, QUIET_FIRST, TOO_LONG, TOO_MANY, AGAIN],
  },
  {
    defect: 'treats known callers as anonymous',
    open: broken((limits) => changing(limits, { of: () => ({ _tag: 'Anonymous', network: 'one' }) })),
    breaks: [APART, QUIET_FIRST, TOO_MANY],
  },
  {
    defect: 'counts slots with a correct password',
    open: broken((limits) => changing(limits, { slot: ({ end }) => ({ end: () => end(false) }) })),
    breaks: [RIGHT],
  },
  {
    defect: 'counts no slot',
    open: broken((limits) => changing(limits, { slot: ({ end }) => ({ end: () => end(true) }) })),
    breaks: [RIGHT],
  },
  {
    defect: 'counts each end, and lets all wait in order of arrival', open: broken(counter),
    breaks: [QUIET_FIRST, RIGHT, TOO_LONG, TOO_MANY, AGAIN],
  },
  { defect: 'refuses those who asked often, however long they try', open: broken(withoutLots), breaks: [IN_TIME] },
  {
    defect: 'lets any number wait',
    open: broken((limits) => makePasswordHashQueue({ ...limits, waiting: limits.waiting + 1_000 })),
    breaks: [TOO_MANY],
  },
])
