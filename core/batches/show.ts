import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../access/access.js'
import type { ActDeps } from '../access/acting.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId } from '../kernel/ids.js'
import { type Instant, SECOND_MS } from '../kernel/time.js'
import type { Batch, BatchCounts, Batches, FailureCode, NoSuchBatch } from './batch.js'
import { type BrakeDeps, type BrakeLevel, brakeLevelOf } from './brake.js'
import { type ForecastDeps, type Progress, progressOf } from './forecast.js'
import { type BatchCommand, viewed } from './use-cases.js'

/** A batch as it is now, with the counts of its lines, why messages failed, how near its brake is, and how fast it is sent. */
export type ShownBatch = Progress & {
  readonly batch: Batch; readonly counts: BatchCounts
  /** The codes of failed and refused messages, the most frequent one first. */
  readonly failures: ReadonlyArray<FailureCount>
  /** Absent in a draft, and once the batch is over. */
  readonly brakeLevel?: BrakeLevel
}

/** How many messages failed with a code, and whether it can help to send them again, perhaps after a correction. */
export type FailureCount = { readonly code: FailureCode; readonly count: number; readonly mayHelpAgain: boolean }

/** Whether it can help to send a message again that failed with a code. */
export type MayHelpAgain = (code: FailureCode) => boolean

/**
 * Shows a batch. Counting the lines of a large batch takes some hundred milliseconds, so the counts are read again only when ten times as long has passed, and after two seconds at most.
 * Simultaneous calls share a reading.
 */
export type ShowBatch = (command: BatchCommand) => Promise<E.Either<NoSuchBatch | Forbidden | PortFailure, ShownBatch>>

/** What showing batches needs. */
export type ShowDeps = ActDeps & ForecastDeps & BrakeDeps & {
  readonly batches: Pick<Batches, 'counts' | 'find' | 'lastSent' | 'list'>
  readonly mayHelpAgain: MayHelpAgain
}

/** How long counts are shown at most, which part of the time reading them takes at most, and of how many batches they are remembered. */
const SHOWN_MS = 2 * SECOND_MS
const READING_SHARE = 10
const MAX_REMEMBERED = 100

/** What is read of the lines of a batch. */
type Looked = Pick<ShownBatch, 'brakeLevel' | 'counts'>

/** A reading of a version of a batch, until it is read again. */
type Reading = { readonly version: string; until: Instant; readonly looked: Promise<E.Either<PortFailure, Looked>> }

/** Makes it. */
export const makeShowBatch = (deps: ShowDeps): ShowBatch => {
  const readings = new Map<BatchId, Reading>()
  return async (command) => {
    const found = await viewed(deps, command)
    if (E.isLeft(found)) return found
    const batch = found.right
    const looked = await lookAt(deps, readings, batch)
    if (E.isLeft(looked)) return looked
    const { counts } = looked.right
    const progress = await progressOf(deps, batch, counts)
    return E.map((fast: Progress): ShownBatch => ({ batch, ...looked.right, ...fast, failures: failuresIn(deps, counts) }))(progress)
  }
}

const lookAt = (deps: ShowDeps, readings: Map<BatchId, Reading>, batch: Batch): Promise<E.Either<PortFailure, Looked>> => {
  const { now } = deps.windowClock
  const { id, state, upload, confirmed, brakeSince } = batch
  const version = [state, upload, confirmed?.heldAt, brakeSince].join(' ')
  const known = readings.get(id)
  if (known !== undefined && known.version === version && now() < known.until) return known.looked
  if (readings.size >= MAX_REMEMBERED) readings.clear()
  const at = now()
  const reading: Reading = { version, until: at + SHOWN_MS, looked: read(deps, batch) }
  readings.set(id, reading)
  // A failure is not remembered.
  void reading.looked.then((looked) => {
    reading.until = E.isLeft(looked) ? at : now() + Math.min(SHOWN_MS, READING_SHARE * (now() - at))
  })
  return reading.looked
}

const read = async (deps: ShowDeps, batch: Batch): Promise<E.Either<PortFailure, Looked>> => {
  const isOn = batch.state === 'confirmed' || batch.state === 'sending' || batch.state === 'paused'
  const [counts, level] = await Promise.all([
    deps.batches.counts({ workspace: batch.workspace, batch: batch.id }, batch.upload), isOn ? brakeLevelOf(deps, batch) : undefined,
  ])
  if (E.isLeft(counts)) return counts
  if (level !== undefined && E.isLeft(level)) return level
  return E.right({ counts: counts.right, ...(level && { brakeLevel: level.right }) })
}

const failuresIn = ({ mayHelpAgain }: ShowDeps, { failures }: BatchCounts): ReadonlyArray<FailureCount> =>
  [...failures].map(([code, count]) => ({ code, count, mayHelpAgain: mayHelpAgain(code) })).sort((a, b) => b.count - a.count)
