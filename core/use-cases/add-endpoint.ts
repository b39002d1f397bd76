import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type FaultOfUrl, type InvalidEndpointSettings, parseEndpointSettings } from '../endpoint-settings.js'
import type { Forbidden, PortFailure, TooManyEndpoints, UnknownWorkspace } from '../errors.js'
import type { EndpointId, EndpointSecret, EventEndpoint } from '../event-endpoint.js'
import { ALL_EVENTS, type EventFilter } from '../event-filter.js'
import type { Along, EventEndpoints, NewEndpoint } from '../ports/event-endpoints.js'
import type { Actor } from '../principal.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/** Adds an endpoint to a workspace. Its secret can be shown this once only. */
export type AddEndpoint = (command: AddEndpointCommand) => TE.TaskEither<AddEndpointError, EndpointWithSecret>

/** The endpoint gets all events where no types are given. */
export type AddEndpointCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly url: string
  readonly types?: EventFilter | undefined
  readonly description?: string | undefined
}

/** How adding an endpoint can fail. */
export type AddEndpointError = InvalidEndpointSettings | TooManyEndpoints | UnknownWorkspace | Forbidden | PortFailure

/** An endpoint and the secret with which its deliveries are signed. */
export type EndpointWithSecret = { readonly endpoint: EventEndpoint; readonly secret: EndpointSecret }

/** What adding an endpoint needs. */
export type AddEndpointDeps = ActDeps & {
  readonly eventEndpoints: Pick<EventEndpoints, 'add' | 'list'>
  /** A new id, which sorts after those before it. */
  readonly newEndpointId: () => EndpointId
  /** A new secret of 24 random bytes. */
  readonly newSecret: () => EndpointSecret
  readonly faultOfUrl?: FaultOfUrl
  readonly now: Clock
}

/** The most endpoints that a workspace may have. Concurrent additions may pass it by a few. */
export const MAX_ENDPOINTS = 1_000

/** Makes the use case of what it needs. */
export const makeAddEndpoint =
  (deps: AddEndpointDeps): AddEndpoint =>
  ({ by, ...command }) =>
  () => {
    const { workspace, types = ALL_EVENTS } = command
    const consequences = { describe: (id: EndpointId) => ({ subject: id }), describeAnswer: ({ endpoint }: EndpointWithSecret) => ({ subject: endpoint.id }) }
    return perform(deps, { by, act: 'endpoint.add', workspace, details: { types } }, consequences, add(deps, command))
  }

const add =
  ({ eventEndpoints, newEndpointId, newSecret, faultOfUrl, now }: AddEndpointDeps, { workspace, url, types = ALL_EVENTS, description = '' }: Omit<AddEndpointCommand, 'by'>) =>
  async (along: Along<EndpointId>): Promise<E.Either<Exclude<AddEndpointError, Forbidden>, EndpointWithSecret>> => {
    const settings = parseEndpointSettings({ url, types, description }, faultOfUrl)
    if (E.isLeft(settings)) return settings
    const others = await eventEndpoints.list(workspace)()
    if (E.isLeft(others)) return others
    if (others.right.length >= MAX_ENDPOINTS) return E.left({ _tag: 'TooManyEndpoints', most: MAX_ENDPOINTS })
    const { secret, ...added }: NewEndpoint = { id: newEndpointId(), workspace, ...settings.right, createdAt: now(), secret: newSecret() }
    const outcome = await eventEndpoints.add({ ...added, secret }, along)()
    if (E.isLeft(outcome)) return outcome
    return E.right({ endpoint: { ...added, status: 'enabled', failingSince: undefined, lastDelivery: undefined }, secret })
  }
