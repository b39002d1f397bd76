import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { EventEndpoint } from '../event-endpoint.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import type { WorkspaceId } from '../workspace.js'

/** Lists the endpoints of a workspace, oldest first; there are at most `MAX_ENDPOINTS`. */
export type ListEndpoints = (workspace: WorkspaceId) => TE.TaskEither<PortFailure, ReadonlyArray<EventEndpoint>>

/** What listing endpoints needs. */
export type ListEndpointsDeps = { readonly eventEndpoints: Pick<EventEndpoints, 'list'> }

/** Makes the use case of what it needs. */
export const makeListEndpoints =
  ({ eventEndpoints }: ListEndpointsDeps): ListEndpoints =>
  (workspace) =>
    eventEndpoints.list(workspace)
