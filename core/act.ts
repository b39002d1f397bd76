/** Everything that a person, a key or the command line may be allowed to do. What only shows something ends in `.view`. */
export const ACTS = [
  'workspace.create', 'workspace.view', 'workspace.rename', 'workspace.archive', 'sender.assign', 'sender.remove', 'key.mint',
  'key.rotate', 'key.revoke', 'wallet.top_up', 'wallet.adjust', 'wallet.set_alert', 'window.record',
  'message.send', 'message.resolve', 'message.settle_lost', 'message.reconcile', 'endpoint.add', 'endpoint.change', 'endpoint.remove', 'endpoint.rotate_secret',
  'endpoint.test', 'event.redeliver', 'template.sync', 'customer.erase', 'member.view', 'member.invite',
  'member.remove', 'audit.view', 'health.view',
] as const

/** Something that a principal may be allowed to do. */
export type Act = (typeof ACTS)[number]

/** Whether an act only shows something. */
export const isView = (act: Act): boolean => act.endsWith('.view')
