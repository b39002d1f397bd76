import * as E from 'fp-ts/lib/Either.js'
import { MOST_REDELIVERED } from '../../../core/events/delivery.js'
import type { EndpointId } from '../../../core/events/endpoint.js'
import type { RedeliverSinceError } from '../../../core/events/use-cases.js'
import { EndpointName, Moment } from '../event-codecs.js'
import { type EventOperationsDeps, requireEventUseCases } from '../event-operations.js'
import type { NotFound } from '../failures.js'
import { type Codec, count, described, fields, literal, named, record, type TypeOf } from '../schema.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../workspace-operation.js'

const RedeliverSinceRequest = named('RedeliverSinceRequest', described(fields({ since: Moment }), 'Unknown fields are ignored.'))

type RedeliveredView = { readonly status: 'success'; readonly events: number }

const Redelivered: Codec<RedeliveredView> = named('Redelivered', record({
  status: literal('success'),
  events: described(count, 'How many events will be delivered again.'),
}))

/** `POST /event-endpoints/{id}/redeliver` */
export const redeliverSince = workspaceOperation({
  id: 'redeliverSince',
  method: 'post',
  path: '/event-endpoints/{id}/redeliver',
  part: 'events',
  scope: 'events',
  tag: 'Events',
  summary: 'Deliver all events since a moment again',
  description:
    'Delivers every stored event since a moment that the endpoint wants again, soon, oldest first, each with its own `webhook-id`: after your application lost some, or after ' +
    `the endpoint was disabled. At most ${MOST_REDELIVERED} events at once; where as many are answered, ask again with a later moment.`,
  pathParameters: { id: EndpointName },
  body: { codec: RedeliverSinceRequest, forms: false, examples: { noon: { value: { since: '2026-03-01T12:00:00Z' } } } },
  reply: { status: 202, description: 'They will be delivered again.', codec: Redelivered, example: { status: 'success', events: 12 } },
  failures: { NotFound: true, EndpointNotFound: true, EndpointDisabled: true },
  run: async (
    deps: EventOperationsDeps, { workspace, by, parameters: { id }, body: { since } }: WorkspaceRequest<{ readonly id: EndpointId }, TypeOf<typeof RedeliverSinceRequest>>,
  ): Outcome<RedeliverSinceError | NotFound, RedeliveredView> => {
    const redelivered = await requireEventUseCases(deps).redeliverSince({ by, workspace, id, since })()
    return E.isLeft(redelivered) ? redelivered : E.right({ value: { status: 'success', events: redelivered.right } })
  },
})
