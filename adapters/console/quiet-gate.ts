import { type Callers, makeQuietFirst } from '../../core/kernel/fairness.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'

/** How many a gate lets through. */
export type QuietGateOptions = {
  readonly perSecond: number
  /** How many may go through at once after a pause. */
  readonly burst: number
  /** How many may wait, and how long each, in milliseconds. */
  readonly waiting: number
  readonly waitMs: number
  /** Who has asked how much of late; the gate notes who asks. */
  readonly callers: Callers
  /** A clock that never goes back. */
  readonly now: Clock
}

/** Lets callers through at a rate. */
export type QuietGate = {
  /** Waits until a caller may go through; `false` if it waited too long, or if too many wait who asked less of late. */
  readonly enter: (caller: string) => Promise<boolean>
}

type Waiting = { readonly end: (mayEnter: boolean) => void }

/** Makes a gate, at which those who asked least of late go first. */
export const makeQuietGate = ({ perSecond, burst, waiting, waitMs, callers, now }: QuietGateOptions): QuietGate => {
  const queue = makeQuietFirst<Waiting>(waiting, callers)
  const apartMs = SECOND_MS / perSecond
  /** Up to when the turns of all who went through reach. */
  let endsAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  const untilNextMs = (): number => endsAt - (burst - 1) * apartMs - now()
  const goThrough = (): void => { endsAt = Math.max(endsAt, now()) + apartMs }

  const letThrough = (): void => {
    timer = undefined
    while (queue.size() > 0 && untilNextMs() <= 0) {
      goThrough()
      queue.shift()?.end(true)
    }
    wait()
  }
  const wait = (): void => {
    if (queue.size() > 0) timer ??= setTimeout(letThrough, Math.max(1, untilNextMs()))
  }

  return {
    enter: (caller) => {
      callers.heard(caller)
      if (queue.size() === 0 && untilNextMs() <= 0) {
        goThrough()
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const one: Waiting = {
          end: (mayEnter) => {
            clearTimeout(deadline)
            resolve(mayEnter)
          },
        }
        const deadline = setTimeout(() => {
          queue.remove(one)
          resolve(false)
        }, waitMs)
        queue.push(caller, one)?.end(false)
        wait()
      })
    },
  }
}
