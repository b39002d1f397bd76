import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type CustomerId, parseWrittenCustomerId } from '../../../core/customers/customer.js'
import { MAX_TEXT_LENGTH, type TemplateMessage, type TextMessage } from '../../../core/messages/message.js'
import { componentsFrom, templateFields } from '../../../core/templates/parts.js'
import type { TemplateRecord } from '../../../core/templates/template.js'
import { TEXTS } from '../texts.js'

const { problems } = TEXTS.send

/** The fields of the form, as the steps hand them on. */
export type SendForm = Readonly<Record<string, string>>

/** To whom, and what kind of message. */
export type Chosen = { readonly to: CustomerId; readonly template: TemplateName | undefined }

/** A template as the form names it: its language, which has no space, and its name. */
export type TemplateName = { readonly language: string; readonly name: string }

/** What can be sent by the form. */
export type FormMessage = TextMessage | TemplateMessage

/** Reads the first step. */
export const readChoice = ({ to = '', what = '', template = '' }: SendForm): E.Either<string, Chosen> => {
  const id = parseWrittenCustomerId(to.trim())
  if (E.isLeft(id)) return E.left(problems.InvalidPhoneNumber)
  if (what !== 'template') return E.right({ to: id.right, template: undefined })
  const name = readTemplateName(template)
  return name === undefined ? E.left(problems.noTemplate) : E.right({ to: id.right, template: name })
}

/** Reads the name of a template in the form. */
export const readTemplateName = (text: string): TemplateName | undefined => {
  const [, language, name] = /^(\S{1,64}) (.{1,512})$/u.exec(text) ?? []
  return language === undefined || name === undefined ? undefined : { language, name }
}

/** Reads the message of the second step. */
export const readMessage = ({ to }: Chosen, template: O.Option<TemplateRecord>, form: SendForm): E.Either<string, FormMessage> => {
  if (O.isSome(template)) {
    const { name, language } = template.value
    const components = templateFields(template.value) === undefined ? [] : componentsFrom(template.value, form)
    return E.right({ _tag: 'Template', to, name, language, ...(components.length > 0 && { components }) })
  }
  // A browser sends every line end as two characters; the customer gets one.
  const text = (form['text'] ?? '').replaceAll('\r\n', '\n')
  if (text.trim() === '') return E.left(problems.emptyText)
  return text.length > MAX_TEXT_LENGTH ? E.left(problems.tooLong(MAX_TEXT_LENGTH)) : E.right({ _tag: 'Text', to, text })
}

/** The request of the API that sends a message, as a command of a shell; the key is a variable of it, and so is an address that is not known. */
export const curlOf = (message: FormMessage, origin: string | undefined): string => {
  const [path, body] = message._tag === 'Text'
    ? ['send-text', { to: message.to, text: message.text }]
    : ['send-template', { to: message.to, template_name: message.name, language: message.language, ...(message.components && { components: message.components }) }]
  return [
    `curl ${origin === undefined ? `"$POSTERN_URL/v1/messages/${path}"` : quoted(`${origin}/v1/messages/${path}`)}`, "-H \"Authorization: Bearer $POSTERN_KEY\"", "-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
