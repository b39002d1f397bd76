import type { EventDeliveries } from '../../../../core/events/delivery.js'
import type {
  AddEndpoint, ChangeEndpoint, FindEndpoint, ListEndpoints, RemoveEndpoint, RotateSecret, TestEndpoint,
} from '../../../../core/events/endpoint-use-cases.js'
import type { ListDeliveries, RedeliverEvent, RedeliverSince } from '../../../../core/events/use-cases.js'
import type { EventOutbox } from '../../../../core/kernel/outbox.js'

/** The dependencies of the pages of endpoints. */
export type EndpointsSection = {
  readonly listEndpoints: ListEndpoints
  readonly findEndpoint: FindEndpoint
  readonly listDeliveries: ListDeliveries
  readonly pending: EventDeliveries['pending']
  readonly findEvent: EventOutbox['find']
  readonly addEndpoint: AddEndpoint
  readonly changeEndpoint: ChangeEndpoint
  readonly removeEndpoint: RemoveEndpoint
  readonly rotateSecret: RotateSecret
  readonly testEndpoint: TestEndpoint
  readonly redeliverEvent: RedeliverEvent
  readonly redeliverSince: RedeliverSince
  /** Whether secrets can be stored, which needs `POSTERN_SECRET`. */
  readonly isSecretSet: boolean
}
