import { hasUsableHost, USABLE_HOST } from '../kernel/address.js'
import { elementsOf, isJsonObject, type Json, type JsonObject } from '../kernel/json.js'
import { MAX_TEXT_LENGTH } from '../kernel/text.js'

/** A violation of a limit of a message's type. */
export type Breach = {
  /** The field, such as `interactive.action.buttons[1].reply.title`. */
  readonly path: string
  /** What the field must be; the text continues the words "must be". */
  readonly rule: string
  /** The value received, as a length, a count, a number or a JSON type; `null` if it was missing. Never text that a person wrote. */
  readonly given: string | number | null
}

/** Lists every breach of a value; `path` is the position of the value. */
type Check = {
  (value: Json | undefined, path: string): ReadonlyArray<Breach>
  /** The maximum of the value: characters, items or degrees. */
  readonly most?: number
  /** The checks of its parts, by the names of fields; the check of all items of a list is under `[]`. */
  readonly parts?: Fields
}

type Fields = Readonly<Record<string, Check>>

/** The form of a WhatsApp message id. */
export const WAMID_FORM = /^wamid\.[!-~]{1,249}$/

/** The form of a platform's message id that another message quotes or reacts to; platforms do not know our ids. */
export const QUOTED_FORM = /^(?!msg_)[!-~]{1,255}$/

/** The types of free-form content; `text` in the platform's form, with or without a preview of its first link. */
export const CONTENT_TYPES = [
  'text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'reaction', 'interactive',
] as const

/** A type of free-form content. */
export type ContentType = (typeof CONTENT_TYPES)[number]

/** The platform's own object of a type, or its list of contacts. */
export type Content = JsonObject | ReadonlyArray<JsonObject>

/** Every breach of the limits of a type; empty if the content is within them. Unknown fields are not checked. */
export const checkContent = (type: ContentType, content: Json): ReadonlyArray<Breach> => TYPES[type](content, type)

/**
 * The maximum of a field in characters, items or degrees, such as `interactive.action.buttons[0].reply.title`; `undefined` if no limit is known. `interactive` is the
 * type of interactive content.
 */
export const mostOf = (path: string, interactive?: string): number | undefined => {
  const [type = '', ...names] = path.replaceAll(/\[\d+\]/g, '.[]').split('.')
  const table: Fields = interactive === undefined ? TYPES : { interactive: INTERACTIVE[interactive] ?? anyObject }
  return names.reduce<Check | undefined>((check, name) => check?.parts?.[name], table[type])?.most
}

const limitedTo = (most: number, check: Check): Check => Object.assign(check, { most })

const madeOf = (parts: Fields, check: Check): Check => Object.assign(check, { parts })

const typeOf = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : Array.isArray(value) ? 'array' : typeof value

const breach = (path: string, rule: string, given: Breach['given']): ReadonlyArray<Breach> => [{ path, rule, given }]

/** A text of a given form. An unpaired surrogate is not a character, and not every platform and database accepts it. */
const text = (rule: string, holds: (text: string) => boolean = () => true): Check => (value, path) => {
  if (typeof value !== 'string') return breach(path, rule, typeOf(value))
  if (/\p{Cs}/u.test(value)) return breach(path, 'well-formed Unicode', 'string')
  return holds(value) ? [] : breach(path, rule, 'string')
}

const anyText = text('a string')

/** A text of limited length that is not blank. */
const words = (most: number): Check => limitedTo(most, (value, path) => {
  const rule = `a string of 1 to ${most} characters`
  if (typeof value === 'string' && (value.length < 1 || value.length > most)) return breach(path, rule, value.length)
  return text(typeof value === 'string' ? 'more than blanks' : rule, (given) => /\S/.test(given))(value, path)
})

/** A text that may be empty. */
const upTo = (most: number): Check => limitedTo(most, (value, path) => {
  const rule = `a string of at most ${most} characters`
  return typeof value === 'string' && value.length > most ? breach(path, rule, value.length) : text(rule)(value, path)
})

const something = text('more than blanks', (given) => /\S/.test(given))

const oneOf = (...allowed: ReadonlyArray<string>): Check =>
  text(allowed.length === 1 ? `"${allowed[0]}"` : `one of ${allowed.join(', ')}`, (given) => allowed.includes(given))

const HTTP_ADDRESS = /^https?:\/\/[^\s/?#]\S*$/i

/** Otherwise the platform would report the message as sent, and only later that it cannot read the file. */
const link: Check = (value, path) => {
  const isAddress = typeof value === 'string' && HTTP_ADDRESS.test(value)
  return isAddress
    ? text(`an address with ${USABLE_HOST}`, hasUsableHost)(value, path)
    : text('an http or https address', () => false)(value, path)
}

const messageName = text('an id that the platform gave a message, such as wamid.…', (given) => QUOTED_FORM.test(given))

const flag: Check = (value, path) => (typeof value === 'boolean' ? [] : breach(path, 'true or false', typeOf(value)))

const leftOut: Check = (value, path) => breach(path, 'left out', typeOf(value))

/** The platform documents degrees as texts, but also accepts numbers. */
const degrees = (most: number): Check => limitedTo(most, (value, path) => {
  const rule = `degrees from -${most} to ${most}`
  const number = typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,20})?$/.test(value) ? Number(value) : value
  if (typeof number !== 'number') return breach(path, rule, typeOf(value))
  return Math.abs(number) <= most ? [] : breach(path, rule, number)
})

const whole = (least: number, most: number): Check => (value, path) => {
  const rule = `a whole number from ${least} to ${most}`
  if (typeof value !== 'number') return breach(path, rule, typeOf(value))
  return Number.isInteger(value) && value >= least && value <= most ? [] : breach(path, rule, value)
}

/** The platform accepts null for an absent field, and many programs send it. */
const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null

/** An object with required and optional parts, and with rules for the whole object. */
const object = (required: Fields, optional: Fields = {}, ...rules: ReadonlyArray<Check>): Check => madeOf(
  { ...required, ...optional }, (value, path) => {
    if (!isJsonObject(value)) return breach(path, 'an object', typeOf(value))
    return [
      ...Object.entries(required).flatMap(([name, check]) => check(value[name], `${path}.${name}`)),
      ...Object.entries(optional).flatMap(([name, check]) => (isAbsent(value[name]) ? [] : check(value[name], `${path}.${name}`))),
      ...rules.flatMap((rule) => rule(value, path)),
    ]
  },
)

const each = (item: Check): Check => (value, path) =>
  elementsOf(value)?.flatMap((one, index) => item(one, `${path}[${index}]`)) ?? breach(path, 'a list', typeOf(value))

/** A list of limited length, with rules for the whole list. Its items are checked even if there are too many, so that all breaches are reported together. */
const list = (item: Check, least: number, most: number, ...rules: ReadonlyArray<Check>): Check => limitedTo(
  most, madeOf({ '[]': item }, (value, path) => {
    const rule = `a list of ${least} to ${most} items`
    const items = elementsOf(value)
    if (items === undefined) return breach(path, rule, typeOf(value))
    const length = items.length < least || items.length > most ? breach(path, rule, items.length) : []
    return [...length, ...each(item)(value, path), ...rules.flatMap((check) => check(value, path))]
  }),
)

/** The value at the end of a path of names; `undefined` even if it is null. */
const at = (value: Json | undefined, ...names: ReadonlyArray<string>): Json | undefined =>
  names.reduce<Json | undefined>((inner, name) => (isJsonObject(inner) ? inner[name] ?? undefined : undefined), value)

const itemsAt = (value: Json | undefined, ...names: ReadonlyArray<string>): ReadonlyArray<Json> => elementsOf(at(value, ...names)) ?? []

/** A rule about a count. */
const counted =
  (rule: string, count: (value: Json | undefined) => number, holds: (count: number, value: Json | undefined) => boolean): Check =>
  (value, path) => {
    const given = count(value)
    return holds(given, value) ? [] : breach(path, rule, given)
  }

const present = (names: ReadonlyArray<string>): ((value: Json | undefined) => number) => (value) =>
  names.filter((name) => at(value, name) !== undefined).length

const exactlyOne = (...names: ReadonlyArray<string>): Check =>
  counted(`an object with exactly one of ${names.join(' and ')}`, present(names), (count) => count === 1)

const atMostInAll = (most: number, items: string): Check =>
  counted(
    `a list with at most ${most} ${items} in all`,
    (value) => (elementsOf(value) ?? []).reduce<number>((sum, one) => sum + itemsAt(one, items).length, 0), (count) => count <= most,
  )

/** The given number is the number of different values. */
const unique = (what: string, ...names: ReadonlyArray<string>): Check =>
  counted(
    `a list without two equal ${what}`, (value) => new Set((elementsOf(value) ?? []).map((one) => at(one, ...names))).size,
    (count, value) => count === elementsOf(value)?.length,
  )

/** The given number is the number of different ids. A customer's choice is identified by its id. */
const uniqueRows: Check = (value, path) => {
  const ids = (elementsOf(value) ?? []).flatMap((one) => itemsAt(one, 'rows')).map((one) => at(one, 'id'))
  const different = new Set(ids).size
  return different === ids.length ? [] : breach(path, 'a list without two rows of one id', different)
}

const titledIfSeveral: Check = (value, path) => {
  const items = elementsOf(value) ?? []
  return items.length < 2
    ? []
    : items.flatMap((one, index) =>
        isJsonObject(one) && at(one, 'title') === undefined
          ? breach(`${path}[${index}].title`, 'a title, where there are several sections', null)
          : [])
}

const medium = (optional: Fields = {}): Check => object({}, { id: something, link, ...optional }, exactlyOne('id', 'link'))

const HEADERS: Readonly<Record<string, Fields>> = {
  text: { text: words(60) }, image: { image: medium() }, video: { video: medium() }, document: { document: medium() },
}

const header = (...kinds: ReadonlyArray<string>): Check => madeOf(
  Object.fromEntries(kinds.flatMap((kind) => Object.entries(HEADERS[kind] ?? {}))), (value, path) => {
    const kind = at(value, 'type')
    return object({ type: oneOf(...kinds), ...(typeof kind === 'string' && kinds.includes(kind) ? HEADERS[kind] : {}) })(value, path)
  },
)

const anyHeader = header('text', 'image', 'video', 'document')
const body = (most: number): Check => object({ text: words(most) })
const footer: Check = object({ text: words(60) })

/** A part of an action whose name is fixed. */
const named = (name: string, required: Fields = {}, optional: Fields = {}): Check => object({ name: oneOf(name), ...required }, optional)

const anyObject = object({})

const BUTTON = { id: words(256), title: words(20) }
const replyButton = object({ type: oneOf('reply'), reply: object(BUTTON) })
const urlButton = named('cta_url', { parameters: object({ display_text: words(20), url: link }) })

const row = object({ id: words(200), title: words(24) }, { description: words(72) })
const section = object({ rows: list(row, 1, 10) }, { title: words(24) })
const productSection = object({ product_items: list(object({ product_retailer_id: something }), 1, 30) }, { title: words(24) })

const MAX_LINE_BREAKS = 2

const cardBody = object({
  text: (value, path) => {
    const breaks = typeof value === 'string' ? value.split('\n').length - 1 : 0
    return breaks > MAX_LINE_BREAKS ? breach(path, `a string with at most ${MAX_LINE_BREAKS} line breaks`, breaks) : words(160)(value, path)
  },
})

/** The platform calls the button of a card a quick reply; in a message of its own the button is a reply. */
const quickReply: Check = (value, path) =>
  (at(value, 'type') === 'quick_reply' ? object({ quick_reply: object(BUTTON) }) : replyButton)(value, path)

/** Different cards may use the same ids, but the buttons of one card may not. */
const differentReplies: Check = (value, path) => ['id', 'title'].flatMap((name) => {
  const given = (elementsOf(value) ?? []).map((one) => at(one, 'quick_reply', name) ?? at(one, 'reply', name))
  const different = new Set(given).size
  return different === given.length ? [] : breach(path, `a list without two equal ${name}s`, different)
})

const quickReplies = object({ buttons: list(quickReply, 1, 3, differentReplies) })

const cardAction: Check = (value, path) => (at(value, 'buttons') === undefined ? urlButton : quickReplies)(value, path)

const card = object(
  { card_index: whole(0, 9), type: oneOf('cta_url', 'button'), header: header('image', 'video'), action: cardAction }, { body: cardBody },
)

const kindOfAction = (value: Json): string => (at(value, 'action', 'buttons') === undefined ? 'link' : `${itemsAt(value, 'action', 'buttons').length} replies`)

/** The given number is the number of different kinds of actions. */
const sameActions: Check = counted(
  'cards with the same kind and number of buttons', (value) => new Set((elementsOf(value) ?? []).map(kindOfAction)).size,
  (kinds) => kinds <= 1,
)

const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Presentation}/u

const flowLabel: Check = (value, path) =>
  (typeof value === 'string' && EMOJI.test(value) ? breach(path, 'a string without emoji', 'string') : words(20)(value, path))

const flow = named('flow', {
  parameters: object(
    { flow_message_version: something, flow_cta: flowLabel },
    {
      flow_id: something, flow_name: something, mode: oneOf('draft', 'published'), flow_token: anyText,
      flow_action: oneOf('navigate', 'data_exchange'), flow_action_payload: anyObject,
    },
    exactlyOne('flow_id', 'flow_name'),
  ),
})

/** The limits of each type of interactive content. If the platform does not require a body, it is still allowed. */
const INTERACTIVE: Readonly<Record<string, Check>> = {
  button: object(
    {
      body: body(1024),
      action: object({ buttons: list(replyButton, 1, 3, unique('titles', 'reply', 'title'), unique('ids', 'reply', 'id')) }),
    },
    { header: anyHeader, footer },
  ),
  list: object(
    {
      body: body(4096),
      action: object({ button: words(20), sections: list(section, 1, 10, atMostInAll(10, 'rows'), uniqueRows, titledIfSeveral) }),
    },
    { header: header('text'), footer },
  ),
  cta_url: object({ body: body(1024), action: urlButton }, { header: anyHeader, footer }),
  carousel: object(
    { body: body(1024), action: object({ cards: list(card, 2, 10, unique('card_index', 'card_index'), sameActions) }) },
    { header: leftOut, footer },
  ),
  location_request_message: object({ body: body(1024), action: named('send_location') }, { header: leftOut, footer }),
  flow: object({ body: body(1024), action: flow }, { header: anyHeader, footer }),
  product: object(
    { action: object({ catalog_id: something, product_retailer_id: something }) }, { header: leftOut, body: body(1024), footer },
  ),
  product_list: object(
    {
      header: header('text'),
      body: body(1024),
      action: object({ catalog_id: something, sections: list(productSection, 1, 10, atMostInAll(30, 'product_items'), titledIfSeveral) }),
    },
    { footer },
  ),
  catalog_message: object(
    { body: body(1024), action: named('catalog_message', {}, { parameters: anyObject }) }, { header: anyHeader, footer },
  ),
  request_contact_info: object({ body: body(1024), action: named('request_contact_info') }, { header: leftOut, footer }),
  call_permission_request: object(
    { action: named('call_permission_request', {}, { parameters: anyObject }) }, { header: anyHeader, body: body(1024), footer },
  ),
  voice_call: object({ body: body(1024), action: named('voice_call', {}, { parameters: anyObject }) }, { header: anyHeader, footer }),
  address_message: object(
    { body: body(1024), action: named('address_message', { parameters: object({ country: oneOf('IN') }) }) }, { header: anyHeader, footer },
  ),
}

const interactive: Check = (value, path) => {
  const type = at(value, 'type')
  const check = typeof type === 'string' && Object.hasOwn(INTERACTIVE, type) ? INTERACTIVE[type] : undefined
  return (check ?? object({ type: oneOf(...Object.keys(INTERACTIVE)) }))(value, path)
}

const objects = each(anyObject)

const contact = object(
  { name: object({ formatted_name: something }) },
  {
    phones: each(object({ phone: anyText }, { type: anyText, wa_id: anyText })), emails: objects, urls: objects, addresses: objects,
    org: anyObject,
    // Programs write an empty text for an unknown birthday, and the platform accepts it.
    birthday: text('a day, YYYY-MM-DD', (given) => /^(?:\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))?$/.test(given)),
  },
)

/** The limits of each type: lengths, counts, required fields, values that must differ, and fields that must not be combined. */
const TYPES: Readonly<Record<ContentType, Check>> = {
  text: object({ body: words(MAX_TEXT_LENGTH) }, { preview_url: flag }),
  image: medium({ caption: upTo(1024) }),
  video: medium({ caption: upTo(1024) }),
  audio: medium({ voice: flag }),
  document: medium({ caption: upTo(1024), filename: anyText }),
  sticker: medium(),
  location: object({ latitude: degrees(90), longitude: degrees(180) }, { name: anyText, address: anyText }),
  contacts: list(contact, 1, 257),
  // An empty emoji removes the reaction.
  reaction: object({ message_id: messageName, emoji: anyText }),
  interactive,
}

/** One line that describes the content without quoting it. */
export const summaryOfContent = (type: ContentType, content: Content): string => {
  switch (type) {
    case 'text': case 'sticker': case 'location': return type
    case 'image': case 'video': case 'document': return at(content, 'caption') === undefined ? type : `${type} with caption`
    case 'audio': return at(content, 'voice') === true ? 'voice note' : type
    case 'contacts': return counting('contacts', content, 'card')
    case 'reaction': return at(content, 'emoji') === '' ? 'reaction taken back' : type
    case 'interactive': return summaryOfInteractive(content)
  }
}

const counting = (what: string, items: Json | undefined, one: string): string => {
  const count = (elementsOf(items) ?? []).length
  return `${what}, ${count} ${one}${count === 1 ? '' : 's'}`
}

const inAll = (sections: Json | undefined, items: string): ReadonlyArray<Json> =>
  (elementsOf(sections) ?? []).flatMap((one) => itemsAt(one, items))

/** The types of interactive content that can contain several items. */
const COUNTED: Readonly<Record<string, (action: Json | undefined) => string>> = {
  button: (action) => counting('buttons', at(action, 'buttons'), 'choice'),
  list: (action) => counting('list', inAll(at(action, 'sections'), 'rows'), 'row'),
  carousel: (action) => counting('carousel', at(action, 'cards'), 'card'),
  product_list: (action) => counting('product list', inAll(at(action, 'sections'), 'product_items'), 'product'),
}

const summaryOfInteractive = (content: Json): string => {
  const type = at(content, 'type')
  // A type that is not in the table is a text that a person may have written.
  if (typeof type !== 'string' || !Object.hasOwn(INTERACTIVE, type)) return 'interactive'
  return COUNTED[type]?.(at(content, 'action')) ?? type.replace(/_message$/, '').replaceAll('_', ' ')
}
