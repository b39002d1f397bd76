import * as E from 'fp-ts/lib/Either.js'
import { graphError, type GraphError } from '../graph/error.js'
import { checkButtons } from './check-buttons.js'
import { checkHeader } from './check-header.js'
import { checkLength, checkTexts } from './check-texts.js'
import type { Problem } from './problem.js'
import { readComponents, type SentComponent, type SentParameter } from './sent-components.js'
import { partOf, type Template, type TemplateComponent } from './template.js'

type Sent = ReadonlyArray<SentComponent>

/** Checks that the `components` of a request fill a template exactly; left: the error that the platform answers. */
export const checkComponents = (template: Template, components: unknown): E.Either<GraphError, void> => {
  const sent = readComponents(components)
  if (E.isLeft(sent)) return sent
  const problem = checkParts(template, template.components, sent.right)
    ?? checkOffer(template.components, sent.right)
    ?? checkCarousel(template, sent.right)
    ?? checkLength(template, parametersOf(sent.right, 'body'))
  return problem === undefined ? E.right(undefined) : E.left(problem)
}

/** What a template and each card of a carousel have, in the order in which the platform looks at it. */
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

/** A request names every card of the template once. The platform says of a wrong number of cards that a header is empty. */
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
  return given.map(({ index, components }) => checkParts(template, cards[index]?.components ?? [], components)).find((problem) => problem !== undefined)
}
