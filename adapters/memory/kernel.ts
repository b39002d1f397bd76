import * as E from 'fp-ts/lib/Either.js'
import { uuidv7obj } from 'uuidv7'
import { type Page, pageOf, type PageQuery } from '../../core/kernel/page.js'
import { type Leases, longestLease } from '../../core/kernel/leases.js'
import type { Instant } from '../../core/kernel/time.js'

/** The result of a step that completes synchronously, so that no other step ever sees it half done. */
export const atomic = async <Failure, Result>(step: () => E.Either<Failure, Result>): Promise<E.Either<Failure, Result>> => step()

/** The result of a step that cannot fail. */
export const infallible = <Result>(step: () => Result): Promise<E.Either<never, Result>> => atomic(() => E.right(step()))

/**
 * The part of a list that a query requests, newest first by the items' ids, which sort by time.
 *
 * The cursor is the id of a part's last item; any other text is compared like an id.
 */
export const pageById = <Item>(
  all: ReadonlyArray<Item>,
  { limit, cursor, oldestFirst }: PageQuery & { readonly oldestFirst?: true },
  idOf: (item: Item) => string,
): Page<Item> => {
  const isBefore = (a: string, b: string): boolean => (oldestFirst === true ? a < b : a > b)
  const after = cursor === undefined ? all : all.filter((item) => isBefore(cursor, idOf(item)))
  const inOrder = after.toSorted((a, b) => (isBefore(idOf(a), idOf(b)) ? -1 : 1))
  return pageOf(inOrder.slice(0, limit + 1), limit, idOf)
}

/** A new id that sorts by time: the 32 hexadecimal digits of a UUIDv7. */
export const newId = (): string => uuidv7obj().toHex()

/** The leases that are held, by their names. */
export type HeldLeases = Map<string, { readonly holder: symbol; readonly until: Instant }>

/** Creates the leases of a new holder. */
export const makeMemoryLeases = (held: HeldLeases, now: () => Instant): Leases => {
  const self = Symbol('holder')
  return {
    take: (name, ttlMs, longestMs) => infallible(() => {
      const lease = held.get(name)
      const isValid = lease !== undefined && lease.until > now() && lease.until <= now() + longestLease(ttlMs, longestMs)
      if (isValid && lease.holder !== self) return false
      held.set(name, { holder: self, until: now() + ttlMs })
      return true
    }),
    release: (name) => infallible(() => {
      if (held.get(name)?.holder === self) held.delete(name)
    }),
  }
}
