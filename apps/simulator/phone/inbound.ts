import type { Form } from '../forms.js'
import { SAMPLES } from '../media.js'
import type { CustomerMessage } from '../webhooks/customer-message.js'
import type { ChatEntry, CustomerEntry } from './chat-log.js'

/** The value in the form for a file whose kind follows from its type. */
export const OWN_FILE = 'file'

/** The message that the form for attachments describes; a sentence if something is wrong. */
export const attachmentOf = ({ fields, file }: Form, entries: ReadonlyArray<ChatEntry>, conversation: string): CustomerMessage | string => {
  const { type: wanted = '', text = '' } = fields
  if (wanted !== OWN_FILE && !Object.hasOwn(INBOUND_TYPES, wanted)) return 'Choose what to send.'
  if (wanted === OWN_FILE && (file === undefined || file.data.length === 0)) return 'Choose a file that is not empty first.'
  const type = wanted === OWN_FILE ? typeOf(file?.type ?? '') : wanted
  const about = aboutOf(type, entries, conversation)
  if (about === undefined) return 'There is no message yet that this could be about.'
  const hasMedia = Object.hasOwn(SAMPLES, type)
  return {
    type, ...about, text: text === '' && !hasMedia ? 'Hello' : text.trim(),
    ...(hasMedia && file !== undefined && file.data.length > 0
      && { data: file.data.toString('base64'), mime_type: file.type, filename: file.name }),
  }
}

const typeOf = (contentType: string): string => {
  const [kind = ''] = contentType.split('/')
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'document'
}

/** The message that a message of one of these types refers to: the latest of the business, or the customer's own latest. */
const aboutOf = (type: string, entries: ReadonlyArray<ChatEntry>, conversation: string): { readonly reply_to?: string } | undefined => {
  if (type === 'reaction') return latestId(entries.filter((entry) => entry._tag === 'Business' && entry.conversation === conversation))
  if (type !== 'edit' && type !== 'revoke') return {}
  return latestId(entries.filter((entry) =>
    entry._tag === 'Customer' && entry.conversation === conversation && (entry.message.type ?? 'text') === 'text'))
}

const latestId = (entries: ReadonlyArray<ChatEntry>): { readonly reply_to: string } | undefined => {
  const latest = entries.at(-1)
  return latest !== undefined && 'id' in latest ? { reply_to: latest.id } : undefined
}

/** The customer's own message as the customer sees it: its kind, unless it is only text, and its words. */
export type InboundText = { readonly what: string | undefined; readonly text: string }

/** The types of messages, other than texts, that a customer can send from the phone, in words. */
export const INBOUND_TYPES: Readonly<Record<string, string>> = {
  image: 'Photo', video: 'Video', audio: 'Voice message', document: 'Document', sticker: 'Sticker',
  location: 'Location: Alexanderplatz, Berlin', contacts: 'Contact: Ada Lovelace', reaction: 'Reaction to the latest message',
  edit: 'Edit of my latest message', revoke: 'Deletion of my latest message', interactive: 'Answer to a list or form',
  order: 'Order: one lamp', call: 'Call', request_welcome: 'Chat opened for the first time', unsupported: 'Something unsupported (a poll)',
  system: 'System message',
}

/** The default emoji of a reaction. */
export const LIKE = '👍'

const WITH_TEXT = ['image', 'video', 'document', 'edit', 'interactive', 'order', 'button']

/** Shows a message of a customer in words. */
export const inboundText = (
  { message: { type = 'text', text = '', filename, emoji = LIKE, interactive, reply_to: answered } }: CustomerEntry,
): InboundText => {
  if (type === 'interactive' && interactive === 'button_reply') return { what: 'Tapped', text }
  if (type === 'interactive' && interactive === 'list_reply') return { what: 'Chose', text }
  if (type === 'contacts' && answered !== undefined) return { what: 'Shared my number', text: '' }
  switch (type) {
    case 'text': return { what: undefined, text }
    case 'button': return { what: 'Tapped', text }
    case 'reaction': return { what: 'Reacted with', text: emoji }
    case 'document': return { what: `Document: ${filename ?? 'order.pdf'}`, text }
    default: return { what: Object.hasOwn(INBOUND_TYPES, type) ? INBOUND_TYPES[type] : type, text: WITH_TEXT.includes(type) ? text : '' }
  }
}
