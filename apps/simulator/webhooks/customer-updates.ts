import type { Customer } from '../customers.js'
import { inboundWamid } from '../ids.js'
import { defaultPhoneNumberId, type SimulatorState } from '../state.js'
import type { DeliveryOptions, Update } from './delivery.js'
import { contactOf, customerFields, type CustomerFields, secondsOf } from './inbound.js'
import { reportInbound } from './report.js'

/** Which business number is notified (by default every one with a conversation), with which timestamp (by default now), and how. */
export type ChangeReport = DeliveryOptions & { readonly phoneNumberId?: string | undefined; readonly at?: number | undefined }

/** Something that a customer does, or that happens to a customer; the result is the list of notified business numbers. */
export type CustomerChange = (state: SimulatorState, customer: Customer, report?: ChangeReport) => ReadonlyArray<string>

/** The customer has another phone number, and with it a new user id. If the customer hides the number, the platform reports only the user ids. */
export const changeNumber = (number: string): CustomerChange => (state, customer, report = {}) =>
  changeIds(state, customer, report, customer.isNumberHidden ? 'user_changed_user_id' : 'user_changed_number', () =>
    state.customers.changeNumber(customer, number))

/** The customer has a new user id. */
export const changeUserId: CustomerChange = (state, customer, report = {}) =>
  changeIds(state, customer, report, 'user_changed_user_id', () => state.customers.changeUserId(customer))

/** The customer stops marketing messages, or resumes them. */
export const chooseMarketing = (value: 'stop' | 'resume'): CustomerChange => (state, customer, report = {}) => {
  state.customers.setMarketing(customer, value === 'stop')
  return sendToEach(state, customer, report, (phoneNumberId, at) =>
    preference(phoneNumberId, customerFields(state, phoneNumberId, customer), value, at))
}

/** The contact with which a customer answers a request for the phone number. */
export const sharedContact = (name: string, number: string) =>
  ({
    name: { formatted_name: name, first_name: name.split(' ')[0] }, phones: [{ phone: `+${number}`, wa_id: number, type: 'MOBILE' }],
    origin: 'contact_request',
  })

/** The customer answers a request for the phone number. The answer is a message and opens the window. Elsewhere the number stays hidden. */
export const shareNumber: CustomerChange = (state, customer, { phoneNumberId, at, ...options } = {}) => {
  const { number } = customer
  if (number === undefined) throw new Error('The customer has no number')
  const businesses = businessesOf(state, customer, phoneNumberId)
  businesses.forEach((business) =>
    reportInbound(
      state, business, customer,
      {
        type: 'contacts', fields: { contacts: [sharedContact(state.people.nameOf(customer.key), number)] }, ...(at !== undefined && { at }),
      },
      options,
    ))
  return businesses
}

const changeIds = (
  state: SimulatorState, customer: Customer, report: ChangeReport, type: string, change: () => void,
): ReadonlyArray<string> => {
  const before = new Map(businessesOf(state, customer, report.phoneNumberId).map((id) => [id, customerFields(state, id, customer)]))
  change()
  return sendToEach(state, customer, report, (id, at) => {
    const after = customerFields(state, id, customer)
    return idsChanged(id, type, before.get(id) ?? after, after, at)
  })
}

/** The platform's system messages have no contacts. */
const idsChanged = (phoneNumberId: string, type: string, before: CustomerFields, after: CustomerFields, at: number): Update => {
  const [from, to] = type === 'user_changed_number' ? [before.number, after.number] : [before.userId, after.userId]
  const system = {
    body: `User ${after.name} changed from ${from} to ${to}`,
    ...(after.number !== undefined && { wa_id: after.number }),
    user_id: after.userId,
    ...(type === 'user_changed_user_id' && { previous_user_id: before.userId }),
    type,
  }
  const message = {
    ...(before.number !== undefined && { from: before.number }), id: inboundWamid(before.number ?? before.userId), timestamp: secondsOf(at),
    type: 'system', system,
  }
  return { field: 'messages', phoneNumberId, value: { messages: [message] } }
}

const preference = (phoneNumberId: string, customer: CustomerFields, value: 'stop' | 'resume', at: number): Update => ({
  field: 'user_preferences', phoneNumberId,
  value: {
    contacts: [contactOf(customer)],
    user_preferences: [{
      ...(customer.number !== undefined && { wa_id: customer.number }), user_id: customer.userId,
      detail: `User requested to ${value} marketing messages`, category: 'marketing_messages', value, timestamp: Math.floor(at / 1000),
    }],
  },
})

const sendToEach = (
  state: SimulatorState, customer: Customer, { phoneNumberId, at = Date.now(), ...options }: ChangeReport,
  make: (phoneNumberId: string, at: number) => Update,
): ReadonlyArray<string> => {
  const businesses = businessesOf(state, customer, phoneNumberId)
  const updates = businesses.map((id) => make(id, at))
  state.webhooks.send(updates.length, () => updates, options)
  return businesses
}

const businessesOf = (state: SimulatorState, { businesses }: Customer, phoneNumberId: string | undefined): ReadonlyArray<string> => {
  if (phoneNumberId !== undefined) return [phoneNumberId]
  return businesses.size === 0 ? [defaultPhoneNumberId(state)] : [...businesses]
}
