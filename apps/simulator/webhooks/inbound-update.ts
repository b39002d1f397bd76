import { inboundWamid } from '../graph/wamid.js'
import type { Attachment } from '../media.js'
import { contactOf, type CustomerFields } from './customer-fields.js'
import type { CustomerMessage } from './customer-message.js'
import { contentOf, referencesOf, type Quoted } from './inbound-content.js'
import type { Update } from './notification.js'

/** What of a message the simulator keeps: its attachment, and the message that it refers to. */
export type Kept = { readonly attachment?: Attachment | undefined; readonly quoted?: Quoted | undefined }

/** The update that reports a customer's message, and its id. */
export const inboundUpdate = (
  phoneNumberId: string, known: CustomerFields, message: CustomerMessage, { attachment, quoted }: Kept = {},
): { readonly wamid: string; readonly update: Update } => {
  const { type = 'text', at = Date.now(), bsuidOnly = false, standby = false, name = known.name, fields = {} } = message
  const customer = { ...known, name, number: bsuidOnly ? undefined : known.number }
  const wamid = inboundWamid(customer.number ?? customer.userId)
  const contacts = [contactOf(customer)]
  const common = {
    ...(customer.number !== undefined && { from: customer.number }), from_user_id: customer.userId, id: wamid, timestamp: secondsOf(at),
  }
  if (type === 'call') {
    const call = { ...common, id: wamid.replace('wamid', 'wacid'), event: 'connect', direction: 'USER_INITIATED', ...fields }
    return { wamid: call.id, update: { field: 'calls', phoneNumberId, value: { contacts, calls: [call] } } }
  }
  const item = { ...common, type, ...contentOf(type, message, customer, attachment, quoted), ...referencesOf(type, message, quoted), ...fields }
  // The platform's system messages have no contacts.
  const value = type === 'system' ? { messages: [item] } : { contacts, messages: [item] }
  return { wamid, update: standby ? { field: 'standby', phoneNumberId, value: { standby: value } } : { field: 'messages', phoneNumberId, value } }
}

/** A moment in milliseconds as the platform writes it: seconds, as a string. */
export const secondsOf = (at: number): string => String(Math.floor(at / 1000))
