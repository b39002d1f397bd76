import * as E from 'fp-ts/lib/Either.js'
import type { FreeMessages, FreeTaking, TakenBy } from '../../core/money/wallet.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { type FreeMessagesFixture, freeMessagesLaws } from '../laws/free-messages.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (port: FreeMessages) => Partial<FreeMessages>): (() => Promise<FreeMessagesFixture>) =>
  brokenMemory('freeMessages', defect)

/** Takes as it is written in a hurry: it reads, waits as for a database, and writes what it read, changed. */
const openHasty = async (): Promise<FreeMessagesFixture> => {
  const counts = new Map<string, number>()
  const takes = new Map<string, string>()
  const keyOf = ({ workspace, message }: TakenBy): string => `${workspace} ${message}`
  const countOf = ({ phoneNumberId, month }: Pick<FreeTaking, 'phoneNumberId' | 'month'>): string => `${month} ${phoneNumberId}`
  const pause = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })
  return {
    freeMessages: {
      take: async (taking) => {
        const [own, taken] = [takes.get(keyOf(taking)), counts.get(countOf(taking)) ?? 0]
        await pause()
        if (own !== undefined || taken >= taking.limit) return E.right(own !== undefined)
        takes.set(keyOf(taking), countOf(taking))
        counts.set(countOf(taking), taken + 1)
        return E.right(true)
      },
      giveBack: async (message) => {
        const own = takes.get(keyOf(message))
        await pause()
        if (own === undefined) return E.right(undefined)
        takes.delete(keyOf(message))
        counts.set(own, (counts.get(own) ?? 0) - 1)
        return E.right(undefined)
      },
      taken: async (phoneNumberId, month) => E.right(counts.get(countOf({ phoneNumberId, month })) ?? 0),
    },
  }
}

describeMutations('the free messages', freeMessagesLaws, [
  {
    defect: 'reads, waits and writes', open: openHasty,
    breaks: [
      'of 256 concurrent takes exactly as many are free as are left', 'concurrent takes of many senders are counted for each',
      'a message gives back once, and none that it did not take', 'concurrent takes and give-backs leave an exact count',
    ],
  },
  {
    defect: 'gives one more than the limit',
    open: broken(({ take }) => ({ take: ({ limit, ...rest }) => take({ ...rest, limit: limit + 1 }) })),
    breaks: [
      'a sender has as many free messages in a month as the limit says',
    ],
  },
  { defect: 'counts a repeated take again', open: broken(({ take }) => {
    let calls = 0
    return { take: (taking) => take({ ...taking, message: `${taking.message}${(calls += 1)}` as FreeTaking['message'] }) }
  }), breaks: ['a repeated take of one message takes one, and is free again even if none is left'] },
  { defect: 'counts all months together', open: broken(({ take, taken }) => ({
    take: (taking) => take({ ...taking, month: '2026-11' }), taken: (phoneNumberId) => taken(phoneNumberId, '2026-11'),
  })), breaks: ['each month and each sender has its own count, and the workspaces of a sender share it'] },
  { defect: 'compares senders without letter case', open: broken(({ take, taken }) => ({
    take: (taking) => take({ ...taking, phoneNumberId: senderIdOf(taking.phoneNumberId.toLowerCase()) }),
    taken: (phoneNumberId, month) => taken(senderIdOf(phoneNumberId.toLowerCase()), month),
  })), breaks: ['each month and each sender has its own count, and the workspaces of a sender share it'] },
  { defect: 'keeps the limit of the first take', open: broken(({ take }) => {
    const limits = new Map<string, number>()
    return {
      take: (taking) => {
        const limit = limits.get(taking.phoneNumberId) ?? taking.limit
        limits.set(taking.phoneNumberId, limit)
        return take({ ...taking, limit })
      },
    }
  }), breaks: ['a limit that has changed counts from the next take on'] },
  { defect: 'gives nothing back', open: broken(() => ({ giveBack: async () => E.right(undefined) })), breaks: [
    'what a message gives back another message can take', 'a message gives back once, and none that it did not take',
  ] },
  { defect: 'gives back whatever is named', open: broken(({ taken }) => {
    let back = 0
    return {
      giveBack: async () => { back += 1; return E.right(undefined) },
      taken: (phoneNumberId, month) => withResult(taken(phoneNumberId, month), (count) => Math.max(0, count - back)),
    }
  }), breaks: ['a message gives back once, and none that it did not take'] },
])
