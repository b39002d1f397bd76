import * as E from 'fp-ts/lib/Either.js'
import { uuidv7obj } from 'uuidv7'
import { portFailure } from '../../core/kernel/failure.js'
import { guardPort } from '../../core/kernel/guard.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import { type AnsweredCall, type LoggedRequest, REFUSED, type RequestLog } from '../../core/requests/request-log.js'
import { makePasses } from '../jobs/passes.js'

/** Why a call is not kept: more came than are kept, more wait than fit, or the storage failed. */
export type DropReason = 'limit' | 'queue' | 'storage'

/** What a recorder needs. */
export type RecorderDeps = {
  readonly requestLog: Pick<RequestLog, 'append'>
  readonly now?: Clock
  /** Gets how many calls are not kept. */
  readonly onLeftOut?: (why: DropReason, count: number) => void
  /** Gets what a write failed with. */
  readonly onFailure?: (cause: unknown) => void
}

/** The bounds of a recorder. Of each minute the first calls of a workspace are kept, of those that were refused more. */
export type RecorderLimits = {
  readonly answeredAMinute?: number
  readonly refusedAMinute?: number
  /** The most calls that wait to be stored. */
  readonly depth?: number
  /** The most calls in one write. */
  readonly width?: number
  /** The pause before each write, in milliseconds. */
  readonly everyMs?: number
  /** How long a write may take, in milliseconds. */
  readonly deadlineMs?: number
  /** How long the last writes may take together when the recorder is closed, in milliseconds. */
  readonly closeMs?: number
}

/** Keeps answered calls. */
export type Recorder = {
  /** Takes a call. It is stored later, or left out; the caller never waits, and never sees a failure. */
  readonly record: (call: AnsweredCall) => void
  /** Stores what waits, within a limit, and takes no more. */
  readonly close: () => Promise<void>
}

/** Of each minute, so many calls of a workspace that were answered and refused are kept by each process. The page of requests and the docs name both. */
export const ANSWERED_A_MINUTE = 120
export const REFUSED_A_MINUTE = 300

/** The calls of one workspace in a minute. */
type Minute = { answered: number; refused: number }

/**
 * Makes a recorder, which writes in the background: one write after another, and one a second at most, so that the writes take little from the sends. What a write
 * fails with is not tried again.
 */
export const makeRecorder = (
  { requestLog, now = Date.now, onLeftOut = () => undefined, onFailure = () => undefined }: RecorderDeps,
  {
    answeredAMinute = ANSWERED_A_MINUTE, refusedAMinute = REFUSED_A_MINUTE, depth = 5_000, width = 500, everyMs = SECOND_MS,
    deadlineMs = 5 * SECOND_MS, closeMs = 2 * SECOND_MS,
  }: RecorderLimits = {},
): Recorder => {
  const { append } = guardPort(requestLog, portFailure('RequestLog'))
  const leftOut = makeLeftOut()
  const minutes = new Map<WorkspaceId, Minute>()
  let minute = 0
  let waiting: Array<LoggedRequest> = []
  let closing: Promise<void> | undefined

  /** Whether the call is among the first of its minute. */
  const isKept = ({ workspace, status }: AnsweredCall, at: Instant): boolean => {
    const current = Math.floor(at / MINUTE_MS)
    if (current !== minute) {
      minute = current
      minutes.clear()
    }
    let counted = minutes.get(workspace)
    if (counted === undefined) minutes.set(workspace, counted = { answered: 0, refused: 0 })
    return status >= REFUSED ? (counted.refused += 1) <= refusedAMinute : (counted.answered += 1) <= answeredAMinute
  }

  const leaveOut = (workspace: WorkspaceId, why: DropReason): void => {
    leftOut.add(workspace)
    onLeftOut(why, 1)
  }

  const write = async (batch: ReadonlyArray<LoggedRequest>, limitMs: number): Promise<void> => {
    const failure = await withinLimit(append(batch), limitMs)
    if (failure === undefined) return
    onLeftOut('storage', batch.length)
    onFailure(failure.cause)
  }

  const take = (): ReadonlyArray<LoggedRequest> => {
    const batch = waiting.slice(0, width)
    waiting = waiting.slice(width)
    return batch
  }

  const writes = makePasses({ isWaiting: () => waiting.length > 0, pass: () => write(take(), deadlineMs), pauseMs: () => everyMs })

  const end = async (): Promise<void> => {
    const endsAt = performance.now() + closeMs
    const left = (): number => Math.max(1, endsAt - performance.now())
    await withinLimit(writes.stop().then(() => E.right(undefined)), left())
    while (waiting.length > 0 && performance.now() < endsAt) await write(take(), left())
    if (waiting.length > 0) onLeftOut('queue', waiting.length)
    waiting = []
  }

  return {
    record: (call) => {
      const at = now()
      if (!isKept(call, at)) return leaveOut(call.workspace, 'limit')
      if (closing !== undefined || waiting.length >= depth) return leaveOut(call.workspace, 'queue')
      waiting.push({ ...call, ...leftOut.take(call.workspace), id: uuidv7obj().toHex(), at })
      writes.schedule()
    },
    close: () => (closing ??= end()),
  }
}

/** The most workspaces of which it is counted how many calls were left out. */
const MAX_COUNTED = 10_000

/** Counts the calls that were left out of each workspace since the one that was kept before. */
const makeLeftOut = () => {
  const counts = new Map<WorkspaceId, number>()
  return {
    add: (workspace: WorkspaceId): void => {
      if (counts.has(workspace) || counts.size < MAX_COUNTED) counts.set(workspace, (counts.get(workspace) ?? 0) + 1)
    },
    take: (workspace: WorkspaceId): { readonly leftOut?: number } => {
      const count = counts.get(workspace)
      if (count === undefined) return {}
      counts.delete(workspace)
      return { leftOut: count }
    },
  }
}

/** What an answer failed with, or that it did not come in time. */
const withinLimit = async (
  answer: Promise<E.Either<{ readonly cause: unknown }, void>>, limitMs: number,
): Promise<{ readonly cause: unknown } | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<E.Either<{ readonly cause: unknown }, void>>((resolve) => {
    timer = setTimeout(
      () => { resolve(E.left({ cause: new Error(`the request log was not written within ${Math.round(limitMs)} ms`) })) }, limitMs,
    )
  })
  try {
    const outcome = await Promise.race([answer, late])
    return E.isLeft(outcome) ? outcome.left : undefined
  } catch (cause) {
    return { cause }
  } finally {
    clearTimeout(timer)
  }
}
