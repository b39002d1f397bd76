import type { FreeMessages, TakenBy } from '../../core/money/wallet.js'
import { infallible } from './task.js'

/** The free messages of senders, in memory. */
export const makeMemoryFreeMessages = (): FreeMessages => {
  const counts = new Map<string, number>()
  /** The count from which each message has taken one. */
  const takes = new Map<string, string>()
  const add = (count: string, change: number): void => void counts.set(count, (counts.get(count) ?? 0) + change)
  return {
    take: ({ phoneNumberId, month, limit, ...message }) =>
      infallible(() => {
        if (takes.has(keyOf(message))) return true
        const count = countOf(phoneNumberId, month)
        if ((counts.get(count) ?? 0) >= limit) return false
        takes.set(keyOf(message), count)
        add(count, 1)
        return true
      }),
    giveBack: (message) =>
      infallible(() => {
        const count = takes.get(keyOf(message))
        if (count === undefined) return
        takes.delete(keyOf(message))
        add(count, -1)
      }),
    taken: (phoneNumberId, month) => infallible(() => counts.get(countOf(phoneNumberId, month)) ?? 0),
  }
}

const keyOf = ({ workspace, message }: TakenBy): string => `${workspace} ${message}`

const countOf = (phoneNumberId: string, month: string): string => `${month} ${phoneNumberId}`
