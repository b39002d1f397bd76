import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type EndpointSettings, type FaultOfUrl, type InvalidEndpointSettings, parseEndpointSettings } from '../endpoint-settings.js'
import type { Forbidden } from '../errors.js'
import type { EndpointStatus, EventEndpoint } from '../event-endpoint.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import type { Clock } from '../time.js'
import type { ActDeps } from './acting.js'
import { actOnEndpoint, type EndpointActCommand, type EndpointActError } from './endpoint-act.js'

/** Changes what is given of an endpoint. One that is enabled again gets the events from now on. Right: the endpoint afterwards. */
export type ChangeEndpoint = (command: ChangeEndpointCommand) => TE.TaskEither<ChangeEndpointError, EventEndpoint>

/** What is to be changed; the rest stays as it is. */
export type ChangeEndpointCommand = EndpointActCommand & { readonly change: Partial<EndpointSettings> & { readonly status?: EndpointStatus } }

/** How changing an endpoint can fail. */
export type ChangeEndpointError = InvalidEndpointSettings | EndpointActError

/** What changing an endpoint needs. */
export type ChangeEndpointDeps = ActDeps & { readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'change'>; readonly faultOfUrl?: FaultOfUrl; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeChangeEndpoint =
  ({ eventEndpoints, faultOfUrl, now, ...deps }: ChangeEndpointDeps): ChangeEndpoint =>
  (command) =>
  () => {
    const details = { changed: Object.keys(command.change), ...(command.change.status && { status: command.change.status }) }
    return actOnEndpoint(
      { eventEndpoints, ...deps }, command, { act: 'endpoint.change', details },
      async ({ id }, along): Promise<E.Either<Exclude<ChangeEndpointError, Forbidden>, EventEndpoint>> => {
        const change = parseEndpointSettings(command.change, faultOfUrl)
        if (E.isLeft(change)) return change
        const changed = await eventEndpoints.change(id, change.right, now(), along)()
        if (E.isLeft(changed)) return changed
        return O.isSome(changed.right) ? E.right(changed.right.value) : E.left({ _tag: 'EndpointNotFound', id })
      })
  }
