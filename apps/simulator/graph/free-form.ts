import * as E from 'fp-ts/lib/Either.js'
import { INTERACTIVE } from './interactive.js'
import { graphError, type GraphError } from './reply.js'
import {
  all, anyObject, bracketed, elementsOf, fieldOf, flag, list, media, missing, object, oneOf, optional, type Path, type Rule, string, text,
  wrong,
} from './rules.js'

/** The types of messages other than templates. */
export const FREE_FORM_TYPES = [
  'text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'reaction', 'interactive',
] as const

export type FreeFormType = (typeof FREE_FORM_TYPES)[number]

/** A message that is not a template. */
export type FreeForm = {
  readonly type: FreeFormType
  /** The text for the log. */
  readonly text: string
  /** The media that it shows, including those in a header and in cards. */
  readonly media: ReadonlyArray<SentMedia>
  /** The message that a reaction is to. */
  readonly reactionTo: string | undefined
  /** The type of an interactive message. */
  readonly interactive: string | undefined
}

/** The kinds of media that a message can show. */
export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const

export type MediaKind = (typeof MEDIA_KINDS)[number]

/** A medium of a message: the id of an upload, or an address. */
export type SentMedia = {
  readonly kind: MediaKind
  /** The position of the id or address in the request. */
  readonly param: string
  readonly id: string | undefined
  readonly link: string | undefined
  /** Whether it is a voice note. */
  readonly isVoice: boolean
}

const MAX_CONTACTS = 257
const LONGEST_TEXT = 4096
const LONGEST_CAPTION = 1024

/** The degrees are documented as strings; numbers are accepted too. */
const degrees = (most: number): Rule => (value, path) => {
  if (value === undefined) return missing(path)
  const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  return isNumber && Math.abs(Number(value)) <= most ? undefined : wrong(path, 'must be a number of degrees.')
}

/** An empty string means that the day is unknown. */
const day: Rule = all(string, (value, path) => {
  const [given, at] = [String(value), Date.parse(`${String(value)}T00:00:00Z`)]
  return given === '' || /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(given)
    ? undefined
    : wrong(path, 'must be a date in the form YYYY-MM-DD.')
})

const texts = (...names: ReadonlyArray<string>): Readonly<Record<string, Rule>> =>
  Object.fromEntries(names.map((name) => [name, optional(string)]))

const contact = object({
  name: object({ formatted_name: text(), ...texts('first_name', 'last_name', 'middle_name', 'suffix', 'prefix') }),
  phones: optional(list(0, Infinity, object({ phone: text(), ...texts('type', 'wa_id') }))),
  emails: optional(list(0, Infinity, object(texts('email', 'type')))),
  urls: optional(list(0, Infinity, object(texts('url', 'type')))),
  addresses: optional(list(0, Infinity, object(texts('street', 'city', 'state', 'zip', 'country', 'country_code', 'type')))),
  org: optional(object(texts('company', 'department', 'title'))),
  birthday: optional(day),
})

/** One emoji, of any number of characters; an empty string removes the reaction. */
const emoji: Rule = all(string, (value, path) => {
  if (typeof value !== 'string' || value === '') return undefined
  const isOne = [...new Intl.Segmenter('en').segment(value)].length === 1
    && /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(value)
  return isOne ? undefined : wrong(path, 'must be one emoji.')
})

const captioned = { caption: optional(text(LONGEST_CAPTION, 0)) }

const RULES: Readonly<Record<FreeFormType, Rule>> = {
  text: object({ body: text(LONGEST_TEXT), preview_url: optional(flag) }),
  image: media(captioned),
  video: media(captioned),
  audio: media({ voice: optional(flag) }),
  document: media({ ...captioned, filename: optional(text()) }),
  sticker: media(),
  location: object({ latitude: degrees(90), longitude: degrees(180), name: optional(string), address: optional(string) }),
  contacts: list(1, MAX_CONTACTS, contact),
  reaction: object({ message_id: text(), emoji }),
  interactive: all(anyObject, (value, path) => {
    const type = fieldOf(value, 'type')
    const known = oneOf(...Object.keys(INTERACTIVE))(type, [...path, 'type'])
    return known ?? INTERACTIVE[String(type)]?.(value, path)
  }),
}

/** Whether a type is the type of a message that is not a template. */
export const isFreeFormType = (type: unknown): type is FreeFormType => FREE_FORM_TYPES.some((known) => known === type)

/** Reads a message that is not a template; left: the platform's error. */
export const checkFreeForm = (type: FreeFormType, fields: Readonly<Record<string, unknown>>): E.Either<GraphError, FreeForm> => {
  const [given, path] = [fields[type], [type]]
  // A text without its object is refused because of the missing body.
  const error = RULES[type](type === 'text' && given === undefined ? {} : given, path)
  if (error !== undefined) return E.left(error)
  const [reactionTo, interactive] = [fieldOf(given, 'message_id'), fieldOf(given, 'type')]
  return E.right({
    type, text: summaryOf(type, given), media: mediaOf(type, given),
    reactionTo: type === 'reaction' ? String(reactionTo) : undefined, interactive: type === 'interactive' ? String(interactive) : undefined,
  })
}

/** Checks the message that a message quotes; a reaction cannot quote. */
export const checkContext = (type: unknown, context: unknown): GraphError | undefined => {
  const error = optional(object({ message_id: text() }))(context, ['context'])
  if (error !== undefined || context === undefined || type !== 'reaction') return error
  return graphError(131009, 'A reaction cannot be a contextual reply')
}

const mediaOf = (type: FreeFormType, given: unknown): ReadonlyArray<SentMedia> => {
  if (isMediaKind(type)) return [medium(type, given, [type])]
  if (type !== 'interactive') return []
  const cards = elementsOf(fieldOf(given, 'action', 'cards'))
  return [
    ...mediaOfHeader(given, ['interactive']),
    ...cards.flatMap((card, index) => mediaOfHeader(card, ['interactive', 'action', 'cards', index])),
  ]
}

const mediaOfHeader = (part: unknown, path: Path): ReadonlyArray<SentMedia> => {
  const type = fieldOf(part, 'header', 'type')
  return isMediaKind(type) ? [medium(type, fieldOf(part, 'header', type), [...path, 'header', type])] : []
}

const medium = (kind: MediaKind, given: unknown, path: Path): SentMedia => {
  const [id, link] = [fieldOf(given, 'id'), fieldOf(given, 'link')]
  return {
    kind, param: bracketed([...path, typeof id === 'string' ? 'id' : 'link']),
    id: typeof id === 'string' ? id : undefined, link: typeof link === 'string' ? link : undefined,
    isVoice: fieldOf(given, 'voice') === true,
  }
}

/** Whether a word names a kind of media. */
export const isMediaKind = (type: unknown): type is MediaKind => MEDIA_KINDS.some((kind) => kind === type)

const summaryOf = (type: FreeFormType, given: unknown): string => {
  switch (type) {
    case 'text': return lines(fieldOf(given, 'body'))
    case 'image': case 'video': case 'audio': case 'document': case 'sticker':
      return lines(fieldOf(given, 'filename'), fieldOf(given, 'caption'))
    case 'location':
      return lines(fieldOf(given, 'name'), fieldOf(given, 'address'), `${Number(fieldOf(given, 'latitude'))}, ${Number(fieldOf(given, 'longitude'))}`)
    case 'contacts': return lines(...elementsOf(given).map((one) => fieldOf(one, 'name', 'formatted_name')))
    case 'reaction': return lines(fieldOf(given, 'emoji'))
    case 'interactive': return lines(fieldOf(given, 'header', 'text'), fieldOf(given, 'body', 'text'))
  }
}

const lines = (...parts: ReadonlyArray<unknown>): string => parts.filter((part) => typeof part === 'string' && part !== '').join('\n')
