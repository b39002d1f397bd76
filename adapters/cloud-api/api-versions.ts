import type { Instant } from '../../core/kernel/time.js'

/**
 * Until when the platform answers the versions of its API whose end it has published.
 *
 * Source: <https://developers.facebook.com/docs/graph-api/changelog/versions/>, as of v26.0, whose end is not published yet.
 */
const ENDS: ReadonlyMap<string, Instant> = new Map([
  ['v18.0', Date.UTC(2026, 0, 26)],
  ['v19.0', Date.UTC(2026, 4, 21)],
  ['v20.0', Date.UTC(2026, 8, 24)],
  ['v21.0', Date.UTC(2027, 0, 21)],
  ['v22.0', Date.UTC(2027, 4, 20)],
  ['v23.0', Date.UTC(2027, 9, 8)],
  ['v24.0', Date.UTC(2028, 1, 18)],
  ['v25.0', Date.UTC(2028, 6, 29)],
])

/** The day on which a version such as `v25.0` ends, at its start in UTC; `undefined` where the platform has published none. */
export const versionEnd = (version: string): Instant | undefined => ENDS.get(version)
