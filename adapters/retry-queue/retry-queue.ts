import type { RetryLater } from '../../core/sending/dispatch.js'
import { makePasses } from '../jobs/passes.js'

/** Bounds of a retry queue, and what to call when it gives work up. */
export type RetryQueueOptions = {
  /** The most pieces of work in the queue; beyond it the oldest is given up. */
  readonly limit?: number
  /** The wait before the first pass, in milliseconds. */
  readonly firstDelayMs?: number
  /** The longest wait, in milliseconds; the wait doubles after each pass in which work failed. */
  readonly lastDelayMs?: number
  /** Called once for each piece of work that is given up; reconciliation later writes what it would have written. */
  readonly onDropped?: () => void
}

/** A queue of failed work, and the `RetryLater` that fills it. */
export type RetryQueue = {
  readonly retryLater: RetryLater
  /** Runs what is left one last time, gives up what fails again, and accepts no more work. */
  readonly close: () => Promise<void>
  /** How many pieces of work are in the queue or running. */
  readonly pending: () => number
}

type Work = Parameters<RetryLater>[0]

/** Runs failed work again in passes, 100 ms to 5 s apart. The queue is in this process's memory, and its timer keeps no process alive. */
export const makeRetryQueue = ({
  limit = 10_000, firstDelayMs = 100, lastDelayMs = 5_000, onDropped = () => undefined,
}: RetryQueueOptions = {}): RetryQueue => {
  let waiting: Work[] = []
  let trying: ReadonlyArray<Work> = []
  let delayMs = firstDelayMs
  let closing: Promise<void> | undefined

  const giveUpBeyond = (most: number): void => {
    const dropped = waiting.splice(0, Math.max(0, waiting.length - most))
    for (const _ of dropped) onDropped()
  }

  const pass = async (): Promise<void> => {
    trying = waiting
    waiting = []
    const failed = await failuresOf(trying)
    trying = []
    waiting = [...failed, ...waiting]
    giveUpBeyond(limit)
    delayMs = nextDelayMs(delayMs, failed.length, firstDelayMs, lastDelayMs)
  }

  const passes = makePasses({ isWaiting: () => waiting.length > 0, pass, pauseMs: () => delayMs })

  const end = async (): Promise<void> => {
    await passes.stop()
    await pass()
    giveUpBeyond(0)
  }

  return {
    retryLater: (work) => {
      if (closing !== undefined) return onDropped()
      waiting.push(work)
      giveUpBeyond(limit)
      passes.schedule()
    },
    close: () => (closing ??= end()),
    pending: () => waiting.length + trying.length,
  }
}

/** The wait before the next pass, in milliseconds: the first wait again when nothing failed, else twice the last one, up to the longest. */
export const nextDelayMs = (delayMs: number, failed: number, firstDelayMs: number, lastDelayMs: number): number =>
  failed === 0 ? firstDelayMs : Math.min(delayMs * 2, lastDelayMs)

/** Runs each piece of work once and returns those that failed, in order. */
const failuresOf = async (all: ReadonlyArray<Work>): Promise<ReadonlyArray<Work>> => {
  const outcomes = await Promise.all(all.map((work) => Promise.resolve().then(work).catch(() => undefined)))
  return all.filter((_, index) => outcomes[index]?._tag !== 'Right')
}
