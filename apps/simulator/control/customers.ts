import type { Customer } from '../customers.js'
import { controlReply, refusal, type Reply } from '../http.js'
import { digitsOf } from '../ids.js'
import { customerNamed, defaultPhoneNumberId, type SimulatorState, userIdFor, waIdFor } from '../state.js'
import { changeNumber, type ChangeReport, changeUserId, chooseMarketing, shareNumber } from '../webhooks/customer-updates.js'
import { publicUrl } from '../webhooks/delivery.js'
import { reportInbound } from '../webhooks/report.js'
import { type ChangeBody, isChangeBody, isCustomerBody } from './bodies.js'

const NOT_A_CUSTOMER = refusal(400, 'The customer must be a phone number with its country code, or a user id')
const WITHOUT_NUMBER = refusal(400, 'This customer has no phone number; GET /_simulator/customers lists all customers')

/** Sends a message as a customer. */
export const writeAs = (state: SimulatorState, id: string, body: unknown): Reply => {
  if (!isCustomerBody(body)) {
    return refusal(400, 'A customer\'s message has only these keys, all optional: text, type, phone_number_id, at, name, bsuidOnly, standby, fields, '
      + 'signature, times, reply_to, forwarded, frequently_forwarded, referral; voice, interactive, payload and emoji of the types that have them; and of '
      + 'an attachment data (base64), mime_type, filename, size')
  }
  const { phone_number_id: phoneNumberId = defaultPhoneNumberId(state), at, signature = 'right', times = 1, ...message } = body
  const customer = customerNamed(state, phoneNumberId, id)
  if (customer === undefined) return NOT_A_CUSTOMER
  const moment = at === undefined ? {} : { at: new Date(at).getTime() }
  const wamid = reportInbound(state, phoneNumberId, customer, { ...message, ...moment }, { signature, times })
  return controlReply(200, {
    id: wamid, from: customer.number ?? null, user_id: userIdFor(state, phoneNumberId, customer), phone_number_id: phoneNumberId,
    media_id: state.inboundLog.find(wamid)?.media_id ?? null, ...notified(state),
  })
}

/** Says in the response whether a gateway was notified, and how to set one. */
const notified = ({ webhooks }: SimulatorState): object => {
  const target = webhooks.target()
  return target === undefined
    ? { webhook: null, hint: 'No gateway was notified: start the simulator with --webhook, or set one with POST /_simulator/webhook' }
    : { webhook: publicUrl(target) }
}

/** Lists the customers that the simulator knows, with the user ids that a business number knows. */
export const listCustomers = (state: SimulatorState, query: URLSearchParams): Reply => {
  const phoneNumberId = query.get('phone_number_id') ?? defaultPhoneNumberId(state)
  return controlReply(200, { customers: state.customers.all().map((customer) => customerJson(state, phoneNumberId, customer)) })
}

/** Shows one customer. */
export const customerReply = (state: SimulatorState, id: string, query: URLSearchParams): Reply => {
  const phoneNumberId = query.get('phone_number_id') ?? defaultPhoneNumberId(state)
  const customer = customerNamed(state, phoneNumberId, id)
  return customer === undefined ? NOT_A_CUSTOMER : controlReply(200, customerJson(state, phoneNumberId, customer))
}

/** Changes a customer; undefined if there is no such operation. */
export const changeCustomer = (state: SimulatorState, operation: string, id: string, body: unknown): Reply | undefined => {
  const change = CHANGES[operation]
  if (change === undefined) return undefined
  if (!isChangeBody(body, change.keys)) {
    return refusal(400, `The body of ${operation.replace(/.*\//, '')} has only these keys: ${change.keys.split(' ').join(', ')}`)
  }
  const phoneNumberId = body.phone_number_id ?? defaultPhoneNumberId(state)
  const customer = customerNamed(state, phoneNumberId, id)
  if (customer === undefined) return NOT_A_CUSTOMER
  const happened = change.happen(state, customer, body)
  if ('status' in happened) return happened
  const { now = customer, reportedTo } = happened
  return controlReply(200, { ...customerJson(state, phoneNumberId, now), reported_to: reportedTo })
}

type Happened = {
  /** The customer that the response shows; the customer of the request by default. */
  readonly now?: Customer
  readonly reportedTo: ReadonlyArray<string>
}

type Change = { readonly keys: string; readonly happen: (state: SimulatorState, customer: Customer, body: ChangeBody) => Happened | Reply }

const REPORT_KEYS = 'phone_number_id at times signature'

const reportOf = ({ phone_number_id: phoneNumberId, at, times = 1, signature = 'right' }: ChangeBody): ChangeReport => ({
  phoneNumberId, at: at === undefined ? undefined : new Date(at).getTime(), times, signature,
})

/** The changes by their operation. */
const CHANGES: Readonly<Record<string, Change>> = {
  'POST customers/…/hide-number': {
    keys: 'username phone_number_id',
    happen: ({ customers }, customer, { username }) => {
      customers.hideNumber(customer, username)
      return { reportedTo: [] }
    },
  },
  'POST customers/…/show-number': {
    keys: 'phone_number_id',
    happen: ({ customers }, customer) => {
      customers.showNumber(customer)
      return { reportedTo: [] }
    },
  },
  'POST customers/…/change-number': {
    keys: `number ${REPORT_KEYS}`,
    happen: (state, customer, body) => {
      const digits = digitsOf(body.number ?? '')
      if (digits === undefined) return refusal(400, 'The key number is the new phone number, with its country code')
      return { reportedTo: changeNumber(waIdFor(state, digits))(state, customer, reportOf(body)) }
    },
  },
  'POST customers/…/change-user-id': {
    keys: REPORT_KEYS,
    happen: (state, customer, body) => ({ reportedTo: changeUserId(state, customer, reportOf(body)) }),
  },
  'POST customers/…/give-number-away': {
    keys: 'phone_number_id',
    happen: ({ customers }, customer) =>
      (customer.number === undefined ? WITHOUT_NUMBER : { now: customers.giveNumberAway(customer), reportedTo: [] }),
  },
  'POST customers/…/share-number': {
    keys: REPORT_KEYS,
    happen: (state, customer, body) =>
      (customer.number === undefined ? WITHOUT_NUMBER : { reportedTo: shareNumber(state, customer, reportOf(body)) }),
  },
  'POST customers/…/stop-marketing': {
    keys: REPORT_KEYS,
    happen: (state, customer, body) => ({ reportedTo: chooseMarketing('stop')(state, customer, reportOf(body)) }),
  },
  'POST customers/…/resume-marketing': {
    keys: REPORT_KEYS,
    happen: (state, customer, body) => ({ reportedTo: chooseMarketing('resume')(state, customer, reportOf(body)) }),
  },
}

/** A customer as the control endpoints show it. */
const customerJson = (state: SimulatorState, phoneNumberId: string, customer: Customer) => ({
  number: customer.number ?? null,
  user_id: userIdFor(state, phoneNumberId, customer),
  username: customer.username ?? null,
  number_hidden: customer.isNumberHidden,
  marketing_stopped: customer.hasStoppedMarketing,
})
