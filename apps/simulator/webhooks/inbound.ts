import type { Customer } from '../customers.js'
import { inboundWamid } from '../ids.js'
import type { Attachment } from '../media.js'
import { type SimulatorState, userIdFor } from '../state.js'
import type { CustomerMessage } from './customer-message.js'
import type { Update } from './delivery.js'

/** The message that another one refers to, and its author. */
export type Quoted = { readonly from: string; readonly id: string }

type Content = Readonly<Record<string, unknown>>

/** The message that an answer, a reaction, an edit or a revocation refers to if no message is named. */
const SOME_MESSAGE: Quoted = { from: '15550109999', id: 'wamid.HBgLMTU1NTAxMDAwMDAVAgARGBIwMDAwMDAwMDAwMDAwMDAwMDAA' }

/** The fields that the type of a message adds; none for a type without fields. */
export const contentOf = (
  type: string, message: CustomerMessage, { number, userId }: CustomerFields, attachment: Attachment | undefined,
  quoted: Quoted | undefined,
): Content => {
  const { text = 'Hello', filename = 'order.pdf', payload = text, emoji = '👍', voice = true } = message
  const media = attachment && { id: attachment.id, mime_type: attachment.type, sha256: attachment.sha256 }
  const about = quoted ?? SOME_MESSAGE
  const caption = text !== '' && { caption: text }
  switch (type) {
    case 'text': return { text: { body: text } }
    case 'image': return { image: { ...media, ...caption } }
    case 'video': return { video: { ...media, ...caption } }
    case 'audio': return { audio: { ...media, voice } }
    case 'document': return { document: { ...media, filename, ...caption } }
    case 'sticker': return { sticker: { ...media, animated: false } }
    case 'location': return { location: { latitude: 52.52, longitude: 13.405, name: 'Berlin', address: 'Alexanderplatz' } }
    case 'contacts': return {
      contacts: [{
        name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' },
        phones: [{ phone: '+15550109998', wa_id: '15550109998', type: 'CELL' }],
      }],
    }
    case 'button': return { button: { text, payload } }
    case 'interactive': return { interactive: replyOf(message) }
    case 'reaction': return { reaction: { message_id: about.id, ...(emoji !== '' && { emoji }) } }
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
    case 'edit': return { edit: { original_message_id: about.id, message: { type: 'text', text: { body: text } } } }
    case 'revoke': return { revoke: { original_message_id: about.id } }
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

/** The tap on a button, the choice from a list, or the submitted form of a flow. */
const replyOf = ({ interactive = 'button_reply', text = 'Hello', payload = 'yes' }: CustomerMessage): Content => {
  switch (interactive) {
    case 'button_reply': return { type: interactive, button_reply: { id: payload, title: text } }
    case 'list_reply': return { type: interactive, list_reply: { id: payload, title: text, description: 'The first of the list' } }
    case 'nfm_reply': return {
      type: interactive, nfm_reply: { name: 'flow', body: 'Sent', response_json: JSON.stringify({ flow_token: 'unused', answer: text }) },
    }
  }
}

/** Types that reply to a message, and types whose own object names the message that they refer to. */
const ANSWERS = ['button', 'interactive']
const NAME_THEIR_MESSAGE = ['reaction', 'edit', 'revoke']

/** The optional fields of a message of any type: the message that it replies to, that it was forwarded, the advertisement from which the customer came. */
export const referencesOf = (
  type: string, { forwarded, frequently_forwarded: often, referral }: CustomerMessage, quoted: Quoted | undefined,
): Content => {
  const answered = NAME_THEIR_MESSAGE.includes(type) ? undefined : quoted ?? (ANSWERS.includes(type) ? SOME_MESSAGE : undefined)
  const context = {
    ...answered, ...(forwarded && { forwarded: true }), ...(often && { frequently_forwarded: true }),
  }
  return { ...(Object.keys(context).length > 0 && { context }), ...(referral && { referral: ADVERTISEMENT }) }
}

const ADVERTISEMENT = {
  source_url: 'https://fb.me/3cr4Wqqkv', source_id: '120226305854810726', source_type: 'ad', headline: 'Summer offers', body: 'Write to us',
  media_type: 'image', image_url: 'https://scontent.xx.fbcdn.net/v/offer.jpg', ctwa_clid: 'ARA0QN7G1bOw8',
  welcome_message: { text: 'How can we help you?' },
}

/** The parts of a message that the simulator keeps: its attachment, and the message that it refers to. */
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
  const item = {
    ...common, type, ...contentOf(type, message, customer, attachment, quoted), ...referencesOf(type, message, quoted), ...fields,
  }
  // The platform's system messages have no contacts.
  const value = type === 'system' ? { messages: [item] } : { contacts, messages: [item] }
  return {
    wamid, update: standby ? { field: 'standby', phoneNumberId, value: { standby: value } } : { field: 'messages', phoneNumberId, value },
  }
}

/** A timestamp in milliseconds in the platform's format: seconds, as a string. */
export const secondsOf = (at: number): string => String(Math.floor(at / 1000))

/** The names and ids of a customer in a notification. */
export type CustomerFields = {
  readonly name: string
  /** Undefined if the number is omitted. */
  readonly number: string | undefined
  readonly userId: string
  readonly username: string | undefined
}

/** The names and ids of a customer for a business number now. */
export const customerFields = (state: SimulatorState, phoneNumberId: string, customer: Customer): CustomerFields => ({
  name: state.people.nameOf(customer.key),
  number: customer.isNumberHidden ? undefined : customer.number,
  userId: userIdFor(state, phoneNumberId, customer),
  username: customer.username,
})

/** An entry of `contacts`. */
export const contactOf = ({ name, number, userId, username }: CustomerFields) => ({
  profile: { name, ...(username !== undefined && { username }) }, ...(number !== undefined && { wa_id: number }), user_id: userId,
})
