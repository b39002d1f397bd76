import * as E from 'fp-ts/lib/Either.js'
import type { UnknownApiKey } from '../../../core/access/keys.js'
import type { AddEndpointError } from '../../../core/events/endpoint-use-cases.js'
import { endpointView } from '../../../core/events/endpoint.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import { Description, EndpointUrl, EventFilterBody } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import { described, fields, named, type NoFields, type TypeOf } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'
import { type EndpointSecretView, EndpointWithSecret, NEW_ENDPOINT_EXAMPLE } from './endpoint-view.js'

const AddEndpointRequest = named('AddEndpointRequest', described(fields({ url: EndpointUrl }, {
  types: described(EventFilterBody, 'Which types of events it gets; all where this is left out.'),
  description: Description,
}), 'Unknown fields are ignored.'))

/** A key is worth nothing once its workspace is gone. */
const KEY_OF_NO_WORKSPACE: UnknownApiKey = { _tag: 'UnknownApiKey' }

/** `POST /event-endpoints` */
export const addEndpoint = workspaceOperation({
  id: 'addEndpoint',
  method: 'post',
  path: '/event-endpoints',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: 'Add an endpoint',
  description:
    'From now on events of the workspace are delivered to an address of your application, as Standard Webhooks 1.0 describes it: `POST` with the event as JSON, ' +
    '`webhook-id`, `webhook-timestamp` and `webhook-signature`. Only a 2xx within 15 seconds counts. Other answers are tried again for five days; then the endpoint ' +
    'is disabled. An event may come more than once, always with the same `webhook-id`.',
  body: { codec: AddEndpointRequest, forms: false, examples: { messages: { value: { url: 'https://shop.example/postern', types: ['message.*'], description: 'the shop' } } } },
  reply: { status: 201, description: 'The endpoint, with the secret that signs its deliveries.', codec: EndpointWithSecret, example: NEW_ENDPOINT_EXAMPLE },
  failures: { InvalidEndpointUrl: true, InvalidEventTypes: true, UnknownEventType: true, InvalidDescription: true, TooManyEndpoints: true },
  run: async (
    deps: EventOperationsDeps, { workspace, by, body }: WorkspaceRequest<NoFields, TypeOf<typeof AddEndpointRequest>>,
  ): Outcome<Exclude<AddEndpointError, UnknownWorkspace> | UnknownApiKey, EndpointSecretView> => {
    const added = await requireEventUseCases(deps).addEndpoint({ by, workspace, ...body })()
    if (E.isLeft(added)) return E.left(added.left._tag === 'UnknownWorkspace' ? KEY_OF_NO_WORKSPACE : added.left)
    const { endpoint, secret } = added.right
    return E.right({ value: { ...endpointView(endpoint), secret } })
  },
})
