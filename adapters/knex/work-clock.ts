/** A clock of the time in which this process was able to work, in milliseconds. */
export type WorkClock = {
  readonly now: () => number
  /** Lets the clock run. While it runs, it keeps the process alive. */
  readonly start: () => void
  /** Stops the clock, which keeps its time. */
  readonly stop: () => void
  /** Calls back at a time, unless the returned function was called before. There is one such call at a time. */
  readonly at: (time: number, onTime: () => void) => () => void
}

/**
 * Makes a clock that ticks every so many milliseconds.
 *
 * A tick that comes late, because the event loop was busy or the process got no processor, counts as its own length. So a deadline by this clock is
 * not over before the answers could be read: after the last tick, too, Node.js reads its sockets before the call.
 */
export const makeWorkClock = (tickMs: number): WorkClock => {
  let now = 0
  let timer: NodeJS.Timeout | undefined
  let call: { readonly time: number; readonly onTime: () => void } | undefined
  const tick = (): void => {
    now += tickMs
    const due = call
    if (due === undefined || due.time > now) return
    setImmediate(() => {
      if (call !== due) return
      call = undefined
      due.onTime()
    })
  }
  return {
    now: () => now,
    start: () => { timer ??= setInterval(tick, tickMs) },
    stop: () => {
      clearInterval(timer)
      timer = undefined
    },
    at: (time, onTime) => {
      const added = { time, onTime }
      call = added
      return () => { if (call === added) call = undefined }
    },
  }
}
