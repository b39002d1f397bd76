import * as E from 'fp-ts/lib/Either.js'
import type { RedeliverEventError } from '../../../core/events/use-cases.js'
import type { EventId } from '../../../core/kernel/ids.js'
import { EndpointIdText, EventName } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { described, fields, literal, named, record, type TypeOf } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'

const RedeliverEventRequest = named('RedeliverEventRequest', described(fields({ endpoint: EndpointIdText }), 'Unknown fields are ignored.'))

const Accepted = record({ status: literal('success') })

/** `POST /events/{id}/redeliver` */
export const redeliverEvent = workspaceOperation({
  id: 'redeliverEvent',
  method: 'post',
  path: '/events/{id}/redeliver',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: 'Deliver an event again',
  description:
    'Delivers one event to an endpoint again, soon, with the same `webhook-id`, whether the endpoint got it before or not. An event that is no longer stored is not found.',
  pathParameters: { id: EventName },
  body: { codec: RedeliverEventRequest, forms: false, examples: { endpoint: { value: { endpoint: 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' } } } },
  reply: { status: 202, description: 'It will be delivered again.', codec: Accepted, example: { status: 'success' } },
  failures: { NotFound: true, EndpointNotFound: true, EventNotFound: true, EndpointDisabled: true },
  run: async (
    deps: EventOperationsDeps, { workspace, by, parameters: { id }, body: { endpoint } }: WorkspaceRequest<{ readonly id: EventId }, TypeOf<typeof RedeliverEventRequest>>,
  ): Outcome<RedeliverEventError | NotFound, TypeOf<typeof Accepted>> => {
    const accepted = await requireEventUseCases(deps).redeliverEvent({ by, workspace, event: id, id: endpoint })()
    return E.isLeft(accepted) ? accepted : E.right({ value: { status: 'success' } })
  },
})
