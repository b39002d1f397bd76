import fc from 'fast-check'
import type { Json, JsonObject } from '../../core/kernel/json.js'
import type { Placeholder, Template } from '../../core/templates/template.js'

/** A template of these components; positional and approved unless said otherwise. */
export const templateOf = (components: ReadonlyArray<Json> | undefined, rest: Partial<Template> = {}): Template => ({
  id: '1', name: 'order_update', language: 'en', category: 'utility', status: 'approved', quality: undefined, parameterFormat: 'positional',
  components: components as Template['components'], ...rest,
})

export const body = (text: Json): JsonObject => ({ type: 'BODY', text })
export const header = (format: string, text?: string): JsonObject => ({ type: 'HEADER', format, ...(text === undefined ? {} : { text }) })
export const buttons = (...list: ReadonlyArray<Json>): JsonObject => ({ type: 'BUTTONS', buttons: list })
export const url = (address: string): JsonObject => ({ type: 'URL', text: 'Track it', url: address })
export const reply: JsonObject = { type: 'QUICK_REPLY', text: 'Thanks' }
export const coupon: JsonObject = { type: 'COPY_CODE', text: 'Copy offer code', example: 'SAVE20' }
export const carousel = (...cards: ReadonlyArray<ReadonlyArray<Json>>): JsonObject =>
  ({ type: 'CAROUSEL', cards: cards.map((components) => ({ components })) })

export const text = (value: Json, name?: string): JsonObject => ({
  type: 'text', text: value, ...(name === undefined ? {} : { parameter_name: name }),
})
export const image: JsonObject = { type: 'image', image: { link: 'https://shop.example/a.jpg' } }
export const give = (type: string, ...parameters: ReadonlyArray<Json>): JsonObject => ({ type, parameters })
export const press = (subType: string, index: Json, ...parameters: ReadonlyArray<Json>): JsonObject =>
  ({ type: 'button', sub_type: subType, index, parameters })
export const giveCards = (...cards: ReadonlyArray<ReadonlyArray<Json>>): JsonObject =>
  ({ type: 'carousel', cards: cards.map((components, card) => ({ card_index: card, components })) })

const SUB_TYPES: { readonly [type: string]: string } = { text: 'url', payload: 'quick_reply', action: 'flow', coupon_code: 'copy_code' }

/** The components of a request that fills these placeholders, made of nothing else than them. */
export const filling = (placeholders: ReadonlyArray<Placeholder>): ReadonlyArray<JsonObject> => {
  const cards = [...new Set(placeholders.flatMap(({ card }) => (card === undefined ? [] : [card])))]
  return [
    ...partsFilling(placeholders.filter(({ card }) => card === undefined)),
    ...(cards.length === 0 ? [] : [{
      type: 'carousel',
      cards: cards.map((card) => ({
        card_index: card, components: partsFilling(placeholders.filter((placeholder) => placeholder.card === card)),
      })),
    }]),
  ]
}

const partsFilling = (placeholders: ReadonlyArray<Placeholder>): ReadonlyArray<JsonObject> => {
  const places = new Map<string, ReadonlyArray<Placeholder>>()
  for (const placeholder of placeholders) {
    const place = `${placeholder.component} ${placeholder.button ?? ''}`
    places.set(place, [...(places.get(place) ?? []), placeholder])
  }
  return [...places.values()].map((inPlace) => ({
    type: inPlace[0]?.component ?? '',
    ...(inPlace[0]?.button === undefined ? {} : { sub_type: SUB_TYPES[inPlace[0].type] ?? '', index: inPlace[0].button }),
    parameters: inPlace.map(({ type, name }) => ({ type, [type]: valueOf(type), ...(name === undefined ? {} : { parameter_name: name }) })),
  }))
}

const valueOf = (type: string): Json => {
  switch (type) {
    case 'text': case 'payload': case 'coupon_code': return 'A-17'
    case 'image': case 'video': case 'document': case 'gif': return { id: '17' }
    case 'location': return { latitude: '52.5', longitude: '13.4', name: 'Shop', address: 'Street 1' }
    case 'limited_time_offer': return { expiration_time_ms: 1_893_456_000_000 }
    default: return {}
  }
}

const anyText = fc.oneof(
  fc.constantFrom(
    'Hi {{1}}, your order {{2}} is here.', 'Static.', '{{first_name}} of {{shop_name}}', '{{1}} and {{1}} and {{3}}', '{{имя}}',
    '{{ {x} }}', '{{}}',
  ),
  fc.string(),
)
const anyWord = (...words: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.constantFrom(...words, ...words.map((word) => word.toLowerCase()), 'SOMETHING_NEW')
const anyJson = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const orAnything = (shape: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof({ weight: 9, arbitrary: shape }, { weight: 1, arbitrary: anyJson })

const anyButton = orAnything(fc.record({
  type: anyWord('URL', 'QUICK_REPLY', 'COPY_CODE', 'FLOW', 'OTP', 'PHONE_NUMBER', 'CATALOG', 'MPM', 'ORDER_DETAILS', 'VOICE_CALL'),
  text: anyText, url: fc.oneof(fc.constant('https://shop.example/{{1}}'), fc.constant('https://shop.example'), anyText),
}))
const anyHeader = fc.record({
  type: anyWord('HEADER'), format: anyWord('TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'GIF', 'PRODUCT'), text: anyText,
})
const anyBody = fc.record({ type: anyWord('BODY'), text: orAnything(anyText) })
const anyButtons = fc.record({ type: anyWord('BUTTONS'), buttons: orAnything(fc.array(anyButton, { maxLength: 50 })) })
const anyCard = fc.record({ components: orAnything(fc.array(fc.oneof(anyHeader, anyBody, anyButtons), { maxLength: 3 })) })
const anyComponent = orAnything(fc.oneof(
  anyHeader, anyBody, anyButtons, fc.record({ type: anyWord('FOOTER'), text: anyText }),
  fc.record({
    type: anyWord('LIMITED_TIME_OFFER'), limited_time_offer: orAnything(fc.record({ text: anyText, has_expiration: fc.boolean() })),
  }),
  fc.record({ type: anyWord('CAROUSEL'), cards: orAnything(fc.array(orAnything(anyCard), { maxLength: 4 })) }),
))

/** Templates of every kind, with what the platform may add one day and with shapes that it should never list. */
export const anyTemplate: fc.Arbitrary<Template> = fc.record({
  components: fc.option(fc.array(anyComponent, { maxLength: 6 }), { nil: undefined }),
  parameterFormat: fc.constantFrom('positional' as const, 'named' as const, undefined),
  category: fc.constantFrom('utility', 'marketing', 'authentication', 'something_new'),
}).map(({ components, ...rest }) => templateOf(components, rest))

const anyIndex = fc.oneof(fc.nat(9), fc.nat(9).map(String), anyJson)
const anyParameter = orAnything(fc.record({
  type: anyWord('TEXT', 'CURRENCY', 'DATE_TIME', 'IMAGE', 'VIDEO', 'LOCATION', 'PAYLOAD', 'COUPON_CODE', 'ACTION'),
  text: orAnything(anyText), image: anyJson, currency: anyJson, coupon_code: anyJson,
  parameter_name: orAnything(fc.constantFrom('first_name', 'shop_name')),
}, { requiredKeys: [] }))
const anyGiven: fc.Arbitrary<Json> = orAnything(fc.record({
  type: anyWord('HEADER', 'BODY', 'BUTTON', 'LIMITED_TIME_OFFER'), sub_type: orAnything(anyWord('URL', 'QUICK_REPLY', 'COPY_CODE', 'FLOW')),
  index: anyIndex, parameters: orAnything(fc.array(anyParameter, { maxLength: 4 })),
}, { requiredKeys: ['type'] }))

/** The components of a request, in every right and wrong shape. */
export const anyComponents: fc.Arbitrary<ReadonlyArray<JsonObject>> = fc.array(fc.oneof(
  anyGiven,
  fc.record({
    type: anyWord('CAROUSEL'),
    cards: orAnything(fc.array(
      orAnything(fc.record({ card_index: anyIndex, components: orAnything(fc.array(anyGiven, { maxLength: 3 })) })), { maxLength: 4 },
    )),
  }),
), { maxLength: 6 }) as fc.Arbitrary<ReadonlyArray<JsonObject>>
