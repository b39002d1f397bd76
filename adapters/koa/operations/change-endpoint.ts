import * as E from 'fp-ts/lib/Either.js'
import type { ChangeEndpointError } from '../../../core/events/endpoint-use-cases.js'
import { type EndpointId, endpointView, type EndpointView } from '../../../core/events/endpoint.js'
import { Description, EndpointName, EndpointStatusWord, EndpointUrl, EventFilterBody } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { described, fields, named, type TypeOf } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { Endpoint, ENDPOINT_EXAMPLE } from './endpoint-view.js'

const ChangeEndpointRequest = named('ChangeEndpointRequest', described(fields({}, {
  url: EndpointUrl,
  types: described(EventFilterBody, 'Which types of events it gets from now on.'),
  description: Description,
  status: EndpointStatusWord,
}), 'What is left out stays as it is. Unknown fields are ignored.'))

/** `PATCH /event-endpoints/{id}` */
export const changeEndpoint = workspaceOperation({
  id: 'changeEndpoint',
  method: 'patch',
  path: '/event-endpoints/{id}',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: 'Change an endpoint',
  description:
    'Changes what is given. A disabled endpoint gets no events, and attempts that wait are dropped; once it is enabled, it gets the events from then on. ' +
    '`POST …/redeliver` delivers those that it missed.',
  pathParameters: { id: EndpointName },
  body: { codec: ChangeEndpointRequest, forms: false, examples: { enable: { value: { status: 'enabled' } }, move: { value: { url: 'https://shop.example/events' } } } },
  reply: { description: 'The endpoint as it is now.', codec: Endpoint, example: ENDPOINT_EXAMPLE },
  failures: { NotFound: true, EndpointNotFound: true, InvalidEndpointUrl: true, InvalidEventTypes: true, UnknownEventType: true, InvalidDescription: true },
  run: async (
    deps: EventOperationsDeps, { workspace, by, parameters: { id }, body }: WorkspaceRequest<{ readonly id: EndpointId }, TypeOf<typeof ChangeEndpointRequest>>,
  ): Outcome<ChangeEndpointError | NotFound, EndpointView> => {
    const changed = await requireEventUseCases(deps).changeEndpoint({ by, workspace, id, change: body })()
    return E.isLeft(changed) ? changed : E.right({ value: endpointView(changed.right) })
  },
})
