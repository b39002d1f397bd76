import type { EndpointsSection } from '../../adapters/console/index.js'
import type { EventUseCases } from '../../core/events/use-cases.js'
import type { EventPorts } from '../../core/postern.js'

/** What the console's pages of endpoints need. */
export const endpointsSection = (
  use: EventUseCases, { eventDeliveries, eventOutbox }: Pick<EventPorts, 'eventDeliveries' | 'eventOutbox'>, isSecretSet: boolean,
): EndpointsSection => ({
  listEndpoints: use.listEndpoints,
  findEndpoint: use.findEndpoint,
  listDeliveries: use.listDeliveries,
  pending: eventDeliveries.pending,
  findEvent: eventOutbox.find,
  addEndpoint: use.addEndpoint,
  changeEndpoint: use.changeEndpoint,
  removeEndpoint: use.removeEndpoint,
  rotateSecret: use.rotateSecret,
  testEndpoint: use.testEndpoint,
  redeliverEvent: use.redeliverEvent,
  redeliverSince: use.redeliverSince,
  isSecretSet,
})
