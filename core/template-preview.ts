import { givenFor } from './given-components.js'
import { elementsOf, isJsonObject, type Json, type JsonObject } from './json.js'
import { wordOf } from './template-parts.js'
import type { Template } from './template.js'
import { filledText } from './template-text.js'

/** What a customer would read of a template: `undefined` for a part that it does not have or that is not known. */
export type TemplatePreview = {
  /** The text, or the kind of what stands there with its link or id, such as `image: https://…`. */
  readonly header: string | undefined
  readonly body: string | undefined
  readonly footer: string | undefined
  /** The label of each button, with the address or the code behind it: `Track it: https://…`. */
  readonly buttons: ReadonlyArray<string>
}

/** A template with the parameters of a request filled in; a variable for which the request has none stays as it stands. Cards are not part of it. */
export const previewOf = (template: Template, components: ReadonlyArray<JsonObject> | undefined): TemplatePreview => {
  const given = components ?? []
  const parts = (template.components ?? []).filter(isJsonObject)
  const partOf = (kind: string): JsonObject | undefined => parts.find(({ type }) => wordOf(type) === kind)
  return {
    header: headerOf(partOf('header'), parametersOf(given, { component: 'header' })),
    body: textOf(partOf('body')?.['text'], parametersOf(given, { component: 'body' })),
    footer: textOf(partOf('footer')?.['text'], []),
    buttons: (elementsOf(partOf('buttons')?.['buttons']) ?? []).map((button, index) =>
      buttonOf(isJsonObject(button) ? button : {}, parametersOf(given, { component: 'button', button: index })[0])),
  }
}

const parametersOf = (components: ReadonlyArray<Json>, part: Parameters<typeof givenFor>[1]): ReadonlyArray<JsonObject> =>
  (givenFor(components, part)?.parameters ?? []).map((parameter) => (isJsonObject(parameter) ? parameter : {}))

const headerOf = (header: JsonObject | undefined, parameters: ReadonlyArray<JsonObject>): string | undefined => {
  const format = wordOf(header?.['format'])
  if (format === 'text' || format === '') return textOf(header?.['text'], parameters)
  const content = parameters[0]?.[wordOf(parameters[0]['type'])]
  const details = isJsonObject(content) ? [content['link'] ?? content['id'], content['name'], content['address']].flatMap(plainText) : []
  return details.length === 0 ? format : `${format}: ${details.join(', ')}`
}

const textOf = (text: Json | undefined, parameters: ReadonlyArray<JsonObject>): string | undefined =>
  typeof text === 'string' ? filledText(text, (variable) => valueOf(parameterOf(variable, parameters))) : undefined

const parameterOf = (variable: string, parameters: ReadonlyArray<JsonObject>): JsonObject | undefined =>
  parameters.find((parameter) => parameter['parameter_name'] === variable) ?? (/^[0-9]{1,6}$/.test(variable) ? parameters[Number(variable) - 1] : undefined)

const valueOf = (parameter: JsonObject | undefined): string | undefined => {
  const type = wordOf(parameter?.['type'])
  const value = parameter?.[type === 'currency' || type === 'date_time' ? type : 'text']
  return plainText(isJsonObject(value) ? value['fallback_value'] : value)[0]
}

const buttonOf = (button: JsonObject, parameter: JsonObject | undefined): string => {
  const label = plainText(button['text'])[0] ?? wordOf(button['type'])
  const [address] = plainText(button['url'] ?? button['phone_number'])
  const [code] = plainText(parameter?.['coupon_code'])
  const behind = code ?? (address === undefined ? undefined : filledText(address, () => valueOf(parameter)))
  return behind === undefined ? label : `${label}: ${behind}`
}

const plainText = (value: Json | undefined): ReadonlyArray<string> =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []
