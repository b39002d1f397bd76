import { inboundWamid } from '../graph/wamid.js'
import { contactOf, type CustomerFields } from './customer-fields.js'
import type { Update } from './notification.js'

/** A customer's message: a text, or a message of another type; every field has a default. */
export type CustomerMessage = {
  /** `text` by default; any name, also one that the platform does not know. */
  readonly type?: string
  readonly text?: string
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

const MEDIA_HASH = 'mSkL7bBiYyt2uAUGmdV2mT8N2oPzGAJvk4Q1f1B8vcI='
const CONTEXT = { from: '15550109999', id: 'wamid.HBgLMTU1NTAxMDAwMDAVAgARGBIwMDAwMDAwMDAwMDAwMDAwMDAA' }

/** The update that reports a customer's message, and its id. */
export const inboundUpdate = (
  phoneNumberId: string, known: CustomerFields, message: CustomerMessage,
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
  const item = { ...common, type, ...contentOf(type, message.text ?? 'Hello', customer), ...fields }
  // The platform's system messages have no contacts.
  const value = type === 'system' ? { messages: [item] } : { contacts, messages: [item] }
  return { wamid, update: standby ? { field: 'standby', phoneNumberId, value: { standby: value } } : { field: 'messages', phoneNumberId, value } }
}

/** A moment in milliseconds as the platform writes it: seconds, as a string. */
export const secondsOf = (at: number): string => String(Math.floor(at / 1000))

/** The field of a message that its type names; empty for a type without one. */
const contentOf = (type: string, text: string, { number, userId }: CustomerFields): Readonly<Record<string, unknown>> => {
  switch (type) {
    case 'text': return { text: { body: text } }
    case 'image': return { image: { ...media('image/jpeg'), caption: text } }
    case 'video': return { video: { ...media('video/mp4'), caption: text } }
    case 'audio': return { audio: { ...media('audio/ogg; codecs=opus'), voice: true } }
    case 'document': return { document: { ...media('application/pdf'), filename: 'order.pdf', caption: text } }
    case 'sticker': return { sticker: { ...media('image/webp'), animated: false } }
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

const media = (mimeType: string) => ({ id: '1003383421387256', mime_type: mimeType, sha256: MEDIA_HASH })
