import * as E from 'fp-ts/lib/Either.js'
import { graphError, type GraphError } from '../graph/reply.js'
import { isObject } from '../http.js'
import { readComponents, type SentComponent, type SentParameter } from './sent-components.js'
import {
  miscounted, mismatched, partOf, placeholdersOf, type Problem, type Template, type TemplateButton, type TemplateComponent,
  type TemplateHeader, tooLong,
} from './template.js'

/** Checks the parameters for the header of a template or a card; `header` is undefined if there is none. */
export const checkHeader = (template: Template, header: TemplateHeader | undefined, parameters: ReadonlyArray<SentParameter>): Problem => {
  if (header === undefined) {
    return parameters.length === 0 ? undefined : graphError(132018, 'header: Template does not contain title component, no parameters allowed')
  }
  if (header.format === 'TEXT') {
    const other = parameters.find((parameter) => !isTextual(parameter))
    return other === undefined ? checkTexts(template, 'header', header.text, parameters) : mismatched('header', 'TEXT', other.type)
  }
  const [first] = parameters
  if (first?.type.toUpperCase() !== header.format) return mismatched('header', header.format, first?.type ?? 'UNKNOWN')
  if (parameters.length !== 1) return miscounted('header', parameters.length, 1)
  return header.format === 'LOCATION' || hasSource(first[first.type]) ? undefined : graphError(132018, 'Either one of media ID or link must be present')
}

const hasSource = (media: unknown): boolean =>
  isObject(media) && [media['id'], media['link']].some((source) => typeof source === 'string' && source !== '')

/** The platform's name of a button in its errors, and the `sub_type` of the button in a request. */
const BUTTONS: Readonly<Record<TemplateButton['type'], readonly [title: string, subType: string]>> = {
  URL: ['Url', 'url'], OTP: ['Url', 'url'], PHONE_NUMBER: ['Call', ''], QUICK_REPLY: ['QuickReply', 'quick_reply'],
  COPY_CODE: ['CopyCode', 'copy_code'], FLOW: ['Flow', 'flow'], CATALOG: ['Catalog', 'catalog'], MPM: ['Mpm', 'mpm'],
}

/** Checks the parameters for the buttons of a template or a card. */
export const checkButtons = (template: Template, buttons: ReadonlyArray<TemplateButton>, sent: ReadonlyArray<SentComponent>): Problem => {
  if (buttons.length === 0 && sent.length > 0) {
    return graphError(132018, 'buttons: Template does not contain button components, no parameters allowed')
  }
  const surplus = sent.find(({ index }) => buttons[index] === undefined)
  if (surplus !== undefined) return graphError(132018, `buttons: There is no button at index ${surplus.index}`)
  return buttons
    .map((button, index) => checkButton(template, button, index, sent.filter((component) => component.index === index)))
    .find((problem) => problem !== undefined)
}

const checkButton = (template: Template, button: TemplateButton, index: number, sent: ReadonlyArray<SentComponent>): Problem => {
  const [title, subType] = BUTTONS[button.type]
  if (button.type === 'PHONE_NUMBER') {
    return sent.length === 0 ? undefined : graphError(100, `buttons: Button at index ${index} is of type ${title} and does not support parameters`)
  }
  if (sent.some((component) => component.subType !== subType)) return graphError(132018, `buttons: Button at index ${index} must be of type ${title}`)
  const parameters = sent.flatMap((component) => component.parameters)
  const missing = graphError(131008, `buttons: Button at index ${index} of type ${title} requires a parameter`)
  switch (button.type) {
    case 'URL': return checkUrl(template, placeholdersOf(button.url).length, parameters, missing)
    case 'OTP': return checkUrl(template, 1, parameters, missing)
    case 'QUICK_REPLY': return checkPayload(index, parameters)
    case 'COPY_CODE': return checkCoupon(index, parameters)
    // A flow's button is named in every request, with or without a token.
    case 'FLOW': return sent.length > 0 && parameters.every(({ type }) => type === 'action')
      ? undefined
      : graphError(131009, 'Parameter value is not valid')
    case 'CATALOG': return sent.length > 0 ? undefined : missing
    case 'MPM': return parameters.some(hasSections) ? undefined : missing
  }
}

const checkUrl = (template: Template, wanted: number, parameters: ReadonlyArray<SentParameter>, missing: Problem): Problem => {
  const [first] = parameters
  if (first === undefined) return wanted === 0 ? undefined : missing
  if (wanted === 0) return graphError(132018, 'buttons: Button of type Url has no variable, no parameters allowed')
  return parameters.length > wanted ? miscounted('button', parameters.length, wanted) : checkText(template, 'button', first, 0)
}

const checkPayload = (index: number, parameters: ReadonlyArray<SentParameter>): Problem => {
  if (parameters.some(({ type }) => type !== 'payload')) return graphError(131008, `buttons: Button at index ${index} of type QuickReply requires a payload`)
  return parameters.length <= 1 && parameters.every(({ payload }) => payload !== '')
    ? undefined
    : graphError(132018, `buttons: Button at index ${index} of type QuickReply takes one payload`)
}

const checkCoupon = (index: number, parameters: ReadonlyArray<SentParameter>): Problem => {
  const code = parameters.map(({ coupon_code: coupon }) => coupon).find((coupon) => typeof coupon === 'string' && coupon !== '')
  return typeof code === 'string'
    ? tooLong(100, 'button', code, 0)
    : graphError(131008, `buttons: Button at index ${index} of type copy_code requires a non-empty parameter coupon_code`)
}

const hasSections = ({ action }: SentParameter): boolean =>
  isObject(action) && Array.isArray(action['sections']) && action['sections'].length > 0

type Slot = 'header' | 'body' | 'button'
type Parameters = ReadonlyArray<SentParameter>

const TEXTUAL = ['text', 'currency', 'date_time']
const FORBIDDEN_SPACE = /[\n\r\t]| {5}/
const LONGEST_RENDERED = 1024
const LONGEST_RENDERED_BODY_ONLY = 32_768

/** Checks the parameters for the variables of a text: their number, names, types and values. */
export const checkTexts = (template: Template, slot: 'header' | 'body', text: string, parameters: Parameters): Problem => {
  const wanted = placeholdersOf(text)
  if (parameters.length !== wanted.length) return miscounted(slot, parameters.length, wanted.length)
  return checkNames(template, wanted, parameters)
    ?? parameters.map((parameter, at) => checkText(template, slot, parameter, at)).find((problem) => problem !== undefined)
}

/** Checks one parameter that is a text, at a position of its component. */
export const checkText = ({ category }: Template, slot: Slot, parameter: SentParameter, at: number): Problem => {
  if (!isTextual(parameter)) return mismatched(slot, 'TEXT', parameter.type)
  const { text } = parameter
  if (typeof text !== 'string') return undefined
  if (text === '') {
    return slot === 'button'
      ? graphError(100, 'button: Parameter \'text\' is mandatory for component parameter type \'text\' and cannot be empty')
      : graphError(131008, 'Parameter of type text is missing text value')
  }
  if (FORBIDDEN_SPACE.test(text)) return graphError(132018, 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces')
  return category === 'AUTHENTICATION' ? tooLong(slot === 'button' ? 100 : 132018, slot, text, at) : undefined
}

/** The filled-in text of the body must not be too long; without other components it may be longer. */
export const checkLength = ({ components }: Template, parameters: Parameters): Problem => {
  const fixed = partOf(components, 'BODY')?.text.replace(/\{\{.*?\}\}/g, '').length ?? 0
  const filled = parameters.reduce((length, { text }) => length + (typeof text === 'string' ? text.length : 0), fixed)
  const longest = components.length === 1 ? LONGEST_RENDERED_BODY_ONLY : LONGEST_RENDERED
  return filled > longest ? graphError(132005, `The translated text has ${filled} characters; ${longest} are allowed`) : undefined
}

/** Whether the type of a parameter can fill a variable of a text. */
export const isTextual = ({ type }: SentParameter): boolean => TEXTUAL.includes(type)

const checkNames = (template: Template, wanted: ReadonlyArray<string>, parameters: Parameters): Problem => {
  const names = parameters.map((parameter) => parameter['parameter_name'])
  if (template.parameter_format === 'POSITIONAL') {
    return names.some((name) => typeof name === 'string' && name !== '')
      ? graphError(132012, 'Parameter name is not allowed in a template with positional parameters')
      : undefined
  }
  if (names.some((name) => typeof name !== 'string' || name === '')) return graphError(100, 'Parameter name is missing or empty')
  const unfilled = wanted.find((name) => !names.includes(name))
  return unfilled === undefined ? undefined : graphError(100, `Parameter name is missing for the parameter '{{${unfilled}}}'`)
}

type Sent = ReadonlyArray<SentComponent>

/** Checks that the `components` of a request fill a template exactly; left: the platform's error. */
export const checkComponents = (template: Template, components: unknown): E.Either<GraphError, void> => {
  const sent = readComponents(components)
  if (E.isLeft(sent)) return sent
  const problem = checkParts(template, template.components, sent.right)
    ?? checkOffer(template.components, sent.right)
    ?? checkCarousel(template, sent.right)
    ?? checkLength(template, parametersOf(sent.right, 'body'))
  return problem === undefined ? E.right(undefined) : E.left(problem)
}

/** The parts of a template and of each card of a carousel, in the order in which the platform checks them. */
const checkParts = (template: Template, parts: ReadonlyArray<TemplateComponent>, sent: Sent): Problem =>
  checkHeader(template, partOf(parts, 'HEADER'), parametersOf(sent, 'header'))
  ?? checkTexts(template, 'body', partOf(parts, 'BODY')?.text ?? '', parametersOf(sent, 'body'))
  ?? checkButtons(template, partOf(parts, 'BUTTONS')?.buttons ?? [], sent.filter(({ type }) => type === 'button'))

const parametersOf = (sent: Sent, type: string): ReadonlyArray<SentParameter> =>
  sent.filter((component) => component.type === type).flatMap(({ parameters }) => parameters)

const checkOffer = (parts: ReadonlyArray<TemplateComponent>, sent: Sent): Problem => {
  const offer = partOf(parts, 'LIMITED_TIME_OFFER')?.limited_time_offer
  const parameters = parametersOf(sent, 'limited_time_offer')
  if (offer?.has_expiration !== true) {
    return parameters.length === 0
      ? undefined
      : graphError(132018, 'limited_time_offer: Template does not contain limited_time_offer component, no parameters allowed')
  }
  return parameters.length === 1 && parameters.every(({ type }) => type === 'limited_time_offer')
    ? undefined
    : graphError(131008, 'limited_time_offer: Parameter expiration_time_ms is required')
}

/** A request contains every card of the template once. For a wrong number of cards, the platform reports that a header is empty. */
const checkCarousel = (template: Template, sent: Sent): Problem => {
  const cards = partOf(template.components, 'CAROUSEL')?.cards
  const given = sent.filter(({ type }) => type === 'carousel').flatMap((carousel) => carousel.cards)
  if (cards === undefined) {
    return sent.some(({ type }) => type === 'carousel')
      ? graphError(132018, 'carousel: Template does not contain carousel component, no parameters allowed')
      : undefined
  }
  const named = new Set(given.map(({ index }) => index))
  if (given.length !== cards.length || cards.some((_, index) => !named.has(index))) {
    return graphError(132012, 'header component parameter should not be empty')
  }
  return given.map(({ index, components }) => checkParts(template, cards[index]?.components ?? [], components))
    .find((problem) => problem !== undefined)
}
