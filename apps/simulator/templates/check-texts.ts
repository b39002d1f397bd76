import { graphError } from '../graph/error.js'
import { miscounted, mismatched, tooLong, type Problem } from './problem.js'
import type { SentParameter } from './sent-components.js'
import { partOf, placeholdersOf, type Template } from './template.js'

type Slot = 'header' | 'body' | 'button'
type Parameters = ReadonlyArray<SentParameter>

const TEXTUAL = ['text', 'currency', 'date_time']
const FORBIDDEN_SPACE = /[\n\r\t]| {5}/
const LONGEST_RENDERED = 1024
const LONGEST_RENDERED_BODY_ONLY = 32_768

/** Checks what fills the variables of a text: how many, by which names, of which type, and with what. */
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

/** The text of the body with its variables filled in must not be too long; without other components it may be longer. */
export const checkLength = ({ components }: Template, parameters: Parameters): Problem => {
  const fixed = partOf(components, 'BODY')?.text.replace(/\{\{.*?\}\}/g, '').length ?? 0
  const filled = parameters.reduce((length, { text }) => length + (typeof text === 'string' ? text.length : 0), fixed)
  const longest = components.length === 1 ? LONGEST_RENDERED_BODY_ONLY : LONGEST_RENDERED
  return filled > longest ? graphError(132005, `The translated text has ${filled} characters; ${longest} are allowed`) : undefined
}

/** Whether a parameter is of a type that fills a variable of a text. */
export const isTextual = ({ type }: SentParameter): boolean => TEXTUAL.includes(type)

const checkNames = (template: Template, wanted: ReadonlyArray<string>, parameters: Parameters): Problem => {
  const names = parameters.map((parameter) => parameter['parameter_name'])
  if (template.parameter_format === 'POSITIONAL') {
    return names.some((name) => typeof name === 'string' && name !== '') ? graphError(132012, 'Parameter name is not allowed in a template with positional parameters') : undefined
  }
  if (names.some((name) => typeof name !== 'string' || name === '')) return graphError(100, 'Parameter name is missing or empty')
  const unfilled = wanted.find((name) => !names.includes(name))
  return unfilled === undefined ? undefined : graphError(100, `Parameter name is missing for the parameter '{{${unfilled}}}'`)
}
