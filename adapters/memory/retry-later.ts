import type { RetryLater } from '../../core/settle.js'

/** How much is kept to be tried again, how long to wait, and what to do when something is given up. */
export type RetryLaterOptions = {
  /** The most pieces of work to keep waiting; beyond it the oldest is given up. */
  readonly limit?: number
  /** How long, in milliseconds, to wait before the first pass over what failed. */
  readonly firstDelayMs?: number
  /** The longest wait, in milliseconds; it doubles after each pass in which something failed. */
  readonly lastDelayMs?: number
  /** Called once for each piece of work that is given up; reconciliation will close what it left open. */
  readonly onDropped?: () => void
}

/** A `RetryLater` and its end. */
export type RetryingLater = {
  readonly retryLater: RetryLater
  /** Tries what is left one last time, gives up what fails again, and takes nothing more. */
  readonly close: () => Promise<void>
  /** How many pieces of work are kept, those being tried at this moment too. */
  readonly pending: () => number
}

type Work = Parameters<RetryLater>[0]

/** Tries failed work again in passes, from 100 ms to 5 s apart, in this process; its timer keeps no process alive. */
export const makeRetryLater = ({
  limit = 10_000, firstDelayMs = 100, lastDelayMs = 5_000, onDropped = () => undefined,
}: RetryLaterOptions = {}): RetryingLater => {
  let waiting: Work[] = []
  let trying: ReadonlyArray<Work> = []
  let delayMs = firstDelayMs
  let timer: NodeJS.Timeout | undefined
  let passing: Promise<void> | undefined
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

  const schedule = (): void => {
    if (timer !== undefined || passing !== undefined || closing !== undefined || waiting.length === 0) return
    timer = setTimeout(() => {
      timer = undefined
      passing = pass().finally(() => {
        passing = undefined
        schedule()
      })
    }, delayMs).unref()
  }

  const end = async (): Promise<void> => {
    clearTimeout(timer)
    await passing
    await pass()
    giveUpBeyond(0)
  }

  return {
    retryLater: (work) => {
      if (closing !== undefined) return onDropped()
      waiting.push(work)
      giveUpBeyond(limit)
      schedule()
    },
    close: () => (closing ??= end()),
    pending: () => waiting.length + trying.length,
  }
}

/** How long to wait, in milliseconds, before the next pass: as at first once nothing failed, else twice as long, up to the longest. */
export const nextDelayMs = (delayMs: number, failed: number, firstDelayMs: number, lastDelayMs: number): number =>
  failed === 0 ? firstDelayMs : Math.min(delayMs * 2, lastDelayMs)

/** Tries each piece of work once, and gives those that failed, in order. */
const failuresOf = async (all: ReadonlyArray<Work>): Promise<ReadonlyArray<Work>> => {
  const outcomes = await Promise.all(all.map((work) => Promise.resolve().then(work).catch(() => undefined)))
  return all.filter((_, index) => outcomes[index]?._tag !== 'Right')
}
