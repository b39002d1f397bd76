import type { Instant } from '../../core/kernel/time.js'
import {
  afterReading, numberDigits, hasNumberChanged, type KnownNumber, nextReadingAt, type NumberHealth,
} from '../../core/senders/number-health.js'
import type { SenderOf } from '../../core/senders/sender.js'
import { type EventState, storeEvents } from './events.js'
import { infallible } from './kernel.js'

/** What is known of each number that was taken or read, and when it is due, by its workspace and its id. */
export type NumberState = Map<string, NumberRecord>

type NumberRecord = SenderOf & {
  readonly known: KnownNumber | undefined
  readonly dueAt: Instant
  readonly wantedAt: Instant | undefined
}

/** A sender, as far as its number needs it. */
export type NumberSender = SenderOf & { readonly businessAccountId: string | undefined; readonly isArchived: boolean }

/** The numbers in memory; `allSenders` lists every sender. */
export const makeMemoryNumberHealth = (
  events: EventState, numbers: NumberState, allSenders: () => ReadonlyArray<NumberSender>,
): NumberHealth => ({
  note: (of, reading, outboxEntries) => infallible(() => {
    const { workspace, sender } = of
    const stored = numbers.get(keyOf(of))
    const after = afterReading(sender, stored?.known, reading)
    if (after === undefined || !allSenders().some((one) => keyOf(one) === keyOf(of))) return false
    const wantedAt = stored?.wantedAt
    numbers.set(keyOf(of), { workspace, sender, known: after, dueAt: nextReadingAt(after.readAt, wantedAt), wantedAt })
    const change = stored?.known && { before: stored.known, after }
    if (change !== undefined && outboxEntries !== undefined && hasNumberChanged(change)) storeEvents(events, outboxEntries(change))
    return true
  }),
  of: (workspace) => infallible(() =>
    allSenders().flatMap((sender) => (sender.workspace === workspace ? numbers.get(keyOf(sender))?.known ?? [] : []))
      .toSorted((a, b) => (a.phoneNumberId < b.phoneNumberId ? -1 : 1))),
  want: ({ accountId, digits }, at) => infallible(() => {
    const wanted = new Set(allSenders().filter((sender) => sender.businessAccountId === accountId).map(keyOf))
    for (const [key, record] of numbers) {
      const displayed = record.known?.displayNumber
      const isNamed = digits !== undefined && displayed !== undefined && numberDigits(displayed) === digits
      if (!isNamed && !wanted.has(key)) continue
      numbers.set(key, { ...record, dueAt: Math.min(record.dueAt, at), wantedAt: Math.max(record.wantedAt ?? at, at) })
    }
  }),
  claim: (at, until, limit) => infallible(() => {
    const due = allSenders().filter(({ isArchived }) => !isArchived).flatMap(({ workspace, sender }) => {
      const { known, dueAt = 0, wantedAt } = numbers.get(keyOf({ workspace, sender })) ?? {}
      return dueAt <= at ? [{ workspace, sender, known, dueAt, wantedAt }] : []
    })
    const claimed = due.toSorted((a, b) => a.dueAt - b.dueAt || (keyOf(a) < keyOf(b) ? -1 : 1)).slice(0, limit)
    for (const record of claimed) numbers.set(keyOf(record), { ...record, dueAt: until })
    return claimed.map(({ workspace, sender }) => ({ workspace, sender }))
  }),
})

const keyOf = ({ workspace, sender }: SenderOf): string => `${workspace} ${sender}`
