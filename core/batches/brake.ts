import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MessageLog } from '../messages/message-log.js'
import type { MessageRecord } from '../messages/message.js'
import { errorCodeOf } from '../messages/own-errors.js'
import type { NumberHealth } from '../senders/number-health.js'
import type { Batch, Batches, PauseReason } from './batch.js'

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

/** Why a batch must pause now; `undefined` if it need not. Only what happened since the brake was last released counts. */
export const brakeOf = async (deps: BrakeDeps, batch: Batch): Promise<E.Either<PortFailure, PauseReason | undefined>> => {
  const { workspace, id, upload, brake } = batch
  const ids = await deps.batches.lastSent({ workspace, batch: id }, upload, brake.of)
  if (E.isLeft(ids)) return ids
  const [records, quality] = await Promise.all([
    Promise.all(ids.right.map((message) => deps.messageLog.find(workspace, { id: message }))), isRed(deps, batch),
  ])
  const found = E.sequenceArray(records)
  if (E.isLeft(found)) return found
  if (E.isLeft(quality)) return quality
  return E.right(quality.right ? 'quality_red' : reasonIn(found.right.flatMap((one) => (O.isSome(one) ? [one.value] : [])), batch))
}

/** Why the failures among the last messages stop a batch. */
export const reasonIn = (
  records: ReadonlyArray<MessageRecord>, { brake: { share, of }, brakeSince = 0 }: Pick<Batch, 'brake' | 'brakeSince'>,
): PauseReason | undefined => {
  const counts = new Map<number | string, number>()
  for (const { state, error, history } of records) {
    const failedAt = history.find((entry) => entry.state === state)?.at ?? 0
    const code = errorCodeOf(error) ?? 'unknown'
    if ((state !== 'failed' && state !== 'refused') || failedAt < brakeSince || OF_LINE.has(code)) continue
    const stop = STOPS[code]
    if (stop !== undefined) return stop
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
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
