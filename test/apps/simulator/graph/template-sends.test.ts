import { assert } from 'chai'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import type { TemplateDefinition } from '../../../../apps/simulator/templates/template.js'
import { CUSTOMER, json, post, quickSimulator, record, template } from '../support.js'

type Components = ReadonlyArray<object>
type Asked = readonly [name: string, components?: Components | undefined, language?: string]

const words = (...texts: ReadonlyArray<string>) => texts.map((text) => ({ type: 'text', text }))
const body = (...parameters: ReadonlyArray<object>) => ({ type: 'body', parameters })
const header = (...parameters: ReadonlyArray<object>) => ({ type: 'header', parameters })
const named = (parameter_name: string, text: string) => ({ type: 'text', parameter_name, text })
const media = (type: string, source: object = { link: 'https://shop.example/a' }) => header({ type, [type]: source })
const place = { longitude: 13.4, latitude: 52.5, name: 'The shop', address: 'High Street 1' }
const button = (sub_type: string, index: string | number, ...parameters: ReadonlyArray<object>) =>
  ({ type: 'button', sub_type, index, parameters })
const url = (text: string, index: string | number = 0) => button('url', index, ...words(text))
const coupon = (code: string, index = 0) => button('copy_code', index, { type: 'coupon_code', coupon_code: code })
const action = (fields: object = {}) => ({ type: 'action', action: fields })
const payload = (text: string) => ({ type: 'payload', payload: text })
const until = (expiration_time_ms: number) =>
  ({ type: 'limited_time_offer', parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms } }] })
const card = (card_index: number, ...components: Components) => ({ card_index, components })
const fullCard = (index: number) => card(index, media('image', { id: '1' }), body(...words('home')), url('17', '1'))
const carousel = (...cards: Components) => ({ type: 'carousel', cards })
const currency = { type: 'currency', currency: { fallback_value: '$9', code: 'USD', amount_1000: 9000 } }
const date = { type: 'date_time', date_time: { fallback_value: '3 October' } }

const TEMPLATES: ReadonlyArray<TemplateDefinition> = [
  { name: 'mine', language: 'de', category: 'UTILITY', components: [{ type: 'BODY', text: 'Nummer {{1}}, noch einmal {{1}}.' }] },
  {
    name: 'titled', language: 'en', category: 'UTILITY',
    components: [{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }, { type: 'BODY', text: 'It is there.' }],
  },
  {
    name: 'all_buttons', language: 'en', category: 'MARKETING',
    components: [{ type: 'BODY', text: 'Choose.' }, {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' }, { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550109999' },
        { type: 'URL', text: 'Look', url: 'https://shop.example' },
      ],
    }],
  },
  {
    name: 'created_code', language: 'en', category: 'AUTHENTICATION',
    components: [
      { type: 'BODY', text: '{{1}} is your code.' },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', text: 'Copy', otp_type: 'COPY_CODE' }] },
    ],
  },
  {
    name: 'products', language: 'en', category: 'MARKETING',
    components: [{ type: 'BODY', text: 'Ours.' }, { type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'View items' }] }],
  },
  {
    name: 'an_offer', language: 'en', category: 'MARKETING',
    components: [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Soon!' } }, { type: 'BODY', text: 'An offer.' }],
  },
]

describe('the simulator, when a template is sent,', () => {
  let simulator: Simulator
  before(async () => { simulator = await quickSimulator({ templates: TEMPLATES }) })
  after(() => simulator.close())

  const send = ([name, components, language = 'en']: Asked): Promise<Response> =>
    post(simulator, template(CUSTOMER, name, language, components))

  const accepted: ReadonlyArray<readonly [title: string, asked: Asked]> = [
    ['without variables', ['hello_world', undefined, 'en_US']],
    ['without variables and with empty components', ['hello_world', []]],
    ['without variables and with an empty body', ['hello_world', [body()]]],
    ['with its two variables', ['order_update', [body(...words('Ada', 'A-17'))], 'en_US']],
    ['with a currency and a date', ['order_update', [body(currency, date)]]],
    ['with types in upper case',
      ['our_catalog', [{ ...body(...words('Ada')), type: 'BODY' }, { ...button('CATALOG', 0), type: 'BUTTON' }]]],
    ['with named variables in any order', ['welcome', [body(named('shop_name', 'Shop'), named('first_name', 'Ada'))]]],
    ['with named variables in the header, and a flow without a token', ['survey', [
      header(named('first_name', 'Ada')), body(named('product', 'the lamp'), named('first_name', 'Ada')), button('flow', '0'),
    ]]],
    ['with a flow and its token', ['survey', [
      header(named('first_name', 'Ada')), body(named('product', 'the lamp'), named('first_name', 'Ada')),
      button('flow', 0, action({ flow_token: 'x' })),
    ]]],
    ['with an image and a button', ['shipment_photo', [media('image'), body(...words('P1')), url('a17', '0')]]],
    ['with a quick reply\'s payload too',
      ['shipment_photo', [media('image'), body(...words('P1')), url('a17'), button('quick_reply', 1, payload('YES'))]]],
    ['with a video by its id', ['how_to_video', [media('video', { id: '1' })]]],
    ['with a document', ['invoice', [media('document', { link: 'https://shop.example/1.pdf', filename: '1.pdf' }), body(...words('1'))]]],
    ['with a GIF', ['birthday', [media('gif'), body(...words('Ada'))]]],
    ['with a location', ['store_visit', [media('location', place), body(...words('Monday', 'noon'))]]],
    ['with a variable in the header', ['titled', [header(...words('A-17'))]]],
    ['whose variable is there twice, counted once', ['mine', [body(...words('7'))], 'de']],
    ['with a one-time password', ['one_time_code', [body(...words('123456')), url('123456')]]],
    ['with a one-time password in the form in which it is created', ['created_code', [body(...words('123456')), url('123456')]]],
    ['with a catalog, and its thumbnail',
      ['our_catalog', [body(...words('Ada')), button('catalog', 0, action({ thumbnail_product_retailer_id: '1' }))]]],
    ['with products',
      ['products', [button('mpm', 0, action({ thumbnail_product_retailer_id: '1', sections: [{ title: 'All', product_items: [] }] }))]]],
    ['with an offer that ends',
      ['summer_offer', [media('image'), until(1_900_000_000_000), body(...words('Ada', 'SUN25')), coupon('SUN25'), url('SUN25', 1)]]],
    ['with an offer that does not end', ['an_offer']],
    ['with cards, in any order', ['new_arrivals', [body(...words('Ada')), carousel(fullCard(1), fullCard(0))]]],
    ['with buttons that take nothing', ['all_buttons', [button('quick_reply', 0)]]],
  ]
  for (const [title, asked] of accepted) {
    it(`accepts one ${title}`, async () => {
      const response = await send(asked)
      assert.equal(response.status, 200, await response.text())
    })
  }

  const mismatch = (slot: string, given: number, wanted: number): string =>
    `${slot}: number of localizable_params (${given}) does not match the expected number of params (${wanted})`
  const format = (slot: string, wanted: string, given: string): string => `${slot}: Format mismatch, expected ${wanted}, received ${given}`
  const mandatory = (field: string, type: string): string => `Parameter '${field}' is mandatory for component parameter type '${type}'`
  const offer = [media('image'), body(...words('Ada', 'SUN25')), url('SUN25', 1)]

  const refused: ReadonlyArray<readonly [title: string, asked: Asked, code: number, details: string, status?: number]> = [
    ['an unknown name', ['nothing'], 132001, 'template name (nothing) does not exist in en', 404],
    ['another language', ['hello_world', undefined, 'en_GB'], 132001, 'template name (hello_world) does not exist in en_GB', 404],
    ['one not yet approved', ['in_review'], 132001, 'template name (in_review) does not exist in en', 404],
    ['a rejected one', ['refused_news'], 132001, 'template name (refused_news) does not exist in en', 404],
    ['a paused one', ['seasonal_sale'], 132015, 'template seasonal_sale is paused'],
    ['a disabled one', ['old_offer'], 132016, 'template old_offer is disabled'],

    ['no variables where two are wanted', ['order_update'], 132000, mismatch('body', 0, 2)],
    ['three variables where two are wanted', ['order_update', [body(...words('a', 'b', 'c'))]], 132000, mismatch('body', 3, 2)],
    ['a variable where none is wanted', ['hello_world', [body(...words('a'))]], 132000, mismatch('body', 1, 0)],
    ['no variable in the header', ['titled'], 132000, mismatch('header', 0, 1)],
    ['a variable in a header without one', ['hello_world', [header(...words('a'))]], 132000, mismatch('header', 1, 0)],
    ['two named values where one is missing', ['welcome', [body(named('first_name', 'Ada'))]], 132000, mismatch('body', 1, 2)],
    ['unnamed values for named variables', ['welcome', [body(...words('a', 'b'))]], 100, 'Parameter name is missing or empty'],
    ['a name that the template lacks', ['welcome', [body(named('first_name', 'x'), named('other', 'y'))]], 100,
      'Parameter name is missing for the parameter \'{{shop_name}}\''],
    ['a name twice', ['welcome', [body(named('first_name', 'x'), named('first_name', 'y'))]], 100,
      'Parameter name is missing for the parameter \'{{shop_name}}\''],
    ['named values for numbered variables', ['order_update', [body(named('a', 'x'), named('b', 'y'))]], 132012,
      'Parameter name is not allowed in a template with positional parameters'],
    ['an empty value', ['order_update', [body(...words('', 'b'))]], 131008, 'Parameter of type text is missing text value'],
    ['a value with a new line', ['order_update', [body(...words('a\nb', 'b'))]], 132018,
      'Param text cannot have new-line/tab characters or more than 4 consecutive spaces'],
    ['a value with five spaces', ['order_update', [body(...words('a', '     b'))]], 132018,
      'Param text cannot have new-line/tab characters or more than 4 consecutive spaces'],
    ['a value of another type', ['order_update', [body({ type: 'image', image: { id: '1' } }, ...words('b'))]], 132012,
      format('body', 'TEXT', 'IMAGE')],
    ['values that are too long', ['order_update', [body(...words('x'.repeat(33_000), 'b'))]], 132005,
      'The translated text has 33032 characters; 32768 are allowed'],

    ['a missing image', ['shipment_photo', [body(...words('P')), url('a')]], 132012, format('header', 'IMAGE', 'UNKNOWN')],
    ['a text where an image is wanted', ['shipment_photo', [header(...words('x')), body(...words('P')), url('a')]], 132012,
      format('header', 'IMAGE', 'TEXT')],
    ['a video where an image is wanted', ['shipment_photo', [media('video'), body(...words('P')), url('a')]], 132012,
      format('header', 'IMAGE', 'VIDEO')],
    ['an image where a text is wanted', ['titled', [media('image')]], 132012, format('header', 'TEXT', 'IMAGE')],
    ['two images', ['shipment_photo', [media('image'), media('image'), body(...words('P')), url('a')]], 132000, mismatch('header', 2, 1)],
    ['an image without a source', ['shipment_photo', [media('image', {}), body(...words('P')), url('a')]], 132018,
      'Either one of media ID or link must be present'],
    ['a missing location', ['store_visit', [body(...words('a', 'b'))]], 132012, format('header', 'LOCATION', 'UNKNOWN')],
    ['a location without an address', ['store_visit', [media('location', { ...place, address: undefined }), body(...words('a', 'b'))]], 100,
      mandatory('address', 'location')],
    ['a header that the template lacks', ['order_update', [media('image'), body(...words('a', 'b'))]], 132018,
      'header: Template does not contain title component, no parameters allowed'],

    ['a missing button', ['shipment_photo', [media('image'), body(...words('P'))]], 131008, 'buttons: Button at index 0 of type Url requires a parameter'],
    ['a button without its text', ['shipment_photo', [media('image'), body(...words('P')), button('url', 0)]], 131008,
      'buttons: Button at index 0 of type Url requires a parameter'],
    ['an empty text of a button', ['shipment_photo', [media('image'), body(...words('P')), url('')]], 100,
      'button: Parameter \'text\' is mandatory for component parameter type \'text\' and cannot be empty'],
    ['two texts of a button', ['shipment_photo', [media('image'), body(...words('P')), button('url', 0, ...words('a', 'b'))]], 132000,
      mismatch('button', 2, 1)],
    ['a button at an index that the template lacks', ['shipment_photo', [media('image'), body(...words('P')), url('a'), url('b', 5)]],
      132018,
      'buttons: There is no button at index 5'],
    ['a button of another type', ['shipment_photo', [media('image'), body(...words('P')), button('quick_reply', 0, payload('x'))]], 132018,
      'buttons: Button at index 0 must be of type Url'],
    ['a text for a quick reply', ['all_buttons', [button('quick_reply', 0, ...words('x'))]], 131008,
      'buttons: Button at index 0 of type QuickReply requires a payload'],
    ['an empty payload', ['all_buttons', [button('quick_reply', 0, payload(''))]], 132018,
      'buttons: Button at index 0 of type QuickReply takes one payload'],
    ['a text for a phone number', ['all_buttons', [url('x', 1)]], 100, 'buttons: Button at index 1 is of type Call and does not support parameters'],
    ['a text for a URL without a variable', ['all_buttons', [url('x', 2)]], 132018, 'buttons: Button of type Url has no variable, no parameters allowed'],
    ['buttons where there are none', ['order_update', [body(...words('a', 'b')), url('x')]], 132018,
      'buttons: Template does not contain button components, no parameters allowed'],
    ['a coupon for a one-time password', ['one_time_code', [body(...words('1')), coupon('1')]], 132018, 'buttons: Button at index 0 must be of type Url'],
    ['a one-time password without its button', ['created_code', [body(...words('1'))]], 131008, 'buttons: Button at index 0 of type Url requires a parameter'],
    ['a one-time password that is too long', ['one_time_code', [body(...words('1234567890123456')), url('1')]], 132018,
      'body: Parameter at index 0 exceeds the parameter length limit 15'],
    ['a button\'s one-time password that is too long', ['one_time_code', [body(...words('1')), url('1234567890123456')]], 100,
      'button: Parameter at index 0 exceeds the parameter length limit 15'],
    ['a flow that is not named', ['survey', [header(named('first_name', 'A')), body(named('product', 'B'), named('first_name', 'A'))]],
      131009,
      'Parameter value is not valid'],
    ['a catalog that is not named', ['our_catalog', [body(...words('a'))]], 131008, 'buttons: Button at index 0 of type Catalog requires a parameter'],
    ['products without sections', ['products', [button('mpm', 0, action())]], 131008, 'buttons: Button at index 0 of type Mpm requires a parameter'],
    ['a missing coupon', ['summer_offer', [until(1), ...offer]], 131008,
      'buttons: Button at index 0 of type copy_code requires a non-empty parameter coupon_code'],
    ['an empty coupon', ['summer_offer', [until(1), ...offer, coupon('')]], 131008,
      'buttons: Button at index 0 of type copy_code requires a non-empty parameter coupon_code'],
    ['a coupon that is too long', ['summer_offer', [until(1), ...offer, coupon('1234567890123456')]], 100,
      'button: Parameter at index 0 exceeds the parameter length limit 15'],

    ['an offer without its end', ['summer_offer', [...offer, coupon('SUN25')]], 131008, 'limited_time_offer: Parameter expiration_time_ms is required'],
    ['an end for an offer that has none', ['an_offer', [until(1)]], 132018,
      'limited_time_offer: Template does not contain limited_time_offer component, no parameters allowed'],
    ['a carousel without cards', ['new_arrivals', [body(...words('a'))]], 132012, 'header component parameter should not be empty'],
    ['a card too few', ['new_arrivals', [body(...words('a')), carousel(fullCard(0))]], 132012, 'header component parameter should not be empty'],
    ['a card too many', ['new_arrivals', [body(...words('a')), carousel(...[0, 1, 2].map(fullCard))]], 132012, 'header component parameter should not be empty'],
    ['a card twice', ['new_arrivals', [body(...words('a')), carousel(fullCard(0), fullCard(0))]], 132012, 'header component parameter should not be empty'],
    ['a card without its variable', ['new_arrivals', [body(...words('a')), carousel(fullCard(0), card(1, media('image'), url('17', 1)))]],
      132000,
      mismatch('body', 0, 1)],
    ['a card without its image', ['new_arrivals', [body(...words('a')), carousel(fullCard(0), card(1, body(...words('a')), url('17', 1)))]],
      132012,
      format('header', 'IMAGE', 'UNKNOWN')],
    ['a card without its button',
      ['new_arrivals', [body(...words('a')), carousel(fullCard(0), card(1, media('image'), body(...words('a'))))]], 131008,
      'buttons: Button at index 1 of type Url requires a parameter'],
    ['cards where there are none', ['order_update', [body(...words('a', 'b')), carousel(fullCard(0))]], 132018,
      'carousel: Template does not contain carousel component, no parameters allowed'],

    ['a text parameter without a text', ['order_update', [body({ type: 'text' }, ...words('b'))]], 100, mandatory('text', 'text')],
    ['an image parameter without an image', ['shipment_photo', [header({ type: 'image' }), body(...words('P')), url('a')]], 100,
      mandatory('image', 'image')],
    ['a currency without its code', ['order_update', [body({ type: 'currency', currency: { fallback_value: '$9' } }, date)]], 100,
      mandatory('code', 'currency')],
  ]
  for (const [title, asked, code, details, status = 400] of refused) {
    it(`refuses ${title} with ${code}`, async () => {
      const response = await send(asked)
      const { error } = await json(response)
      assert.equal(response.status, status)
      assert.deepInclude(record(error), { code, error_data: { messaging_product: 'whatsapp', details } })
    })
  }

  const unreadable: ReadonlyArray<readonly [title: string, components: unknown, message: RegExp]> = [
    ['that is no list', {}, /Param template\['components'\] must be an array/],
    ['with an item that is no object', ['body'], /\['components'\]\[0\] must be a JSON object/],
    ['of an unknown type', [{ type: 'ceiling' }], /\['components'\]\[0\]\['type'\] must be one of {HEADER, .*} - got "ceiling"/],
    ['without a type', [{}], /The parameter template\['components'\]\[0\]\['type'\] is required/],
    ['with parameters that are no list', [{ type: 'body', parameters: 'a' }], /\['parameters'\] must be an array/],
    ['with a parameter of an unknown type', [body({ type: 'song' })], /\['parameters'\]\[0\]\['type'\] must be one of/],
    ['with a parameter without a type', [body({ text: 'a' })], /\['parameters'\]\[0\]\['type'\] is required/],
    ['with a text that is no string', [body({ type: 'text', text: 7 })], /\['parameters'\]\[0\]\['text'\] must be a string/],
    ['with an image that is no object', [header({ type: 'image', image: 'https://shop.example' })], /\['image'\] must be a JSON object/],
    ['with a button of an unknown type', [button('phone_number', 0)], /\['sub_type'\] must be one of {.*URL, VOICE_CALL} - got "phone_number"/],
    ['with a button without a type', [{ type: 'button', index: 0 }], /\['sub_type'\] is required/],
    ['with a button without an index', [{ type: 'button', sub_type: 'url' }], /\['index'\] is required/],
    ['with a button at no index', [button('url', 'first')], /\['index'\] must be an integer/],
    ['with a carousel without cards', [{ type: 'carousel' }], /\['cards'\] must be an array/],
    ['with a card without an index', [carousel({ components: [] })], /\['cards'\]\[0\]\['card_index'\] is required/],
  ]
  for (const [title, components, message] of unreadable) {
    it(`refuses components ${title} with 100`, async () => {
      const response = await send(['hello_world', components as Components])
      assert.equal(response.status, 400)
      assert.match((await json(response))['error']!['message']!, message)
    })
  }
})
