import { graphError } from './reply.js'
import {
  address, all, anyObject, eitherOf, elementsOf, fieldOf, list, media, missing, object, oneOf, optional, type Rule, string, text, unique,
  wrong,
} from './rules.js'

const LONGEST_BODY = 1024
const LONGEST_LIST_BODY = 4096
const LONGEST_CARD_BODY = 160
const MAX_CARD_BREAKS = 2
const LONGEST_LINE = 60
const LONGEST_LABEL = 20
const LONGEST_BUTTON_ID = 256
const LONGEST_ROW_ID = 200
const LONGEST_SECTION = 24
const LONGEST_ROW = 24
const LONGEST_DESCRIPTION = 72
const MAX_BUTTONS = 3
const MAX_SECTIONS = 10
const MAX_ROWS = 10
const MAX_PRODUCTS = 30
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u

const HEADERS: Readonly<Record<string, Rule>> = {
  text: text(LONGEST_LINE), image: media(), video: media(), document: media({ filename: optional(text()) }),
}

/** A header of one of the given types, each with the field that its type names. */
const header = (...types: ReadonlyArray<string>): Rule => all(anyObject, (value, path) => {
  const type = fieldOf(value, 'type')
  const wrongType = oneOf(...types)(type, [...path, 'type'])
  return wrongType ?? object({ type: string, [String(type)]: HEADERS[String(type)] ?? string })(value, path)
})

const anyHeader = optional(header('text', 'image', 'video', 'document'))
const body = (most = LONGEST_BODY): Rule => object({ text: text(most) })
const footer = optional(object({ text: text(LONGEST_LINE) }))

/** The object of an interactive message that can have every part. */
const full = (action: Rule, parts: { readonly header?: Rule; readonly body?: Rule } = {}): Rule =>
  object({ type: string, header: parts.header ?? anyHeader, body: parts.body ?? body(), footer, action })

/** The object of an interactive message that has only a body. */
const plain = (action: Rule): Rule => object({ type: string, body: body(), action })

const named = (name: string, parameters?: Rule): Rule => object({ name: oneOf(name), ...(parameters && { parameters }) })

/** Buttons whose ids and titles differ from each other, in the field that their type names. */
const buttons = (type: string): Rule => all(
  list(1, MAX_BUTTONS, object({ type: oneOf(type), [type]: object({ id: text(LONGEST_BUTTON_ID), title: text(LONGEST_LABEL) }) })),
  (value, path) => {
    const replies = elementsOf(value).map((one) => fieldOf(one, type))
    return unique(replies.map((one) => fieldOf(one, 'title')), path, 'title')
      ?? unique(replies.map((one) => fieldOf(one, 'id')), path, 'id')
  },
)

const urlButton = named('cta_url', object({ display_text: text(LONGEST_LABEL), url: address }))

/** Sections of a list or of products: if there are several, each has a title. */
const sections = (rows: string, most: number, row: Rule): Rule => all(
  list(1, MAX_SECTIONS, object({ title: optional(text(LONGEST_SECTION)), [rows]: list(1, most, row) })),
  (value, path) => {
    const given = elementsOf(value)
    const untitled = given.findIndex((section) => fieldOf(section, 'title') === undefined)
    if (given.length > 1 && untitled >= 0) return missing([...path, untitled, 'title'])
    const count = given.flatMap((section) => elementsOf(fieldOf(section, rows))).length
    return count > most ? graphError(131009, `${path.join('.')} has ${count} ${rows}; ${most} are the most`) : undefined
  },
)

const ROW = object({ id: text(LONGEST_ROW_ID), title: text(LONGEST_ROW), description: optional(text(LONGEST_DESCRIPTION)) })

const rowsDiffer: Rule = (value, path) =>
  unique(elementsOf(value).flatMap((section) => elementsOf(fieldOf(section, 'rows'))).map((row) => fieldOf(row, 'id')), path, 'row id')

const cardBody = all(body(LONGEST_CARD_BODY), (value, path) => {
  const words = fieldOf(value, 'text')
  const breaks = typeof words === 'string' ? words.split('\n').length - 1 : 0
  return breaks > MAX_CARD_BREAKS ? wrong([...path, 'text'], `must have at most ${MAX_CARD_BREAKS} line breaks.`) : undefined
})

/** A card opens an address or offers quick replies. */
const card: Rule = (value, path) => object({
  card_index: (index, at) => (index === path.at(-1) ? undefined : index === undefined ? missing(at) : wrong(at, 'must be the position of the card, from 0.')),
  type: optional(oneOf('cta_url')), header: header('image', 'video'), body: optional(cardBody),
  action: fieldOf(value, 'action', 'buttons') === undefined ? urlButton : object({ buttons: buttons('quick_reply') }),
})(value, path)

const cardsAreAlike: Rule = (value, path) => {
  const kinds = elementsOf(value).map((one) => elementsOf(fieldOf(one, 'action', 'buttons')).length)
  return new Set(kinds).size === 1 ? undefined : graphError(131009, `${path.join('.')} must all have a URL button, or the same number of quick replies`)
}

const flowParameters = all(
  object({
    flow_message_version: oneOf('3'), flow_id: optional(text()), flow_name: optional(text()), flow_cta: text(LONGEST_LABEL),
    mode: optional(oneOf('draft', 'published')), flow_token: optional(text()), flow_action: optional(oneOf('navigate', 'data_exchange')),
    flow_action_payload: optional(anyObject),
  }),
  eitherOf('flow_id', 'flow_name'),
  (value, path) => (EMOJI.test(String(fieldOf(value, 'flow_cta'))) ? wrong([...path, 'flow_cta'], 'must not have an emoji.') : undefined),
)

const inIndia: Rule = all(anyObject, (value, path) => {
  const country = fieldOf(value, 'country')
  return text()(country, [...path, 'country']) ?? (country === 'IN' ? undefined : graphError(131009, 'Address messages are available in India only'))
})

/** The fields of an interactive message, by type. */
export const INTERACTIVE: Readonly<Record<string, Rule>> = {
  button: full(object({ buttons: buttons('reply') })),
  list: full(
    object({ button: text(LONGEST_LABEL), sections: all(sections('rows', MAX_ROWS, ROW), rowsDiffer) }),
    { header: optional(header('text')), body: body(LONGEST_LIST_BODY) },
  ),
  cta_url: full(urlButton),
  carousel: plain(object({ cards: all(list(2, 10, card), cardsAreAlike) })),
  location_request_message: plain(named('send_location')),
  flow: full(named('flow', flowParameters)),
  product: object({ type: string, body: optional(body()), footer, action: object({ catalog_id: text(), product_retailer_id: text() }) }),
  product_list: full(
    object({ catalog_id: text(), sections: sections('product_items', MAX_PRODUCTS, object({ product_retailer_id: text() })) }),
    { header: header('text') },
  ),
  catalog_message: full(named('catalog_message', optional(object({ thumbnail_product_retailer_id: optional(text()) })))),
  request_contact_info: plain(named('request_contact_info')),
  call_permission_request: full(named('call_permission_request', optional(anyObject)), { body: optional(body()) }),
  voice_call: full(named('voice_call', optional(anyObject))),
  address_message: full(named('address_message', inIndia)),
}
