/** The kinds of writes, in the order in which every transaction of the group commit starts them. With one order, deadlocks are rare. */
export const WRITE_ORDER = [
  'apply-changes', 'open-messages', 'move-money', 'record-windows', 'learn-customers', 'record-notices', 'mark-keys-used', 'record-deliveries',
  'append-events',
] as const

export type WriteKind = (typeof WRITE_ORDER)[number]

/** The position of a kind in that order. */
export const positionOf = (kind: WriteKind): number => WRITE_ORDER.indexOf(kind)
