/** A moment, in milliseconds since the Unix epoch, UTC. */
export type Instant = number

/** A second in milliseconds. */
export const SECOND_MS = 1_000
/** An hour in milliseconds. */
export const HOUR_MS = 3_600_000
