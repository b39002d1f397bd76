import type { EventDeliveries } from '../../../core/ports/event-deliveries.js'
import type { EventOutbox } from '../../../core/ports/event-outbox.js'
import type { AddEndpoint } from '../../../core/use-cases/add-endpoint.js'
import type { ChangeEndpoint } from '../../../core/use-cases/change-endpoint.js'
import type { FindEndpoint } from '../../../core/use-cases/find-endpoint.js'
import type { ListDeliveries } from '../../../core/use-cases/list-deliveries.js'
import type { ListEndpoints } from '../../../core/use-cases/list-endpoints.js'
import type { RedeliverEvent } from '../../../core/use-cases/redeliver-event.js'
import type { RedeliverSince } from '../../../core/use-cases/redeliver-since.js'
import type { RemoveEndpoint } from '../../../core/use-cases/remove-endpoint.js'
import type { RotateSecret } from '../../../core/use-cases/rotate-secret.js'
import type { TestEndpoint } from '../../../core/use-cases/test-endpoint.js'

/** What the pages of endpoints need. */
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
