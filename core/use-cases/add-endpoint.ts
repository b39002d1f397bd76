import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type InvalidEndpointSettings, parseEndpointSettings } from '../endpoint-settings.js'
import type { PortFailure, TooManyEndpoints, UnknownWorkspace } from '../errors.js'
import type { EndpointId, EndpointSecret, EventEndpoint } from '../event-endpoint.js'
import { ALL_EVENTS, type EventFilter } from '../event-filter.js'
import type { EventEndpoints, NewEndpoint } from '../ports/event-endpoints.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/** Adds an endpoint to a workspace. Its secret can be shown this once only. */
export type AddEndpoint = (command: AddEndpointCommand) => TE.TaskEither<AddEndpointError, EndpointWithSecret>

/** The endpoint gets all events where no types are given. */
export type AddEndpointCommand = {
  readonly workspace: WorkspaceId
  readonly url: string
  readonly types?: EventFilter | undefined
  readonly description?: string | undefined
}

/** How adding an endpoint can fail. */
export type AddEndpointError = InvalidEndpointSettings | TooManyEndpoints | UnknownWorkspace | PortFailure

/** An endpoint and the secret with which its deliveries are signed. */
export type EndpointWithSecret = { readonly endpoint: EventEndpoint; readonly secret: EndpointSecret }

/** What adding an endpoint needs. */
export type AddEndpointDeps = {
  readonly eventEndpoints: Pick<EventEndpoints, 'add' | 'list'>
  /** A new id, which sorts after those before it. */
  readonly newEndpointId: () => EndpointId
  /** A new secret of 24 random bytes. */
  readonly newSecret: () => EndpointSecret
  readonly now: Clock
}

/** The most endpoints that a workspace may have. Concurrent additions may pass it by a few. */
export const MAX_ENDPOINTS = 1_000

/** Makes the use case of what it needs. */
export const makeAddEndpoint =
  ({ eventEndpoints, newEndpointId, newSecret, now }: AddEndpointDeps): AddEndpoint =>
  ({ workspace, url, types = ALL_EVENTS, description = '' }) =>
  async () => {
    const settings = parseEndpointSettings({ url, types, description })
    if (E.isLeft(settings)) return settings
    const others = await eventEndpoints.list(workspace)()
    if (E.isLeft(others)) return others
    if (others.right.length >= MAX_ENDPOINTS) return E.left({ _tag: 'TooManyEndpoints', most: MAX_ENDPOINTS })
    const { secret, ...added }: NewEndpoint = { id: newEndpointId(), workspace, ...settings.right, createdAt: now(), secret: newSecret() }
    const outcome = await eventEndpoints.add({ ...added, secret })()
    if (E.isLeft(outcome)) return outcome
    return E.right({ endpoint: { ...added, status: 'enabled', failingSince: undefined, lastDelivery: undefined }, secret })
  }
