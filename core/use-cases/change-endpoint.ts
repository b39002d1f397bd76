import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type EndpointSettings, type InvalidEndpointSettings, parseEndpointSettings } from '../endpoint-settings.js'
import type { EndpointStatus, EventEndpoint } from '../event-endpoint.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import type { Clock } from '../time.js'
import { type EndpointCommand, type FindEndpointError, makeFindEndpoint } from './find-endpoint.js'

/** Changes what is given of an endpoint. One that is enabled again gets the events from now on. Right: the endpoint afterwards. */
export type ChangeEndpoint = (command: ChangeEndpointCommand) => TE.TaskEither<ChangeEndpointError, EventEndpoint>

/** What is to be changed; the rest stays as it is. */
export type ChangeEndpointCommand = EndpointCommand & { readonly change: Partial<EndpointSettings> & { readonly status?: EndpointStatus } }

/** How changing an endpoint can fail. */
export type ChangeEndpointError = InvalidEndpointSettings | FindEndpointError

/** What changing an endpoint needs. */
export type ChangeEndpointDeps = { readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'change'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeChangeEndpoint = ({ eventEndpoints, now }: ChangeEndpointDeps): ChangeEndpoint => {
  const findEndpoint = makeFindEndpoint({ eventEndpoints })
  return (command) => async () => {
    const endpoint = await findEndpoint(command)()
    if (E.isLeft(endpoint)) return endpoint
    const change = parseEndpointSettings(command.change)
    if (E.isLeft(change)) return change
    const changed = await eventEndpoints.change(endpoint.right.id, change.right, now())()
    if (E.isLeft(changed)) return changed
    return O.isSome(changed.right) ? E.right(changed.right.value) : E.left({ _tag: 'EndpointNotFound', id: command.id })
  }
}
