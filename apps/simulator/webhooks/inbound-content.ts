import type { Attachment } from '../media.js'
import type { CustomerFields } from './customer-fields.js'
import type { CustomerMessage } from './customer-message.js'

/** The message that another one refers to, and its author. */
export type Quoted = { readonly from: string; readonly id: string }

type Content = Readonly<Record<string, unknown>>

/** What an answer, a reaction, an edit or a revocation refers to if no message is named. */
const SOME_MESSAGE: Quoted = { from: '15550109999', id: 'wamid.HBgLMTU1NTAxMDAwMDAVAgARGBIwMDAwMDAwMDAwMDAwMDAwMDAA' }

/** The fields of a message that its type names; none for a type without one. */
export const contentOf = (
  type: string, message: CustomerMessage, { number, userId }: CustomerFields, attachment: Attachment | undefined, quoted: Quoted | undefined,
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
        name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' }, phones: [{ phone: '+15550109998', wa_id: '15550109998', type: 'CELL' }],
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

/** The tap on a button, the choice from a list, or the form of a flow that was filled in. */
const replyOf = ({ interactive = 'button_reply', text = 'Hello', payload = 'yes' }: CustomerMessage): Content => {
  switch (interactive) {
    case 'button_reply': return { type: interactive, button_reply: { id: payload, title: text } }
    case 'list_reply': return { type: interactive, list_reply: { id: payload, title: text, description: 'The first of the list' } }
    case 'nfm_reply': return { type: interactive, nfm_reply: { name: 'flow', body: 'Sent', response_json: JSON.stringify({ flow_token: 'unused', answer: text }) } }
  }
}

/** Types that answer a message, and types whose own object names the message that they are about. */
const ANSWERS = ['button', 'interactive']
const NAME_THEIR_MESSAGE = ['reaction', 'edit', 'revoke']

/** What a message of any type can have besides: the message that it answers, that it was forwarded, the advertisement from which the customer came. */
export const referencesOf = (type: string, { forwarded, frequently_forwarded: often, referral }: CustomerMessage, quoted: Quoted | undefined): Content => {
  const answered = NAME_THEIR_MESSAGE.includes(type) ? undefined : quoted ?? (ANSWERS.includes(type) ? SOME_MESSAGE : undefined)
  const context = {
    ...answered, ...(forwarded && { forwarded: true }), ...(often && { frequently_forwarded: true }),
  }
  return { ...(Object.keys(context).length > 0 && { context }), ...(referral && { referral: ADVERTISEMENT }) }
}

const ADVERTISEMENT = {
  source_url: 'https://fb.me/3cr4Wqqkv', source_id: '120226305854810726', source_type: 'ad', headline: 'Summer offers', body: 'Write to us',
  media_type: 'image', image_url: 'https://scontent.xx.fbcdn.net/v/offer.jpg', ctwa_clid: 'ARA0QN7G1bOw8', welcome_message: { text: 'How can we help you?' },
}
