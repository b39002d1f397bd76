import type { DeliveryProgress } from '../../core/events/delivery.js'
import type { EventEndpoint } from '../../core/events/endpoint.js'
import type { Along } from '../../core/kernel/outbox.js'
import { type EachUpdate, insert, updateAll } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { endpointIn, lockEndpoint } from './endpoint-rows.js'
import type { Write } from './group-commit.js'
import { ATTEMPT_COLUMNS, attemptValues, latestOf, recordProgress } from './record-progress.js'
import type { Queryable } from './sql.js'
import type { Emit } from './transact-events.js'

/** What came of deliveries to an endpoint, and what makes the event of its end. */
export type ProgressItem = { readonly progress: DeliveryProgress; readonly along: Along<EventEndpoint> | undefined }

/**
 * Notes what came of deliveries to many endpoints in one transaction.
 *
 * Most often every attempt has delivered its event for the first time: then a few statements note them for all endpoints. If another gateway has moved
 * one of these endpoints, the update matches too few rows, and in the second try each endpoint is noted by itself.
 */
export const recordDeliveries = (dialect: Dialect): Write<ProgressItem, boolean> => ({
  kind: 'record-deliveries',
  run: async (trx, items, verifyReads, emit) => {
    const plain = verifyReads ? [] : items.filter(({ progress }) => isPlain(progress))
    await recordPlain(trx, dialect, plain.map(({ progress }) => progress))
    const answers: Array<boolean> = []
    for (const item of items) answers.push(plain.includes(item) || (await recordOne(trx, dialect, item, emit)))
    return answers
  },
})

/** Whether nothing was or is to be tried again. */
const isPlain = ({ retry, done, hastenSince, disabled }: DeliveryProgress): boolean =>
  retry.length === 0 && done.length === 0 && hastenSince === undefined && disabled === undefined

const recordPlain = async (trx: Queryable, dialect: Dialect, progress: ReadonlyArray<DeliveryProgress>): Promise<void> => {
  if (progress.length === 0) return
  await Promise.all([
    updateAll(trx, dialect, MOVE, progress.map(moveValues), 'an endpoint was moved by another transaction'),
    insert(trx, dialect, 'event_attempts', ATTEMPT_COLUMNS, progress.flatMap(({ attempts }) => attempts.map(attemptValues))),
  ])
}

const recordOne = async (trx: Queryable, dialect: Dialect, { progress, along }: ProgressItem, emit: Emit): Promise<boolean> => {
  if (!(await recordProgress(trx, dialect, progress))) return false
  if (progress.disabled === true && along !== undefined) {
    const disabled = await lockEndpoint(trx, dialect, progress.endpoint)
    if (disabled !== undefined) emit(along(endpointIn(disabled)))
  }
  return true
}

const moveValues = (progress: DeliveryProgress) => {
  const { endpoint, from, to, failures, failingSince, pausedUntil, attempts } = progress
  const latest = latestOf(attempts)
  return [
    endpoint, from, to, failures, failingSince ?? null, pausedUntil ?? null,
    latest?.at ?? null, latest === undefined ? null : Number(latest.delivered), latest?.httpStatus ?? null,
  ]
}

/** A test of the endpoint may have been later. MySQL assigns in this order, so the moment that the others are compared with comes last. */
const IS_LATEST = 'v.new_last_at IS NOT NULL AND (t.last_at IS NULL OR t.last_at <= v.new_last_at)'

const MOVE: EachUpdate = {
  table: 'event_endpoints',
  key: ['id'],
  columns: [
    'from_position', 'to_position', 'new_failures', 'new_failing_since', 'new_paused_until', 'new_last_at', 'new_last_delivered', 'new_last_http_status',
  ].map((name) => ({ name, type: 'integer' })),
  set: [
    ['position', 'v.to_position'], ['failures', 'v.new_failures'], ['failing_since', 'v.new_failing_since'], ['paused_until', 'v.new_paused_until'],
    ['last_delivered', `CASE WHEN ${IS_LATEST} THEN v.new_last_delivered ELSE t.last_delivered END`],
    ['last_http_status', `CASE WHEN ${IS_LATEST} THEN v.new_last_http_status ELSE t.last_http_status END`],
    ['last_at', `CASE WHEN ${IS_LATEST} THEN v.new_last_at ELSE t.last_at END`],
  ],
  where: "t.position = v.from_position AND t.status = 'enabled'",
}
