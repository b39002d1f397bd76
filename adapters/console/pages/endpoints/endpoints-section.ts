import type { GatewayFacts, UsesOf } from '../../gateway.js'

/** The dependencies of these pages. */
export type EndpointsSection = UsesOf<'events'> & Pick<GatewayFacts, 'isSecretSet'>
