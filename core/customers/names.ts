import type { CustomerId } from './customer.js'
import type { InboxId } from '../kernel/ids.js'
import { foldedOf } from '../kernel/text.js'

/** The names that a customer shows. */
export type ShownNames = { readonly name?: string | undefined; readonly username?: string | undefined }

/** A customer with a name, by an id of the record that has the name. */
export type NamedCustomer = { readonly inbox: InboxId; readonly id: CustomerId }

/** Customers with a name; `isComplete`: no other customer of the inboxes has it. */
export type NamedCustomers = { readonly customers: ReadonlyArray<NamedCustomer>; readonly isComplete: boolean }

/** A name in the form in which names are compared: without case, accents and punctuation. */
export const comparedName = (name: string): string => foldedOf(name).replace(/[^\p{L}\p{N}]+/gu, ' ').trim()

/** The maximum number of characters of a text by which a name is found. */
const SOUGHT_LENGTH = 64

/** The maximum number of words of a customer's names by which the customer is found. */
const MAX_WORDS = 16

/** The beginning of a compared name that is stored and sought. */
export const soughtName = (compared: string): string => Array.from(compared).slice(0, SOUGHT_LENGTH).join('').trim()

/** The texts with which a sought name is compared: the customer's names, each from each of its words on. */
export const startsOf = ({ name, username }: ShownNames): ReadonlyArray<string> => {
  const starts = [name, username].flatMap((one) => {
    const words = one === undefined ? [] : comparedName(one).split(' ').filter((word) => word !== '')
    return words.map((_, from) => soughtName(words.slice(from).join(' ')))
  })
  return [...new Set(starts)].slice(0, MAX_WORDS)
}

/** Whether a customer has a name in which a word begins with a text, as `Customers.named` finds it. */
export const hasName = (names: ShownNames, text: string): boolean => {
  const sought = soughtName(comparedName(text))
  return sought !== '' && startsOf(names).some((start) => start.startsWith(sought))
}
