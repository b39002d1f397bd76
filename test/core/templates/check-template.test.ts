import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { Json, JsonObject } from '../../../core/kernel/json.js'
import { nearestNames, rememberedNearestNames } from '../../../core/kernel/nearest.js'
import { checkTemplate, type TemplateMismatch } from '../../../core/templates/check.js'
import { placeholdersOf, type Template } from '../../../core/templates/template.js'
import {
  anyComponents, anyTemplate, body, buttons, carousel, coupon, filling, give, giveCards, header, image, press, reply, templateOf, text, url,
} from '../template-samples.js'

type Case = readonly [title: string, template: ReadonlyArray<Json>, given: ReadonlyArray<Json> | undefined, rest?: Partial<Template>]
type Refusal = readonly [sentence: string, ...Case]

/** What is wrong, by the words of the sentence. */
const MISMATCHES: ReadonlyArray<readonly [sentence: RegExp, mismatch: TemplateMismatch]> = [
  [/^(card with card_index 0: )?(body|header) (needs [^;]*|takes no parameters); (none was|\d+ were|1 was) given(:|$)/, 'count'],
  [/ needs 1 parameter of type \w+; \d+ were given/, 'count'],
  [/^(button at index 0|limited_time_offer) needs 1 parameter of type \w+; none was given/, 'missing'],
  [/ has no (text|image|currency|coupon_code)/, 'missing'],
  [/one was given without a parameter_name|none was given with the parameter_name/, 'name'],
  [/ is of type |which only a template with named variables takes| a text that is not a string/, 'format'],
  [/^carousel has cards |^card with card_index 2 does not exist/, 'format'],
]
const EXCEPTIONS: Readonly<Record<string, TemplateMismatch>> = {
  'no picture': 'format', 'no location': 'format', 'a card too few': 'format', 'a header that the template does not have': 'other',
}
const mismatchOf = (title: string, sentence: string): TemplateMismatch =>
  EXCEPTIONS[title] ?? MISMATCHES.find(([pattern]) => pattern.test(sentence))?.[1] ?? 'other'

const ORDER = [body('Hi {{1}}, your order {{2}} is on its way.')]
const NAMED = [body('Hello {{first_name}} of {{shop_name}}.')]
const named: Partial<Template> = { parameterFormat: 'named' }
const TRACKED = [body('Hi'), buttons(url('https://shop.example/{{1}}'), reply)]
const OTP = [body('{{1}} is your code.'), buttons(url('https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}'))]
const authentication: Partial<Template> = { category: 'authentication' }
const OFFER = [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now!', has_expiration: true } }, body('Hi')]
const offer = { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_893_456_000_000 } }
const CARD = [header('IMAGE'), body('Only {{1}}'), buttons(url('https://shop.example/{{1}}'))]
const CARDS = [body('Look'), carousel(CARD, CARD)]
const card = [give('header', image), give('body', text('9 EUR')), press('url', 0, text('a'))]
const location = { type: 'location', location: { latitude: '52.5', longitude: '13.4' } }

const ACCEPTED: ReadonlyArray<Case> = [
  ['a template without variables, sent without components', [body('Welcome.')], undefined],
  ['a template without variables, sent with empty components', [body('Welcome.')], [give('body')]],
  ['a component without parameters', [body('Welcome.')], [{ type: 'body' }, { type: 'body', parameters: null }]],
  ['one parameter for each variable', ORDER, [give('body', text('Ada'), text('A-17'))]],
  ['types in capitals', ORDER, [{ type: 'BODY', parameters: [{ type: 'TEXT', text: 'Ada' }, { type: 'TEXT', text: 'A-17' }] }]],
  ['amounts and dates in a text', ORDER,
    [
      give('body', { type: 'currency', currency: { fallback_value: '$9' } }, { type: 'date_time', date_time: { fallback_value: 'today' } }),
    ]],
  ['parameters without a type', ORDER, [give('body', { text: 'Ada' }, {})]],
  ['parameters of a new type', ORDER, [give('body', { type: 'hologram' }, { type: 7 })]],
  ['a number as text', ORDER, [give('body', text(1), text(true))]],
  ['four spaces in a row', ORDER, [give('body', text('A    da'), text('A-17'))]],
  ['positional parameters with empty names', ORDER, [give('body', text('Ada', ''), { ...text('A-17'), parameter_name: null })]],
  ['either count where a variable stands twice', [body('{{1}}, yes, {{1}}')], [give('body', text('Ada'))]],
  ['either count where a variable stands twice, again', [body('{{1}}, yes, {{1}}')], [give('body', text('Ada'), text('Ada'))]],
  ['either count where a number is left out', [body('{{1}} and {{3}}')], [give('body', text('a'), text('b'), text('c'))]],
  ['named parameters in any order', NAMED, [give('body', text('Shop', 'shop_name'), text('Ada', 'first_name'))], named],
  ['whatever a template of an unknown format gets', ORDER, undefined, { parameterFormat: undefined }],
  ['whatever variables of an unknown form get', [body('Привет, {{имя}}')], [give('body', text('a'), text('b'))], named],
  ['whatever a body gets whose variables are not those of its format', [body('Hi {{first_name}}')], undefined],
  ['whatever a body gets that has other braces', [body('Hi {{ {x} }}')], [give('body', text('a'))]],
  ['whatever a template gets whose components are unknown', [], [give('body', text('a'))], { components: undefined }],
  ['whatever a list of components without a body gets', [], [give('header', image), press('url', 3, text('a'))]],
  ['a part of which the request speaks twice', ORDER, [give('body', text('Ada')), give('body', text('A-17'))]],
  ['parameters that are no array', ORDER, [{ type: 'body', parameters: { 0: text('Ada') } }]],
  ['whatever a part gets that a template has twice', [body('Hi {{1}}'), body('Hi')], [give('body')]],
  ['either count where a named variable stands twice', [body('{{a}}, yes, {{a}}')], [give('body', text('1', 'a'), text('1', 'a'))], named],
  ['named parameters that are no objects', NAMED, [give('body', 'Ada', 'Shop')], named],
  ['components that the template does not name', ORDER,
    [give('body', text('a'), text('b')), give('order_status', { type: 'order_status' }), give('footer')]],
  ['a header of text', [header('TEXT', 'Order {{1}}'), body('Hi')], [give('header', text('A-17'))]],
  ['a picture by its id', [header('IMAGE'), body('Hi')], [give('header', { type: 'image', image: { id: 17 } })]],
  ['media that are no object', [header('IMAGE'), body('Hi')], [give('header', { type: 'image', image: 'https://a.example/a.jpg' })]],
  ['a document with a file name', [header('DOCUMENT'), body('Hi')],
    [give('header', { type: 'document', document: { link: 'https://a.example/a.pdf', filename: 'a' } })]],
  ['a location', [header('LOCATION'), body('Hi')], [give('header', location)]],
  ['a video in a header of moving pictures', [header('GIF'), body('Hi')], [give('header', { type: 'video', video: { id: '1' } })]],
  ['whatever a header of a new kind gets', [header('HOLOGRAM'), body('Hi')], undefined],
  ['the variable of a URL', TRACKED, [press('url', '0', text('a17'))]],
  ['an amount in an address', TRACKED, [press('url', 0, { type: 'currency', currency: { fallback_value: '9' } })]],
  ['whatever an address with two variables gets', [body('Hi'), buttons(url('https://shop.example/{{1}}/{{2}}'))], undefined],
  ['whatever an address with other braces gets', [body('Hi'), buttons(url('https://shop.example/{{ {1} }}'))],
    [press('url', 0, text('a'))]],
  ['the index of a button as a number', TRACKED, [press('URL', 0, text('a17'))]],
  ['a button without a sub_type', TRACKED, [{ type: 'button', index: 0, parameters: [text('a17')] }]],
  ['buttons without an index', TRACKED, [{ type: 'button', sub_type: 'url', parameters: [text('a17')] }]],
  ...[-1, 0.5, 'first', '', null, [0]].map((index): Case =>
    [`a button whose index is ${JSON.stringify(index)}`, TRACKED, [press('url', index, text('a17'))]]),
  ['a button that does not exist, without parameters', [body('Hi')], [press('quick_reply', 0)]],
  ['a sub_type that is new', TRACKED, [press('portal', 0, text('a17'))]],
  ['the payload of a quick reply', TRACKED, [press('url', 0, text('a17')), press('quick_reply', 1, { type: 'payload', payload: 'YES' })]],
  ['a quick reply without a payload', TRACKED, [press('url', 0, text('a17')), press('quick_reply', 1)]],
  ['a static URL that is named', [body('Hi'), buttons(url('https://shop.example'))], [press('url', 0)]],
  ['a code to copy', [body('Hi'), buttons(coupon)], [press('COPY_CODE', 0, { type: 'coupon_code', coupon_code: 'SAVE20' })]],
  ['a code to copy among other parameters', [body('Hi'), buttons(coupon)],
    [press('copy_code', 0, text('x'), { type: 'coupon_code', coupon_code: 'SAVE20' })]],
  ['a payload of a new type', TRACKED, [press('url', 0, text('a17')), press('quick_reply', 1, { type: 'hologram' })]],
  ['a flow without its action', [body('Hi'), buttons({ type: 'FLOW' })], [press('flow', '0')]],
  ['a flow that is not named', [body('Hi'), buttons({ type: 'FLOW' })], undefined],
  ['a flow with its action', [body('Hi'), buttons({ type: 'FLOW' })],
    [press('flow', '0', { type: 'action', action: { flow_token: 'x' } })]],
  ...['CATALOG', 'MPM', 'ORDER_DETAILS', 'VOICE_CALL', 'SPM', 'NEW'].flatMap((type): ReadonlyArray<Case> => [
    [`a button of kind ${type} that is not named`, [body('Hi'), buttons({ type })], undefined],
    [`a button of kind ${type} with parameters`, [body('Hi'), buttons({ type })], [press(type, 0, { type: 'action', action: {} })]],
  ]),
  ['a one-time password', OTP, [give('body', text('123456')), press('url', '0', text('123456'))], authentication],
  ['a one-time password listed as its own kind of button', [body('{{1}}'), buttons({ type: 'OTP' })],
    [give('body', text('1')), press('url', 0, text('1'))], authentication],
  ['a one-time password whose list has no texts',
    [{ type: 'BODY', add_security_recommendation: true }, buttons(url('https://www.whatsapp.com/otp'))],
    [give('body', text('1')), press('url', 0, text('1'))], authentication],
  ['a code to copy of a one-time password', [body('{{1}}'), buttons(coupon)], [give('body', text('1'))], authentication],
  ['a code of 15 characters', OTP, [give('body', text('😀'.repeat(15))), press('url', 0, text('x'.repeat(15)))], authentication],
  ['a long text in a template of another category', ORDER, [give('body', text('x'.repeat(1_000)), text('b'))]],
  ['an empty carousel where the template has none', [body('Hi')], [giveCards()]],
  ['an offer with the moment of its end', OFFER, [give('limited_time_offer', offer)]],
  ['an offer without an end', [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now!' } }, body('Hi')], undefined],
  ['every card of a carousel', CARDS, [giveCards(card, card)]],
  ['cards in any order, their indexes as strings', CARDS,
    [{ type: 'CAROUSEL', cards: [{ card_index: '1', components: card }, { card_index: '0', components: card }] }]],
  ['cards without an index', CARDS, [{ type: 'carousel', cards: [{ components: card }] }]],
  ['cards of which two have one index', CARDS, [{ type: 'carousel', cards: [{ card_index: 0 }, { card_index: 0 }] }]],
  ['a carousel of which the request speaks twice', CARDS, [giveCards(card), giveCards(card)]],
  ['cards that are no array', CARDS, [{ type: 'carousel', cards: {} }]],
  ['an offer in a card', CARDS, [giveCards([...card, give('limited_time_offer', offer)], card)]],
  ['any number of products', [body('Hi'), carousel([header('PRODUCT')], [header('PRODUCT')])], [giveCards([], [], [])]],
  ['a template of 50 buttons', [body('Hi'), buttons(...Array.from({ length: 50 }, () => reply))],
    [press('quick_reply', 49, { type: 'payload', payload: 'x' })]],
]

const BODY_FORM = 'add {"type":"body","parameters":[{"type":"text","text":"…"},{"type":"text","text":"…"}]}'
const URL_FORM = 'add {"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"…"}]}'
const NEWLINE = 'has a text with a newline, a tab or more than four spaces in a row, which a parameter cannot have'

const REFUSED: ReadonlyArray<Refusal> = [
  ['body needs 2 parameters of type text ({{1}}, {{2}}); 1 was given', 'too few parameters', ORDER, [give('body', text('Ada'))]],
  ['body needs 2 parameters of type text ({{1}}, {{2}}); 3 were given', 'too many parameters', ORDER,
    [give('body', text('a'), text('b'), text('c'))]],
  [`body needs 2 parameters of type text ({{1}}, {{2}}); none was given: ${BODY_FORM}`, 'no components', ORDER, undefined],
  [`body needs 2 parameters of type text ({{1}}, {{2}}); none was given: ${BODY_FORM}`, 'components of wrong shapes', ORDER,
    [null, 'body', [], { type: 7 }]],
  ['body takes no parameters; 1 was given', 'a parameter too many', [body('Hi')], [give('body', text('a'))]],
  ['body takes no parameters; 1 was given', 'a parameter too many, whatever the format', [body('Hi')], [give('body', text('a'))],
    { parameterFormat: undefined }],
  ['body does not take what was given: parameter 2 of 2 is of type image; text is expected', 'a picture in a text', ORDER,
    [give('body', text('a'), image)]],
  ['body does not take what was given: parameter 1 of 2 has no text', 'an empty text', ORDER, [give('body', text(''), text('b'))]],
  ['body does not take what was given: parameter 1 of 2 has no text', 'a parameter without a text', ORDER,
    [give('body', { type: 'text' }, text('b'))]],
  ['body does not take what was given: parameter 1 of 2 has a text that is not a string', 'an object as text', ORDER,
    [give('body', text({}), text('b'))]],
  ['body does not take what was given: parameter 1 of 2 has no currency', 'an amount without its value', ORDER,
    [give('body', { type: 'currency' }, text('b'))]],
  ...['two\nlines', 'a\rreturn', 'a\ttab', 'five     spaces'].map((value): Refusal =>
    [
      `body does not take what was given: parameter 2 of 2 ${NEWLINE}`, JSON.stringify(value), ORDER,
      [give('body', text('a'), text(value))],
    ]),
  [`header does not take what was given: its parameter ${NEWLINE}`, 'a newline in a header', [header('TEXT', '{{1}}'), body('Hi')],
    [give('header', text('\n'))]],
  ['body needs 2 parameters of type text ({{1}}, {{2}}); one was given with a parameter_name, which only a template with named variables takes',
    'positional parameters with a name', ORDER, [give('body', text('Ada'), text('A-17', 'order_id'))]],
  ['body needs 2 parameters of type text, each with its parameter_name (first_name, shop_name); 1 was given', 'a named parameter too few',
    NAMED,
    [give('body', text('Ada', 'first_name'))], named],
  ['body needs 2 parameters of type text, each with its parameter_name (first_name, shop_name); one was given without a parameter_name',
    'a named parameter without its name', NAMED, [give('body', text('Ada', 'first_name'), text('Shop'))], named],
  ['body needs 2 parameters of type text, each with its parameter_name (first_name, shop_name); none was given with the parameter_name shop_name',
    'a parameter under another name', NAMED, [give('body', text('Ada', 'first_name'), text('Shop', 'shop'))], named],
  ['body needs 2 parameters of type text, each with its parameter_name (first_name, shop_name); none was given: '
    + 'add {"type":"body","parameters":[{"type":"text","parameter_name":"first_name","text":"…"},{"type":"text","parameter_name":"shop_name","text":"…"}]}',
  'no named parameters', NAMED, [], named],
  ['header needs 1 parameter of type image; none was given: add {"type":"header","parameters":[{"type":"image","image":{"link":"…"}}]}',
    'no picture',
    [header('IMAGE'), body('Hi')], undefined],
  ['header does not take what was given: its parameter is of type video; image is expected', 'a video for a picture',
    [header('IMAGE'), body('Hi')],
    [give('header', { type: 'video', video: { id: '1' } })]],
  ['header does not take what was given: its parameter has neither an id nor a link in its image', 'a picture from nowhere',
    [header('IMAGE'), body('Hi')],
    [give('header', { type: 'image', image: { link: '' } })]],
  [
    'header does not take what was given: its parameter has a link in its image that needs a host without empty parts and a port from 1 to 65535',
    'a picture of no host',
    [header('IMAGE'), body('Hi')], [give('header', { type: 'image', image: { link: 'https://shop..example/a.png' } })],
  ],
  ['header does not take what was given: its parameter has no image', 'an empty picture', [header('IMAGE'), body('Hi')],
    [give('header', { type: 'image' })]],
  ['header needs 1 parameter of type location; none was given: '
    + 'add {"type":"header","parameters":[{"type":"location","location":{"latitude":"…","longitude":"…","name":"…","address":"…"}}]}',
  'no location', [header('LOCATION'), body('Hi')], []],
  ['header does not take what was given: its parameter is of type text; location is expected', 'a text for a location',
    [header('LOCATION'), body('Hi')],
    [give('header', text('Berlin'))]],
  ['header takes no parameters; 1 was given', 'a header that the template does not have', [body('Hi')], [give('header', image)]],
  ['header takes no parameters; 1 was given', 'a variable for a static header', [header('TEXT', 'Hello'), body('Hi')],
    [give('header', text('a'))]],
  [`button at index 0 needs 1 parameter of type text; none was given: ${URL_FORM}`, 'no variable of a URL', TRACKED, []],
  [`button at index 0 needs 1 parameter of type text; none was given: ${URL_FORM}`, 'a URL that is named without its variable', TRACKED,
    [press('url', 0)]],
  ['button at index 0 needs 1 parameter of type text; 2 were given', 'two variables of a URL', TRACKED,
    [press('url', 0, text('a'), text('b'))]],
  ['button at index 0 does not take what was given: its parameter is of type payload; text is expected', 'a payload for a URL', TRACKED,
    [press('url', 0, { type: 'payload', payload: 'x' })]],
  ['button at index 0 takes no parameters; 1 was given', 'a variable for a static URL', [body('Hi'), buttons(url('https://shop.example'))],
    [press('url', 0, text('a'))]],
  ['button at index 0 takes no parameters; 1 was given', 'a parameter for a phone number', [body('Hi'), buttons({ type: 'PHONE_NUMBER' })],
    [press('phone_number', 0, text('1'))]],
  ['button at index 1 does not take what was given: its parameter is of type text; payload is expected', 'a text for a quick reply',
    TRACKED,
    [press('url', 0, text('a')), press('quick_reply', 1, text('YES'))]],
  ['button at index 1 needs 1 parameter of type payload; 2 were given', 'two payloads for a quick reply', TRACKED,
    [press('url', 0, text('a')), press('quick_reply', 1, { type: 'payload', payload: 'a' }, { type: 'payload', payload: 'b' })]],
  ['button at index 0 does not take what was given: its parameter is of type payload; action is expected', 'a payload for a flow',
    [body('Hi'), buttons({ type: 'FLOW' })], [press('flow', 0, { type: 'payload', payload: 'a' })]],
  ['button at index 1 has the sub_type quick_reply; flow was given', 'a flow for a quick reply', TRACKED,
    [press('url', 0, text('a')), press('FLOW', 1)]],
  ...[OTP, [body('{{1}}'), buttons({ type: 'OTP' })]].map((template): Refusal =>
    [
      'button at index 0 has the sub_type url; copy_code was given',
      `a code to copy for a one-time password of ${JSON.stringify(template[1])}`, template,
      [give('body', text('1')), press('copy_code', 0, { type: 'coupon_code', coupon_code: '1' })], authentication,
    ]),
  ['body does not take what was given: its parameter has a text of more than 15 characters, the most in an authentication template. '
    + 'button at index 0 does not take what was given: its parameter has a text of more than 15 characters, the most in an authentication template',
  'a long code', OTP, [give('body', text('x'.repeat(16))), press('url', 0, text('x'.repeat(16)))], authentication],
  [`button at index 0 needs 1 parameter of type text; none was given: ${URL_FORM}`, 'a one-time password without its button', OTP,
    [give('body', text('1'))], authentication],
  [`button at index 0 needs 1 parameter of type text; none was given: ${URL_FORM}`, 'the same, listed as its own kind of button',
    [body('{{1}}'), buttons({ type: 'OTP' })], [give('body', text('1'))], authentication],
  ['button at index 2 does not exist; the template has buttons from index 0 to 1', 'a button that does not exist', TRACKED,
    [press('url', 0, text('a')), press('url', 2, text('b'))]],
  ['button at index 0 does not exist; the template has no buttons', 'a button of a template without any', [body('Hi')],
    [press('url', '0', text('b'))]],
  ['button at index 0 needs 1 parameter of type coupon_code; none was given: '
    + 'add {"type":"button","sub_type":"copy_code","index":"0","parameters":[{"type":"coupon_code","coupon_code":"…"}]}', 'no code to copy',
  [body('Hi'), buttons(coupon)], []],
  ['button at index 0 does not take what was given: its parameter has no coupon_code', 'an empty code', [body('Hi'), buttons(coupon)],
    [press('copy_code', 0, { type: 'coupon_code', coupon_code: '' })]],
  ['limited_time_offer takes no parameters; 1 was given', 'an offer that the template does not have', [body('Hi')],
    [give('limited_time_offer', offer)]],
  ['card with card_index 0 does not exist; the template has no cards', 'a carousel that the template does not have', [body('Hi')],
    [giveCards([])]],
  ['limited_time_offer needs 1 parameter of type limited_time_offer; none was given: '
    + 'add {"type":"limited_time_offer","parameters":[{"type":"limited_time_offer","limited_time_offer":{"expiration_time_ms":"…"}}]}',
  'an offer without the moment of its end', OFFER, []],
  ['carousel has cards from card_index 0 to 1; none was given: add {"type":"carousel","cards":[{"card_index":0,"components":['
    + '{"type":"header","parameters":[{"type":"image","image":{"link":"…"}}]},{"type":"body","parameters":[{"type":"text","text":"…"}]},'
    + '{"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"…"}]}]},"…"]}', 'no cards', CARDS, undefined],
  ['card with card_index 1: header needs 1 parameter of type image; none was given: add {"type":"header","parameters":[{"type":"image","image":{"link":"…"}}]}. '
    + `card with card_index 1: body needs 1 parameter of type text ({{1}}); none was given: add {"type":"body","parameters":[{"type":"text","text":"…"}]}. `
    + `card with card_index 1: button at index 0 needs 1 parameter of type text; none was given: ${URL_FORM}`, 'a card too few', CARDS, [
      giveCards(card),
    ]],
  ['card with card_index 2 does not exist; the template has cards from card_index 0 to 1', 'a card too many', CARDS,
    [giveCards(card, card, card)]],
  ['card with card_index 0: body needs 1 parameter of type text ({{1}}); 2 were given', 'a parameter too many in a card', CARDS,
    [giveCards([give('header', image), give('body', text('a'), text('b')), press('url', 0, text('a'))], card)]],
]

const check = ([, template, given, rest]: Case): ReturnType<typeof checkTemplate> =>
  checkTemplate(templateOf(template, rest), given as ReadonlyArray<JsonObject> | undefined)

describe('The check of a template\'s components', () => {
  it('says of a header that the format is wrong before it says so of the number', () => {
    const mismatch = (part: Json, ...parameters: ReadonlyArray<Json>) => {
      const checked = check(['', [part, body('Hi')], [give('header', ...parameters)]])
      return E.isLeft(checked) ? checked.left.mismatch : undefined
    }
    const words = { type: 'HEADER', format: 'TEXT', text: 'Hello' }
    assert.deepEqual([mismatch(words, image), mismatch(words, text('a'))], ['format', 'count'])
    assert.deepEqual([mismatch(header('IMAGE'), text('a'), image), mismatch(header('IMAGE'), image, text('a'))], ['format', 'count'])
  })

  it('says that the number is wrong if a repeated variable is given twice and another fault is there', () => {
    const mismatch = (...parameters: ReadonlyArray<Json>) => {
      const checked = check(['', [body('{{a}}, yes, {{a}}')], [give('body', ...parameters)], named])
      return E.isLeft(checked) ? checked.left.mismatch : undefined
    }
    assert.deepEqual(
      [mismatch(text('1')), mismatch(text('1', 'a'), text('2')), mismatch(text('1', 'a'), text('2', 'a'))], ['name', 'count', undefined],
    )
  })

  for (const row of ACCEPTED) it(`lets pass ${row[0]}`, () => assert.deepEqual(check(row), E.right(undefined)))

  for (const [sentence, ...row] of REFUSED) {
    it(`refuses ${row[0]}`, () => assert.deepEqual(check(row), E.left({
      _tag: 'TemplateParameters' as const, mismatch: mismatchOf(row[0], sentence), sentence,
      expected: placeholdersOf(templateOf(row[1], row[3])) ?? [],
    })))
  }

  it('spells out three faults and counts the others', () => {
    const many = checkTemplate(
      templateOf([body('{{1}}'), buttons(...Array.from({ length: 50 }, () => url('https://a.example/{{1}}')))]), [],
    )
    const sentence = E.isLeft(many) ? many.left.sentence : ''
    assert.match(sentence, /^body needs .*\. button at index 0 needs .*\. button at index 1 needs .*\. and 48 more$/)
  })

  it('lets pass whatever fills the placeholders of a template', () => {
    fc.assert(fc.property(anyTemplate, (template) => {
      assert.deepEqual(checkTemplate(template, filling(placeholdersOf(template) ?? [])), E.right(undefined))
    }), { numRuns: 2_000 })
  })

  it('lets pass whatever fills only those that are not optional', () => {
    fc.assert(fc.property(anyTemplate, (template) => {
      const needed = (placeholdersOf(template) ?? []).filter(({ optional }) => optional !== true)
      assert.deepEqual(checkTemplate(template, filling(needed)), E.right(undefined))
    }), { numRuns: 2_000 })
  })

  it('answers for components of every shape, and says nothing of the values that came', () => {
    fc.assert(fc.property(anyTemplate, anyComponents, (template, components) => {
      const secret = components.map((component) => JSON.parse(JSON.stringify(component).replaceAll('Static.', 'S3cret')) as JsonObject)
      const answer = checkTemplate(template, secret)
      if (E.isLeft(answer)) assert.notInclude(answer.left.sentence, 'S3cret')
    }), { numRuns: 2_000 })
  })

  it('answers for components that are nested as deep as a request may be', () => {
    let deep: Json = text('a')
    for (let level = 0; level < 1_000; level += 1) {
      deep = level % 2 === 0 ? [deep] : { components: deep, cards: deep, parameters: deep, type: 'carousel' }
    }
    const nested = [deep as JsonObject]
    assert.deepEqual(checkTemplate(templateOf([body('Hi'), carousel(nested, nested)]), nested), E.right(undefined))
  })
})

const NAMES = ['order_update', 'order_shipped', 'order_cancelled', 'welcome', 'welcome_back', 'login_code', 'заказ_готов']

const NEAREST: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['order_updte', ['order_update']],
  ['order_updates', ['order_update']],
  ['Order-Update', ['order_update']],
  ['order', ['order_update', 'order_shipped', 'order_cancelled']],
  ['welcom', ['welcome', 'welcome_back']],
  ['welcome_back_2026', ['welcome_back', 'welcome']],
  ['заказ_готово', ['заказ_готов']],
  ['login', ['login_code']],
  ['seasonal_sale', []],
  ['', []],
]

/** The Levenshtein distance by its definition. */
const edits = (a: string, b: string): number => {
  if (a === '' || b === '') return a.length + b.length
  if (a[0] === b[0]) return edits(a.slice(1), b.slice(1))
  return 1 + Math.min(edits(a.slice(1), b), edits(a, b.slice(1)), edits(a.slice(1), b.slice(1)))
}

describe('The names nearest to a name', () => {
  for (const [name, expected] of NEAREST) {
    it(`of ${JSON.stringify(name)} are ${expected.length === 0 ? 'none' : expected.join(', ')}`, () =>
      assert.deepEqual(nearestNames(name, NAMES), expected))
  }

  it('are at most three, each of them once, and never the name itself', () => {
    assert.deepEqual(
      nearestNames('offer', ['offer', 'offer_4', 'offer_1', 'offer_3', 'offer_2', 'offer_1']), ['offer_1', 'offer_2', 'offer_3'],
    )
  })

  it('are found among 1,000 of the longest names', () => {
    const long = (index: number): string => `${'x'.repeat(250)}_${'y'.repeat(250)}_${index}`
    const names = Array.from({ length: 1_000 }, (_, index) => long(index))
    assert.deepEqual(nearestNames(`${'x'.repeat(251)}_${'y'.repeat(250)}_17`, names), [long(17), long(1), long(10)])
  })

  it('differ by no more letters than a count of every edit finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 7 })
    fc.assert(fc.property(word, word, (a, b) => {
      const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
      fc.pre(a !== b && !/_{2}/.test(a + b) && !longer.startsWith(shorter))
      assert.equal(nearestNames(a, [b]).length === 1, edits(a, b) <= Math.max(2, Math.floor(longer.length / 3)), `${a} ${b}`)
    }))
  })

  it('are some of the names, whatever these are', () => {
    fc.assert(fc.property(fc.string(), fc.array(fc.string()), (name, names) => {
      const nearest = nearestNames(name, names)
      assert.includeMembers(names, [...nearest])
      assert.isAtMost(nearest.length, 3)
      assert.notInclude(nearest, name)
    }))
  })

  for (const length of [60, 480]) {
    it(`are looked for among the first of too many names of ${length} letters only`, () => {
      let looked = 0
      const endless = function* (): Generator<string> {
        for (; looked < 1_000_000; looked += 1) yield `${'x'.repeat(length - 7)}${looked}`
      }
      assert.lengthOf(nearestNames(`y${'x'.repeat(length - 7)}`, endless()), 3)
      assert.isBelow(looked, 20_000)
    })
  }

  it('are looked for once in a list, however often the same name comes', () => {
    let looks = 0
    const list: ReadonlyArray<string> = Object.assign(['order_update'], {
      [Symbol.iterator]: () => {
        looks += 1
        return ['order_update'].values()
      },
    })
    for (const _ of [1, 2, 3]) assert.deepEqual(rememberedNearestNames('order_updte', list, 0), ['order_update'])
    assert.equal(looks, 1)
    // Names that are all different are forgotten again.
    for (let other = 0; other < 200; other += 1) rememberedNearestNames(`order_updte_${other}`, list, 0)
    rememberedNearestNames('order_updte', list, 0)
    assert.equal(looks, 202)
  })

  it('are not offered while the names of a second have cost as much as they may, and again in the next', () => {
    const long = Array.from({ length: 6_000 }, (_, index) => `${'x'.repeat(480)}_${index}`)
    const offered = (second: number): number =>
      Array.from(
        { length: 60 }, (_, index) => rememberedNearestNames(`${'x'.repeat(480)}_${second}_${index}`, [...long], second * 1_000),
      ).filter(({ length }) => length > 0).length
    assert.isAtLeast(offered(1_000), 1)
    assert.isBelow(offered(1_001), 6)
    assert.deepEqual(rememberedNearestNames('order_updte', ['order_update'], 1_001_000), [])
    assert.deepEqual(rememberedNearestNames('order_updte', ['order_update'], 1_002_000), ['order_update'])
  })
})
