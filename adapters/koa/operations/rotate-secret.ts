import * as E from 'fp-ts/lib/Either.js'
import type { EndpointActError } from '../../../core/events/endpoint-use-cases.js'
import { type EndpointId, endpointView } from '../../../core/events/endpoint.js'
import { EndpointName } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { type EndpointSecretView, EndpointWithSecret, NEW_ENDPOINT_EXAMPLE } from './endpoint-view.js'

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
