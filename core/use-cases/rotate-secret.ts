import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointNotFound, PortFailure } from '../errors.js'
import type { EndpointSecret } from '../event-endpoint.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import { type Clock, DAY_MS, type Instant } from '../time.js'
import type { ActDeps } from './acting.js'
import type { EndpointWithSecret } from './add-endpoint.js'
import { actOnEndpoint, type EndpointActCommand, type EndpointActError } from './endpoint-act.js'

/** Gives an endpoint a new secret, which can be shown this once only. For `SECRETS_OVERLAP_MS`, deliveries are signed with the one before too. */
export type RotateSecret = (command: EndpointActCommand) => TE.TaskEither<EndpointActError, RotatedSecret>

/** The endpoint, its new secret, and until when the one before counts. */
export type RotatedSecret = EndpointWithSecret & { readonly previousUntil: Instant }

/** What giving an endpoint a new secret needs. */
export type RotateSecretDeps = ActDeps & {
  readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'rotateSecret'>
  /** A new secret of 24 random bytes. */
  readonly newSecret: () => EndpointSecret
  readonly now: Clock
}

/** How long a secret counts after a new one has taken its place, in milliseconds. A second rotation in that time ends the oldest secret. */
export const SECRETS_OVERLAP_MS = DAY_MS

/** Makes the use case of what it needs. */
export const makeRotateSecret =
  ({ newSecret, now, ...deps }: RotateSecretDeps): RotateSecret =>
  (command) =>
  () =>
    actOnEndpoint(deps, command, { act: 'endpoint.rotate_secret' }, async (endpoint, along): Promise<E.Either<EndpointNotFound | PortFailure, RotatedSecret>> => {
      const [secret, previousUntil] = [newSecret(), now() + SECRETS_OVERLAP_MS]
      const rotated = await deps.eventEndpoints.rotateSecret(endpoint.id, secret, previousUntil, along)()
      if (E.isLeft(rotated)) return rotated
      return rotated.right ? E.right({ endpoint, secret, previousUntil }) : E.left({ _tag: 'EndpointNotFound', id: endpoint.id })
    })
