import * as E from 'fp-ts/lib/Either.js'
import type { PasswordHashSlot, PasswordHashQueue, PasswordHashCaller } from '../../core/access/passwords.js'
import { done, refused, same } from './expect.js'
import { newName, times } from './ids.js'
import type { Law } from './law.js'

/** Creates queues with one slot for anonymous callers and one for known callers. */
export type PasswordHashQueueFixture = {
  /** A queue with a waiting limit for anonymous callers and the same limit for known callers, each for at most `waitMs`. */
  readonly openQueue: (limits: { readonly waiting: number; readonly waitMs: number }) => PasswordHashQueue
}

/** Longer than a check takes. */
const LONG_MS = 60_000

const anonymous = (network = newName()): PasswordHashCaller => ({ _tag: 'Anonymous', network })
const known = (name = newName()): PasswordHashCaller => ({ _tag: 'Known', name })

const taken = (queue: PasswordHashQueue, of: PasswordHashCaller): Promise<PasswordHashSlot> => done('a slot', queue.take(of))

/** Asks for a slot and ends it as soon as it begins, recording the name. */
const takeAndEnd = async (
  queue: PasswordHashQueue, of: PasswordHashCaller, name: string, begun: string[], wasRight = false,
): Promise<boolean> => {
  const slot = await queue.take(of)
  if (E.isLeft(slot)) return false
  begun.push(name)
  slot.right.end(wasRight)
  return true
}

/** The promises of every `PasswordHashQueue`. */
export const passwordHashQueueLaws: ReadonlyArray<Law<PasswordHashQueueFixture>> = [
  {
    name: 'a caller waits until the slot is released',
    check: async ({ openQueue }) => {
      for (const of of [anonymous, known]) {
        const queue = openQueue({ waiting: 1, waitMs: LONG_MS })
        const begun: string[] = []
        const first = await taken(queue, of())
        const second = takeAndEnd(queue, of(), 'second', begun)
        await new Promise((resolve) => setTimeout(resolve, 5))
        same('the second slot before the first has ended', [...begun], [])
        first.end(false)
        await second
        same('the second slot when the first has ended', begun, ['second'])
      }
    },
  },
  {
    name: 'known and anonymous callers do not wait for each other, however many there are',
    check: async ({ openQueue }) => {
      for (const [one, other] of [[anonymous, known], [known, anonymous]] as const) {
        const queue = openQueue({ waiting: 3, waitMs: LONG_MS })
        const first = await taken(queue, one())
        const waiting = times(5, () => takeAndEnd(queue, one(), '', []))
        const begun: string[] = []
        same('one of the others', await takeAndEnd(queue, other(), 'other', begun), true)
        first.end(false)
        await Promise.all(waiting)
      }
    },
  },
  {
    name: 'the waiting caller with the fewest recent attempts goes next',
    check: async ({ openQueue }) => {
      for (const of of [anonymous, known]) {
        const queue = openQueue({ waiting: 10, waitMs: LONG_MS })
        const [loud, quiet] = [newName(), newName()]
        const begun: string[] = []
        const first = await taken(queue, of(loud))
        const waiting = [
          takeAndEnd(queue, of(loud), 'loud', begun), takeAndEnd(queue, of(loud), 'loud again', begun),
          takeAndEnd(queue, of(quiet), 'quiet', begun),
        ]
        first.end(false)
        await Promise.all(waiting)
        same('the queue', begun, ['quiet', 'loud', 'loud again'])
      }
    },
  },
  {
    name: 'a slot with a correct password does not count as an attempt',
    check: async ({ openQueue }) => {
      const queue = openQueue({ waiting: 10, waitMs: LONG_MS })
      const [wrong, right] = [newName(), newName()]
      for (let slot = 0; slot < 2; slot += 1) await takeAndEnd(queue, anonymous(wrong), '', [])
      for (let slot = 0; slot < 5; slot += 1) await takeAndEnd(queue, anonymous(right), '', [], true)
      const begun: string[] = []
      const first = await taken(queue, anonymous())
      const waiting = [takeAndEnd(queue, anonymous(wrong), 'wrong', begun), takeAndEnd(queue, anonymous(right), 'right', begun)]
      first.end(false)
      await Promise.all(waiting)
      same('the queue', begun, ['right', 'wrong'])
    },
  },
  {
    name: 'a caller that waits too long gets TooManyRequests and no slot',
    check: async ({ openQueue }) => {
      const queue = openQueue({ waiting: 1, waitMs: 5 })
      const first = await taken(queue, anonymous())
      await refused('one who waits longer than may be', 'TooManyRequests', queue.take(anonymous()))
      first.end(false)
      const next = await taken(queue, anonymous())
      next.end(false)
    },
  },
  {
    name: 'if too many wait, a caller with the most attempts gets TooManyRequests',
    check: async ({ openQueue }) => {
      const queue = openQueue({ waiting: 2, waitMs: LONG_MS })
      const loud = newName()
      const begun: string[] = []
      const first = await taken(queue, anonymous(loud))
      const waiting = [takeAndEnd(queue, anonymous(loud), 'loud', begun), takeAndEnd(queue, anonymous(loud), 'loud again', begun)]
      await refused('one more of the same network', 'TooManyRequests', queue.take(anonymous(loud)))
      const quiet = takeAndEnd(queue, anonymous(), 'quiet', begun)
      same('who made room', await waiting[1], false)
      first.end(false)
      await Promise.all([...waiting, quiet])
      same('the queue', begun, ['quiet', 'loud'])
    },
  },
  {
    name: 'a caller with the most attempts also gets a slot while callers with fewer attempts keep arriving',
    check: async ({ openQueue }) => {
      for (const of of [anonymous, known]) {
        const queue = openQueue({ waiting: 1, waitMs: LONG_MS })
        const loud = newName()
        for (let slot = 0; slot < 3; slot += 1) await takeAndEnd(queue, of(loud), '', [])
        let current = await taken(queue, of())
        const begun: string[] = []
        const waiting = takeAndEnd(queue, of(loud), 'loud', begun)
        for (let slot = 0; slot < 4; slot += 1) {
          const next = queue.take(of())
          current.end(false)
          current = await done('a slot of one who asked less', next)
        }
        same('the queue of the one who asked most', [...begun], ['loud'])
        current.end(false)
        await waiting
      }
    },
  },
  {
    name: 'releasing a slot again changes nothing',
    check: async ({ openQueue }) => {
      const queue = openQueue({ waiting: 0, waitMs: LONG_MS })
      const first = await taken(queue, anonymous())
      first.end(false)
      const second = await taken(queue, anonymous())
      first.end(false)
      await refused('a slot while the second is under way', 'TooManyRequests', queue.take(anonymous()))
      second.end(false)
    },
  },
]
