import type { EventFilter } from './event-filter.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** An endpoint's id: `ep_` and 32 lowercase hexadecimal digits of a UUIDv7. */
export type EndpointId = string & { readonly EndpointId: unique symbol }

/** Whether events are delivered to it. A disabled endpoint gets those that happen after it is enabled again. */
export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const

/** The status of an endpoint. */
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number]

/** An address of an application to which events of its workspace are delivered. */
export type EventEndpoint = {
  readonly id: EndpointId
  readonly workspace: WorkspaceId
  /** An absolute `https:` or `http:` URL without a user, a password or a fragment; at most 2,048 characters. */
  readonly url: string
  readonly types: EventFilter
  /** What it is for, in the owner's words; at most 255 characters, and empty where nothing was said. */
  readonly description: string
  readonly status: EndpointStatus
  readonly createdAt: Instant
  /** Since when every attempt has failed; absent while it is healthy. */
  readonly failingSince: Instant | undefined
  /** The latest attempt. */
  readonly lastDelivery: LastDelivery | undefined
}

/** The latest attempt to deliver to an endpoint. */
export type LastDelivery = { readonly at: Instant; readonly delivered: boolean; readonly httpStatus: number | undefined }

/** A secret with which deliveries are signed: `whsec_` and the base64 of 24 to 64 random bytes. It is secret. */
export type EndpointSecret = string & { readonly EndpointSecret: unique symbol }

/** The secret made of the base64 of random bytes. */
export const endpointSecretOf = (base64: string): EndpointSecret => `whsec_${base64}` as EndpointSecret

/** The secrets of an endpoint: the current one and, for a time after a rotation, the one before. */
export type EndpointSecrets = {
  readonly current: EndpointSecret
  readonly previous: { readonly secret: EndpointSecret; readonly until: Instant } | undefined
}

/** The secrets to sign with at a moment, the current one first. */
export const signingSecrets = ({ current, previous }: EndpointSecrets, at: Instant): ReadonlyArray<EndpointSecret> =>
  previous !== undefined && at < previous.until ? [current, previous.secret] : [current]

const FORM = /^ep_[0-9a-f]{32}$/

/** Whether a text has the form of an endpoint's id. */
export const isEndpointId = (text: string): text is EndpointId => FORM.test(text)

/** The endpoint id made of a UUIDv7; its dashes are dropped. */
export const endpointIdOf = (uuid: string): EndpointId => `ep_${uuid.replaceAll('-', '')}` as EndpointId
