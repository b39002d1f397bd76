import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import { DAY_MS, type Days, type Instant, parseMoment as parseInstant } from '../../core/kernel/time.js'

/** The cookie in which the script says the time zone of the browser. It is not a secret and gives no right. */
export const ZONE_COOKIE = 'postern_zone'

/** The cookie of the time zone that the person chose. It is not a secret and gives no right. */
export const CHOSEN_ZONE_COOKIE = 'postern_chosen_zone'

const cookieForm = (name: string): RegExp => new RegExp(`(?:^|;\\s*)${name}=([A-Za-z][A-Za-z0-9_+/-]{0,63})\\s*(?:;|$)`)
const [NAMED, CHOSEN] = [cookieForm(ZONE_COOKIE), cookieForm(CHOSEN_ZONE_COOKIE)]

/** A time zone in its canonical spelling, because answers are shared by zone; none if there is no such zone. */
export const parseZone = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : clockOf(name)?.resolvedOptions().timeZone

/** The time zone that the person chose; none if the zone of the browser counts. */
export const chosenZoneOf = ({ cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>): string | undefined =>
  parseZone(CHOSEN.exec(cookie)?.[1])

/** The time zone of the response: the one that the person chose, otherwise that of the browser if it is known, otherwise UTC. */
export const zoneOf = (headers: Pick<IncomingHttpHeaders, 'cookie'>): string =>
  chosenZoneOf(headers) ?? parseZone(NAMED.exec(headers.cookie ?? '')?.[1]) ?? 'UTC'

/** The time zones that can be chosen, each in its canonical spelling. */
export const ZONES: ReadonlyArray<string> = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

const looked = new AsyncLocalStorage<string>()

/** Runs work in a time zone: everything that it calls and awaits uses it, and other requests do not. */
export const inZone = <Result>(zone: string, work: () => Result): Result => looked.run(zone, work)

/** The time zone of the current request; UTC outside a request. */
export const currentZone = (): string => looked.getStore() ?? 'UTC'

const clocks = new Map<string, Intl.DateTimeFormat>()
/** A client may name any zone; there are about six hundred. */
const MAX_CLOCKS = 1_000

const clockOf = (zone: string): Intl.DateTimeFormat | undefined => {
  const known = clocks.get(zone)
  if (known !== undefined) return known
  try {
    const made = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit',
      second: '2-digit',
    })
    if (clocks.size >= MAX_CLOCKS) clocks.clear()
    clocks.set(zone, made)
    return made
  } catch {
    return undefined
  }
}

/** The wall-clock time in a zone, in milliseconds as if it were UTC. */
const wallOf = (at: Instant, zone: string): number => {
  const parts = new Map(clockOf(zone)?.formatToParts(at).map(({ type, value }) => [type, Number(value)] as const))
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

/** The timestamp of a wall-clock time. For a time that occurs twice it is one of both; for a skipped time it is close to it. */
const momentAt = (wall: number, zone: string): Instant => {
  const first = wall - (wallOf(wall, zone) - wall)
  return wall - (wallOf(first, zone) - first)
}

/** A timestamp in the format of a form field, such as `2026-11-26T20:00`. */
export const typedMoment = (at: Instant): string => new Date(wallOf(at, currentZone())).toISOString().slice(0, 16)

/** Reads a time that a person typed, in the zone of the request. An address may contain a UTC time, which ends with `Z`; a day alone means its beginning. */
export const parseMoment = (text: string): Instant | undefined => {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?Z?$/.test(text)) return undefined
  const bare = text.replace('Z', '')
  const wall = parseInstant(bare.length === 10 ? bare : `${bare}Z`)
  if (wall === undefined || wall < 0) return undefined
  return text.endsWith('Z') ? wall : Math.max(0, momentAt(wall, currentZone()))
}

/** Reads a day, such as `2026-11-26`, or `2026-11-26Z` for a UTC day: its beginning, and the beginning of the next day. */
export const parseDay = (text: string | null): { readonly from: Instant; readonly to: Instant } | undefined => {
  const from = /^\d{4}-\d\d-\d\dZ?$/.test(text ?? '') ? parseMoment(text ?? '') : undefined
  if (from === undefined) return undefined
  return { from, to: text?.endsWith('Z') === true ? from + DAY_MS : momentAt(wallOf(from, currentZone()) + DAY_MS, currentZone()) }
}

/** The days of the zone of the request. */
export const currentDays = (): Days => {
  const zone = currentZone()
  return { zone, startOf: (at) => momentAt(Math.floor(wallOf(at, zone) / DAY_MS) * DAY_MS, zone) }
}
