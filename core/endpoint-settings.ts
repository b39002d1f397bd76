import * as E from 'fp-ts/lib/Either.js'
import { parseEndpointUrl } from './endpoint-url.js'
import type { InvalidDescription, InvalidEndpointUrl, InvalidEventTypes, UnknownEventType } from './invalid.js'
import { type EventFilter, isEventPattern } from './event-filter.js'

/** What the owner of an endpoint says of it. */
export type EndpointSettings = { readonly url: string; readonly types: EventFilter; readonly description: string }

/** How settings can be wrong. */
export type InvalidEndpointSettings = InvalidEndpointUrl | InvalidEventFilter | InvalidDescription

/** Why nothing can ever be delivered to an address, as a sentence for people, as far as the address alone tells; `undefined` where something may be. */
export type FaultOfUrl = (url: string) => string | undefined

/** How a list of types of events can be wrong. */
export type InvalidEventFilter = InvalidEventTypes | UnknownEventType

/** The most types and groups of types that a listener names. */
export const MAX_EVENT_TYPES = 50

/** The longest description of an endpoint, in UTF-16 units. */
export const MAX_DESCRIPTION_LENGTH = 255

const CONTROL_CHARACTER = /\p{Cc}/u

/** Reads the settings that are given, and only these. Spaces around a description are dropped. Without `faultOfUrl` every address of the right form is taken. */
export const parseEndpointSettings = <Given extends Partial<EndpointSettings>>(given: Given, faultOfUrl?: FaultOfUrl): E.Either<InvalidEndpointSettings, Given> => {
  const url = given.url === undefined ? NOT_GIVEN : E.flatMap(parseEndpointUrl(given.url), (parsed) => checkUrl(parsed, faultOfUrl))
  if (E.isLeft(url)) return url
  const types = given.types === undefined ? NOT_GIVEN : parseEventFilter(given.types)
  if (E.isLeft(types)) return types
  const description = given.description === undefined ? NOT_GIVEN : parseDescription(given.description)
  if (E.isLeft(description)) return description
  return E.right({
    ...given,
    ...(url.right !== undefined && { url: url.right }),
    ...(types.right !== undefined && { types: types.right }),
    ...(description.right !== undefined && { description: description.right }),
  })
}

/** Reads a list of types of events. */
export const parseEventFilter = (types: EventFilter): E.Either<InvalidEventFilter, EventFilter> => {
  const reason = faultOf(types)
  if (reason !== undefined) return E.left({ _tag: 'InvalidEventTypes', reason })
  const unknown = types.find((type) => !isEventPattern(type))
  return unknown === undefined ? E.right(types) : E.left({ _tag: 'UnknownEventType', type: unknown })
}

const NOT_GIVEN = E.right(undefined)

const checkUrl = (url: string, faultOfUrl: FaultOfUrl = () => undefined): E.Either<InvalidEndpointUrl, string> => {
  const reason = faultOfUrl(url)
  return reason === undefined ? E.right(url) : E.left({ _tag: 'InvalidEndpointUrl', reason })
}

const faultOf = (types: EventFilter): string | undefined => {
  if (types.length === 0) return 'types names at least one type of event, or * for all'
  if (types.length > MAX_EVENT_TYPES) return `types names at most ${MAX_EVENT_TYPES} types of events`
  return new Set(types).size < types.length ? 'types names each type of event once' : undefined
}

const parseDescription = (text: string): E.Either<InvalidDescription, string> => {
  const description = text.trim()
  return description.length <= MAX_DESCRIPTION_LENGTH && !CONTROL_CHARACTER.test(description)
    ? E.right(description)
    : E.left({ _tag: 'InvalidDescription' })
}
