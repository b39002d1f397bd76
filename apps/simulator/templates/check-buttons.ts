import { graphError } from '../graph/error.js'
import { isObject } from '../json.js'
import { checkText } from './check-texts.js'
import { miscounted, tooLong, type Problem } from './problem.js'
import type { SentComponent, SentParameter } from './sent-components.js'
import { placeholdersOf, type Template, type TemplateButton } from './template.js'

/** How the platform names a button in its errors, and the `sub_type` that a request names it by. */
const BUTTONS: Readonly<Record<TemplateButton['type'], readonly [title: string, subType: string]>> = {
  URL: ['Url', 'url'], OTP: ['Url', 'url'], PHONE_NUMBER: ['Call', ''], QUICK_REPLY: ['QuickReply', 'quick_reply'],
  COPY_CODE: ['CopyCode', 'copy_code'], FLOW: ['Flow', 'flow'], CATALOG: ['Catalog', 'catalog'], MPM: ['Mpm', 'mpm'],
}

/** Checks what fills the buttons of a template or of a card. */
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
    case 'FLOW': return sent.length > 0 && parameters.every(({ type }) => type === 'action') ? undefined : graphError(131009, 'Parameter value is not valid')
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

const hasSections = ({ action }: SentParameter): boolean => isObject(action) && Array.isArray(action['sections']) && action['sections'].length > 0
