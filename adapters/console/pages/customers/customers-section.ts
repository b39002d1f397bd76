import type { GatewayFacts, UsesOf } from '../../gateway.js'

/** The dependencies of these pages. */
export type CustomersSection = Omit<UsesOf<'customers'>, 'eraseCustomer'> & UsesOf<'messages'> & UsesOf<'templates'> & UsesOf<'clock'>
  & Pick<UsesOf<'money'>, 'showRateCard'>
  & Pick<GatewayFacts, 'newFormKey'> & Pick<UsesOf<'workspaces'>, 'showSenders'> & {
    /** The queue; absent if the storage has none. */
    readonly queue?: Pick<UsesOf<'queue'>, 'departuresOf'> | undefined
    /** What customers allow and stop; absent if the storage keeps none. */
    readonly consent?: Pick<UsesOf<'consent'>, 'recordConsent' | 'showHistory'> | undefined
    /** Erases a customer; absent if the gateway has no secret for it. */
    readonly eraseCustomer?: UsesOf<'customers'>['eraseCustomer']
  }
