import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** How deliveries are stopped: first no new attempt starts, later the attempts in progress are abandoned. */
export type RunControl = {
  readonly isStopping: () => boolean
  readonly isAbandoned: () => boolean
  /** Waits; returns early once deliveries are stopping. */
  readonly pauseUntilStop: (ms: number) => Promise<void>
  /** Waits; returns early once the attempts in progress are abandoned. */
  readonly pauseUntilAbandoned: (ms: number) => Promise<void>
  readonly stop: () => void
  readonly abandon: () => void
}

/** Creates the control of deliveries that are still running. */
export const makeRunControl = (): RunControl => {
  const [stopped, abandoned] = [new AbortController(), new AbortController()]
  // Many runs wait at the same time.
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
