import { inboundWamid } from '../graph/wamid.js'
import type { Attachment } from '../media.js'
import { contactOf, type CustomerFields } from './customer-fields.js'
import type { Update } from './notification.js'

/** A customer's message: a text, or a message of another type; every field has a default. */
export type CustomerMessage = {
  /** `text` by default; any name, also one that the platform does not know. */
  readonly type?: string
  readonly text?: string
  /** The bytes of an attachment in base64, its content type, and the name of a document; there are defaults for each type. */
  readonly data?: string
  readonly mime_type?: string
  readonly filename?: string
  /** How many bytes the attachment has: `data` is repeated, or cut. */
  readonly size?: number
  /** Milliseconds since the Unix epoch; now by default. */
  readonly at?: number
  /** The name in the customer's profile. */
  readonly name?: string
  /** Whether the phone number is left out of this message; `hide-number` leaves it out of every notification. */
  readonly bsuidOnly?: boolean
  /** Whether another app answers the customer, so that the message comes in the field `standby`. */
  readonly standby?: boolean
  /** Fields that replace those of the message, so that it can be invalid in any way. */
  readonly fields?: Readonly<Record<string, unknown>>
}

const CONTEXT = { from: '15550109999', id: 'wamid.HBgLMTU1NTAxMDAwMDAVAgARGBIwMDAwMDAwMDAwMDAwMDAwMDAA' }

/** The update that reports a customer's message, and its id. */
export const inboundUpdate = (
  phoneNumberId: string, known: CustomerFields, message: CustomerMessage, attachment?: Attachment,
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
  const item = { ...common, type, ...contentOf(type, message, customer, attachment), ...fields }
  // The platform's system messages have no contacts.
  const value = type === 'system' ? { messages: [item] } : { contacts, messages: [item] }
  return { wamid, update: standby ? { field: 'standby', phoneNumberId, value: { standby: value } } : { field: 'messages', phoneNumberId, value } }
}

/** A moment in milliseconds as the platform writes it: seconds, as a string. */
export const secondsOf = (at: number): string => String(Math.floor(at / 1000))

/** The field of a message that its type names; empty for a type without one. */
const contentOf = (
  type: string, { text = 'Hello', filename = 'order.pdf' }: CustomerMessage, { number, userId }: CustomerFields, attachment: Attachment | undefined,
): Readonly<Record<string, unknown>> => {
  const media = attachment && { id: attachment.id, mime_type: attachment.type, sha256: attachment.sha256 }
  switch (type) {
    case 'text': return { text: { body: text } }
    case 'image': return { image: { ...media, caption: text } }
    case 'video': return { video: { ...media, caption: text } }
    case 'audio': return { audio: { ...media, voice: true } }
    case 'document': return { document: { ...media, filename, caption: text } }
    case 'sticker': return { sticker: { ...media, animated: false } }
    case 'location': return { location: { latitude: 52.52, longitude: 13.405, name: 'Berlin' } }
    case 'contacts': return {
      contacts: [{
        name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' }, phones: [{ phone: '+15550109998', wa_id: '15550109998', type: 'CELL' }],
      }],
    }
    case 'button': return { context: CONTEXT, button: { text, payload: text } }
    case 'interactive': return { context: CONTEXT, interactive: { type: 'button_reply', button_reply: { id: 'yes', title: text } } }
    case 'reaction': return { reaction: { message_id: CONTEXT.id, emoji: '👍' } }
    case 'order': return {
      order: {
        catalog_id: '1', text, product_items: [{ product_retailer_id: 'a17', quantity: 1, item_price: 9.5, currency: 'USD' }],
      },
    }
    case 'system': return {
      system: {
        body: `User changed from ${number ?? userId} to ${number ?? userId}`, type: 'user_changed_number',
        ...(number !== undefined && { wa_id: number }),
      },
    }
    case 'edit': return { edit: { original_message_id: CONTEXT.id, message: { type: 'text', text: { body: text } } } }
    case 'revoke': return { revoke: { original_message_id: CONTEXT.id } }
    case 'unsupported': return {
      errors: [{
        code: 131051, title: 'Message type unknown', message: 'Message type unknown',
        error_data: { details: 'Message type is currently not supported.' },
      }],
      unsupported: { type: 'poll_creation' },
    }
    default: return {}
  }
}
