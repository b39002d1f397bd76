import { type Notification, readNotification } from '../../../adapters/cloud-api/notification.js'
import { messageIdOf } from '../../../core/messages/message.js'

export const PHONE_NUMBER_ID = '436666719526789'
export const ours = messageIdOf('01890a5d-ac96-774b-bcce-b302099a8057')

export const metadata = { display_phone_number: '15550001111', phone_number_id: PHONE_NUMBER_ID }
export const change = (value: object, field = 'messages') => ({ field, value: { messaging_product: 'whatsapp', metadata, ...value } })
export const notification = (...changes: ReadonlyArray<unknown>) => ({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] })

export const text = (more: object = {}) => ({
  from: '4915112345678', id: 'wamid.in', timestamp: '1763700000', type: 'text', text: { body: 'Hi' }, ...more,
})
export const status = (more: object = {}) => ({
  id: 'wamid.out', status: 'delivered', timestamp: '1763700001', recipient_id: '4915112345678', ...more,
})

export const readMessages = (...messages: ReadonlyArray<unknown>): Notification => readNotification(notification(change({ messages })))
export const readStatuses = (...statuses: ReadonlyArray<unknown>): Notification => readNotification(notification(change({ statuses })))
export const readCalls = (call: object, field = 'calls'): Notification => readNotification(notification(change({ calls: [call] }, field)))

/** The report of `text()`. */
export const inbound = {
  _tag: 'Inbound', phoneNumberId: PHONE_NUMBER_ID, customer: { phoneNumber: '4915112345678' }, at: 1_763_700_000_000,
  message: { id: 'wamid.in', type: 'text', content: { body: 'Hi' } },
}
/** The same report of another message. */
export const saying = (message: object) => ({ ...inbound, message: { ...inbound.message, ...message } })
export const only = (reason: string, field = 'messages') => ({ reports: [], ignored: [{ field, reason }] })

export const NUMBER = '4915112345678'
export const USER_ID = 'DE.13491208655302741918'
/** An entry of `contacts`. */
export const contact = (more: object = {}) => ({ profile: { name: 'Ada', username: 'ada.l' }, wa_id: NUMBER, user_id: USER_ID, ...more })
/** Reads one change of a field. */
export const readValue = (value: object, field = 'messages'): Notification => readNotification(notification(change(value, field)))
/** The customers of the reports, in their order. */
export const customersOf = ({ reports }: Notification): ReadonlyArray<unknown> =>
  reports.map((report) => ('customer' in report ? report.customer : undefined))
