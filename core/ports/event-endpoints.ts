import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { EndpointId, EndpointSecret, EndpointSecrets, EndpointStatus, EventEndpoint } from '../event-endpoint.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { PortFailure, UnknownWorkspace } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export { signingSecrets } from '../event-endpoint.js'
export type { EndpointId, EndpointSecret, EndpointSecrets, EndpointStatus, EventEndpoint, LastDelivery } from '../event-endpoint.js'
export type { EventFilter } from '../event-filter.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** The endpoints of all workspaces. Secrets are encrypted at rest. */
export interface EventEndpoints {
  /** Adds an endpoint, which gets the events from now on. `UnknownWorkspace`: no workspace has that id. `along` is called where it is added. */
  readonly add: (endpoint: NewEndpoint, along?: Along<EndpointId>) => TaskEither<UnknownWorkspace | PortFailure, void>
  /** One endpoint; none if none has that id. */
  readonly find: (id: EndpointId) => TaskEither<PortFailure, Option<EventEndpoint>>
  /** The secrets of an endpoint; none if none has that id. */
  readonly secretsOf: (id: EndpointId) => TaskEither<PortFailure, Option<EndpointSecrets>>
  /** A workspace's endpoints, oldest first by their ids. */
  readonly list: (workspace: WorkspaceId) => TaskEither<PortFailure, ReadonlyArray<EventEndpoint>>
  /**
   * Changes what is given. Right: the endpoint afterwards; none if none has that id.
   *
   * One that is enabled again begins with the events from now on, healthy; waiting attempts of one that is disabled are dropped. `along` is called where
   * there is such an endpoint.
   */
  readonly change: (id: EndpointId, change: EndpointChange, at: Instant, along?: Along<ChangedEndpoint>) => TaskEither<PortFailure, Option<EventEndpoint>>
  /** Replaces the secret; the one before counts until a moment. Right: whether there is such an endpoint; `along` is called where there is. */
  readonly rotateSecret: (id: EndpointId, secret: EndpointSecret, previousUntil: Instant, along?: Along<EndpointId>) => TaskEither<PortFailure, boolean>
  /** Removes an endpoint with its waiting attempts and its delivery log. Right: whether there was such an endpoint; `along` is called where there was. */
  readonly remove: (id: EndpointId, along?: Along<EndpointId>) => TaskEither<PortFailure, boolean>
}

/** An endpoint as it is added: enabled, healthy, without an attempt. */
export type NewEndpoint = Pick<EventEndpoint, 'id' | 'workspace' | 'url' | 'types' | 'description' | 'createdAt'> & { readonly secret: EndpointSecret }

/** An endpoint that was changed: its status before, and the endpoint afterwards. */
export type ChangedEndpoint = { readonly from: EndpointStatus; readonly endpoint: EventEndpoint }

/** What changes of an endpoint. */
export type EndpointChange = Partial<Pick<EventEndpoint, 'url' | 'types' | 'description' | 'status'>>
