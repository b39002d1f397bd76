import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointSecret } from '../event-endpoint.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import { type Clock, DAY_MS, type Instant } from '../time.js'
import type { EndpointWithSecret } from './add-endpoint.js'
import { type EndpointCommand, type FindEndpointError, makeFindEndpoint } from './find-endpoint.js'

/** Gives an endpoint a new secret, which can be shown this once only. For `SECRETS_OVERLAP_MS`, deliveries are signed with the one before too. */
export type RotateSecret = (command: EndpointCommand) => TE.TaskEither<FindEndpointError, RotatedSecret>

/** The endpoint, its new secret, and until when the one before counts. */
export type RotatedSecret = EndpointWithSecret & { readonly previousUntil: Instant }

/** What giving an endpoint a new secret needs. */
export type RotateSecretDeps = {
  readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'rotateSecret'>
  /** A new secret of 24 random bytes. */
  readonly newSecret: () => EndpointSecret
  readonly now: Clock
}

/** How long a secret counts after a new one has taken its place, in milliseconds. A second rotation in that time ends the oldest secret. */
export const SECRETS_OVERLAP_MS = DAY_MS

/** Makes the use case of what it needs. */
export const makeRotateSecret = ({ eventEndpoints, newSecret, now }: RotateSecretDeps): RotateSecret => {
  const findEndpoint = makeFindEndpoint({ eventEndpoints })
  return (command) => async () => {
    const endpoint = await findEndpoint(command)()
    if (E.isLeft(endpoint)) return endpoint
    const [secret, previousUntil] = [newSecret(), now() + SECRETS_OVERLAP_MS]
    const rotated = await eventEndpoints.rotateSecret(endpoint.right.id, secret, previousUntil)()
    if (E.isLeft(rotated)) return rotated
    return rotated.right ? E.right({ endpoint: endpoint.right, secret, previousUntil }) : E.left({ _tag: 'EndpointNotFound', id: command.id })
  }
}
