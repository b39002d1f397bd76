import type { PhoneNumber, UserId } from '../../core/customers/customer.js'
import { parseJsonObject } from '../../core/kernel/exact-json.js'
import { type BatchId, batchIdOf, type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import { type MessageId, messageIdOf, type PlatformId } from '../../core/messages/message.js'

// Laws run in fixtures that other laws have used before, so every name in them is new.

/** A new workspace id. */
export const newWorkspaceId = (at: Instant = Date.now()): WorkspaceId => workspaceIdOf(uuidAt(at))

/** A new message id, which sorts by its time. */
export const newMessageId = (at: Instant): MessageId => messageIdOf(uuidAt(at))

/** A new batch id, which sorts by its time. */
export const newBatchId = (at: Instant): BatchId => batchIdOf(uuidAt(at))

/** A new message id of the platform, in the platform's format: `wamid.` and base64. */
export const newPlatformId = (): PlatformId => `wamid.HBgL${newName()}RUM0Q=` as PlatformId

/** A new phone number of twelve digits. */
export const newPhoneNumber = (): PhoneNumber => `9${newDigits(11)}` as PhoneNumber

/** A new user id, with letters of both cases. */
export const newUserId = (): UserId => `DE.${newName()}Zz` as UserId

/** A new name of 32 hexadecimal digits. */
export const newName = (): string => crypto.randomUUID().replaceAll('-', '')

/** The given number of random digits. */
export const newDigits = (count: number): string => String(BigInt(`0x${newName()}`)).slice(-count)

/** A currency other than the given one. */
export const otherCurrency = (currency: Currency): Currency => (currency === 'EUR' ? 'USD' : 'EUR') as Currency

/** A time long ago, in a range in which hardly anything else is ever written, for lists across workspaces. */
export const longAgo = (): Instant => Date.UTC(2001, 0, 1) + Number(newDigits(9)) * 100

/** The current time, later than any time that this returned before, so that later events are newer by any clock and any id. */
export const nextMoment = async (): Promise<Instant> => {
  const before = Date.now()
  while (Date.now() <= before) await new Promise((resolve) => setTimeout(resolve, 1))
  return Date.now()
}

/** Numbers from 0 up to 1, the same for the same seed, so that a failure can be reproduced (mulberry32). */
export const numbersFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const again = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((again ^ (again >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Texts that are not a cursor of any list. */
export const GARBAGE_CURSORS: ReadonlyArray<string> = [
  '', '\u0000', '🙂', '__proto__', '%', 'zzz', '!', '\' or 1=1 --', 'x'.repeat(10_240), '{"a":1}', '\ud800',
]

/** Every permutation of some items. */
export const ordersOf = <Item>(items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> =>
  items.length <= 1
    ? [items]
    : items.flatMap((first, index) => ordersOf(items.toSpliced(index, 1)).map((rest) => [first, ...rest]))

/** A list of `count` results, numbered from 0. */
export const times = <Item>(count: number, make: (index: number) => Item): ReadonlyArray<Item> =>
  Array.from({ length: count }, (_, index) => make(index))

const uuidAt = (at: Instant): string => `${at.toString(16).padStart(12, '0')}7${newName().slice(13)}`

/** An id of the platform that is a number and that a double would change. The stored objects of the platform keep its digits. */
export const LONG_NUMBERS = parseJsonObject('{"catalog_id":122097329108006499,"more":[-9007199254740993]}') ?? {}
