import type { CustomerEntry } from './chat-log.js'

/** What the customer sees of an own message: what it is, unless it is only text, and its words. */
export type InboundText = { readonly what: string | undefined; readonly text: string }

/** The types of messages that a customer can send from the phone besides a text, in words. */
export const INBOUND_TYPES: Readonly<Record<string, string>> = {
  image: 'Photo', video: 'Video', audio: 'Voice message', document: 'Document', sticker: 'Sticker',
  location: 'Location: Alexanderplatz, Berlin', contacts: 'Contact: Ada Lovelace', reaction: 'Reaction to the latest message',
  edit: 'Edit of my latest message', revoke: 'Deletion of my latest message', interactive: 'Answer to a list or form', order: 'Order: one lamp',
  call: 'Call', request_welcome: 'Chat opened for the first time', unsupported: 'Something unsupported (a poll)', system: 'System message',
}

const WITH_TEXT = ['image', 'video', 'document', 'edit', 'interactive', 'order', 'button']

/** Shows a message of a customer in words. */
export const inboundText = ({ message: { type = 'text', text = '', filename, emoji = '👍' } }: CustomerEntry): InboundText => {
  switch (type) {
    case 'text': return { what: undefined, text }
    case 'button': return { what: 'Tapped', text }
    case 'reaction': return { what: 'Reacted with', text: emoji }
    case 'document': return { what: `Document: ${filename ?? 'order.pdf'}`, text }
    default: return { what: Object.hasOwn(INBOUND_TYPES, type) ? INBOUND_TYPES[type] : type, text: WITH_TEXT.includes(type) ? text : '' }
  }
}
