import * as O from 'fp-ts/lib/Option.js'
import type { WindowClock } from '../../core/customers/window.js'
import type { MessageLog, StaleMessage } from '../../core/messages/message-log.js'
import type { MessageRecord } from '../../core/messages/message.js'
import { unwrap } from './error-messages.js'

type Storage = { readonly messageLog: Pick<MessageLog, 'stale' | 'find'>; readonly windowClock: Pick<WindowClock, 'now'> }

/** The oldest messages of unknown outcome of all workspaces, those included that no pass of reconciliation has marked yet. */
export const unconfirmedMessages = async (
  { messageLog, windowClock }: Storage, unconfirmedAfterMs: number, limit: number,
): Promise<ReadonlyArray<MessageRecord>> => {
  const now = windowClock.now()
  const stale: ReadonlyArray<StaleMessage> = [
    ...(await unwrap(messageLog.stale({ state: 'unconfirmed', before: now + 1, limit }))),
    ...(await unwrap(messageLog.stale({ state: 'pending', before: now - unconfirmedAfterMs, limit }))),
  ]
  const oldest = stale.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
  const messages: MessageRecord[] = []
  for (const { workspace, id } of oldest) {
    const message = O.toUndefined(await unwrap(messageLog.find(workspace, { id })))
    if (message !== undefined) messages.push(message)
  }
  return messages
}
