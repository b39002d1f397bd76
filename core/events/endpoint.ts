import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { hasUsableHost, USABLE_HOST } from '../kernel/address.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import {
  ALL_EVENTS, type MakeOutboxEntries, type EventFilter, isEventPattern, PLATFORM_NOTIFICATION, type UnknownEventType,
} from '../kernel/outbox.js'
import { type Instant, iso, isoOrNull } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'

/** The workspace has no endpoint with this id; `id` is the given text. */
export type EndpointNotFound = { readonly _tag: 'EndpointNotFound'; readonly id: string }

/** The endpoint is disabled, so nothing is delivered to it until it is enabled. */
export type EndpointDisabled = { readonly _tag: 'EndpointDisabled'; readonly id: string }

/** The workspace already has the maximum number of endpoints, which is `most`. */
export type TooManyEndpoints = { readonly _tag: 'TooManyEndpoints'; readonly most: number }

/** An address that no endpoint can have; `reason` is a sentence for people. It never quotes the address, which may contain a password. */
export type InvalidEndpointUrl = { readonly _tag: 'InvalidEndpointUrl'; readonly reason: string }

/** A list of event types that is empty, too long or contains a type twice; `reason` is a sentence for people. */
export type InvalidEventTypes = { readonly _tag: 'InvalidEventTypes'; readonly reason: string }

/** A description of an endpoint that is too long or has control characters. */
export type InvalidDescription = { readonly _tag: 'InvalidDescription' }

/** An endpoint as JSON, without its secret. */
export type EndpointView = {
  readonly id: string
  readonly url: string
  readonly format: EndpointFormat
  /** Empty if the endpoint receives notifications of the platform. */
  readonly types: ReadonlyArray<string>
  readonly description: string
  readonly status: EndpointStatus
  readonly failing_since: string | null
  readonly last_delivery: LastDeliveryView | null
  readonly created_at: string
}

/** The latest attempt to deliver to an endpoint as JSON. */
export type LastDeliveryView = { readonly at: string; readonly status: DeliveryStatus; readonly http_status: number | null }

/** The result of an attempt to deliver an event. */
export type DeliveryStatus = 'delivered' | 'failed'

/** Shows an endpoint. */
export const endpointView = ({ id, url, types, description, status, failingSince, lastDelivery, createdAt }: EventEndpoint): EndpointView =>
  ({
    id, url, format: formatOf({ types }), types: shownTypes({ types }), description, status,
    failing_since: isoOrNull(failingSince),
    last_delivery: lastDelivery === undefined
      ? null
      : { at: iso(lastDelivery.at), status: deliveryStatus(lastDelivery.delivered), http_status: lastDelivery.httpStatus ?? null },
    created_at: iso(createdAt),
  })

export const deliveryStatus = (delivered: boolean): DeliveryStatus => (delivered ? 'delivered' : 'failed')

/** The maximum length of an endpoint's address, in UTF-16 units. */
export const MAX_ENDPOINT_URL_LENGTH = 2_048

/** The form of an endpoint's address: a host of visible characters, then printable ASCII without `#`. */
export const ENDPOINT_URL_FORM = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#@\\\p{C}]+([/?][!-"$-~]*)?$/u

/**
 * Reads the address of an endpoint. Without `faultOfUrl` every address of the right form is accepted; whether its host may be called is checked when the connection
 * is opened.
 */
export const parseEndpointUrl = (text: string, faultOfUrl: FaultOfUrl = () => undefined): E.Either<InvalidEndpointUrl, string> => {
  const hasForm = text.length <= MAX_ENDPOINT_URL_LENGTH && ENDPOINT_URL_FORM.test(text)
  if (!hasForm) return refused(`url must be an absolute https URL without a user, a password or a fragment, at most ${MAX_ENDPOINT_URL_LENGTH} characters`)
  if (!hasUsableHost(text)) return refused(`url is an address with ${USABLE_HOST}`)
  const reason = faultOfUrl(text)
  return reason === undefined ? E.right(text) : refused(reason)
}

const refused = (reason: string): E.Either<InvalidEndpointUrl, never> => E.left({ _tag: 'InvalidEndpointUrl', reason })

/** The settings of an endpoint, chosen by its owner. */
export type EndpointSettings = { readonly url: string; readonly types: EventFilter; readonly description: string }

/** The format of an endpoint's deliveries: Postern's events, or the platform's raw notifications. */
export const ENDPOINT_FORMATS = ['postern', 'platform'] as const

/** The format of an endpoint's deliveries. It is chosen when the endpoint is added. */
export type EndpointFormat = (typeof ENDPOINT_FORMATS)[number]

/** The format of an endpoint. An endpoint that receives notifications of the platform receives nothing else. */
export const formatOf = ({ types }: Pick<EventEndpoint, 'types'>): EndpointFormat =>
  types.includes(PLATFORM_NOTIFICATION) ? 'platform' : 'postern'

/** The event types that an endpoint asks for; empty if it receives notifications of the platform. */
export const shownTypes = ({ types }: Pick<EventEndpoint, 'types'>): EventFilter => (formatOf({ types }) === 'platform' ? [] : types)

/** The event filter of a new endpoint: all events if no types are given. Notifications of the platform have no types to choose from. */
export const filterOf = (format: EndpointFormat, types: EventFilter | undefined): E.Either<InvalidEventFilter, EventFilter> => {
  if (format === 'postern') return parseEventFilter(types ?? ALL_EVENTS)
  return types === undefined ? E.right([PLATFORM_NOTIFICATION]) : E.left(NO_TYPES)
}

/** The failure if types are chosen for an endpoint that has none. */
export const NO_TYPES: InvalidEventTypes = { _tag: 'InvalidEventTypes', reason: 'types must be omitted for an endpoint with the format platform, which receives every notification' }

/** The ways in which settings can be invalid. */
export type InvalidEndpointSettings = InvalidEndpointUrl | InvalidEventFilter | InvalidDescription

/** Why nothing can ever be delivered to an address, as a sentence for people, judged by the address alone; `undefined` if delivery may be possible. */
export type FaultOfUrl = (url: string) => string | undefined

/** The ways in which a list of event types can be invalid. */
export type InvalidEventFilter = InvalidEventTypes | UnknownEventType

/** The maximum number of types and groups of types in a listener's filter. */
export const MAX_EVENT_TYPES = 50

/** The maximum length of an endpoint's description, in UTF-16 units. */
export const MAX_DESCRIPTION_LENGTH = 255

const CONTROL_CHARACTER = /\p{Cc}/u

/** Reads the given settings only. Spaces around a description are removed. Without `faultOfUrl` every address of the right form is accepted. */
export const parseEndpointSettings = <Given extends Partial<EndpointSettings>>(
  given: Given, faultOfUrl?: FaultOfUrl,
): E.Either<InvalidEndpointSettings, Given> => {
  const url = given.url === undefined ? NOT_GIVEN : parseEndpointUrl(given.url, faultOfUrl)
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

const faultOf = (types: EventFilter): string | undefined => {
  if (types.length === 0) return 'types must list at least one event type, or * for all'
  if (types.length > MAX_EVENT_TYPES) return `types must list at most ${MAX_EVENT_TYPES} event types`
  return new Set(types).size < types.length ? 'types must list each event type once' : undefined
}

const parseDescription = (text: string): E.Either<InvalidDescription, string> => {
  const description = text.trim()
  return description.length <= MAX_DESCRIPTION_LENGTH && !CONTROL_CHARACTER.test(description)
    ? E.right(description)
    : E.left({ _tag: 'InvalidDescription' })
}

/** An endpoint's id: `ep_` and 32 lowercase hexadecimal digits of a UUIDv7. */
export type EndpointId = string & { readonly EndpointId: unique symbol }

/** Whether events are delivered to it. After a disabled endpoint is enabled again, it receives only events from then on. */
export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const

/** The status of an endpoint. */
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number]

/** An address of an application to which events of its workspace are delivered. */
export type EventEndpoint = {
  readonly id: EndpointId
  readonly workspace: WorkspaceId
  /** An absolute `https:` or `http:` URL without a user name, a password or a fragment; at most 2,048 characters. */
  readonly url: string
  readonly types: EventFilter
  /** Its purpose, in the owner's words; at most 255 characters, empty if none was given. */
  readonly description: string
  readonly status: EndpointStatus
  readonly createdAt: Instant
  /** Since when every attempt has failed; absent if it is healthy. */
  readonly failingSince: Instant | undefined
  /** The latest attempt. */
  readonly lastDelivery: LastDelivery | undefined
}

/** The latest attempt to deliver to an endpoint. */
export type LastDelivery = { readonly at: Instant; readonly delivered: boolean; readonly httpStatus: number | undefined }

/** A secret with which deliveries are signed: `whsec_` and the base64 of 24 to 64 random bytes. It is secret. */
export type EndpointSecret = string & { readonly EndpointSecret: unique symbol }

/** The secret from the base64 of random bytes. */
export const endpointSecretOf = (base64: string): EndpointSecret => `whsec_${base64}` as EndpointSecret

/** The secrets of an endpoint: the current one and, for a period after a rotation, the previous one. */
export type EndpointSecrets = {
  readonly current: EndpointSecret
  readonly previous: { readonly secret: EndpointSecret; readonly until: Instant } | undefined
}

/** The secrets to sign with at a given time, the current one first. */
export const signingSecrets = ({ current, previous }: EndpointSecrets, at: Instant): ReadonlyArray<EndpointSecret> =>
  previous !== undefined && at < previous.until ? [current, previous.secret] : [current]

const FORM = /^ep_[0-9a-f]{32}$/

/** Whether a text has the form of an endpoint's id. */
export const isEndpointId = (text: string): text is EndpointId => FORM.test(text)

/** The endpoint id of a UUIDv7, without its dashes. */
export const endpointIdOf = (uuid: string): EndpointId => `ep_${uuid.replaceAll('-', '')}` as EndpointId

/** The endpoints of all workspaces. Secrets are encrypted at rest. */
export interface EventEndpoints {
  /**
   * Adds an endpoint, which receives events from now on. `UnknownWorkspace`: no workspace has that id. `outboxEntries` is called if the
   * endpoint is added.
   */
  readonly add: (
    endpoint: NewEndpoint, outboxEntries?: MakeOutboxEntries<EndpointId>,
  ) => Promise<E.Either<UnknownWorkspace | PortFailure, void>>
  /** One endpoint; none if no endpoint has that id. */
  readonly find: (id: EndpointId) => Promise<E.Either<PortFailure, Option<EventEndpoint>>>
  /** The secrets of an endpoint; none if no endpoint has that id. */
  readonly secretsOf: (id: EndpointId) => Promise<E.Either<PortFailure, Option<EndpointSecrets>>>
  /** A workspace's endpoints, oldest first by their ids. */
  readonly list: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<EventEndpoint>>>
  /**
   * Changes the given settings. Right: the changed endpoint; none if no endpoint has that id.
   *
   * An endpoint that is enabled again is healthy and receives events from now on; pending attempts of an endpoint that is disabled are
   * removed. `outboxEntries` is called if the endpoint exists.
   */
  readonly change: (
    id: EndpointId, change: EndpointChange, at: Instant, outboxEntries?: MakeOutboxEntries<ChangedEndpoint>,
  ) => Promise<E.Either<PortFailure, Option<EventEndpoint>>>
  /**
   * Replaces the secret; the previous one stays valid until a given time. Right: whether the endpoint exists; if it does, `outboxEntries`
   * is called.
   */
  readonly rotateSecret: (
    id: EndpointId, secret: EndpointSecret, previousUntil: Instant, outboxEntries?: MakeOutboxEntries<EndpointId>,
  ) => Promise<E.Either<PortFailure, boolean>>
  /**
   * Removes an endpoint with its pending attempts and its delivery log. Right: whether the endpoint existed; if it did, `outboxEntries` is
   * called.
   */
  readonly remove: (id: EndpointId, outboxEntries?: MakeOutboxEntries<EndpointId>) => Promise<E.Either<PortFailure, boolean>>
}

/** A new endpoint: enabled, healthy, without an attempt. */
export type NewEndpoint = Pick<EventEndpoint, 'id' | 'workspace' | 'url' | 'types' | 'description' | 'createdAt'> & {
  readonly secret: EndpointSecret
}

/** A changed endpoint: its previous status, and the endpoint after the change. */
export type ChangedEndpoint = { readonly from: EndpointStatus; readonly endpoint: EventEndpoint }

/** The changes of an endpoint. */
export type EndpointChange = Partial<Pick<EventEndpoint, 'url' | 'types' | 'description' | 'status'>>
