/** A moment, in milliseconds since the Unix epoch, UTC. */
export type Instant = number

export const SECOND_MS = 1_000
export const HOUR_MS = 3_600_000
