import { EVENT_TYPES, type EventType } from './event.js'

/** Which types a listener wants: types, groups such as `message.*`, or `*` for all. */
export type EventFilter = ReadonlyArray<string>

/** Every type of event. */
export const ALL_EVENTS: EventFilter = ['*']

/** The groups of types, such as `message.*`. */
const GROUPS: ReadonlySet<string> = new Set(EVENT_TYPES.map((type) => groupOf(type)))

/** Whether a text names a type, a group of types, or all types. */
export const isEventPattern = (text: string): boolean => text === '*' || GROUPS.has(text) || EVENT_TYPES.some((type) => type === text)

/** Whether a listener wants a type. A test is always wanted, because it was asked for. */
export const wantsEvent = (filter: EventFilter, type: EventType): boolean =>
  type === 'endpoint.test' || filter.some((pattern) => pattern === '*' || pattern === type || pattern === groupOf(type))

function groupOf(type: string): string {
  return `${type.slice(0, type.indexOf('.'))}.*`
}
