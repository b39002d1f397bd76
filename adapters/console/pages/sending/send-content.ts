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
  readonly input: 'line' | 'lines' | 'degrees' | 'tick'
  readonly maxLength: number
  /** Whether the platform has set the limit, so that it is worth counting the characters. */
  readonly isCounted?: boolean
  /** Whether it stands in one line with the field before it. */
  readonly isBeside?: true
  /** Whether it is one of many that few messages need. */
  readonly isMore?: true
}

/** A message that was written, and how it is shown before it is sent. */
export type Written = {
  /** The message; without its file where `file` says that one belongs to it. */
  readonly message: Message
  /** The same message for a file that is sent with it. */
  readonly file?: FileMessage
  /** What the customer would read; that of the quote where absent. */
  readonly preview?: Bubble
  /** The request of the API that sends the same, if it has one: with its body as JSON, or as a form to which the file is added. */
  readonly request?: { readonly operation: string } & ({ readonly body: JsonObject } | { readonly form: Readonly<Record<string, string>> })
}

/** A value, and where it goes in an object: `interactive.action.buttons[0].reply.title`. */
export type Placed = readonly [path: string, value: Json]

/** A field whose value goes into the content of a message. */
export type ContentField = Omit<FormField, 'maxLength' | 'isCounted'> & {
  readonly path: string
  /** What is made of what was typed, where that is not the text itself. */
  readonly read?: (typed: string) => Json
  /** What is sent where nothing was typed. */
  readonly blank?: Json
  /** What else follows from a value. */
  readonly also?: (value: string) => ReadonlyArray<Placed>
}

/** The form of a type of content, as data: its fields, and what is the same in every message of it. */
export type ContentForm = {
  readonly type: ContentType
  /** The own type of interactive content. */
  readonly interactive?: string
  readonly fixed?: ReadonlyArray<Placed>
  readonly fields: ReadonlyArray<ContentField>
}

/** The longest line of which the platform names no limit. */
export const MAX_LINE = 2_048

/** No number that is in its limits is longer. */
const NUMBER_LENGTH = 32

/** The fields of a type of content, with the limits that the core has for them. */
export const fieldsOf = ({ interactive, fields }: ContentForm): ReadonlyArray<FormField> => fields.map((field) => {
  if (field.input === 'degrees') return { ...field, maxLength: NUMBER_LENGTH }
  const most = mostOf(field.path, interactive)
  return { ...field, maxLength: most ?? MAX_LINE, isCounted: most !== undefined }
})

/** Reads what was typed into fields; a browser sends every line end as two characters, and the customer gets one. */
export const valuesOf = (fields: ReadonlyArray<FormField>, form: SendForm): SendForm =>
  Object.fromEntries(fields.map(({ name, input }) => [name, input === 'lines' ? (form[name] ?? '').replaceAll('\r\n', '\n') : form[name] ?? '']))

/** What is wrong with values of fields by themselves: nothing was typed, or too much. */
export const faultsOf = (fields: ReadonlyArray<FormField>, values: SendForm): Faults => Object.fromEntries(fields.flatMap(({ name, isRequired, missing, maxLength }) => {
  const typed = values[name] ?? ''
  if (typed.trim() === '') return isRequired ? [[name, missing ?? problems.missing]] : []
  return typed.length > maxLength ? [[name, problems.tooLong(maxLength, typed.length)]] : []
}))

/** Writes the message of what was typed, or says of each field what is wrong with it. A type of file whose `link` is left empty is sent with its file. */
export const writeContent = (form: ContentForm, to: CustomerId, typed: SendForm): E.Either<Faults, Written> => {
  const fields = fieldsOf(form)
  const values = valuesOf(fields, typed)
  const fileType = values['link']?.trim() === '' ? FILE_TYPES.find((type) => type === form.type) : undefined
  const placed = placesOf(form, values)
  const content = contentOf(form, placed)
  const breaches = checkContent(form.type, fileType === undefined ? content : withId(content, '0'))
  const faults = { ...faultsOfBreaches(breaches, placed), ...faultsOf(fields, values) }
  return Object.keys(faults).length > 0 ? E.left(faults) : E.right(fileType === undefined ? writtenOf(to, form.type, content) : writtenWithFile(to, fileType, content))
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
    message: { _tag: 'Content', to, type, content: whole }, preview: bubbleOf(type, content), file: { ...named, ...(voice === true && { voice }) },
    // A form of the API has no voice notes.
    ...(voice !== true && { request: { operation: 'send', form: named } }),
  }
}

/** Where the value of each field goes; `value` is absent where there is none. The items of a list close up, so that a field that was left empty leaves no gap. */
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

/** The path of an item with its number among those that are used; one that is not used gets a number behind all of them. */
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

/** The object around a required value is there without it, so that the value is missed, and not the object. */
const contentOf = ({ type, fixed = [] }: ContentForm, places: ReadonlyArray<Place>): Content => {
  const values = places.flatMap(({ field, path, typed, value }): ReadonlyArray<Placed> => {
    if (value === undefined) return field.isRequired ? [[path.replace(/\.\w+$/, ''), {}]] : []
    return [[path, value], ...(field.also?.(typed) ?? []).map(([rest, along]): Placed => [`${aroundOf(path)}.${rest}`, along])]
  })
  const whole = [...fixed, ...values].reduce<Json>((root, [path, value]) => put(root, path.match(/[^.[\]]+/g) ?? [], value), {})
  return ((isJsonObject(whole) ? whole[type] : undefined) ?? {}) as Content
}

/** The item of a list that a path leads into, or else the object. */
const aroundOf = (path: string): string => /^.*\]/.exec(path)?.[0] ?? path.replace(/\.\w+$/, '')

/** Puts a value into another one, at the end of some names and numbers. */
const put = (into: Json | undefined, [name, ...rest]: ReadonlyArray<string>, value: Json): Json => {
  if (name === undefined) return isJsonObject(into) && isJsonObject(value) ? { ...into, ...value } : value
  if (/^\d+$/.test(name)) {
    const items = elementsOf(into) ?? []
    return items.toSpliced(Number(name), 1, put(items[Number(name)], rest, value))
  }
  const object = isJsonObject(into) ? into : {}
  return { ...object, [name]: put(object[name], rest, value) }
}

/** Each breach at the field of its path, or at the nearest one. */
const faultsOfBreaches = (breaches: ReadonlyArray<Breach>, places: ReadonlyArray<Place>): Faults =>
  Object.fromEntries(breaches.toReversed().map((breach) => [nearest(breach.path, places)?.field.name ?? '', sentenceOf(breach)]))

/** The field of a path, else the first one inside of it, else the nearest one around it. */
const nearest = (path: string, places: ReadonlyArray<Place>): Place | undefined =>
  places.find((place) => place.path === path) ?? places.find((place) => /^[.[]/.test(place.path.slice(path.length)) && place.path.startsWith(path))
  ?? (/[.[]/.test(path) ? nearest(path.replace(/(?:\.\w+|\[\d+\])$/, ''), places) : places[0])

/** What a person can do about a breach, in her words. */
const sentenceOf = ({ rule, given }: Breach): string => {
  if (given === null) return problems.missing
  const [pattern, sentence] = problems.rules.find(([known]) => known.test(rule)) ?? []
  return pattern === undefined || sentence === undefined ? problems.mustBe(rule) : rule.replace(pattern, sentence)
}
