import type { MessageId, PlatformId } from './message.js'

/** A message the platform accepted; `replayed` where an earlier request with the same key had sent it. */
export type Sent = { readonly id: MessageId; readonly platformId: PlatformId; readonly replayed: boolean }
