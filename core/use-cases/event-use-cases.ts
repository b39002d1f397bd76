import { type AddEndpoint, type AddEndpointDeps, makeAddEndpoint } from './add-endpoint.js'
import { type ChangeEndpoint, type ChangeEndpointDeps, makeChangeEndpoint } from './change-endpoint.js'
import { type FindEndpoint, makeFindEndpoint } from './find-endpoint.js'
import { type ListDeliveries, type ListDeliveriesDeps, makeListDeliveries } from './list-deliveries.js'
import { type ListEndpoints, makeListEndpoints } from './list-endpoints.js'
import { type ListEvents, type ListEventsDeps, makeListEvents } from './list-events.js'
import { makeRedeliverEvent, type RedeliverEvent, type RedeliverEventDeps } from './redeliver-event.js'
import { makeRedeliverSince, type RedeliverSince, type RedeliverSinceDeps } from './redeliver-since.js'
import { makeRemoveEndpoint, type RemoveEndpoint, type RemoveEndpointDeps } from './remove-endpoint.js'
import { makeRotateSecret, type RotateSecret, type RotateSecretDeps } from './rotate-secret.js'
import { makeTestEndpoint, type TestEndpoint, type TestEndpointDeps } from './test-endpoint.js'

/** The use cases of events and of the endpoints to which they are delivered. */
export type EventUseCases = {
  readonly addEndpoint: AddEndpoint
  readonly listEndpoints: ListEndpoints
  readonly findEndpoint: FindEndpoint
  readonly changeEndpoint: ChangeEndpoint
  readonly removeEndpoint: RemoveEndpoint
  readonly rotateSecret: RotateSecret
  readonly testEndpoint: TestEndpoint
  readonly listDeliveries: ListDeliveries
  readonly redeliverEvent: RedeliverEvent
  readonly redeliverSince: RedeliverSince
  readonly listEvents: ListEvents
}

/** What these use cases need together. */
export type EventUseCasesDeps =
  & AddEndpointDeps & ChangeEndpointDeps & RemoveEndpointDeps & RotateSecretDeps & TestEndpointDeps & ListDeliveriesDeps & RedeliverEventDeps & RedeliverSinceDeps
  & ListEventsDeps

/** Makes the use cases of what they need. */
export const makeEventUseCases = (deps: EventUseCasesDeps): EventUseCases => ({
  addEndpoint: makeAddEndpoint(deps),
  listEndpoints: makeListEndpoints(deps),
  findEndpoint: makeFindEndpoint(deps),
  changeEndpoint: makeChangeEndpoint(deps),
  removeEndpoint: makeRemoveEndpoint(deps),
  rotateSecret: makeRotateSecret(deps),
  testEndpoint: makeTestEndpoint(deps),
  listDeliveries: makeListDeliveries(deps),
  redeliverEvent: makeRedeliverEvent(deps),
  redeliverSince: makeRedeliverSince(deps),
  listEvents: makeListEvents(deps),
})
