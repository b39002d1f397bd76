import type { GatewayFacts, UsesOf } from '../../gateway.js'

/** The dependencies of these pages. */
export type RequestsSection = UsesOf<'keys'> & UsesOf<'requests'> & Pick<GatewayFacts, 'keptAMinute'>
