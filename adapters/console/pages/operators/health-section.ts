import type { GatewayHealth, UsesOf } from '../../gateway.js'

/** The dependencies of these pages. */
export type HealthSection = GatewayHealth & Pick<UsesOf<'events'>, 'showBacklog'> & Pick<UsesOf<'upkeep'>, 'reconcileByHand'>
  & Pick<UsesOf<'clock'>, 'now'> & {
    /** The queue; absent if the storage has none. */
    readonly queue?: Pick<UsesOf<'queue'>, 'watchQueue'> | undefined
  }
