import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { JsonObject } from '../kernel/json.js'
import type { MessageLog } from '../messages/message-log.js'
import type { MessageRecord } from '../messages/message.js'
import { STOOD_STILL } from '../messages/own-errors.js'
import type { NumberHealth } from '../senders/number-health.js'
import { type Batch, type Batches, type FailureCode, failureCodeOf, type PauseReason } from './batch.js'

/** What the brake reads. */
export type BrakeDeps = {
  readonly batches: Pick<Batches, 'lastSent'>
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly numberHealth?: Pick<NumberHealth, 'of'>
}

/**
 * The codes that stop a batch at once. 131048: customers have reported the number as spam. 131064: utility messages of the account are restricted. 132015 and 132016: the template is paused
 * or disabled. 131031 and 368: the account is locked or restricted.
 */
const STOPS: Readonly<Partial<Record<number | string, PauseReason>>> = {
  131048: 'spam_rate_limit', 131064: 'utility_restricted', 132015: 'template_paused', 132016: 'template_paused',
  131031: 'account_restricted', 368: 'account_restricted',
}

/** Codes of ours that say that the platform or the storage does not answer. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set(['platform_unreachable', 'storage_unavailable'])

/** Codes of ours about a line alone. They say nothing about the next lines. */
const OF_LINE: ReadonlySet<unknown> = new Set(['queue_expired', 'customer_opted_out', 'consent_required'])

/** Whether an error is about a message alone: also if its gateway stood still, which the messages of another gateway do not share. */
const isOfLine = (error: JsonObject | undefined): boolean => OF_LINE.has(failureCodeOf(error)) || error?.['message'] === STOOD_STILL

/** Why a batch must pause now; `undefined` if it need not. Only what happened since the brake was last released counts. */
export const brakeOf = async (deps: BrakeDeps, batch: Batch): Promise<E.Either<PortFailure, PauseReason | undefined>> => {
  const [records, quality] = await Promise.all([lastRecords(deps, batch), isRed(deps, batch)])
  if (E.isLeft(records)) return records
  if (E.isLeft(quality)) return quality
  return E.right(quality.right ? 'quality_red' : reasonIn(records.right, batch))
}

/** How near a batch is to a pause because of failures: how many of its last messages failed with the most frequent code, and how many of them let it pause. */
export type BrakeLevel = {
  /** The most frequent code; absent if none of the last messages failed. */
  readonly code?: FailureCode
  readonly failures: number
  /** With this number of failures it pauses; absent if it never pauses for failures. */
  readonly pausesAt?: number
  /** How many of the last messages were looked at. */
  readonly messages: number
}

/** Tells how near a batch is to a pause. */
export const brakeLevelOf = async (deps: BrakeDeps, batch: Batch): Promise<E.Either<PortFailure, BrakeLevel>> => {
  const { share, of } = batch.brake
  const pausesAt = Math.floor(share * of) + 1
  return E.map((records: ReadonlyArray<MessageRecord>): BrakeLevel => {
    const [most] = [...countFailures(records, batch)].sort(([, a], [, b]) => b - a)
    return {
      ...(most !== undefined && { code: most[0] }), failures: most?.[1] ?? 0, messages: records.length, ...(pausesAt <= of && { pausesAt }),
    }
  })(await lastRecords(deps, batch))
}

/** The last messages of a batch that have left, as many as the brake looks at. */
const lastRecords = async (
  { batches, messageLog }: BrakeDeps, { workspace, id, upload, brake: { of } }: Batch,
): Promise<E.Either<PortFailure, ReadonlyArray<MessageRecord>>> => {
  const ids = await batches.lastSent({ workspace, batch: id }, upload, of)
  if (E.isLeft(ids)) return ids
  const records = E.sequenceArray(await Promise.all(ids.right.map((message) => messageLog.find(workspace, { id: message }))))
  return E.map((found: ReadonlyArray<O.Option<MessageRecord>>) => found.flatMap((one) => (O.isSome(one) ? [one.value] : [])))(records)
}

/** How many messages failed, by the code of their error. Failures before the brake was last released do not count, nor do those that say nothing about other lines. */
const countFailures = (
  records: ReadonlyArray<MessageRecord>, { brakeSince = 0 }: Pick<Batch, 'brakeSince'>,
): ReadonlyMap<FailureCode, number> => {
  const counts = new Map<FailureCode, number>()
  for (const { state, error, history } of records) {
    const failedAt = history.find((entry) => entry.state === state)?.at ?? 0
    const code = failureCodeOf(error)
    if ((state !== 'failed' && state !== 'refused') || failedAt < brakeSince || isOfLine(error)) continue
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return counts
}

/** Why the failures among the last messages stop a batch. */
export const reasonIn = (
  records: ReadonlyArray<MessageRecord>, { brake: { share, of }, brakeSince }: Pick<Batch, 'brake' | 'brakeSince'>,
): PauseReason | undefined => {
  const counts = countFailures(records, { ...(brakeSince !== undefined && { brakeSince }) })
  const stop = [...counts.keys()].find((code) => STOPS[code] !== undefined)
  if (stop !== undefined) return STOPS[stop]
  const most = [...counts].find(([, count]) => count > share * of)
  if (most === undefined) return undefined
  return UNAVAILABLE.has(most[0]) ? 'unavailable' : 'failures'
}

/** Whether the quality of the number has become red since the brake was last released. */
const isRed = async (
  { numberHealth }: BrakeDeps, { workspace, sender, brakeSince = 0 }: Batch,
): Promise<E.Either<PortFailure, boolean>> => {
  const known = await numberHealth?.of(workspace)
  if (known === undefined || E.isLeft(known)) return E.right(false)
  const own = known.right.find(({ phoneNumberId }) => phoneNumberId === sender)
  return E.right(own?.quality === 'red' && (own.qualitySince ?? 0) >= brakeSince)
}
