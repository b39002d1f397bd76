import * as O from 'fp-ts/lib/Option.js'
import { type CustomerId, type CustomerIds, parsePhoneNumber, parseUserId, recordKeyOf } from '../../core/customers/customer.js'
import type { ReportedCustomer } from '../../core/customers/learn.js'
import { propertyOf } from './transport.js'

/**
 * Completes the ids of an item with the entry of `contacts` for the same customer.
 *
 * This compares ids, never the positions of entries, and uses nothing from an entry that contradicts the item or another entry. An item without an id belongs to the
 * customer of the only entry, if `isOnly`.
 */
export type FindCustomer = (ids: CustomerIds | undefined, isOnly?: boolean) => ReportedCustomer | undefined

/** Reads the entries of `contacts`, each with `wa_id`, `user_id` and `profile`. */
export const readContacts = (entries: ReadonlyArray<unknown>): FindCustomer => {
  const contacts = entries.map(contactOf)
  const byId = new Map<CustomerId, ReportedCustomer | typeof CONTRADICTORY>()
  for (const contact of contacts) {
    for (const id of keysOf(contact)) {
      const known = byId.get(id)
      byId.set(id, known === undefined ? contact : known === CONTRADICTORY ? known : merge(known, contact) ?? CONTRADICTORY)
    }
  }
  return (ids, isOnly = false) => {
    if (ids === undefined) {
      return isOnly && contacts.length === 1 && contacts[0] !== undefined && keysOf(contacts[0]).length > 0 ? contacts[0] : undefined
    }
    if (contacts.length === 0) return compact(ids)
    const found = keysOf(ids).flatMap((id) => byId.get(id) ?? [])
    const whole = found.reduce<ReportedCustomer | undefined>(
      (merged, contact) => (merged === undefined || contact === CONTRADICTORY ? undefined : merge(merged, contact)), ids,
    )
    return whole === undefined || keysOf(whole).some((id) => byId.get(id) === CONTRADICTORY) ? compact(ids) : compact(whole)
  }
}

const CONTRADICTORY = 'contradictory'

const contactOf = (entry: unknown): ReportedCustomer => {
  const profile = propertyOf(entry, 'profile')
  const ids = idsIn(propertyOf(entry, 'wa_id'), propertyOf(entry, 'user_id'))
  return compact({
    phoneNumber: ids?.phoneNumber, userId: ids?.userId,
    name: nameIn(propertyOf(profile, 'name')), username: nameIn(propertyOf(profile, 'username')),
  })
}

/** The longest name that is kept, in UTF-16 units; the platform's own have some dozens. */
const LONGEST_NAME = 255

/** A name without control characters and halves of characters, which some databases cannot store. */
const nameIn = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined
  return value.slice(0, LONGEST_NAME).replace(/[\p{Cc}\p{Cs}]/gu, '').trim() || undefined
}

/** Both combined if they agree; `undefined` if they contradict each other. */
const merge = (a: ReportedCustomer, b: ReportedCustomer): ReportedCustomer | undefined =>
  agree(a.phoneNumber && recordKeyOf(a.phoneNumber), b.phoneNumber && recordKeyOf(b.phoneNumber)) && agree(a.userId, b.userId) &&
    agree(a.name, b.name) && agree(a.username, b.username)
    ? {
        phoneNumber: a.phoneNumber ?? b.phoneNumber, userId: a.userId ?? b.userId, name: a.name ?? b.name,
        username: a.username ?? b.username,
      }
    : undefined

const agree = (a: string | undefined, b: string | undefined): boolean => a === undefined || b === undefined || a === b

/** The same without the unknown values. */
const compact = ({ phoneNumber, userId, name, username }: ReportedCustomer): ReportedCustomer => {
  const known: { -readonly [Part in keyof ReportedCustomer]: ReportedCustomer[Part] } = {}
  if (phoneNumber !== undefined) known.phoneNumber = phoneNumber
  if (userId !== undefined) known.userId = userId
  if (name !== undefined) known.name = name
  if (username !== undefined) known.username = username
  return known
}

/**
 * The ids of a customer in fields of the platform; `undefined` if no field contains an id.
 *
 * Either may be missing, and a user id has been seen in a field for the phone number, so the form of each value decides how it is read.
 */
export const idsIn = (...values: ReadonlyArray<unknown>): CustomerIds | undefined => {
  const texts = values.filter((value) => typeof value === 'string')
  const phoneNumber = texts.map((text) => O.toUndefined(O.fromEither(parsePhoneNumber(text)))).find((number) => number !== undefined)
  const userId = texts.map(parseUserId).find((id) => id !== undefined)
  return phoneNumber === undefined && userId === undefined ? undefined : { phoneNumber, userId }
}

/** The ids of a customer, with variants of one phone number counted once. */
export const keysOf = ({ phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerId> => {
  const number = phoneNumber && recordKeyOf(phoneNumber)
  if (number === undefined) return userId === undefined ? [] : [userId]
  return userId === undefined ? [number] : [number, userId]
}
