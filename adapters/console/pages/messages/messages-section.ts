import type { GatewayFacts, UsesOf } from '../../gateway.js'

/** The dependencies of these pages. */
export type MessagesSection =
  & UsesOf<'customers'> & UsesOf<'messages'> & UsesOf<'templates'> & Pick<UsesOf<'money'>, 'costOf'>
  & Pick<UsesOf<'workspaces'>, 'showSenders'> & Pick<GatewayFacts, 'rateCard' | 'newFormKey'> & {
  /** The queue; absent if the storage has none. */
  readonly queue?: Pick<UsesOf<'queue'>, 'cancelQueued' | 'departuresOf'> | undefined
  /** Sending messages again; absent if the console cannot send. */
  readonly again?: Pick<UsesOf<'sending'>, 'quoteAgain' | 'sendAgain'> | undefined
}
