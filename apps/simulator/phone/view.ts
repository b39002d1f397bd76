import type { Customer } from '../customers.js'
import { conversationOf, defaultPhoneNumberId, isPhoneNumberId, type SimulatorState } from '../state.js'

/** What the page shows: the conversations with one business number, either of the customers in the address or of the latest ones. */
export type View = {
  readonly business: string
  /** Whether the address contains the business number; otherwise it is the one that was used last. */
  readonly isPinned: boolean
  /** Their keys. */
  readonly customers: ReadonlyArray<string>
}

const MAX_PHONES = 4

/** The view for an address. */
export const viewOf = (state: SimulatorState, query: URLSearchParams): View => {
  const business = query.get('business') ?? ''
  const isPinned = isPhoneNumberId(state, business)
  return { business: isPinned ? business : latestBusiness(state), isPinned, customers: query.getAll('customer').slice(0, MAX_PHONES) }
}

/** The business number of the latest message, sent or received. */
const latestBusiness = (state: SimulatorState): string => {
  const latest = state.chats.all().findLast((entry) => entry._tag !== 'Note' || entry.conversation !== undefined)
  if (latest === undefined) return defaultPhoneNumberId(state)
  return latest._tag === 'Refused' ? latest.phoneNumberId : latest.conversation?.split(' ', 1)[0] ?? defaultPhoneNumberId(state)
}

/** An address that shows a view. */
export const addressOf = (path: string, { business, isPinned, customers }: View): string => {
  const query = new URLSearchParams([...(isPinned ? [['business', business]] : []), ...customers.map((key) => ['customer', key])])
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** The customers that the page can show, in the order in which the simulator first saw them. */
export const customersOf = ({ customers, people }: SimulatorState, { business }: View): ReadonlyArray<Customer> =>
  customers.all().filter(({ key, businesses }) => businesses.has(business) || people.isKnown(key))

/** The customers that the page shows, each with a number that stays the same. */
export const shownCustomers = (
  state: SimulatorState, view: View,
): ReadonlyArray<{ readonly customer: Customer; readonly index: number }> => {
  const all = customersOf(state, view).map((customer, index) => ({ customer, index }))
  if (view.customers.length > 0) return all.filter(({ customer: { key } }) => view.customers.includes(key))
  if (all.length <= MAX_PHONES) return all
  const conversations = new Set(all.map(({ customer }) => conversationOf(view.business, customer)))
  const latest = latestConversations(state).filter((conversation) => conversations.has(conversation)).slice(0, MAX_PHONES)
  return all.filter(({ customer }) => latest.includes(conversationOf(view.business, customer)))
}

const latestConversations = ({ chats }: SimulatorState): ReadonlyArray<string> => [...new Set(
  chats.all().flatMap((entry) => ('conversation' in entry && entry.conversation !== undefined ? [entry.conversation] : [])).reverse(),
)]

/** The business numbers that have conversations, and the one that is shown. */
export const businessesOf = ({ customers }: SimulatorState, { business }: View): ReadonlyArray<string> =>
  [...new Set([business, ...customers.all().flatMap(({ businesses }) => [...businesses])])].slice(0, MAX_BUSINESSES)

const MAX_BUSINESSES = 20
