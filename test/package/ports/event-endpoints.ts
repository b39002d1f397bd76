import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  signingSecrets, type Along, type ChangedEndpoint, type EndpointChange, type EndpointId, type EndpointSecret, type EndpointSecrets, type EndpointStatus, type AlongEntry,
  type EventEndpoint, type EventEndpoints, type EventFilter, type Instant, type LastDelivery, type NewEndpoint, type PortFailure, type UnknownWorkspace,
  type WorkspaceId,
} from '../../../core/ports/event-endpoints.js'

const enabled: EndpointStatus = 'enabled'
const never: LastDelivery | undefined = undefined

/** The secrets with which an endpoint without a rotation signs. */
export const signs = (secrets: EndpointSecrets, at: Instant): ReadonlyArray<EndpointSecret> => signingSecrets(secrets, at)

/** What a change takes along. */
export const eventsOf = (along: Along<ChangedEndpoint>, from: EndpointStatus, endpoint: EventEndpoint): ReadonlyArray<AlongEntry> => along({ from, endpoint })

export const eventEndpoints = (kept: Map<EndpointId, EventEndpoint>, secrets: Map<EndpointId, EndpointSecrets>, workspaces: Set<WorkspaceId>): EventEndpoints => ({
  add: ({ secret, ...endpoint }: NewEndpoint): TE.TaskEither<UnknownWorkspace | PortFailure, void> => async () => {
    if (!workspaces.has(endpoint.workspace)) return { _tag: 'Left', left: { _tag: 'UnknownWorkspace' } }
    const types: EventFilter = endpoint.types
    kept.set(endpoint.id, { ...endpoint, types, status: enabled, failingSince: undefined, lastDelivery: never })
    secrets.set(endpoint.id, { current: secret, previous: undefined })
    return { _tag: 'Right', right: undefined }
  },
  find: (id) => TE.right(O.fromNullable(kept.get(id))),
  secretsOf: (id) => TE.right(O.fromNullable(secrets.get(id))),
  list: (workspace) => TE.right([...kept.values()].filter((endpoint) => endpoint.workspace === workspace)),
  change: (id, change: EndpointChange) => TE.fromIO(() => {
    const before = kept.get(id)
    if (before !== undefined) kept.set(id, { ...before, ...change })
    return O.fromNullable(kept.get(id))
  }),
  rotateSecret: (id, secret, previousUntil) => TE.fromIO(() => {
    const before = secrets.get(id)
    if (before !== undefined) secrets.set(id, { current: secret, previous: { secret: before.current, until: previousUntil } })
    return before !== undefined
  }),
  remove: (id) => TE.fromIO(() => secrets.delete(id) && kept.delete(id)),
})
