import type { DisabledReason } from './delivery-decision.js'
import type { NewEvent } from './event.js'
import type { EventEndpoint } from './event-endpoint.js'
import { endpointView } from './views.js'

/** An endpoint was disabled because of its answers, so it misses what happens from now on; other endpoints of the workspace learn of it. */
export const endpointDisabled = (endpoint: EventEndpoint, reason: DisabledReason): NewEvent => ({
  type: 'endpoint.disabled',
  workspace: endpoint.workspace,
  subject: endpoint.id,
  data: { ...endpointView({ ...endpoint, status: 'disabled' }), reason },
})
