import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** How deliveries are ended: first no attempt begins any more, later what is still under way is given up. */
export type RunControl = {
  readonly isStopping: () => boolean
  readonly isAbandoned: () => boolean
  /** Waits; ends early once deliveries are stopping. */
  readonly pauseUntilStop: (ms: number) => Promise<void>
  /** Waits; ends early once what is under way is given up. */
  readonly pauseUntilAbandoned: (ms: number) => Promise<void>
  readonly stop: () => void
  readonly abandon: () => void
}

/** Makes the control of deliveries that have not ended. */
export const makeRunControl = (): RunControl => {
  const [stopped, abandoned] = [new AbortController(), new AbortController()]
  // Many runs wait at once.
  setMaxListeners(0, stopped.signal, abandoned.signal)
  const pause = async (ms: number, { signal }: AbortController): Promise<void> => {
    if (ms > 0) await delay(ms, undefined, { signal }).catch(() => undefined)
  }
  return {
    isStopping: () => stopped.signal.aborted,
    isAbandoned: () => abandoned.signal.aborted,
    pauseUntilStop: (ms) => pause(ms, stopped),
    pauseUntilAbandoned: (ms) => pause(ms, abandoned),
    stop: () => { stopped.abort() },
    abandon: () => { abandoned.abort() },
  }
}
