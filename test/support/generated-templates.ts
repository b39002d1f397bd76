import {
  TEMPLATE_STATUSES, type TemplateButton, type TemplateComponent, type TemplateDefinition, type TemplateHeader,
} from '../../apps/simulator/templates/template.js'
import type { SeededRandom } from '../torture/seeded-random.js'

/** One of several values, each equally likely. */
export const oneOf = <const A>(random: SeededRandom, values: readonly [A, ...A[]]): A =>
  values[random.between(0, values.length - 1)] ?? values[0]

/** One element of a list, which must not be empty. */
export const elementOf = <A>(random: SeededRandom, list: ReadonlyArray<A>): A => {
  const [first, ...rest] = list
  if (first === undefined) throw new Error('The list is empty')
  return oneOf(random, [first, ...rest])
}

/** A list of `count` values. */
export const listOf = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

const LANGUAGES = ['en', 'en_US', 'de', 'pt_BR', 'zh_CN'] as const
const NAMES = ['order', 'parcel', 'заказ', 'ใบเสร็จ'] as const
const VARIABLES = ['first_name', 'shop', 'order_id', 'day', 'amount']
const MEDIA = ['IMAGE', 'VIDEO', 'DOCUMENT', 'GIF', 'LOCATION'] as const

/** Templates of every kind, with unique names; a name may exist in several languages, with other variables in each. */
export const generateTemplates = (random: SeededRandom, count: number): ReadonlyArray<TemplateDefinition> =>
  listOf(count, (index) => index).flatMap((index) => {
    const name = `${oneOf(random, NAMES)}_${index}`
    const first = random.between(0, LANGUAGES.length - 1)
    return listOf(random.between(1, 2), (at) => generateTemplate(random, name, LANGUAGES[(first + at) % LANGUAGES.length] ?? 'en'))
  })

const generateTemplate = (random: SeededRandom, name: string, language: string): TemplateDefinition => {
  const category = oneOf(random, ['MARKETING', 'MARKETING', 'UTILITY', 'UTILITY', 'AUTHENTICATION'])
  const format = category !== 'AUTHENTICATION' && random.chance(0.3) ? 'NAMED' : 'POSITIONAL'
  const status = random.chance(0.85) ? 'APPROVED' : oneOf(random, TEMPLATE_STATUSES)
  return { name, language, category, status, parameter_format: format, components: componentsOf(random, category, format) }
}

const componentsOf = (random: SeededRandom, category: string, format: string): ReadonlyArray<TemplateComponent> => {
  if (category === 'AUTHENTICATION') return codeComponents(random)
  const isNamed = format === 'NAMED'
  const body = textOf(random, random.between(0, 5), isNamed)
  if (category === 'MARKETING' && random.chance(0.15)) return [{ type: 'BODY', text: body }, carousel(random, isNamed)]
  return [
    ...(random.chance(0.5) ? [header(random, isNamed)] : []),
    ...(category === 'MARKETING' && random.chance(0.15) ? [offer(random)] : []),
    { type: 'BODY', text: body },
    ...(random.chance(0.3) ? [{ type: 'FOOTER', text: 'Reply STOP to end this.' } as const] : []),
    ...(random.chance(0.5) ? [buttons(random, random.between(1, random.chance(0.02) ? 50 : 4))] : []),
  ]
}

/** A text with variables, either `{{1}}` and so on or names; sometimes the first one occurs twice. */
const textOf = (random: SeededRandom, variables: number, isNamed: boolean): string => {
  const names = listOf(variables, (index) => (isNamed ? VARIABLES[index] ?? '' : String(index + 1)))
  const written = random.chance(0.02) ? [...names, ...names.slice(0, 1)] : names
  return ['Hello', ...written.map((name) => `${oneOf(random, ['and', 'für', 'पर', '—'])} {{${name}}}`), '.'].join(' ')
}

const header = (random: SeededRandom, isNamed: boolean): TemplateHeader =>
  random.chance(0.4)
    ? { type: 'HEADER', format: 'TEXT', text: textOf(random, random.between(0, 1), isNamed) }
    : { type: 'HEADER', format: oneOf(random, MEDIA) }

const offer = (random: SeededRandom): TemplateComponent =>
  ({ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends soon', has_expiration: random.chance(0.7) } })

const buttons = (random: SeededRandom, count: number): Extract<TemplateComponent, { type: 'BUTTONS' }> =>
  ({ type: 'BUTTONS', buttons: listOf(count, () => button(random)) })

const button = (random: SeededRandom): TemplateButton => {
  const text = 'Press'
  switch (oneOf(random, ['URL', 'URL', 'STATIC', 'QUICK_REPLY', 'PHONE_NUMBER', 'COPY_CODE', 'FLOW', 'CATALOG'])) {
    case 'URL': return { type: 'URL', text, url: 'https://shop.example/{{1}}' }
    case 'STATIC': return { type: 'URL', text, url: 'https://shop.example' }
    case 'PHONE_NUMBER': return { type: 'PHONE_NUMBER', text, phone_number: '+15550109999' }
    case 'COPY_CODE': return { type: 'COPY_CODE', text }
    case 'FLOW': return { type: 'FLOW', text, flow_id: 1 }
    case 'CATALOG': return { type: 'CATALOG', text }
    case 'QUICK_REPLY': return { type: 'QUICK_REPLY', text }
  }
}

const codeComponents = (random: SeededRandom): ReadonlyArray<TemplateComponent> => [
  { type: 'BODY', text: '*{{1}}* is your verification code.' },
  {
    type: 'BUTTONS',
    buttons: [random.chance(0.5)
      ? { type: 'URL', text: 'Copy', url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}' }
      : { type: 'OTP', text: 'Copy', otp_type: 'COPY_CODE' }],
  },
]

/** Cards that all have the same parts. */
const carousel = (random: SeededRandom, isNamed: boolean): TemplateComponent => {
  const components: ReadonlyArray<TemplateComponent> = [
    { type: 'HEADER', format: oneOf(random, ['IMAGE', 'VIDEO']) },
    ...(random.chance(0.7) ? [{ type: 'BODY', text: textOf(random, random.between(0, 2), isNamed) } as const] : []),
    buttons(random, random.between(1, 2)),
  ]
  return { type: 'CAROUSEL', cards: listOf(random.between(2, 10), () => ({ components })) }
}
