import type { GatewayFacts, UsesOf } from '../../gateway.js'

/** The dependencies of the pages of numbers. */
export type NumbersSection =
  & UsesOf<'clock'> & UsesOf<'templates'> & UsesOf<'workspaces'> & Pick<GatewayFacts, 'isSecretSet' | 'readSender' | 'summaryOf'>
  & {
    /** Lists the platform's apps, if there can be several. */
    readonly listApps?: UsesOf<'apps'>['listApps'] | undefined
    /** Reads a number from the platform and stores what it reports. */
    readonly refreshNumber?: UsesOf<'numbers'>['refreshNumber'] | undefined
    /** Shows what uses the limit of a number, if there are batches. */
    readonly showLimitUse?: UsesOf<'batches'>['showLimitUse'] | undefined
    /** Reads what waits, if there is a queue. */
    readonly watchQueue?: UsesOf<'queue'>['watchQueue'] | undefined
  }
