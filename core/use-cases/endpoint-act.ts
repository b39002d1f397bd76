import * as E from 'fp-ts/lib/Either.js'
import type { EndpointNotFound, Forbidden, PortFailure } from '../errors.js'
import type { Act } from '../act.js'
import type { Along } from '../event.js'
import type { EventEndpoint } from '../event-endpoint.js'
import type { JsonObject } from '../json.js'
import type { Actor } from '../principal.js'
import { perform, type ActDeps } from './acting.js'
import { makeFindEndpoint, type EndpointCommand, type FindEndpointDeps } from './find-endpoint.js'

/** An act on an endpoint: who does it, and the endpoint of a workspace. */
export type EndpointActCommand = EndpointCommand & { readonly by: Actor }

/** How an act on an endpoint can fail. */
export type EndpointActError = EndpointNotFound | Forbidden | PortFailure

/** What an act on an endpoint needs. */
export type EndpointActDeps = ActDeps & FindEndpointDeps

/** Does an act on an endpoint, if its actor may do it and the workspace has the endpoint. */
export const actOnEndpoint = <Failure extends { readonly _tag: string }, Done, Outcome = unknown>(
  deps: EndpointActDeps, { by, workspace, id }: EndpointActCommand, { act, details }: { readonly act: Act; readonly details?: JsonObject },
  write: (endpoint: EventEndpoint, along: Along<Outcome>) => Promise<E.Either<Failure, Done>>,
): Promise<E.Either<Failure | EndpointActError, Done>> =>
  perform(deps, { by, act, workspace, subject: id, ...(details && { details }) }, {}, async (along: Along<Outcome>): Promise<E.Either<Failure | Exclude<EndpointActError, Forbidden>, Done>> => {
    const endpoint = await makeFindEndpoint(deps)({ workspace, id })()
    return E.isLeft(endpoint) ? endpoint : write(endpoint.right, along)
  })
