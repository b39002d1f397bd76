import * as E from 'fp-ts/lib/Either.js'
import { digitsOf, isUserId } from '../customer-ids.js'
import type { ReceivedMessage } from '../control/request-log.js'
import { graphError, invalidParameter, type GraphError } from './error.js'
import { checkComponents } from '../templates/check-components.js'
import type { Template } from '../templates/template.js'
import type { Templates } from '../templates/templates.js'
import { isObject, parseJson } from '../json.js'

/** A valid request of the messages endpoint: a message to send, or a customer's message to mark as read. */
export type ParsedRequest = ParsedMessage | { readonly _tag: 'MarkRead'; readonly id: string; readonly typing: boolean }

export type ParsedMessage = {
  readonly _tag: 'Message'
  readonly address: Address
  readonly callback: string | undefined
  readonly content: Content
}

/** Whom a message goes to, and `input`: what the request names. `to` counts where a request has `to` and `recipient`. */
export type Address =
  /** A number in `to`, as digits; perhaps a user id beside it. */
  | { readonly _tag: 'Number'; readonly input: string; readonly number: string; readonly userId: string | undefined }
  /** A user id in `recipient`. */
  | { readonly _tag: 'UserId'; readonly input: string; readonly userId: string }
  /** A user id in `to`, where the platform accepts it and drops the message. */
  | { readonly _tag: 'Dropped'; readonly input: string; readonly userId: string }

export type Content = { readonly type: 'text'; readonly text: string } | { readonly type: 'template'; readonly template: Template }

type Fields = Readonly<Record<string, unknown>>
type Checked<A> = E.Either<GraphError, A>

const LONGEST_TEXT = 4096
const LONGEST_CALLBACK = 512

/** Reads a request as the platform does; left: the error that the platform answers. */
export const checkRequest = (body: string, templates: Pick<Templates, 'find'>): Checked<ParsedRequest> => {
  const fields = parseJson(body)
  if (!isObject(fields)) return E.left(graphError(100, 'The request body is not a JSON object'))
  const { messaging_product: product } = fields
  if (product === undefined) return E.left(invalidParameter('The parameter messaging_product is required.'))
  if (product !== 'whatsapp') return E.left(invalidParameter('Param messaging_product must be one of {WHATSAPP}'))
  if (fields['status'] !== undefined) return checkMarkRead(fields)
  return checkMessage(fields, templates)
}

/** What a request, valid or not, says about its message; only for display. */
export const summarizeRequest = (body: string): Pick<ReceivedMessage, 'to' | 'recipient' | 'type' | 'callback'> => {
  const fields = parseJson(body)
  const text = (key: string): string | undefined => (isObject(fields) && typeof fields[key] === 'string' ? fields[key] : undefined)
  const to = text('to') ?? ''
  const [callback, recipient] = [text('biz_opaque_callback_data'), text('recipient')]
  return {
    to: digitsOf(to) ?? to, type: text('type') ?? '', ...(recipient !== undefined && { recipient }), ...(callback !== undefined && { callback }),
  }
}

const checkMarkRead = ({ status, message_id: id, typing_indicator: typing }: Fields): Checked<ParsedRequest> => {
  if (status !== 'read' || typeof id !== 'string' || !id.startsWith('wamid.')) {
    return E.left(graphError(131009, 'A customer\'s message is marked with the status read and its message_id'))
  }
  if (typing !== undefined && (!isObject(typing) || typing['type'] !== 'text')) return E.left(invalidParameter('Param typing_indicator[\'type\'] must be one of {TEXT}'))
  return E.right({ _tag: 'MarkRead', id, typing: typing !== undefined })
}

const checkMessage = (fields: Fields, templates: Pick<Templates, 'find'>): Checked<ParsedMessage> => {
  const { type, recipient_type: kind = 'individual', biz_opaque_callback_data: callback } = fields
  const address = checkAddress(fields)
  if (E.isLeft(address)) return address
  if (kind !== 'individual') return E.left(invalidParameter('Param recipient_type must be one of {INDIVIDUAL}'))
  if (callback !== undefined && (typeof callback !== 'string' || callback.length > LONGEST_CALLBACK)) {
    return E.left(invalidParameter(`Param biz_opaque_callback_data must be a string of at most ${LONGEST_CALLBACK} characters.`))
  }
  const content = checkContent(type, fields, templates)
  if (E.isLeft(content)) return content
  return needsNumber(content.right) && address.right._tag === 'UserId'
    ? E.left(graphError(131062, 'Business-scoped User ID (BSUID) recipients are not supported for this message.'))
    : E.right({ _tag: 'Message', address: address.right, callback, content: content.right })
}

const needsNumber = (content: Content): boolean => content.type === 'template' && content.template.category === 'AUTHENTICATION'

const checkAddress = ({ to, recipient }: Fields): Checked<Address> => {
  if (recipient !== undefined && typeof recipient !== 'string') return E.left(invalidParameter('Param recipient must be a string.'))
  if (to === undefined || to === '') return checkRecipient(recipient)
  if (typeof to !== 'string') return E.left(invalidParameter('Param to must be a string.'))
  if (isUserId(to)) return E.right({ _tag: 'Dropped', input: to, userId: to })
  const number = digitsOf(to)
  return number === undefined
    ? E.left(graphError(131009, 'The recipient phone number is not valid'))
    : E.right({ _tag: 'Number', input: to, number, userId: recipient })
}

const checkRecipient = (recipient: string | undefined): Checked<Address> => {
  if (recipient === undefined || recipient === '') return E.left(invalidParameter('The parameter to is required.'))
  return isUserId(recipient)
    ? E.right({ _tag: 'UserId', input: recipient, userId: recipient })
    : E.left(graphError(131009, 'The recipient user id is not valid'))
}

const checkContent = (type: unknown, fields: Fields, templates: Pick<Templates, 'find'>): Checked<Content> => {
  switch (type) {
    case undefined: return E.left(graphError(131008, 'The parameter type is missing'))
    case 'text': return checkText(fields['text'])
    case 'template': return checkTemplate(fields['template'], templates)
    default: return E.left(graphError(131051, 'This message type is not supported'))
  }
}

const checkText = (text: unknown): Checked<Content> => {
  if (!isObject(text) || text['body'] === undefined) return E.left(graphError(131008, 'text.body is missing'))
  const { body } = text
  if (typeof body !== 'string') return E.left(invalidParameter('Param text[\'body\'] must be a string.'))
  if (body === '') return E.left(invalidParameter('The parameter text[\'body\'] is required.'))
  return body.length > LONGEST_TEXT
    ? E.left(invalidParameter(`Param text['body'] must be at most ${LONGEST_TEXT} characters long.`))
    : E.right({ type: 'text', text: body })
}

const checkTemplate = (asked: unknown, templates: Pick<Templates, 'find'>): Checked<Content> => {
  if (!isObject(asked) || typeof asked['name'] !== 'string') return E.left(graphError(131008, 'template.name is missing'))
  const { name, language } = asked
  if (!isObject(language) || typeof language['code'] !== 'string') {
    return E.left(graphError(131008, 'template.language.code is missing'))
  }
  if ((language['policy'] ?? 'deterministic') !== 'deterministic') {
    return E.left(graphError(131009, 'template.language.policy is deterministic or left out'))
  }
  const template = templates.find(name, language['code'])
  if (template?.status === 'PAUSED') return E.left(graphError(132015, `template ${name} is paused`))
  if (template?.status === 'DISABLED') return E.left(graphError(132016, `template ${name} is disabled`))
  if (template?.status !== 'APPROVED') {
    return E.left(graphError(132001, `template name (${name}) does not exist in ${language['code']}`))
  }
  const filled = checkComponents(template, asked['components'])
  return E.isLeft(filled) ? filled : E.right({ type: 'template', template })
}
