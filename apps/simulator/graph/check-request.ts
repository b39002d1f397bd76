import * as E from 'fp-ts/lib/Either.js'
import { digitsOf } from '../customer-ids.js'
import { graphError, invalidParameter, type GraphError } from './error.js'
import { checkComponents } from '../templates/check-components.js'
import type { Template, Templates } from '../templates/templates.js'
import { isObject, parseJson } from '../json.js'

/** A valid request of the messages endpoint: a message to send, or a customer's message to mark as read. */
export type ParsedRequest = ParsedMessage | { readonly _tag: 'MarkRead' }

export type ParsedMessage = {
  readonly _tag: 'Message'
  /** `to` as it was written in the request. */
  readonly input: string
  /** `to` as digits. */
  readonly to: string
  readonly callback: string | undefined
  readonly content: Content
}

export type Content = { readonly type: 'text'; readonly text: string } | { readonly type: 'template'; readonly template: Template }

type Fields = Readonly<Record<string, unknown>>
type Checked<A> = E.Either<GraphError, A>

const LONGEST_TEXT = 4096
const LONGEST_CALLBACK = 512

/** Reads a request as the platform does; left: the error that the platform answers. */
export const checkRequest = (body: string, templates: Templates): Checked<ParsedRequest> => {
  const fields = parseJson(body)
  if (!isObject(fields)) return E.left(graphError(100, 'The request body is not a JSON object'))
  const { messaging_product: product } = fields
  if (product === undefined) return E.left(invalidParameter('The parameter messaging_product is required.'))
  if (product !== 'whatsapp') return E.left(invalidParameter('Param messaging_product must be one of {WHATSAPP}'))
  if (fields['status'] !== undefined) return checkMarkRead(fields)
  return checkMessage(fields, templates)
}

/** What a request, valid or not, says about its message; only for display. */
export const summarizeRequest = (body: string): { readonly to: string; readonly type: string; readonly callback?: string } => {
  const fields = parseJson(body)
  const text = (key: string): string | undefined => (isObject(fields) && typeof fields[key] === 'string' ? fields[key] : undefined)
  const to = text('to') ?? ''
  const callback = text('biz_opaque_callback_data')
  return { to: digitsOf(to) ?? to, type: text('type') ?? '', ...(callback !== undefined && { callback }) }
}

const checkMarkRead = ({ status, message_id: id }: Fields): Checked<ParsedRequest> =>
  status === 'read' && typeof id === 'string' && id.startsWith('wamid.')
    ? E.right({ _tag: 'MarkRead' })
    : E.left(graphError(131009, 'A customer\'s message is marked with the status read and its message_id'))

const checkMessage = (fields: Fields, templates: Templates): Checked<ParsedMessage> => {
  const { to: input, type, recipient_type: kind = 'individual', biz_opaque_callback_data: callback } = fields
  if (input === undefined || input === '') return E.left(invalidParameter('The parameter to is required.'))
  if (typeof input !== 'string') return E.left(invalidParameter('Param to must be a string.'))
  const to = digitsOf(input)
  if (to === undefined) return E.left(graphError(131009, 'The recipient phone number is not valid'))
  if (kind !== 'individual') return E.left(invalidParameter('Param recipient_type must be one of {INDIVIDUAL}'))
  if (callback !== undefined && (typeof callback !== 'string' || callback.length > LONGEST_CALLBACK)) {
    return E.left(invalidParameter(`Param biz_opaque_callback_data must be a string of at most ${LONGEST_CALLBACK} characters.`))
  }
  const content = checkContent(type, fields, templates)
  return E.isLeft(content) ? content : E.right({ _tag: 'Message', input, to, callback, content: content.right })
}

const checkContent = (type: unknown, fields: Fields, templates: Templates): Checked<Content> => {
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

const checkTemplate = (asked: unknown, templates: Templates): Checked<Content> => {
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
