/** A call to the platform that has ended. */
export type EndedCall = {
  readonly durationMs: number
  /** How long sends take besides their calls, in milliseconds: this gateway's own work, and its database's. */
  readonly ownMs: number
  /** Whether the platform answered what became of the message. */
  readonly answered: boolean
  /** How many sends were under way when it ended. */
  readonly inFlight: number
}

/** What bounds the limit. */
export type LimitBounds = {
  readonly most: number
  /** How long the platform may take for an answer, in milliseconds, before fewer calls are made at once. */
  readonly targetMs: number
}

/** How many calls may be under way before the platform has answered any. */
export const FIRST_LIMIT = 512

/** The least limit: some calls are always made, so that the gateway notices when the platform answers in time again. */
export const LEAST_LIMIT = 32

/** How long a gateway's own work for a send may take, in milliseconds, before it has fewer under way. */
const OWN_TARGET_MS = 1_000

/** The limit grows fourfold at most while as many calls are answered as it allows. */
const FASTEST_GROWTH = 3

/**
 * How many calls may be under way at once, after one of them has ended.
 *
 * The limit moves towards the number at which an answer would take `targetMs` if the time of an answer grew in proportion to the
 * number of calls. So it grows while the platform answers fast, and while that number is needed; it shrinks when answers are slow
 * or missing, and when the gateway itself or its database is slow, so that sends wait where workspaces take turns. A limit that is
 * hardly used shrinks towards `FIRST_LIMIT`, since it was measured under another load.
 */
export const nextLimit = (limit: number, { durationMs, ownMs, answered, inFlight }: EndedCall, { most, targetMs }: LimitBounds): number => {
  const slowness = Math.max(1 / targetMs, durationMs / targetMs, ownMs / OWN_TARGET_MS)
  const step = Math.min(FASTEST_GROWTH, 1 / slowness - 1)
  if (step < 0) return Math.max(Math.min(LEAST_LIMIT, most), limit + step)
  if (answered && inFlight >= limit / 2) return Math.min(most, limit + step)
  return inFlight < limit / 4 && limit > FIRST_LIMIT ? Math.max(FIRST_LIMIT, limit - 1) : limit
}
