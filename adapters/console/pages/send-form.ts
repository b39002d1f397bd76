import * as E from 'fp-ts/lib/Either.js'
import { type CustomerId, parseWrittenCustomerId } from '../../../core/customers/customer.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { MAX_TEXT_LENGTH } from '../../../core/messages/content.js'
import type { Message, MessageKind } from '../../../core/messages/message.js'
import { componentsFrom, previewOf, type TemplateField, templateFields, type TemplatePreview } from '../../../core/templates/parts.js'
import type { TemplateRecord } from '../../../core/templates/template.js'
import { TEXTS } from '../texts.js'

const { send: texts } = TEXTS
const { place, problems } = texts

/** The fields of the form, as the steps hand them on. */
export type SendForm = Readonly<Record<string, string>>

/** What is wrong with the form, a sentence a field. */
export type Faults = Readonly<Record<string, string>>

/** One field that a message is typed into. Its limits hold in the browser, and again where the form is read. */
export type FormField = {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly isRequired: boolean
  /** What is said of a required field without a value, if that is not the same as for all. */
  readonly missing?: string
} & (
  | { readonly input: 'line' | 'lines'; readonly maxLength: number }
  | { readonly input: 'number'; readonly least: number; readonly most: number }
)

/** How one kind of message is written: everything that the pages that send know of it. */
export type MessageForm = {
  readonly title: string
  /** Whether the platform takes it only while the customer service window is open. */
  readonly needsWindow: boolean
  /** What the customer would read of it before it is filled in. */
  readonly pattern?: TemplatePreview
  /** What the fields are together, where their labels do not say it. */
  readonly legend?: string
  readonly note?: string | undefined
  readonly fields: ReadonlyArray<FormField>
  /** Makes the message of values that keep the limits of the fields. */
  readonly write: (to: CustomerId, values: SendForm) => Written
}

/** A message that was written, and how it is shown before it is sent. */
export type Written = {
  readonly message: Message
  /** What the customer would read; that of the quote where absent. */
  readonly preview?: TemplatePreview
  /** The request of the API that sends the same, if it has one. */
  readonly request?: { readonly operation: string; readonly body: JsonObject }
}

/** A kind that the first step offers. The form of some is made of a template, which is chosen there. */
export type FormKind = { readonly label: string; readonly hint: string } & ({ readonly form: MessageForm } | { readonly formOf: (template: TemplateRecord) => MessageForm })

const bubble = (header: string | undefined, body: string): TemplatePreview => ({ header, body, footer: undefined, buttons: [] })

const text: MessageForm = {
  title: texts.text, needsWindow: true,
  fields: [{ name: 'text', label: texts.message, hint: texts.upTo(MAX_TEXT_LENGTH), input: 'lines', maxLength: MAX_TEXT_LENGTH, isRequired: true, missing: problems.emptyText }],
  write: (to, { text: typed = '' }) => ({
    message: { _tag: 'Text', to, text: typed }, preview: bubble(undefined, typed), request: { operation: 'send-text', body: { to, text: typed } },
  }),
}

/** The platform names no limit of the name and the address of a place; this one keeps them out of no map. */
const MAX_PLACE_LENGTH = 1_000

const location: MessageForm = {
  title: texts.location, needsWindow: true,
  fields: [
    { name: 'latitude', label: place.latitude, hint: place.latitudeHint, input: 'number', least: -90, most: 90, isRequired: true },
    { name: 'longitude', label: place.longitude, hint: place.longitudeHint, input: 'number', least: -180, most: 180, isRequired: true },
    { name: 'name', label: place.name, hint: texts.optional, input: 'line', maxLength: MAX_PLACE_LENGTH, isRequired: false },
    { name: 'address', label: place.address, hint: texts.optional, input: 'line', maxLength: MAX_PLACE_LENGTH, isRequired: false },
  ],
  write: (to, values) => {
    const [latitude, longitude] = [degreesOf(values['latitude']), degreesOf(values['longitude'])]
    const [name, address] = [values['name']?.trim() || undefined, values['address']?.trim() || undefined]
    const content = { latitude, longitude, ...(name !== undefined && { name }), ...(address !== undefined && { address }) }
    return {
      message: { _tag: 'Content', to, type: 'location', content },
      request: { operation: 'send', body: { to, type: 'location', location: content } },
      preview: bubble(name, [...(address === undefined ? [] : [address]), `${latitude}, ${longitude}`].join('\n')),
    }
  },
}

/** The platform documents degrees as texts. Six decimals are a tenth of a metre, and a smaller number would be written with an exponent. */
const degreesOf = (typed: string | undefined): string => String(Number(Number(typed).toFixed(6)))

const templateForm = (template: TemplateRecord): MessageForm => {
  const { name, language } = template
  const fields = templateFields(template)
  return {
    title: name, needsWindow: false, pattern: previewOf(template, undefined), legend: texts.filled,
    note: fields === undefined ? texts.cannotFill : fields.length === 0 ? texts.nothingToFill : undefined,
    fields: (fields ?? []).map((field) => ({
      name: field.id, label: labelOf(field), hint: field.isRequired ? undefined : texts.optional, input: 'line', maxLength: 2048, isRequired: field.isRequired,
    })),
    write: (to, values) => {
      const components = fields === undefined ? [] : componentsFrom(template, values)
      const filled = components.length > 0 && { components }
      return { message: { _tag: 'Template', to, name, language, ...filled }, request: { operation: 'send-template', body: { to, template_name: name, language, ...filled } } }
    },
  }
}

const labelOf = ({ placeholder: { component, button, card, index, name, type }, part }: TemplateField): string => {
  const variable = name ?? index
  const value = part ?? type
  return [
    ...(card === undefined ? [] : [`${texts.parts.card} ${card + 1}`]),
    [texts.parts[component], ...(button === undefined ? [] : [button + 1])].join(' '),
    variable === undefined ? nameOfValue(value) : `{{${variable}}}`,
  ].join(', ')
}

const nameOfValue = (value: string): string => (isKnownValue(value) ? texts.values[value] : value)

const isKnownValue = (value: string): value is keyof typeof texts.values => Object.hasOwn(texts.values, value)

/** What the form can send, in the order in which it is offered. */
export const FORM_KINDS = {
  text: { label: texts.text, hint: texts.textHint, form: text },
  location: { label: texts.location, hint: texts.locationHint, form: location },
  template: { label: texts.template, hint: texts.templateHint, formOf: templateForm },
} satisfies Partial<Record<MessageKind, FormKind>>

/** The kinds by the names that they have in the form. */
export const KINDS_BY_NAME: ReadonlyMap<string, FormKind> = new Map(Object.entries(FORM_KINDS))

/** The kind that a form names; one that names none is of a text. */
export const kindIn = ({ what = '' }: SendForm): FormKind => KINDS_BY_NAME.get(what) ?? FORM_KINDS.text

/** To whom a message goes, and how it is written. */
export type Chosen = { readonly to: CustomerId; readonly form: MessageForm }

/** What the first step says. The template that it names has still to be found. */
export type Choice = Chosen | { readonly to: CustomerId; readonly template: TemplateName; readonly formOf: (template: TemplateRecord) => MessageForm }

/** A template as the form names it: its language, which has no space, and its name. */
export type TemplateName = { readonly language: string; readonly name: string }

/** Reads the first step. */
export const readChoice = (form: SendForm): E.Either<Faults, Choice> => {
  const id = parseWrittenCustomerId((form['to'] ?? '').trim())
  if (E.isLeft(id)) return E.left({ to: problems.InvalidPhoneNumber })
  const kind = kindIn(form)
  if ('form' in kind) return E.right({ to: id.right, form: kind.form })
  const template = readTemplateName(form['template'] ?? '')
  return template === undefined ? E.left(NO_TEMPLATE) : E.right({ to: id.right, template, formOf: kind.formOf })
}

/** What is said where the form names no template, or one that the catalogue does not have. */
export const NO_TEMPLATE: Faults = { template: problems.noTemplate }

const readTemplateName = (typed: string): TemplateName | undefined => {
  const [, language, name] = /^(\S{1,64}) (.{1,512})$/u.exec(typed) ?? []
  return language === undefined || name === undefined ? undefined : { language, name }
}

/** Writes the message of what was typed, or says of each field what is wrong with it. */
export const readMessage = ({ fields, write }: MessageForm, to: CustomerId, form: SendForm): E.Either<Faults, Written> => {
  const values = Object.fromEntries(fields.map(({ name, input }) => [name, input === 'lines' ? withoutReturns(form[name] ?? '') : form[name] ?? '']))
  const faults = fields.flatMap((field) => {
    const fault = faultOf(field, values[field.name] ?? '')
    return fault === undefined ? [] : [[field.name, fault] as const]
  })
  return faults.length > 0 ? E.left(Object.fromEntries(faults)) : E.right(write(to, values))
}

/** A browser sends every line end as two characters; the customer gets one. */
const withoutReturns = (typed: string): string => typed.replaceAll('\r\n', '\n')

const DECIMAL = /^-?\d{1,10}(?:\.\d{1,20})?$/

const faultOf = (field: FormField, typed: string): string | undefined => {
  if (typed.trim() === '') return field.isRequired ? field.missing ?? problems.missing : undefined
  if (field.input !== 'number') return typed.length > field.maxLength ? problems.tooLong(field.maxLength) : undefined
  const number = DECIMAL.test(typed.trim()) ? Number(typed) : NaN
  return number >= field.least && number <= field.most ? undefined : problems.notNumber(field.least, field.most)
}
