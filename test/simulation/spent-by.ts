import { DAY_MS } from '../../core/kernel/time.js'
import type { MessageId } from '../../core/messages/message.js'
import type { NewHold } from '../../core/money/wallet.js'
import type { StorageCall } from './gateway.js'
import type { Spent } from './rules.js'

/** The limits of keys to which prices count, by message: a price may be reserved before the message is known, and another call may see that first. */
export type SpentBy = {
  /** A call has reserved the price of a message, and it counts on that day. */
  readonly note: (call: StorageCall, message: MessageId) => void
  readonly of: (message: MessageId) => Spent | undefined
}

/** Makes the record. */
export const makeSpentBy = (): SpentBy => {
  const all = new Map<MessageId, Spent>()
  return {
    note: ({ args: [first, second], method }, message) => {
      if (all.has(message) || (method !== 'hold' && method !== 'reserve')) return
      const { at, spending = method === 'reserve' ? second as NewHold['spending'] : undefined } = first as NewHold
      if (spending !== undefined) all.set(message, { ...spending, day: Math.floor(at / DAY_MS) })
    },
    of: (message) => all.get(message),
  }
}
