import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import type { Act, Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { EventId, WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import { ALL_EVENTS, type MakeOutboxEntries, type Event, type EventFilter } from '../kernel/outbox.js'
import { type Clock, DAY_MS, type Instant } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import type { AttemptResult, DeliveryAttempt, EventDeliveries, EventSink } from './delivery.js'
import {
  type EndpointFormat, type EndpointId, type EndpointNotFound, type EndpointSecret, type EndpointSettings, type EndpointStatus,
  type EventEndpoint, type EventEndpoints, type FaultOfUrl, filterOf, formatOf, type InvalidEndpointSettings, isEndpointId,
  type NewEndpoint, NO_TYPES, parseEndpointSettings, signingSecrets, type TooManyEndpoints,
} from './endpoint.js'

/** An act on an endpoint: the actor, and the endpoint of a workspace. */
export type EndpointActCommand = EndpointCommand & { readonly by: Actor }

/** How an act on an endpoint can fail. */
export type EndpointActError = EndpointNotFound | Forbidden | PortFailure

/** The dependencies of an act on an endpoint. */
export type EndpointActDeps = ActDeps & FindEndpointDeps

/** Does an act on an endpoint, if its actor may do it and the workspace has the endpoint. */
export const actOnEndpoint = <Failure extends { readonly _tag: string }, Done, Outcome = unknown>(
  deps: EndpointActDeps, { by, workspace, id }: EndpointActCommand, { act, details }: { readonly act: Act; readonly details?: JsonObject },
  write: (endpoint: EventEndpoint, outboxEntries: MakeOutboxEntries<Outcome>) => Promise<E.Either<Failure, Done>>,
): Promise<E.Either<Failure | EndpointActError, Done>> =>
  perform(
    deps, { by, act, workspace, subject: id, ...(details && { details }) }, {},
    async (outboxEntries: MakeOutboxEntries<Outcome>): Promise<E.Either<Failure | Exclude<EndpointActError, Forbidden>, Done>> => {
      const endpoint = await makeFindEndpoint(deps)({ workspace, id })
      return E.isLeft(endpoint) ? endpoint : write(endpoint.right, outboxEntries)
    },
  )

/** Finds an endpoint of a workspace. An endpoint of another workspace is not found, so that its id reveals nothing. */
export type FindEndpoint = (command: EndpointCommand) => Promise<E.Either<FindEndpointError, EventEndpoint>>

/** An endpoint and the workspace that asks for it; `id` may be any text. */
export type EndpointCommand = { readonly workspace: WorkspaceId; readonly id: string }

/** How finding an endpoint can fail. */
export type FindEndpointError = EndpointNotFound | PortFailure

/** The dependencies of finding an endpoint. */
export type FindEndpointDeps = { readonly eventEndpoints: Pick<EventEndpoints, 'find'> }

export const makeFindEndpoint =
  ({ eventEndpoints }: FindEndpointDeps): FindEndpoint =>
  async ({ workspace, id }) => {
    if (!isEndpointId(id)) return E.left({ _tag: 'EndpointNotFound', id })
    const found = await eventEndpoints.find(id)
    if (E.isLeft(found)) return found
    return O.isSome(found.right) && found.right.value.workspace === workspace
      ? E.right(found.right.value)
      : E.left({ _tag: 'EndpointNotFound', id })
  }

/** Adds an endpoint to a workspace. Its secret can be shown only once. */
export type AddEndpoint = (command: AddEndpointCommand) => Promise<E.Either<AddEndpointError, EndpointWithSecret>>

/** The endpoint receives events, all of them if no types are given; with the format `platform` it receives the platform's notifications, and has no types. */
export type AddEndpointCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly url: string
  readonly format?: EndpointFormat | undefined
  readonly types?: EventFilter | undefined
  readonly description?: string | undefined
}

/** How adding an endpoint can fail. */
export type AddEndpointError = InvalidEndpointSettings | TooManyEndpoints | UnknownWorkspace | Forbidden | PortFailure

/** An endpoint and the secret with which its deliveries are signed. */
export type EndpointWithSecret = { readonly endpoint: EventEndpoint; readonly secret: EndpointSecret }

/** The dependencies of adding an endpoint. */
export type AddEndpointDeps = ActDeps & {
  readonly eventEndpoints: Pick<EventEndpoints, 'add' | 'list'>
  /** A new id, which sorts after the previous ones. */
  readonly newEndpointId: () => EndpointId
  /** A new secret of 24 random bytes. */
  readonly newSecret: () => EndpointSecret
  readonly faultOfUrl?: FaultOfUrl
  readonly now: Clock
}

/** The maximum number of endpoints of a workspace. Concurrent additions may exceed it by a few. */
export const MAX_ENDPOINTS = 1_000

export const makeAddEndpoint =
  (deps: AddEndpointDeps): AddEndpoint =>
  ({ by, ...command }) => {
    const { workspace, format = 'postern', types } = command
    const consequences = {
      describe: (id: EndpointId) => ({ subject: id }), describeAnswer: ({ endpoint }: EndpointWithSecret) => ({ subject: endpoint.id }),
    }
    return perform(
      deps, { by, act: 'endpoint.add', workspace, details: { ...(format === 'platform' ? { format } : { types: types ?? ALL_EVENTS }) } },
      consequences, add(deps, command),
    )
  }

const add =
  (
    { eventEndpoints, newEndpointId, newSecret, faultOfUrl, now }: AddEndpointDeps,
    { workspace, url, format = 'postern', types: given, description = '' }: Omit<AddEndpointCommand, 'by'>,
  ) =>
  async (outboxEntries: MakeOutboxEntries<EndpointId>): Promise<E.Either<Exclude<AddEndpointError, Forbidden>, EndpointWithSecret>> => {
    const settings = parseEndpointSettings({ url, description }, faultOfUrl)
    if (E.isLeft(settings)) return settings
    const types = filterOf(format, given)
    if (E.isLeft(types)) return types
    const others = await eventEndpoints.list(workspace)
    if (E.isLeft(others)) return others
    if (others.right.length >= MAX_ENDPOINTS) return E.left({ _tag: 'TooManyEndpoints', most: MAX_ENDPOINTS })
    const { secret, ...added }: NewEndpoint = {
      id: newEndpointId(), workspace, ...settings.right, types: types.right, createdAt: now(), secret: newSecret(),
    }
    const outcome = await eventEndpoints.add({ ...added, secret }, outboxEntries)
    if (E.isLeft(outcome)) return outcome
    return E.right({ endpoint: { ...added, status: 'enabled', failingSince: undefined, lastDelivery: undefined }, secret })
  }

/** Changes the given settings of an endpoint. An endpoint that is enabled again receives events from now on. Right: the changed endpoint. */
export type ChangeEndpoint = (command: ChangeEndpointCommand) => Promise<E.Either<ChangeEndpointError, EventEndpoint>>

/** The changed settings; the others stay as they are. */
export type ChangeEndpointCommand = EndpointActCommand & {
  readonly change: Partial<EndpointSettings> & { readonly status?: EndpointStatus }
}

/** How changing an endpoint can fail. */
export type ChangeEndpointError = InvalidEndpointSettings | EndpointActError

/** The dependencies of changing an endpoint. */
export type ChangeEndpointDeps = ActDeps & {
  readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'change'>
  readonly faultOfUrl?: FaultOfUrl
  readonly now: Clock
}

export const makeChangeEndpoint =
  ({ eventEndpoints, faultOfUrl, now, ...deps }: ChangeEndpointDeps): ChangeEndpoint =>
  (command) => {
    const details = { changed: Object.keys(command.change), ...(command.change.status && { status: command.change.status }) }
    return actOnEndpoint(
      { eventEndpoints, ...deps }, command, { act: 'endpoint.change', details },
      async (endpoint, outboxEntries): Promise<E.Either<Exclude<ChangeEndpointError, Forbidden>, EventEndpoint>> => {
        const { id } = endpoint
        if (command.change.types !== undefined && formatOf(endpoint) === 'platform') return E.left(NO_TYPES)
        const change = parseEndpointSettings(command.change, faultOfUrl)
        if (E.isLeft(change)) return change
        const changed = await eventEndpoints.change(id, change.right, now(), outboxEntries)
        if (E.isLeft(changed)) return changed
        return O.isSome(changed.right) ? E.right(changed.right.value) : E.left({ _tag: 'EndpointNotFound', id })
      })
  }

/** Removes an endpoint with its delivery log. An event that is currently being delivered to it may still arrive. */
export type RemoveEndpoint = (command: EndpointActCommand) => Promise<E.Either<EndpointActError, void>>

/** The dependencies of removing an endpoint. */
export type RemoveEndpointDeps = ActDeps & { readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'remove'> }

export const makeRemoveEndpoint =
  (deps: RemoveEndpointDeps): RemoveEndpoint =>
  (command) =>
    actOnEndpoint(
      deps, command, { act: 'endpoint.remove' }, async ({ id }, outboxEntries): Promise<E.Either<EndpointNotFound | PortFailure, void>> => {
        const removed = await deps.eventEndpoints.remove(id, outboxEntries)
        if (E.isLeft(removed)) return removed
        return removed.right ? E.right(undefined) : E.left({ _tag: 'EndpointNotFound', id })
      },
    )

/** Gives an endpoint a new secret, which can be shown only once. For `SECRETS_OVERLAP_MS`, deliveries are also signed with the previous secret. */
export type RotateSecret = (command: EndpointActCommand) => Promise<E.Either<EndpointActError, RotatedSecret>>

/** The endpoint, its new secret, and until when the previous secret is valid. */
export type RotatedSecret = EndpointWithSecret & { readonly previousUntil: Instant }

/** The dependencies of giving an endpoint a new secret. */
export type RotateSecretDeps = ActDeps & {
  readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'rotateSecret'>
  /** A new secret of 24 random bytes. */
  readonly newSecret: () => EndpointSecret
  readonly now: Clock
}

/** How long a secret stays valid after a new secret has replaced it, in milliseconds. A second rotation during that time ends the oldest secret. */
export const SECRETS_OVERLAP_MS = DAY_MS

export const makeRotateSecret =
  ({ newSecret, now, ...deps }: RotateSecretDeps): RotateSecret =>
  (command) =>
    actOnEndpoint(
      deps, command, { act: 'endpoint.rotate_secret' },
      async (endpoint, outboxEntries): Promise<E.Either<EndpointNotFound | PortFailure, RotatedSecret>> => {
        const [secret, previousUntil] = [newSecret(), now() + SECRETS_OVERLAP_MS]
        const rotated = await deps.eventEndpoints.rotateSecret(endpoint.id, secret, previousUntil, outboxEntries)
        if (E.isLeft(rotated)) return rotated
        return rotated.right ? E.right({ endpoint, secret, previousUntil }) : E.left({ _tag: 'EndpointNotFound', id: endpoint.id })
      },
    )

/** Lists the endpoints of a workspace, oldest first; there are at most `MAX_ENDPOINTS`. */
export type ListEndpoints = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<EventEndpoint>>>

/** The dependencies of listing endpoints. */
export type ListEndpointsDeps = { readonly eventEndpoints: Pick<EventEndpoints, 'list'> }

export const makeListEndpoints =
  ({ eventEndpoints }: ListEndpointsDeps): ListEndpoints =>
  (workspace) =>
    eventEndpoints.list(workspace)

/**
 * Delivers an `endpoint.test` event to an endpoint now, even if it is disabled. Right: the result, as stored in the delivery log.
 *
 * The event is neither stored nor retried.
 */
export type TestEndpoint = (command: EndpointActCommand) => Promise<E.Either<EndpointActError, DeliveryAttempt>>

/** The address of deliveries, their format (`postern` if absent), and the secrets that sign them, the current one first. */
export type SinkAddress = { readonly url: string; readonly format?: EndpointFormat; readonly secrets: ReadonlyArray<EndpointSecret> }

/** The dependencies of testing an endpoint. */
export type TestEndpointDeps = ActDeps & {
  readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'secretsOf'>
  readonly eventDeliveries: Pick<EventDeliveries, 'log'>
  /** Makes the sink for an address. */
  readonly sinkFor: (address: SinkAddress) => EventSink
  /** A new event id. */
  readonly newEventId: () => EventId
  /** 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly newAttemptId: () => string
  readonly now: Clock
}

export const makeTestEndpoint =
  (deps: TestEndpointDeps): TestEndpoint =>
  (command) =>
    actOnEndpoint(
      deps, command, { act: 'endpoint.test' }, async (endpoint): Promise<E.Either<EndpointNotFound | PortFailure, DeliveryAttempt>> => {
        const secrets = await deps.eventEndpoints.secretsOf(endpoint.id)
        if (E.isLeft(secrets)) return secrets
        if (O.isNone(secrets.right)) return E.left({ _tag: 'EndpointNotFound', id: endpoint.id })
        const at = deps.now()
        const event = testEvent(deps.newEventId(), endpoint, at)
        const result = await deps.sinkFor({
          url: endpoint.url, format: formatOf(endpoint), secrets: signingSecrets(secrets.right.value, at),
        }).deliver(event)
        const attempt = attemptOf(deps.newAttemptId(), endpoint, event, result)
        const logged = await deps.eventDeliveries.log(attempt)
        return E.isLeft(logged) ? logged : E.right(attempt)
      },
    )

/** The event of a test. */
export const testEvent = (id: EventId, { id: endpoint, workspace }: EventEndpoint, at: Instant): Event =>
  ({ id, type: 'endpoint.test', workspace, at, subject: endpoint, data: { endpoint } })

const attemptOf = (
  id: string, endpoint: EventEndpoint, event: Event, { delivered, httpStatus, error, answer, durationMs }: AttemptResult,
): DeliveryAttempt => ({
  id, endpoint: endpoint.id, event: event.id, type: event.type, at: event.at, delivered, httpStatus, error, answer, durationMs,
  nextAttemptAt: undefined,
})
