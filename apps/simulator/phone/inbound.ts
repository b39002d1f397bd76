import type { IncomingMessage } from 'node:http'
import { SAMPLES } from '../media.js'
import type { CustomerMessage } from '../webhooks/customer-message.js'
import type { ChatEntry, CustomerEntry } from './chat-log.js'

/** A form as a browser sends it, with at most one file. */
export type Form = { readonly fields: Readonly<Record<string, string>>; readonly file: UploadedFile | undefined }

export type UploadedFile = { readonly name: string; readonly type: string; readonly data: Buffer }

/** As large as the largest image or audio of the platform. */
export const LARGEST_FORM = 16 * 1024 * 1024

/** Reads a form; undefined if it is too large. The rest of a large one is read too, so that the browser gets to the answer. */
export const readForm = async (request: IncomingMessage): Promise<Form | undefined> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > LARGEST_FORM) chunks.length = 0
    else chunks.push(chunk)
  }
  if (size > LARGEST_FORM) return undefined
  const [body, type] = [Buffer.concat(chunks), request.headers['content-type'] ?? '']
  const boundary = /^multipart\/form-data;.*boundary="?([^";]{1,200})"?/i.exec(type)?.[1]
  return boundary === undefined
    ? { fields: Object.fromEntries(new URLSearchParams(type.startsWith('application/x-www-form-urlencoded') ? body.toString('utf8') : '')), file: undefined }
    : readParts(body.toString('latin1'), boundary)
}

/** The text has one character for each byte. */
const readParts = (text: string, boundary: string): Form => {
  const parts = `\r\n${text}`.split(`\r\n--${boundary}`).slice(1, -1).map(readPart)
  const [file] = parts.flatMap(({ filename, type, data }) => (filename === undefined || filename === '' ? [] : [{ name: filename, type, data }]))
  return {
    fields: Object.fromEntries(parts.flatMap(({ name, filename, data }) => (filename === undefined ? [[name, data.toString('utf8')]] : []))),
    file,
  }
}

const readPart = (part: string) => {
  const end = part.indexOf('\r\n\r\n')
  const head = Buffer.from(part.slice(0, Math.max(0, end)), 'latin1').toString('utf8')
  return {
    name: /\bname="([^"]*)"/i.exec(head)?.[1] ?? '',
    filename: /\bfilename="([^"]*)"/i.exec(head)?.[1],
    type: /^content-type: *([\w.+-]+\/[\w.+-]+)/im.exec(head)?.[1] ?? 'application/octet-stream',
    data: Buffer.from(end < 0 ? '' : part.slice(end + 4), 'latin1'),
  }
}

/** What stands in the form for a file that decides by itself what it is. */
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
    ...(hasMedia && file !== undefined && file.data.length > 0 && { data: file.data.toString('base64'), mime_type: file.type, filename: file.name }),
  }
}

const typeOf = (contentType: string): string => {
  const [kind = ''] = contentType.split('/')
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'document'
}

/** The message that one of these types is about: the latest of the business, or the customer's own latest. */
const aboutOf = (type: string, entries: ReadonlyArray<ChatEntry>, conversation: string): { readonly reply_to?: string } | undefined => {
  if (type === 'reaction') return latestId(entries.filter((entry) => entry._tag === 'Business' && entry.conversation === conversation))
  if (type !== 'edit' && type !== 'revoke') return {}
  return latestId(entries.filter((entry) => entry._tag === 'Customer' && entry.conversation === conversation && (entry.message.type ?? 'text') === 'text'))
}

const latestId = (entries: ReadonlyArray<ChatEntry>): { readonly reply_to: string } | undefined => {
  const latest = entries.at(-1)
  return latest !== undefined && 'id' in latest ? { reply_to: latest.id } : undefined
}

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
