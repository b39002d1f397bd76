import { assert } from 'chai'
import fc from 'fast-check'
import type { Json } from '../../../core/kernel/json.js'
import { type Placeholder, placeholdersOf, type Template } from '../../../core/templates/template.js'
import { anyTemplate, body, buttons, carousel, coupon, header, reply, templateOf, url } from '../template-samples.js'

const PLACEHOLDERS: ReadonlyArray<readonly [string, ReadonlyArray<Json>, ReadonlyArray<Placeholder>, Partial<Template>?]> = [
  ['a body without variables', [body('Welcome.')], []],
  ['the variables of a body, by their numbers', [body('{{2}} for {{1}}')], [
    { component: 'body', type: 'text', index: 1 }, { component: 'body', type: 'text', index: 2 },
  ]],
  ['a variable once that a text has twice', [body('{{1}}, yes, {{1}}')], [{ component: 'body', type: 'text', index: 1 }]],
  ['the variables of a body, by their names', [body('Hi {{first_name}} of {{ shop_name }}')], [
    { component: 'body', type: 'text', name: 'first_name' }, { component: 'body', type: 'text', name: 'shop_name' },
  ], { parameterFormat: 'named' }],
  ['variables of another script', [body('Привет, {{имя}}')], [{ component: 'body', type: 'text', name: 'имя' }],
    { parameterFormat: 'named' }],
  ['variables that are not those of its format', [body('Hi {{first_name}}, {{1}}')], [
    { component: 'body', type: 'text', name: 'first_name' }, { component: 'body', type: 'text', name: '1' },
  ]],
  ['variables of an unknown format', [body('{{1}}'), header('TEXT', '{{shop}}')], [
    { component: 'header', type: 'text', name: 'shop' }, { component: 'body', type: 'text', index: 1 },
  ], { parameterFormat: undefined }],
  ['a header of text', [header('TEXT', 'Order {{1}}'), body('Hi')], [{ component: 'header', type: 'text', index: 1 }]],
  ...['image', 'video', 'document', 'location', 'gif'].map((type) =>
    [`a header of kind ${type}`, [header(type.toUpperCase()), body('Hi')], [{ component: 'header', type }]] as const),
  ['words in small letters', [{ type: 'header', format: 'image' }, { type: 'body', text: '{{1}}' }], [
    { component: 'header', type: 'image' }, { component: 'body', type: 'text', index: 1 },
  ]],
  ['a header of a new kind', [header('HOLOGRAM'), body('Hi')], []],
  ['a URL with a variable', [body('Hi'), buttons(url('https://shop.example'), url('https://shop.example/{{1}}'))], [
    { component: 'button', type: 'text', button: 1 },
  ]],
  ['a quick reply, whose payload is optional', [body('Hi'), buttons(reply)],
    [{ component: 'button', type: 'payload', button: 0, optional: true }]],
  ['a flow, whose action is optional', [body('Hi'), buttons({ type: 'FLOW', text: 'Book' })], [
    { component: 'button', type: 'action', button: 0, optional: true },
  ]],
  ['a code to copy', [body('Hi'), buttons(reply, coupon)], [
    { component: 'button', type: 'payload', button: 0, optional: true }, { component: 'button', type: 'coupon_code', button: 1 },
  ]],
  ['a one-time password', [
    body('*{{1}}* is your code.'), buttons({ type: 'URL', text: 'Copy code', url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}' }),
  ], [{ component: 'body', type: 'text', index: 1 }, { component: 'button', type: 'text', button: 0 }], { category: 'authentication' }],
  ['a one-time password listed as its own kind of button', [body('{{1}} is your code.'), buttons({ type: 'OTP', otp_type: 'ONE_TAP' })], [
    { component: 'body', type: 'text', index: 1 }, { component: 'button', type: 'text', button: 0 },
  ], { category: 'authentication' }],
  ['buttons that take nothing or something unknown', [
    body('Hi'), buttons(...['PHONE_NUMBER', 'CATALOG', 'MPM', 'ORDER_DETAILS', 'VOICE_CALL', 'NEW'].map((type) => ({ type }))),
  ], []],
  ['an offer that expires', [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now!', has_expiration: true } }, body('Hi')], [
    { component: 'limited_time_offer', type: 'limited_time_offer' },
  ]],
  ['an offer that does not expire',
    [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now!', has_expiration: false } }, body('Hi')], []],
  ['the cards of a carousel', [body('{{1}}'), carousel(
    [header('IMAGE'), body('{{1}}'), buttons(url('https://shop.example/{{1}}'))], [header('VIDEO'), body('Plain'), buttons(reply)],
  )], [
    { component: 'body', type: 'text', index: 1 },
    { component: 'header', type: 'image', card: 0 }, { component: 'body', type: 'text', index: 1, card: 0 },
    { component: 'button', type: 'text', button: 0, card: 0 },
    { component: 'header', type: 'video', card: 1 }, { component: 'button', type: 'payload', button: 0, optional: true, card: 1 },
  ]],
  ['a carousel of products, which may have more cards than the template', [body('Hi'), carousel([header('PRODUCT')], [header('PRODUCT')])],
    []],
  ['components of wrong shapes', [null, 1, [], 'BODY', { type: 7 }, { type: 'BODY', text: {} }, { type: 'BUTTONS', buttons: 'x' }], []],
]

describe('The placeholders of a template', () => {
  for (const [title, components, expected, rest] of PLACEHOLDERS) {
    it(`are those of ${title}`, () => assert.deepEqual(placeholdersOf(templateOf(components, rest)), expected))
  }

  it('are not known if its components are not', () => assert.isUndefined(placeholdersOf(templateOf(undefined))))

  it('are read from every template that the platform may list', () => {
    fc.assert(fc.property(anyTemplate, (template) => {
      const placeholders = placeholdersOf(template)
      assert.equal(placeholders === undefined, template.components === undefined)
      for (const { index, button, card } of placeholders ?? []) {
        assert.isTrue([(index ?? 1) - 1, button ?? 0, card ?? 0].every((position) => Number.isInteger(position) && position >= 0))
      }
    }), { numRuns: 2_000 })
  })
})
