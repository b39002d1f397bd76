import * as E from 'fp-ts/lib/Either.js'
import type { Customer } from '../customers.js'
import { isObject, parseJson } from '../http.js'
import { conversationOf, defaultPhoneNumberId, isPhoneNumberId, type SimulatorState } from '../state.js'
import { readComponents, type SentComponent, type SentParameter } from '../templates/sent-components.js'
import { partOf, type TemplateButton, type TemplateComponent } from '../templates/template.js'
import type { BusinessEntry } from './chat-log.js'

/** A message of the business as the customer reads it. */
export type Content = {
  /** A text above the body, or what kind of attachment is there. */
  readonly header: string | undefined
  readonly body: string
  readonly footer: string | undefined
  readonly buttons: ReadonlyArray<ShownButton>
  /** The cards of a carousel; a card has none itself. */
  readonly cards: ReadonlyArray<Content>
}

/** A button of a template; only a quick reply has a `payload`, which is sent back when it is tapped. */
export type ShownButton = { readonly text: string; readonly payload: string | undefined; readonly kind: TemplateButton['type'] }

const NOTHING: Content = { header: undefined, body: '', footer: undefined, buttons: [], cards: [] }

const ATTACHED = { IMAGE: 'Photo', VIDEO: 'Video', DOCUMENT: 'Document', GIF: 'GIF', LOCATION: 'Location' } as const

/** What a message says: a text, or a template with its variables filled in. */
export const contentOfEntry = ({ body, template }: Pick<BusinessEntry, 'body' | 'template'>): Content => {
  const request = parseJson(body)
  if (!isObject(request)) return { ...NOTHING, body: '(too long to show)' }
  if (template === undefined) return { ...NOTHING, body: textIn(request['text'], 'body') }
  const asked = request['template']
  const sent = readComponents(isObject(asked) ? asked['components'] : undefined)
  return filled(template.components, E.isRight(sent) ? sent.right : [])
}

const filled = (components: ReadonlyArray<TemplateComponent>, sent: ReadonlyArray<SentComponent>): Content => {
  const of = (type: string): ReadonlyArray<SentParameter> => sent.find((one) => one.type === type)?.parameters ?? []
  const [header, body, offer] = [partOf(components, 'HEADER'), partOf(components, 'BODY'), partOf(components, 'LIMITED_TIME_OFFER')]
  const cards = sent.find(({ type }) => type === 'carousel')?.cards ?? []
  return {
    header: header === undefined ? undefined : header.format === 'TEXT' ? fill(header.text, of('header')) : ATTACHED[header.format],
    body: [...(offer === undefined ? [] : [offer.limited_time_offer.text]), fill(body?.text ?? '', of('body'))].join('\n'),
    footer: partOf(components, 'FOOTER')?.text,
    buttons: (partOf(components, 'BUTTONS')?.buttons ?? []).map((button, index) => shown(button, sent.find((one) => one.type === 'button' && one.index === index))),
    cards: (partOf(components, 'CAROUSEL')?.cards ?? []).map((card, index) => filled(card.components, cards.find((one) => one.index === index)?.components ?? [])),
  }
}

const shown = ({ type, text }: TemplateButton, sent: SentComponent | undefined): ShownButton => {
  const given = sent?.parameters[0]?.['payload']
  return { text, kind: type, payload: type === 'QUICK_REPLY' ? (typeof given === 'string' ? given : text) : undefined }
}

/** Fills the variables of a text, by their numbers or by their names; one without a parameter stays as it is. */
const fill = (text: string, parameters: ReadonlyArray<SentParameter>): string =>
  text.replace(/\{\{\s*([a-z0-9_]+)\s*\}\}/g, (variable, name: string) => {
    const parameter = parameters.find((one) => one['parameter_name'] === name) ?? parameters[Number(name) - 1]
    return parameter === undefined ? variable : valueOf(parameter)
  })

const valueOf = (parameter: SentParameter): string => {
  const value = parameter[parameter.type]
  return typeof value === 'string' ? value : textIn(value, 'fallback_value')
}

const textIn = (value: unknown, key: string): string => {
  const text = isObject(value) ? value[key] : undefined
  return typeof text === 'string' ? text : ''
}

/** What the page shows: the conversations with one business number, of the customers that are named, else of the latest ones. */
export type View = {
  readonly business: string
  /** Whether the address names the business number; otherwise it is the one that was used last. */
  readonly isPinned: boolean
  /** Their keys. */
  readonly customers: ReadonlyArray<string>
}

const MOST_PHONES = 4

/** The view that an address names. */
export const viewOf = (state: SimulatorState, query: URLSearchParams): View => {
  const business = query.get('business') ?? ''
  const isPinned = isPhoneNumberId(state, business)
  return { business: isPinned ? business : latestBusiness(state), isPinned, customers: query.getAll('customer').slice(0, MOST_PHONES) }
}

/** The business number to which, or from which, the latest message went. */
const latestBusiness = (state: SimulatorState): string => {
  const latest = state.chats.all().findLast((entry) => entry._tag !== 'Note' || entry.conversation !== undefined)
  if (latest === undefined) return defaultPhoneNumberId(state)
  return latest._tag === 'Refused' ? latest.phoneNumberId : latest.conversation?.split(' ', 1)[0] ?? defaultPhoneNumberId(state)
}

/** An address with a view. */
export const addressOf = (path: string, { business, isPinned, customers }: View): string => {
  const query = new URLSearchParams([...(isPinned ? [['business', business]] : []), ...customers.map((key) => ['customer', key])])
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** The customers whom the page can show, in the order in which they were met. */
export const customersOf = ({ customers, people }: SimulatorState, { business }: View): ReadonlyArray<Customer> =>
  customers.all().filter(({ key, businesses }) => businesses.has(business) || people.isKnown(key))

/** The customers whom the page shows, each with a number that stays the same. */
export const shownCustomers = (state: SimulatorState, view: View): ReadonlyArray<{ readonly customer: Customer; readonly index: number }> => {
  const all = customersOf(state, view).map((customer, index) => ({ customer, index }))
  if (view.customers.length > 0) return all.filter(({ customer: { key } }) => view.customers.includes(key))
  if (all.length <= MOST_PHONES) return all
  const conversations = new Set(all.map(({ customer }) => conversationOf(view.business, customer)))
  const latest = latestConversations(state).filter((conversation) => conversations.has(conversation)).slice(0, MOST_PHONES)
  return all.filter(({ customer }) => latest.includes(conversationOf(view.business, customer)))
}

const latestConversations = ({ chats }: SimulatorState): ReadonlyArray<string> => [...new Set(
  chats.all().flatMap((entry) => ('conversation' in entry && entry.conversation !== undefined ? [entry.conversation] : [])).reverse(),
)]

/** The business numbers that have conversations, and the one that is shown. */
export const businessesOf = ({ customers }: SimulatorState, { business }: View): ReadonlyArray<string> =>
  [...new Set([business, ...customers.all().flatMap(({ businesses }) => [...businesses])])].slice(0, MOST_BUSINESSES)

const MOST_BUSINESSES = 20
