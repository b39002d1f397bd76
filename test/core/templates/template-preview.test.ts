import { assert } from 'chai'
import fc from 'fast-check'
import type { Json, JsonObject } from '../../../core/kernel/json.js'
import { previewOf, type TemplatePreview } from '../../../core/templates/parts.js'
import type { Template } from '../../../core/templates/template.js'
import {
  anyComponents, anyTemplate, body, buttons, coupon, give, header, image, press, reply, templateOf, text, url,
} from '../template-samples.js'

type Row = readonly [
  title: string, template: ReadonlyArray<Json> | undefined, given: ReadonlyArray<Json> | undefined, expected: Partial<TemplatePreview>,
  rest?: Partial<Template>,
]

const EMPTY: TemplatePreview = { header: undefined, body: undefined, footer: undefined, buttons: [] }
const ORDER = [body('Hi {{1}}, your order {{2}} is on its way.')]
const footer = { type: 'FOOTER', text: 'Reply {{STOP}}' }

const PREVIEWS: ReadonlyArray<Row> = [
  ['has its parameters filled in', ORDER, [give('body', text('Ada'), text('A-17'))], { body: 'Hi Ada, your order A-17 is on its way.' }],
  ['keeps a variable for which there is no parameter', ORDER, [give('body', text('Ada'))], { body: 'Hi Ada, your order {{2}} is on its way.' }],
  ['keeps all of them without components', ORDER, undefined, { body: 'Hi {{1}}, your order {{2}} is on its way.' }],
  ['takes a value as it is', [body('{{1}}')], [give('body', text('$& {{1}} $1'))], { body: '$& {{1}} $1' }],
  ['has named parameters in the order of the text', [body('{{first_name}} of {{shop_name}}')],
    [give('body', text('Shop', 'shop_name'), text('Ada', 'first_name'))],
    { body: 'Ada of Shop' }, { parameterFormat: 'named' }],
  ['has amounts and dates in words', [body('{{1}} on {{2}}')],
    [
      give(
        'body', { type: 'currency', currency: { fallback_value: '9 EUR' } }, { type: 'date_time', date_time: { fallback_value: 'Monday' } },
      ),
    ],
    { body: '9 EUR on Monday' }],
  ['has a header of text and a footer', [header('TEXT', 'Order {{1}}'), body('Hi'), footer], [give('header', text('A-17'))],
    { header: 'Order A-17', body: 'Hi', footer: 'Reply {{STOP}}' }],
  ['says what kind of media its header is', [header('IMAGE'), body('Hi')], [give('header', image)],
    { header: 'image: https://shop.example/a.jpg', body: 'Hi' }],
  ['says the id of media', [header('VIDEO'), body('Hi')], [give('header', { type: 'video', video: { id: 17 } })],
    { header: 'video: 17', body: 'Hi' }],
  ['says the kind alone of media that are missing', [header('DOCUMENT'), body('Hi')], [], { header: 'document', body: 'Hi' }],
  ['says the name and address of a location', [header('LOCATION'), body('Hi')],
    [give('header', { type: 'location', location: { latitude: '52.5', longitude: '13.4', name: 'Shop', address: 'Street 1' } })],
    { header: 'location: Shop, Street 1', body: 'Hi' }],
  ['has its buttons with the addresses and codes behind them',
    [
      body('Hi'),
      buttons(
        url('https://shop.example/{{1}}'), reply, coupon, { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+491' }, { type: 'CATALOG' },
        7,
      ),
    ],
    [press('url', '0', text('a17')), press('copy_code', 2, { type: 'coupon_code', coupon_code: 'SAVE20' })],
    { body: 'Hi', buttons: ['Track it: https://shop.example/a17', 'Thanks', 'Copy offer code: SAVE20', 'Call: +491', 'catalog', ''] }],
  ['keeps the variable of an address', [body('Hi'), buttons(url('https://shop.example/{{1}}'))], [],
    { body: 'Hi', buttons: ['Track it: https://shop.example/{{1}}'] }],
  ['is empty where the components are not known', undefined, [give('body', text('a'))], {}],
  ['is empty for components of wrong shapes', [null, 1, [], { type: 'BODY', text: {} }, { type: 'BUTTONS', buttons: {} }], [null], {}],
]

describe('The preview of a template', () => {
  for (const [title, template, given, expected, rest] of PREVIEWS) {
    it(title, () =>
      assert.deepEqual(previewOf(templateOf(template, rest), given as ReadonlyArray<JsonObject> | undefined), { ...EMPTY, ...expected }))
  }

  it('is made of every template and every request', () => {
    fc.assert(fc.property(anyTemplate, anyComponents, (template, components) => {
      const { header: first, body: second, footer: third, buttons: labels } = previewOf(template, components)
      for (const part of [first ?? '', second ?? '', third ?? '', ...labels]) assert.isString(part)
    }), { numRuns: 2_000 })
  })
})
