import * as E from 'fp-ts/lib/Either.js'
import type { EndpointId } from '../../../core/event-endpoint.js'
import type { EndpointActError } from '../../../core/use-cases/endpoint-act.js'
import { endpointView } from '../../../core/views.js'
import { EndpointName } from '../event-codecs.js'
import { requireEventUseCases, type EventOperationsDeps } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { workspaceOperation, type Outcome, type WorkspaceRequest } from '../workspace-operation.js'
import { EndpointWithSecret, NEW_ENDPOINT_EXAMPLE, type EndpointSecretView } from './endpoint-view.js'

/** `POST /event-endpoints/{id}/rotate-secret` */
export const rotateSecret = workspaceOperation({
  id: 'rotateSecret',
  method: 'post',
  path: '/event-endpoints/{id}/rotate-secret',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: "Replace an endpoint's secret",
  description:
    'Makes a new secret. For 24 hours deliveries carry the signatures of both secrets, so that your application can change over; after that the old one counts no longer. ' +
    'Each request makes another secret.',
  pathParameters: { id: EndpointName },
  reply: { description: 'The endpoint, with its new secret.', codec: EndpointWithSecret, example: NEW_ENDPOINT_EXAMPLE },
  failures: { NotFound: true, EndpointNotFound: true },
  run: async (
    deps: EventOperationsDeps, { workspace, by, parameters: { id } }: WorkspaceRequest<{ readonly id: EndpointId }>,
  ): Outcome<EndpointActError | NotFound, EndpointSecretView> => {
    const rotated = await requireEventUseCases(deps).rotateSecret({ by, workspace, id })()
    if (E.isLeft(rotated)) return rotated
    const { endpoint, secret } = rotated.right
    return E.right({ value: { ...endpointView(endpoint), secret } })
  },
})
