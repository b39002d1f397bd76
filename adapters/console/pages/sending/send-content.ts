import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../../../../core/customers/customer.js'
import { elementsOf, isJsonObject, type Json, type JsonObject } from '../../../../core/kernel/json.js'
import { type Breach, checkContent, type Content, type ContentType, mostOf } from '../../../../core/messages/content.js'
import { FILE_TYPES, type FileType } from '../../../../core/messages/files.js'
import type { Message } from '../../../../core/messages/message.js'
import type { FileMessage } from '../../../../core/sending/files.js'
import { TEXTS } from '../../texts.js'
import { type Bubble, bubbleOf } from './preview.js'

const { send: { problems } } = TEXTS

/** The fields of the form, as each step passes them on. */
export type SendForm = Readonly<Record<string, string>>

/** The faults of the form, one sentence per field. */
export type Faults = Readonly<Record<string, string>>

/** One input field of a message. Its limits are checked in the browser, and again when the form is read. */
export type FormField = {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly isRequired: boolean
  /** The sentence for a required field without a value, if it is not the common one. */
  readonly missing?: string
  readonly input: 'line' | 'lines' | 'degrees' | 'tick'
  readonly maxLength: number
  /** Whether the platform sets the limit, so that the characters are counted. */
  readonly isCounted?: boolean
  /** Whether it is in the same line as the previous field. */
  readonly isBeside?: true
  /** Whether it is one of many fields that few messages need. */
  readonly isMore?: true
}

/** A written message, and its preview. */
export type Written = {
  /** The message; without its file if `file` says that one belongs to it. */
  readonly message: Message
  /** The same message with an attached file. */
  readonly file?: FileMessage
  /** What the customer would see; if absent, the preview of the quote is used. */
  readonly preview?: Bubble
  /** The API request that sends the same message, if it exists: with a JSON body, or as a form to which the file is added. */
  readonly request?: { readonly operation: string } & ({ readonly body: JsonObject } | { readonly form: Readonly<Record<string, string>> })
}

/** A value, and its path in an object: `interactive.action.buttons[0].reply.title`. */
export type Placed = readonly [path: string, value: Json]

/** A field whose value becomes part of the content of a message. */
export type ContentField = Omit<FormField, 'maxLength' | 'isCounted'> & {
  readonly path: string
  /** Converts the typed text, if the value is not the text itself. */
  readonly read?: (typed: string) => Json
  /** The value for an empty field. */
  readonly blank?: Json
  /** Further values that follow from a value. */
  readonly also?: (value: string) => ReadonlyArray<Placed>
}

/** The form of a type of content, as data: its fields, and the constant values of each message. */
export type ContentForm = {
  readonly type: ContentType
  /** The type of interactive content. */
  readonly interactive?: string
  readonly fixed?: ReadonlyArray<Placed>
  readonly fields: ReadonlyArray<ContentField>
}

/** The maximum length of a line for which the platform documents no limit. */
export const MAX_LINE = 2_048

/** No number within its limits is longer. */
const NUMBER_LENGTH = 32

/** The fields of a type of content, with the limits of the core. */
export const fieldsOf = ({ interactive, fields }: ContentForm): ReadonlyArray<FormField> => fields.map((field) => {
  if (field.input === 'degrees') return { ...field, maxLength: NUMBER_LENGTH }
  const most = mostOf(field.path, interactive)
  return { ...field, maxLength: most ?? MAX_LINE, isCounted: most !== undefined }
})

/** Reads the typed values; a browser sends every line end as two characters, and the customer gets one. */
export const valuesOf = (fields: ReadonlyArray<FormField>, form: SendForm): SendForm =>
  Object.fromEntries(
    fields.map(({ name, input }) => [name, input === 'lines' ? (form[name] ?? '').replaceAll('\r\n', '\n') : form[name] ?? '']),
  )

/** The faults of single values: a missing value, or one that is too long. */
export const faultsOf = (fields: ReadonlyArray<FormField>, values: SendForm): Faults => Object.fromEntries(fields.flatMap(({
  name, isRequired, missing, maxLength,
}) => {
  const typed = values[name] ?? ''
  if (typed.trim() === '') return isRequired ? [[name, missing ?? problems.missing]] : []
  return typed.length > maxLength ? [[name, problems.tooLong(maxLength, typed.length)]] : []
}))

/** Builds the message from the typed values, or returns a fault for each wrong field. A file message with an empty `link` is sent with its file. */
export const writeContent = (form: ContentForm, to: CustomerId, typed: SendForm): E.Either<Faults, Written> => {
  const fields = fieldsOf(form)
  const values = valuesOf(fields, typed)
  const fileType = values['link']?.trim() === '' ? FILE_TYPES.find((type) => type === form.type) : undefined
  const placed = placesOf(form, values)
  const content = contentOf(form, placed)
  const breaches = checkContent(form.type, fileType === undefined ? content : withId(content, '0'))
  const faults = { ...faultsOfBreaches(breaches, placed), ...faultsOf(fields, values) }
  return Object.keys(faults).length > 0
    ? E.left(faults)
    : E.right(fileType === undefined ? writtenOf(to, form.type, content) : writtenWithFile(to, fileType, content))
}

const withId = (content: Content, id: string): JsonObject => ({ ...(isJsonObject(content) ? content : {}), id })

/** A message of a type and its content. */
export const writtenOf = (to: CustomerId, type: ContentType, content: Content): Written => {
  const text = type === 'text' && isJsonObject(content) && Object.keys(content).length === 1 ? content['body'] : undefined
  return {
    preview: bubbleOf(type, content),
    ...(typeof text === 'string'
      ? { message: { _tag: 'Text', to, text }, request: { operation: 'send-text', body: { to, text } } }
      : { message: { _tag: 'Content', to, type, content }, request: { operation: 'send', body: { to, type, [type]: content } } }),
  }
}

const writtenWithFile = (to: CustomerId, type: FileType, content: Content): Written => {
  const whole = withId(content, '')
  const { caption, filename, voice } = whole
  const named = { to, type, ...(typeof caption === 'string' && { caption }), ...(typeof filename === 'string' && { filename }) }
  return {
    message: { _tag: 'Content', to, type, content: whole }, preview: bubbleOf(type, content),
    file: { ...named, ...(voice === true && { voice }) },
    // A form of the API cannot send voice notes.
    ...(voice !== true && { request: { operation: 'send', form: named } }),
  }
}

/** The target of the value of each field; `value` is absent if there is none. Items of a list are renumbered, so that an empty field leaves no gap. */
type Place = { readonly field: ContentField; readonly path: string; readonly typed: string; readonly value: Json | undefined }

const placesOf = ({ fields }: ContentForm, values: SendForm): ReadonlyArray<Place> => {
  const filled = fields.map((field) => {
    const raw = values[field.name] ?? ''
    const typed = field.input === 'lines' ? raw : raw.trim()
    return { field, typed, value: typed.trim() === '' ? field.blank : field.read?.(typed) ?? typed }
  })
  const used = filled.filter(({ field, value }) => value !== undefined || field.isRequired).map(({ field }) => field.path)
  return filled.map((one) => ({ ...one, path: closedUp(one.field.path, used) }))
}

const ITEM = /^(.*\[)(\d+)(\].*)$/

/** The path of an item with its number among the used items; an unused item gets a number after all of them. */
const closedUp = (path: string, used: ReadonlyArray<string>): string => {
  const [, before = '', index, after = ''] = ITEM.exec(path) ?? []
  if (index === undefined) return path
  const numbers = [...new Set(used.flatMap((one) => {
    const [, list, number] = ITEM.exec(one) ?? []
    return list === before ? [Number(number)] : []
  }))]
  const isUsed = numbers.includes(Number(index))
  return `${before}${isUsed ? numbers.filter((number) => number < Number(index)).length : numbers.length + Number(index)}${after}`
}

/** The object around a missing required value exists, so that the value is reported as missing and not the object. */
const contentOf = ({ type, fixed = [] }: ContentForm, places: ReadonlyArray<Place>): Content => {
  const values = places.flatMap(({ field, path, typed, value }): ReadonlyArray<Placed> => {
    if (value === undefined) return field.isRequired ? [[path.replace(/\.\w+$/, ''), {}]] : []
    return [[path, value], ...(field.also?.(typed) ?? []).map(([rest, along]): Placed => [`${aroundOf(path)}.${rest}`, along])]
  })
  const whole = [...fixed, ...values].reduce<Json>((root, [path, value]) => put(root, path.match(/[^.[\]]+/g) ?? [], value), {})
  return ((isJsonObject(whole) ? whole[type] : undefined) ?? {}) as Content
}

/** The list item that a path leads into, or otherwise the object. */
const aroundOf = (path: string): string => /^.*\]/.exec(path)?.[0] ?? path.replace(/\.\w+$/, '')

/** Puts a value into another one, at a path of names and numbers. */
const put = (into: Json | undefined, [name, ...rest]: ReadonlyArray<string>, value: Json): Json => {
  if (name === undefined) return isJsonObject(into) && isJsonObject(value) ? { ...into, ...value } : value
  if (/^\d+$/.test(name)) {
    const items = elementsOf(into) ?? []
    return items.toSpliced(Number(name), 1, put(items[Number(name)], rest, value))
  }
  const object = isJsonObject(into) ? into : {}
  return { ...object, [name]: put(object[name], rest, value) }
}

/** Assigns each breach to the field with its path, or to the nearest one. */
const faultsOfBreaches = (breaches: ReadonlyArray<Breach>, places: ReadonlyArray<Place>): Faults =>
  Object.fromEntries(breaches.toReversed().map((breach) => [nearest(breach.path, places)?.field.name ?? '', sentenceOf(breach)]))

/** The field with a path, otherwise the first one inside it, otherwise the nearest one around it. */
const nearest = (path: string, places: ReadonlyArray<Place>): Place | undefined =>
  places.find((place) => place.path === path)
  ?? places.find((place) => /^[.[]/.test(place.path.slice(path.length)) && place.path.startsWith(path))
  ?? (/[.[]/.test(path) ? nearest(path.replace(/(?:\.\w+|\[\d+\])$/, ''), places) : places[0])

/** How a person can fix a breach, in plain words. */
const sentenceOf = ({ rule, given }: Breach): string => {
  if (given === null) return problems.missing
  const [pattern, sentence] = problems.rules.find(([known]) => known.test(rule)) ?? []
  return pattern === undefined || sentence === undefined ? problems.mustBe(rule) : rule.replace(pattern, sentence)
}
