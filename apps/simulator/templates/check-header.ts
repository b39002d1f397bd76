import { graphError } from '../graph/error.js'
import { isObject } from '../json.js'
import { checkTexts, isTextual } from './check-texts.js'
import { miscounted, mismatched, type Problem } from './problem.js'
import type { SentParameter } from './sent-components.js'
import type { Template, TemplateHeader } from './template.js'

/** Checks what fills the header of a template or of a card; `header` is undefined where there is none. */
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
