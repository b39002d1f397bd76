import * as E from 'fp-ts/lib/Either.js'
import { faultOfNone, faultOfOne, faultOfVariables } from './check-parameters.js'
import { carouselForm, componentForm } from './component-form.js'
import type { TemplateParameters } from './errors.js'
import { buttonsGiven, cardsGiven, givenFor } from './given-components.js'
import type { Json, JsonObject } from './json.js'
import { partsOf, type TemplatePart, type TemplateParts } from './template-parts.js'
import { placeholdersOf } from './template-placeholders.js'
import type { Template } from './template.js'

/** The faults that a sentence spells out; more are counted. */
const FAULTS_SPELT_OUT = 3

/**
 * Checks that the components of a request fill a template, before money is held for it.
 *
 * Only what the platform is known to refuse is refused here: a wrong refusal would be worse than the platform's own. What is not known of the
 * template, or cannot be read in the request, is left to the platform. The sentence tells what is expected and what came; it has no value of the request.
 */
export const checkTemplate = (template: Template, components: ReadonlyArray<JsonObject> | undefined): E.Either<TemplateParameters, void> => {
  const parts = partsOf(template)
  const faults = parts === undefined ? [] : [...faultsIn(parts, components ?? []), ...faultsOfCards(parts, components ?? [])]
  if (faults.length === 0) return E.right(undefined)
  const more = faults.length > FAULTS_SPELT_OUT ? [`and ${faults.length - FAULTS_SPELT_OUT} more`] : []
  const sentence = [...faults.slice(0, FAULTS_SPELT_OUT), ...more].join('. ')
  return E.left({ _tag: 'TemplateParameters', sentence, expected: placeholdersOf(template) ?? [] })
}

const faultsIn = ({ parts, buttons }: TemplateParts, components: ReadonlyArray<Json>): ReadonlyArray<string> => [
  ...parts.flatMap((part) => faultsOfPart(part, components)),
  ...(buttons === undefined ? [] : faultsOfSurplus(buttons, components)),
]

const faultsOfSurplus = (buttons: number, components: ReadonlyArray<Json>): ReadonlyArray<string> =>
  buttonsGiven(components).filter((button) => button >= buttons).map((button) =>
    `button at index ${button} does not exist; the template has ${buttons === 0 ? 'no buttons' : `buttons from index 0 to ${buttons - 1}`}`)

const faultsOfPart = (part: TemplatePart, components: ReadonlyArray<Json>): ReadonlyArray<string> => {
  const given = givenFor(components, part)
  if (given === undefined) return []
  const name = part.button === undefined ? part.component : `button at index ${part.button}`
  if (isOfOtherKind(part.subType, given.subType)) {
    return [`${name} has the sub_type ${part.subType}; ${given.subType} was given`]
  }
  const fault = faultOfParameters(part, given.parameters)
  if (fault === undefined) return []
  return [`${name} ${fault}${given.parameters.length === 0 ? `: add ${JSON.stringify(componentForm(part))}` : ''}`]
}

/** The kinds of buttons that the platform is known to tell apart by `sub_type`. */
const SUB_TYPES = ['url', 'quick_reply', 'copy_code', 'flow', 'catalog', 'mpm', 'order_details', 'voice_call', 'booking_confirmation', 'reminder']

const isOfOtherKind = (wanted: string | undefined, given: string): wanted is string =>
  wanted !== undefined && given !== wanted && SUB_TYPES.includes(given)

const faultOfParameters = ({ takes }: TemplatePart, parameters: ReadonlyArray<Json>): string | undefined => {
  switch (takes._tag) {
    case 'Variables': return faultOfVariables(takes, parameters)
    case 'One': return faultOfOne(takes, parameters)
    case 'Nothing': return faultOfNone(parameters)
    case 'Unknown': return undefined
  }
}

const faultsOfCards = ({ cards }: TemplateParts, components: ReadonlyArray<Json>): ReadonlyArray<string> => {
  const given = cardsGiven(components)
  if (cards === undefined || given === undefined) return []
  const [first] = cards
  const range = cards.length === 0 ? 'no cards' : `cards from card_index 0 to ${cards.length - 1}`
  if (first !== undefined && given.size === 0) return [`carousel has ${range}; none was given: add ${JSON.stringify(carouselForm(first.parts))}`]
  return [
    ...cards.flatMap((card, index) => faultsIn(card, given.get(index) ?? []).map((fault) => `card with card_index ${index}: ${fault}`)),
    ...[...given.keys()].filter((index) => index >= cards.length).map((index) => `card with card_index ${index} does not exist; the template has ${range}`),
  ]
}
