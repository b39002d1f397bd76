import { partOf, placeholdersOf, type TemplateButton, type TemplateComponent, type TemplateDefinition } from '../../apps/simulator/templates/template.js'
import type { Json, JsonObject } from '../../core/kernel/json.js'
import type { SeededRandom } from '../torture/seeded-random.js'
import { elementOf, oneOf } from './generated-templates.js'

/** A send of a template, and its mistake; `right` if it has none. */
export type GeneratedSend = {
  readonly name: string
  readonly language: string
  readonly components: ReadonlyArray<JsonObject> | undefined
  readonly mistake: string
}

type Component = JsonObject & {
  readonly type: string
  readonly parameters?: ReadonlyArray<JsonObject>
  readonly cards?: ReadonlyArray<Card>
}
type Card = JsonObject & { readonly components: ReadonlyArray<Component> }
type Parts = ReadonlyArray<TemplateComponent>

/** A send of a template according to its documentation. */
export const rightSend = (
  random: SeededRandom, { name, language, components: parts }: TemplateDefinition,
): GeneratedSend & { readonly components: ReadonlyArray<Component> } => ({
  name, language, components: componentsFor(random, parts).map((component) => writtenOtherwise(random, component)), mistake: 'right',
})

/** A send of one of several templates; half of them contain a mistake that people and programs make. */
export const generateSend = (random: SeededRandom, templates: ReadonlyArray<TemplateDefinition>): GeneratedSend => {
  const template = elementOf(random, templates)
  const right = rightSend(random, template)
  const { name, components } = right
  if (random.chance(0.5)) return components.length === 0 && random.chance(0.5) ? { ...right, components: undefined } : right
  if (random.chance(0.1)) {
    return {
      ...right, ...oneOf(random, [{ name: `${name}s` }, { name: name.slice(0, -1) }, { name: name.toUpperCase() }]), mistake: 'name',
    }
  }
  if (random.chance(0.1)) return { ...right, language: oneOf(random, ['en', 'en_GB', 'en_us', 'de_DE', '']), mistake: 'language' }
  for (;;) {
    const [mistake, make] = oneOf(random, MISTAKES)
    const wrong = make(random, components, template)
    if (wrong !== undefined) return { ...right, components: wrong, mistake }
  }
}

const WORDS = ['Ada', 'A-17', '12:30', 'Zoë', '李小龍', '🚚', 'noon    sharp', ' '] as const

const textParameter = (text: Json): JsonObject => ({ type: 'text', text })
const source = (random: SeededRandom): JsonObject =>
  oneOf<JsonObject>(random, [
    { id: '17' }, { link: 'https://shop.example/a' }, { id: '17', link: 'https://shop.example/a', caption: 'A', filename: 'a.pdf' },
  ])
const position = (random: SeededRandom, index: number): Json => (random.chance(0.5) ? index : String(index))

/** The parameters of a template, according to its documentation. */
const componentsFor = (random: SeededRandom, parts: Parts, isCode = parts.some(isCodeBody)): ReadonlyArray<Component> => {
  const [header, body, offer] = [partOf(parts, 'HEADER'), partOf(parts, 'BODY'), partOf(parts, 'LIMITED_TIME_OFFER')]
  const [buttons, carousel] = [partOf(parts, 'BUTTONS')?.buttons ?? [], partOf(parts, 'CAROUSEL')]
  return [
    ...(header === undefined
      ? []
      : fill('header', header.format === 'TEXT' ? texts(random, header.text, isCode) : [mediaParameter(random, header.format)])),
    ...(random.chance(0.05)
      ? [{ type: 'body', parameters: texts(random, body?.text ?? '', isCode) }]
      : fill('body', texts(random, body?.text ?? '', isCode))),
    ...(offer?.limited_time_offer.has_expiration === true
      ? fill('limited_time_offer', [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_900_000_000_000 } }])
      : []),
    ...buttons.flatMap((button, index) => buttonFor(random, button, index)),
    ...(carousel === undefined ? [] : [{
      type: 'carousel',
      cards: carousel.cards.map((card, index) => ({
        card_index: position(random, index), components: componentsFor(random, card.components, isCode),
      })),
    }]),
  ]
}

/** The same component in another form that the platform also accepts. */
const writtenOtherwise = (random: SeededRandom, component: Component): Component => {
  if (!random.chance(0.2)) return component
  const { sub_type: subType, parameters } = component
  return oneOf(random, [
    { ...component, type: component.type.toUpperCase() },
    { ...component, ...(typeof subType === 'string' && { sub_type: subType.toUpperCase() }) },
    { ...component, note: { of: 'the sender' } },
    { ...component, ...(parameters !== undefined && { parameters: parameters.map((parameter) => ({ ...parameter, extra: null })) }) },
  ])
}

const isCodeBody = (part: TemplateComponent): boolean => part.type === 'BODY' && part.text.includes('verification code')

const fill = (type: string, parameters: ReadonlyArray<JsonObject>): ReadonlyArray<Component> =>
  parameters.length === 0 ? [] : [{ type, parameters }]

const texts = (random: SeededRandom, text: string, isCode: boolean): ReadonlyArray<JsonObject> =>
  placeholdersOf(text).map((variable) => ({
    ...(isCode ? textParameter(String(random.between(1000, 999_999))) : wordParameter(random)),
    ...(/^[0-9]/.test(variable) ? {} : { parameter_name: variable }),
  }))

const wordParameter = (random: SeededRandom): JsonObject => (random.chance(0.8) ? textParameter(oneOf(random, WORDS)) : oneOf(random, [
  { type: 'currency', currency: { fallback_value: '$9', code: 'USD', amount_1000: 9000 } },
  { type: 'date_time', date_time: { fallback_value: 'today' } },
]))

const mediaParameter = (random: SeededRandom, format: string): JsonObject => {
  const type = format.toLowerCase()
  return {
    type, [type]: format === 'LOCATION' ? { longitude: 13.4, latitude: 52.5, name: 'Shop', address: 'High Street 1' } : source(random),
  }
}

const buttonFor = (random: SeededRandom, button: TemplateButton, index: number): ReadonlyArray<Component> => {
  const press = (subType: string, ...parameters: ReadonlyArray<JsonObject>): ReadonlyArray<Component> =>
    [{ type: 'button', sub_type: subType, index: position(random, index), parameters }]
  const maybe = (parameter: JsonObject): ReadonlyArray<JsonObject> => (random.chance(0.5) ? [parameter] : [])
  switch (button.type) {
    case 'URL': return placeholdersOf(button.url).length > 0 ? press('url', textParameter('a17')) : random.chance(0.2) ? press('url') : []
    case 'OTP': return press('url', textParameter('123456'))
    case 'QUICK_REPLY': return random.chance(0.6) ? press('quick_reply', ...maybe({ type: 'payload', payload: 'YES' })) : []
    case 'COPY_CODE': return press('copy_code', { type: 'coupon_code', coupon_code: 'SUN25' })
    case 'FLOW': return press('flow', ...maybe({ type: 'action', action: { flow_token: 'token' } }))
    case 'CATALOG': return press('catalog', ...maybe({ type: 'action', action: { thumbnail_product_retailer_id: '17' } }))
    case 'MPM': return press('mpm', { type: 'action', action: { sections: [{}] } })
    case 'PHONE_NUMBER': return []
  }
}

type Mistake = (
  random: SeededRandom, components: ReadonlyArray<Component>, template: TemplateDefinition,
) => ReadonlyArray<Component> | undefined
type Change = (component: Component) => Component | undefined

/** Changes one component of the template or of a card that satisfies a condition. */
const change = (
  random: SeededRandom, components: ReadonlyArray<Component>, meets: (component: Component) => boolean, how: Change,
): ReturnType<Mistake> => {
  const cards = components.find((component) => component.cards !== undefined)?.cards ?? []
  const lists = [components, ...cards.map((card) => card.components)].filter((list) => list.some(meets))
  const [list] = lists.length === 0 ? [] : [lists[random.between(0, lists.length - 1)]]
  const found = list?.filter(meets) ?? []
  const chosen = found[random.between(0, found.length - 1)]
  return chosen === undefined ? undefined : replaced(components, chosen, how(chosen))
}

const replaced = (components: ReadonlyArray<Component>, before: Component, after: Component | undefined): ReadonlyArray<Component> =>
  components.flatMap((component) => {
    if (component === before) return after === undefined ? [] : [after]
    return [component.cards === undefined ? component : {
      ...component, cards: component.cards.map((card) => ({ ...card, components: replaced(card.components, before, after) })),
    }]
  })

const isOf = (...types: ReadonlyArray<string>) => ({ type }: Component): boolean => types.includes(type.toLowerCase())
const parametersOf = ({ parameters = [] }: Component): ReadonlyArray<JsonObject> => parameters
const hasParameters = (component: Component): boolean => parametersOf(component).length > 0
const hasText = (component: Component): boolean => parametersOf(component).some(({ type }) => type === 'text')
const isMedia = (component: Component): boolean => isOf('header')(component) && !parametersOf(component).some(({ type }) => isTextual(type))
const isTextual = (type: Json | undefined): boolean => type === 'text' || type === 'currency' || type === 'date_time'
const isButton = (subType: string) => ({ sub_type: given }: Component): boolean => given === subType

const withParameters = (of: (parameters: ReadonlyArray<JsonObject>) => ReadonlyArray<JsonObject>): Change =>
  (component) => ({ ...component, parameters: of(parametersOf(component)) })
const eachText = (text: string): Change =>
  withParameters((parameters) => parameters.map((parameter) => (parameter['type'] === 'text' ? { ...parameter, text } : parameter)))
const only = (...parameters: ReadonlyArray<JsonObject>): Change => withParameters(() => parameters)

const changing = (meets: (component: Component) => boolean, how: Change): Mistake => (random, components) =>
  change(random, components, meets, how)

const hasPart = ({ components }: TemplateDefinition, type: TemplateComponent['type']): boolean =>
  components.some((part) => part.type === type)

/** Adds a component that the template does not have. */
const adding = (lacks: TemplateComponent['type'], component: Component): Mistake => (_random, components, template) =>
  (hasPart(template, lacks) || hasPart(template, 'CAROUSEL') ? undefined : [...components, component])

const withoutSource = ({ type }: JsonObject): JsonObject => (typeof type === 'string' ? { type, [type]: {} } : {})

const LOCATION: JsonObject = { type: 'location', location: { longitude: 1, latitude: 2, name: 'a', address: 'b' } }
const COUPON: JsonObject = { type: 'coupon_code', coupon_code: 'SUN25' }

/** The mistakes that people and programs make. */
const MISTAKES: readonly [readonly [string, Mistake], ...(readonly [string, Mistake])[]] = [
  ['no components at all', (_random, components) => (components.length === 0 ? undefined : [])],
  ['a component is missing', changing(hasParameters, () => undefined)],
  ['a component without parameters', changing(hasParameters, ({ parameters: _parameters, ...component }) => component)],
  ['a parameter is missing', changing(hasParameters, withParameters((parameters) => parameters.slice(1)))],
  ['a parameter too many', changing(isOf('body', 'header'), withParameters((parameters) => [...parameters, textParameter('more')]))],
  [
    'a text where there is no variable',
    (_random, components) =>
      components.some(isOf('body')) ? undefined : [...components, { type: 'body', parameters: [textParameter('x')] }],
  ],
  [
    'the header of another kind',
    changing(isMedia, (component) => ({
      ...component, parameters: [parametersOf(component)[0]?.['type'] === 'location' ? { type: 'image', image: { id: '1' } } : LOCATION],
    })),
  ],
  ['a text for a header\'s file', changing(isMedia, only(textParameter('https://shop.example/a.jpg')))],
  ['a header without a source',
    changing(isMedia, (component) => ({ ...component, parameters: parametersOf(component).map(withoutSource) }))],
  ['an image in the body', changing((component) => isOf('body')(component) && hasText(component), withParameters((parameters) =>
    parameters.map((parameter, at) => (at === 0 ? { ...parameter, type: 'image', image: { id: '1' } } : parameter))))],
  ['a header that the template lacks',
    adding('HEADER', { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/a' } }] })],
  ['a button that the template lacks',
    adding('BUTTONS', { type: 'button', sub_type: 'url', index: '0', parameters: [textParameter('x')] })],
  ['a button at an index too high', (_random, components, template) => (!hasPart(template, 'BUTTONS') ? undefined
    : [...components, { type: 'button', sub_type: 'url', index: 60, parameters: [textParameter('x')] }])],
  ['a button of another kind',
    changing(isButton('url'), (component) => ({ ...component, sub_type: 'quick_reply', parameters: [{ type: 'payload', payload: 'x' }] }))],
  ['a coupon for a URL', changing(isButton('url'), (component) => ({ ...component, sub_type: 'copy_code', parameters: [COUPON] }))],
  ['a URL for a flow', changing(isButton('flow'), (component) => ({ ...component, sub_type: 'url', parameters: [textParameter('x')] }))],
  ['a text for a quick reply', changing(isButton('quick_reply'), only(textParameter('YES')))],
  ['an empty payload', changing(isButton('quick_reply'), only({ type: 'payload', payload: '' }))],
  ['an empty coupon', changing(isButton('copy_code'), only({ type: 'coupon_code', coupon_code: '' }))],
  ['a long coupon', changing(isButton('copy_code'), only({ type: 'coupon_code', coupon_code: 'SUMMER-SUN-2026-25' }))],
  ['a new line', changing(hasText, eachText('two\nlines'))],
  ['a tab', changing(hasText, eachText('a\ttab'))],
  ['five spaces', changing(hasText, eachText('far     away'))],
  ['an empty text', changing(hasText, eachText(''))],
  ['a text that is no string',
    changing(hasText, withParameters((parameters) => parameters.map((parameter) => ({ ...parameter, text: { body: 'x' } }))))],
  ['a long text', changing((component) => isOf('body')(component) && hasText(component), eachText('long '.repeat(300)))],
  [
    'a long code',
    (random, components, template) =>
      template.category === 'AUTHENTICATION' ? change(random, components, isOf('body'), eachText('1234567890123456')) : undefined,
  ],
  ['parameters without their names', changing((component) => parametersOf(component).some((parameter) => 'parameter_name' in parameter),
    withParameters((parameters) => parameters.map(({ parameter_name: _name, ...parameter }) => parameter)))],
  ['a wrong name', changing((component) => parametersOf(component).some((parameter) => 'parameter_name' in parameter),
    withParameters((parameters) =>
      parameters.map((parameter, at) => (at === 0 ? { ...parameter, parameter_name: 'firstname' } : parameter))))],
  ['names for numbers', (random, components, template) => (template.parameter_format === 'NAMED' ? undefined
    : change(
        random, components, isOf('body'),
        withParameters((parameters) => parameters.map((parameter, at) => ({ ...parameter, parameter_name: `p${at}` }))),
      ))],
  [
    'no card',
    (_random, components) =>
      components.some(isOf('carousel')) ? components.filter((component) => !isOf('carousel')(component)) : undefined,
  ],
  ['a card too few', changing(isOf('carousel'), (component) => ({ ...component, cards: (component.cards ?? []).slice(1) }))],
  ['a card too many', changing(isOf('carousel'), (component) => ({
    ...component,
    cards: [
      ...(component.cards ?? []),
      ...(component.cards ?? []).slice(0, 1).map((card) => ({ ...card, card_index: component.cards?.length ?? 0 })),
    ],
  }))],
  ['a component of an unknown kind', (_random, components) => [...components, { type: 'ceiling', parameters: [] }]],
  ['a button of an unknown kind', changing(isButton('url'), (component) => ({ ...component, sub_type: 'link' }))],
  ['a button without its index', changing(isOf('button'), ({ index: _index, ...component }) => component)],
]
