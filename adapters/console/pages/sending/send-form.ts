import * as E from 'fp-ts/lib/Either.js'
import { type CustomerId, parseWrittenCustomerId } from '../../../../core/customers/customer.js'
import { parseExactJson } from '../../../../core/kernel/exact-json.js'
import { isDeeperThan, isJsonObject, type Json } from '../../../../core/kernel/json.js'
import { checkContent, type Content, CONTENT_TYPES, mostOf } from '../../../../core/messages/content.js'
import type { FileType } from '../../../../core/messages/files.js'
import { componentsFrom, previewOf, type TemplateField, templateFields } from '../../../../core/templates/parts.js'
import type { TemplateRecord } from '../../../../core/templates/template.js'
import type { IconName } from '../../icons.js'
import { perLanguage } from '../../language.js'
import { TEXTS } from '../../texts.js'
import type { Bubble } from './preview.js'
import {
  type ContentField, type ContentForm, type Faults, faultsOf, fieldsOf, type FormField, MAX_LINE, type Placed, type SendForm, valuesOf,
  writeContent, writtenOf, type Written,
} from './send-content.js'

const { send: texts } = TEXTS
const { fields: labels, problems } = texts

/** The form for one kind of message: everything that the sending pages need. */
export type MessageForm = {
  readonly title: string
  /** Whether the platform accepts it only while the customer service window is open. */
  readonly needsWindow: boolean
  /** A preview before the message is filled in. */
  readonly pattern?: Bubble
  /** A name for all fields together, if their labels do not make it clear. */
  readonly legend?: string
  readonly note?: string | undefined
  readonly fields: ReadonlyArray<FormField>
  /** Builds the message from the typed values, or returns a fault for each wrong field. */
  readonly write: (to: CustomerId, typed: SendForm) => E.Either<Faults, Written>
}

/** A kind that the first step offers. Some kinds have a form that is built from a template, which is chosen there. */
export type FormKind =
  & { readonly label: string; readonly icon: IconName }
  & ({ readonly form: MessageForm } | { readonly formOf: (template: TemplateRecord) => MessageForm })

const field = (name: string, path: string, more: Partial<ContentField> & Pick<ContentField, 'label'>): ContentField =>
  ({ name, path, input: 'line', isRequired: false, hint: texts.optional, ...more })

const required = { isRequired: true, hint: undefined } as const

const kind = (
  label: string, icon: IconName, form: ContentForm,
): { readonly label: string; readonly icon: IconName; readonly form: MessageForm } =>
  ({ label, icon, form: { title: label, needsWindow: true, fields: fieldsOf(form), write: (to, typed) => writeContent(form, to, typed) } })

const captioned = (type: FileType): ContentField => field('caption', `${type}.caption`, { label: labels.caption, input: 'lines' })

const fileKind = (type: FileType, icon: IconName, ...fields: ReadonlyArray<ContentField>) =>
  kind(texts.kinds[type], icon, { type, fields: [...fields, field('link', `${type}.link`, { label: labels.link, hint: labels.linkHint })] })

/** Six decimals are a tenth of a metre, and a smaller number would be written with an exponent. The platform documents degrees as strings. */
const degreesOf = (typed: string): string => (/^-?\d{1,10}(?:\.\d{1,20})?$/.test(typed) ? String(Number(Number(typed).toFixed(6))) : typed)

const degrees = { ...required, input: 'degrees', read: degreesOf } as const

const body = () => field('body', 'interactive.body.text', { ...required, label: labels.text, input: 'lines' })
const footer = () => field('footer', 'interactive.footer.text', { label: labels.footer })
const heading = () => field('header', 'interactive.header.text', { label: labels.header, also: () => [['type', 'text']] })

const interactive = (label: string, icon: IconName, type: string, fields: ReadonlyArray<ContentField>, fixed: ReadonlyArray<Placed> = []) =>
  kind(label, icon, { type: 'interactive', interactive: type, fields, fixed: [['interactive.type', type], ...fixed] })

const countTo = (most = 1): ReadonlyArray<number> => Array.from({ length: most }, (_, index) => index)

/** How many rows are shown before a person adds more. */
const FIRST_ROWS = 3

/** The customer's choice is identified by its words, which a person can choose and a program can read. */
const button = (index: number): ContentField => field(`button-${index + 1}`, `interactive.action.buttons[${index}].reply.title`, {
  label: labels.button(index + 1), also: (title) => [['type', 'reply'], ['reply.id', title]],
  ...(index === 0 && { isRequired: true, hint: labels.buttonHint }),
})

const row = (index: number): ReadonlyArray<ContentField> => {
  const path = `interactive.action.sections[0].rows[${index}]`
  const more = index < FIRST_ROWS ? {} : { isMore: true } as const
  return [
    field(`row-${index + 1}`, `${path}.title`, {
      label: labels.row(index + 1),
      also: (title) => [['id', title]],
      ...more,
      ...(index === 0 && { isRequired: true, hint: labels.buttonHint }),
    }),
    field(`row-${index + 1}-description`, `${path}.description`, { label: labels.description(index + 1), isBeside: true, ...more }),
  ]
}

const MAX_JSON = 16_384
const DEEPEST_JSON = 30

const jsonField = (): FormField => ({
  ...required, name: 'json', label: labels.json, hint: labels.jsonHint, input: 'lines', maxLength: MAX_JSON,
})

const jsonForm = (): MessageForm => ({
  title: texts.kinds.json, needsWindow: true, fields: [jsonField()],
  write: (to, typed) => {
    const values = valuesOf([jsonField()], typed)
    const faults = faultsOf([jsonField()], values)
    if (Object.keys(faults).length > 0) return E.left(faults)
    const message = parsed(values['json'] ?? '')
    const type = CONTENT_TYPES.find((one) => isJsonObject(message) && message['type'] === one)
    if (!isJsonObject(message) || isDeeperThan(DEEPEST_JSON, message)) return E.left({ json: problems.notJson })
    if (type === undefined) return E.left({ json: problems.noType(CONTENT_TYPES.join(', ')) })
    const content = message[type] ?? null
    const breaches = checkContent(type, content)
    return breaches.length > 0
      ? E.left({ json: breaches.map(({ path, rule, given }) => problems.breach(path, rule, given)).join('\n') })
      : E.right(writtenOf(to, type, content as Content))
  },
})

const parsed = (text: string): Json | undefined => {
  try {
    return parseExactJson(text) as Json
  } catch {
    return undefined
  }
}

const templateForm = (template: TemplateRecord): MessageForm => {
  const { name, language } = template
  const given = templateFields(template)
  const fields = (given ?? []).map((one): FormField => ({
    name: one.id, label: labelOf(one), hint: one.isRequired ? undefined : texts.optional, input: 'line', maxLength: MAX_LINE,
    isRequired: one.isRequired,
  }))
  return {
    title: name, needsWindow: false, pattern: { ...previewOf(template, undefined), isPattern: true }, legend: texts.filled, fields,
    note: given === undefined ? texts.cannotFill : given.length === 0 ? texts.nothingToFill : undefined,
    write: (to, typed) => {
      const values = valuesOf(fields, typed)
      const faults = faultsOf(fields, values)
      if (Object.keys(faults).length > 0) return E.left(faults)
      const components = given === undefined ? [] : componentsFrom(template, values)
      const filled = components.length > 0 && { components }
      return E.right({
        message: { _tag: 'Template', to, name, language, ...filled },
        request: { operation: 'send-template', body: { to, template_name: name, language, ...filled } },
      })
    },
  }
}

const labelOf = ({ placeholder: { component, button: of, card, index, name, type }, part }: TemplateField): string => {
  const variable = name ?? index
  const value = part ?? type
  return [
    ...(card === undefined ? [] : [`${texts.parts.card} ${card + 1}`]),
    [texts.parts[component], ...(of === undefined ? [] : [of + 1])].join(' '),
    variable === undefined ? nameOfValue(value) : `{{${variable}}}`,
  ].join(', ')
}

const nameOfValue = (value: string): string => (isKnownValue(value) ? texts.values[value] : value)

const isKnownValue = (value: string): value is keyof typeof texts.values => Object.hasOwn(texts.values, value)

/** The kinds that the form can send, in the order in which it offers them. */
export const formKinds = perLanguage(() => ({
  text: kind(texts.kinds.text, 'messages', {
    type: 'text', fields: [field('text', 'text.body', { ...required, label: labels.text, input: 'lines', missing: problems.emptyText })],
  }),
  template: { label: texts.kinds.template, icon: 'templates', formOf: templateForm },
  image: fileKind('image', 'image', captioned('image')),
  video: fileKind('video', 'video', captioned('video')),
  audio: fileKind(
    'audio', 'audio', field('voice', 'audio.voice', { label: labels.voice, hint: labels.voiceHint, input: 'tick', read: () => true }),
  ),
  document: fileKind(
    'document', 'document', captioned('document'),
    field('filename', 'document.filename', { label: labels.filename, hint: labels.filenameHint }),
  ),
  sticker: fileKind('sticker', 'sticker'),
  location: kind(texts.kinds.location, 'location', { type: 'location', fields: [
    field('latitude', 'location.latitude', { ...degrees, label: labels.latitude, hint: labels.latitudeHint }),
    field('longitude', 'location.longitude', { ...degrees, label: labels.longitude, hint: labels.longitudeHint }),
    field('name', 'location.name', { label: labels.place }), field('address', 'location.address', { label: labels.address }),
  ] }),
  contact: kind(texts.kinds.contact, 'contact', { type: 'contacts', fields: [
    field('name', 'contacts[0].name.formatted_name', { ...required, label: labels.name }),
    field('phone', 'contacts[0].phones[0].phone', { label: labels.phone, hint: labels.phoneHint }),
    field('email', 'contacts[0].emails[0].email', { label: labels.email }),
    field('company', 'contacts[0].org.company', { label: labels.company }),
  ] }),
  reaction: kind(texts.kinds.reaction, 'smile', { type: 'reaction', fields: [
    field('message', 'reaction.message_id', { ...required, label: labels.reactTo, hint: labels.reactToHint }),
    field('emoji', 'reaction.emoji', { label: labels.emoji, hint: labels.emojiHint, blank: '' }),
  ] }),
  buttons: interactive(texts.kinds.buttons, 'buttons', 'button', [
    heading(), body(), ...countTo(mostOf('interactive.action.buttons', 'button')).map(button), footer(),
  ]),
  list: interactive(texts.kinds.list, 'menu', 'list', [
    heading(), body(), field('opens', 'interactive.action.button', { ...required, label: labels.opens }), footer(),
    ...countTo(mostOf('interactive.action.sections[0].rows', 'list')).flatMap(row),
  ]),
  link: interactive(texts.kinds.link, 'link', 'cta_url', [
    heading(), body(), field('label', 'interactive.action.parameters.display_text', { ...required, label: labels.button(1) }),
    field('url', 'interactive.action.parameters.url', { ...required, label: labels.url }), footer(),
  ], [['interactive.action.name', 'cta_url']]),
  'ask-location': interactive(
    texts.kinds['ask-location'], 'location', 'location_request_message', [body(), footer()], [['interactive.action.name', 'send_location']],
  ),
  'ask-number': interactive(
    texts.kinds['ask-number'], 'sender', 'request_contact_info', [body(), footer()], [['interactive.action.name', 'request_contact_info']],
  ),
  json: { label: texts.kinds.json, icon: 'code', form: jsonForm() },
} satisfies Readonly<Record<keyof typeof texts.kinds, FormKind>>))

/** The kinds by their names in the form. */
export const kindsByName = perLanguage((): ReadonlyMap<string, FormKind> => new Map(Object.entries(formKinds())))

/** The kind in a form; a text by default. */
export const kindIn = ({ what = '' }: SendForm): FormKind => kindsByName().get(what) ?? formKinds().text

/** The recipient, and the form of the message. */
export type Chosen = { readonly to: CustomerId; readonly form: MessageForm }

/** The result of the first step. Its template has not been looked up yet. */
export type Choice = Chosen | {
  readonly to: CustomerId
  readonly template: TemplateName
  readonly formOf: (template: TemplateRecord) => MessageForm
}

/** A template in a form: its language, which contains no space, and its name. */
export type TemplateName = { readonly language: string; readonly name: string }

/** Reads the first step. */
export const readChoice = (form: SendForm): E.Either<Faults, Choice> => {
  const id = parseWrittenCustomerId((form['to'] ?? '').trim())
  if (E.isLeft(id)) return E.left({ to: id.left.hasTrunkZero === true ? problems.hasTrunkZero : problems.InvalidPhoneNumber })
  const chosen = kindIn(form)
  if ('form' in chosen) return E.right({ to: id.right, form: chosen.form })
  const template = readTemplateName(form['template'] ?? '')
  return template === undefined ? E.left(noTemplate()) : E.right({ to: id.right, template, formOf: chosen.formOf })
}

/** The fault of a form without a template, or with a template that is not in the catalogue. */
export const noTemplate = (): Faults => ({ template: problems.noTemplate })

const readTemplateName = (typed: string): TemplateName | undefined => {
  const [, language, name] = /^(\S{1,64}) (.{1,512})$/u.exec(typed) ?? []
  return language === undefined || name === undefined ? undefined : { language, name }
}
