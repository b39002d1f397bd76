import type { GatewayFacts, UsesOf } from '../../gateway.js'

/** The dependencies of these pages. */
export type MessagesSection = UsesOf<'customers'> & UsesOf<'messages'> & UsesOf<'templates'> & Pick<GatewayFacts, 'rateCard'>
