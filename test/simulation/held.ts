import * as E from 'fp-ts/lib/Either.js'
import type { Heartbeat } from '../../core/messages/queue-holds.js'
import { HOUR_MS, type Instant } from '../../core/kernel/time.js'
import type { BackUp } from './backup.js'
import type { StorageCall } from './gateway.js'
import type { World } from './world.js'

/** How long no gateway may have looked at the queue before it is held. */
export const HELD_AFTER_MS = HOUR_MS

/** The promises about a queue that slept, or that a person holds; they share no rule with the core. */
export type Held = {
  /** A call has had its effect. `isWaiting`: messages are queued. */
  readonly onDone: (call: StorageCall, answer: unknown, isWaiting: boolean) => void
  /** Since when the queue is held: the lower number came first; `undefined` if it is not. */
  readonly since: () => number | undefined
  readonly backUp: BackUp
}

/** Makes the checker. */
export const makeHeld = (world: World): Held => {
  let state: { readonly seenAt: Instant | undefined; readonly since: number | undefined } = { seenAt: undefined, since: undefined }
  const hold = (why: string): void => {
    if (state.since !== undefined) return
    world.reach(`queue: held: ${why}`)
    state = { ...state, since: world.tick() }
  }
  return {
    onDone: ({ port, method, args: [first] }, answer, isWaiting) => {
      if (port !== 'queueHolds' || E.isLeft(answer as E.Either<unknown, unknown>)) return
      if (method === 'hold') hold('by a person')
      if (method === 'resume') {
        if (state.since !== undefined) world.reach('queue: resumed')
        state = { ...state, since: undefined }
      }
      if (method !== 'heartbeat') return
      const { at } = first as Heartbeat
      if (state.seenAt !== undefined && at - state.seenAt > HELD_AFTER_MS && isWaiting) hold('it slept')
      state = { ...state, seenAt: Math.max(state.seenAt ?? at, at) }
    },
    since: () => state.since,
    backUp: () => {
      const copy = state
      return () => { state = copy }
    },
  }
}
