import * as E from 'fp-ts/lib/Either.js'
import { graphError, invalidParameter, type GraphError } from '../graph/error.js'
import { placeholdersOf, type Template } from './templates.js'
import { isObject } from '../json.js'

type Parameters = ReadonlyArray<Readonly<Record<string, unknown>>>
type GivenComponent = { readonly type: string; readonly index: number; readonly parameters: Parameters }
type Checked = E.Either<GraphError, unknown>

const COMPONENT_TYPES = ['header', 'body', 'footer', 'button', 'carousel', 'limited_time_offer', 'order_status']
const MEDIA = ['image', 'video', 'document']
const LONGEST_RENDERED = 1024
const LONGEST_RENDERED_BODY_ONLY = 32_768

/** Checks that the `components` of a request fill the template's variables exactly; left: the error that the platform answers. */
export const checkComponents = (template: Template, components: unknown): Checked => {
  const given = readComponents(components)
  if (E.isLeft(given)) return given
  const checks = template.components.flatMap((part): ReadonlyArray<Checked> => {
    switch (part.type) {
      case 'HEADER': return part.format === 'TEXT'
        ? [checkText(template, 'header', part.text, given.right)]
        : [checkMedia(part.format, given.right)]
      case 'BODY': return [checkText(template, 'body', part.text, given.right)]
      case 'BUTTONS': return part.buttons.map((button, index) =>
        button.type === 'URL' ? checkButton(button.url, index, given.right) : ok)
      case 'FOOTER': return []
    }
  })
  return checks.concat(checkSurplus(template, given.right)).find(E.isLeft) ?? ok
}

const ok: Checked = E.right(undefined)

const readComponents = (components: unknown): E.Either<GraphError, ReadonlyArray<GivenComponent>> => {
  if (components === undefined) return E.right([])
  if (!Array.isArray(components)) return E.left(invalidParameter('Param template[\'components\'] must be an array.'))
  const given: GivenComponent[] = []
  for (const [at, component] of components.entries()) {
    const type = isObject(component) && typeof component['type'] === 'string' ? component['type'].toLowerCase() : ''
    if (!isObject(component) || !COMPONENT_TYPES.includes(type)) {
      const known = COMPONENT_TYPES.join(', ').toUpperCase()
      return E.left(invalidParameter(`Param template['components'][${at}]['type'] must be one of {${known}}`))
    }
    const parameters: unknown = component['parameters'] ?? []
    if (!Array.isArray(parameters) || !parameters.every(isObject)) {
      return E.left(invalidParameter(`Param template['components'][${at}]['parameters'] must be an array.`))
    }
    given.push({ type, index: Number(component['index'] ?? 0), parameters })
  }
  return E.right(given)
}

const parametersOf = (type: string, given: ReadonlyArray<GivenComponent>): Parameters =>
  given.filter((component) => component.type === type).flatMap(({ parameters }) => parameters)

const checkText = (template: Template, slot: 'header' | 'body', text: string, given: ReadonlyArray<GivenComponent>): Checked => {
  const parameters = parametersOf(slot, given)
  const wanted = placeholdersOf(text)
  const names = parameters.map((parameter) => parameter['parameter_name'])
  if (template.parameter_format === 'NAMED' && names.some((name) => typeof name !== 'string' || name === '')) {
    return E.left(graphError(100, 'Parameter name is missing or empty'))
  }
  if (template.parameter_format === 'POSITIONAL' && names.some((name) => name !== undefined)) {
    return E.left(graphError(100, `${slot}: parameter_name is not allowed for a template with positional parameters`))
  }
  if (parameters.length !== wanted.length) return E.left(miscounted(slot, parameters.length, wanted.length))
  const unknownName = names.find((name) => typeof name === 'string' && !wanted.includes(name))
  if (typeof unknownName === 'string') return E.left(graphError(100, `${slot}: there is no parameter named ${unknownName}`))
  return parameters.map((parameter) => checkValue(slot, parameter)).find(E.isLeft) ?? checkLength(template, text, parameters)
}

const checkValue = (slot: string, { type, text, ...rest }: Readonly<Record<string, unknown>>): Checked => {
  if (type === 'currency' || type === 'date_time') {
    return isObject(rest[type]) ? ok : E.left(graphError(131008, `Parameter of type ${type} is missing its value`))
  }
  if (type !== 'text') return E.left(mismatched(slot, 'TEXT', typeof type === 'string' ? type : 'UNKNOWN'))
  if (typeof text !== 'string' || text === '') return E.left(graphError(131008, 'Parameter of type text is missing text value'))
  return /[\n\t]| {5}/.test(text)
    ? E.left(graphError(132018, 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces'))
    : ok
}

const checkLength = (template: Template, text: string, parameters: Parameters): Checked => {
  const fixed = text.replace(/\{\{.*?\}\}/g, '').length
  const filled = parameters.reduce((length, { text: value }) => length + (typeof value === 'string' ? value.length : 0), fixed)
  const longest = template.components.length === 1 ? LONGEST_RENDERED_BODY_ONLY : LONGEST_RENDERED
  return filled > longest
    ? E.left(graphError(132005, `The translated text has ${filled} characters; ${longest} are allowed`))
    : ok
}

const checkMedia = (format: string, given: ReadonlyArray<GivenComponent>): Checked => {
  const parameters = parametersOf('header', given)
  const first = parameters[0]
  const type = typeof first?.['type'] === 'string' ? first['type'] : 'UNKNOWN'
  const media = first?.[type]
  if (type.toUpperCase() !== format) return E.left(mismatched('header', format, type))
  if (parameters.length !== 1) return E.left(miscounted('header', parameters.length, 1))
  return MEDIA.includes(type) && isObject(media) && (typeof media['id'] === 'string' || typeof media['link'] === 'string')
    ? ok
    : E.left(graphError(131008, `Parameter of type ${type} needs an id or a link`))
}

const checkButton = (url: string, index: number, given: ReadonlyArray<GivenComponent>): Checked => {
  const wanted = placeholdersOf(url).length
  const parameters = parametersOf('button', given.filter((component) => component.index === index))
  if (wanted === 0 && parameters.length === 0) return ok
  if (parameters.length === 0) {
    return E.left(graphError(131008, `buttons: Button at index ${index} of type Url requires a parameter`))
  }
  return parameters.length === wanted
    ? parameters.map((parameter) => checkValue('button', parameter)).find(E.isLeft) ?? ok
    : E.left(miscounted('button', parameters.length, wanted))
}

/** Refuses components that the template does not have. */
const checkSurplus = (template: Template, given: ReadonlyArray<GivenComponent>): Checked => {
  const buttons = template.components.flatMap((part) => (part.type === 'BUTTONS' ? part.buttons : []))
  const headers = parametersOf('header', given).length
  if (headers > 0 && !template.components.some(({ type }) => type === 'HEADER')) return E.left(miscounted('header', headers, 0))
  const surplusButton = given.find(({ type, index }) => type === 'button' && buttons[index] === undefined)
  return surplusButton ? E.left(graphError(132018, `buttons: There is no button at index ${surplusButton.index}`)) : ok
}

const mismatched = (slot: string, wanted: string, given: string): GraphError =>
  graphError(132012, `${slot}: Format mismatch, expected ${wanted}, received ${given.toUpperCase()}`)

const miscounted = (slot: string, given: number, wanted: number): GraphError =>
  graphError(132000, `${slot}: number of localizable_params (${given}) does not match the expected number of params (${wanted})`)
