import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { endpointIdOf, endpointSecretOf } from '../../core/events/endpoint.js'
import type { EventUseCasesDeps } from '../../core/events/use-cases.js'

const SECRET_BYTES = 24

/** Makes the ids and the secrets of endpoints, and the ids of attempts; ids sort by time. */
export const endpointIds: Pick<EventUseCasesDeps, 'newEndpointId' | 'newSecret' | 'newAttemptId'> = {
  newEndpointId: () => endpointIdOf(uuidv7()),
  newSecret: () => endpointSecretOf(randomBytes(SECRET_BYTES).toString('base64')),
  newAttemptId: () => uuidv7().replaceAll('-', ''),
}
