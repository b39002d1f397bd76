import * as E from 'fp-ts/lib/Either.js'
import { isObject, parseJson } from '../json.js'
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
