import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { FORM_KINDS, type FormField, type MessageForm, readChoice, readMessage, type SendForm } from '../../../adapters/console/pages/send-form.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { MAX_TEXT_LENGTH } from '../../../core/messages/content.js'
import type { Message } from '../../../core/messages/message.js'
import { kindOf } from '../../../core/sending/prepare.js'
import { body, header, templateOf } from '../../core/template-samples.js'
import { recordOf } from '../../laws/template-fixture.js'
import { left, right } from '../../core/gateway.js'

const TO = '4915123456789' as PhoneNumber
const PLACE = { latitude: '52.5219', longitude: '13.4132', name: 'Shop', address: 'Alexanderplatz 1' }

const text = FORM_KINDS.text.form
const location = FORM_KINDS.location.form
const formOf = (...[components]: Parameters<typeof templateOf>): MessageForm => FORM_KINDS.template.formOf(recordOf(templateOf(components)))
const template = formOf([header('LOCATION'), body('Dear {{1}}')])

/** The form of every kind; a new kind is tried by what is asked of all. */
const FORMS: Readonly<Record<keyof typeof FORM_KINDS, MessageForm>> = { text, location, template }

const longest = (field: FormField): string => (field.input === 'number' ? String(field.most) : 'x'.repeat(field.maxLength))
const tooLong = (field: FormField): string => (field.input === 'number' ? `${field.most}.000001` : 'x'.repeat(field.maxLength + 1))
const filled = (form: MessageForm, valueOf: (field: FormField) => string): SendForm => Object.fromEntries(form.fields.map((field) => [field.name, valueOf(field)]))

const messageOf = (form: MessageForm, typed: SendForm): Message => right(readMessage(form, TO, typed)).message
const faultsOf = (form: MessageForm, typed: SendForm): ReadonlyArray<string> => Object.keys(left(readMessage(form, TO, typed)))

describe('The form that sends', () => {
  for (const [kind, form] of Object.entries(FORMS)) {
    it(`writes a ${kind} of what its fields may have at most, to the one who was chosen, and warns of a closed window where the send needs an open one`, () => {
      const message = messageOf(form, filled(form, longest))
      assert.deepEqual([message.to, form.needsWindow], [TO, kindOf(message).needsWindow])
    })

    it(`says of each field of a ${kind} that is empty, blank or has too much what is wrong with it, and of no other`, () => {
      const required = form.fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
      for (const nothing of [{}, filled(form, () => ''), filled(form, () => ' \r\n ')]) assert.deepEqual(faultsOf(form, nothing), required)
      assert.deepEqual(faultsOf(form, filled(form, tooLong)), form.fields.map(({ name }) => name))
      for (const { name } of form.fields) assert.deepEqual(faultsOf(form, filled(form, (field) => (field.name === name ? tooLong(field) : longest(field)))), [name])
      const without = filled(form, (field) => (field.isRequired ? longest(field) : ''))
      assert.isTrue(E.isRight(readMessage(form, TO, without)))
    })

    it(`names the fields of a ${kind} as no other field of the steps`, () => {
      const names = ['to', 'what', 'template', 'key', ...form.fields.map(({ name }) => name)]
      assert.equal(new Set(names).size, names.length)
    })
  }

  it('keeps a text as it was typed, with one character for each line end', () => {
    assert.deepEqual(right(readMessage(text, TO, { text: ' Hello\r\nAnn ' })), {
      message: { _tag: 'Text', to: TO, text: ' Hello\nAnn ' }, preview: { header: undefined, body: ' Hello\nAnn ', footer: undefined, buttons: [] },
      request: { operation: 'send-text', body: { to: TO, text: ' Hello\nAnn ' } },
    })
    assert.equal(left(readMessage(text, TO, { text: ' ' }))['text'], 'Write a text first.')
    assert.equal(left(readMessage(text, TO, { text: 'x'.repeat(MAX_TEXT_LENGTH + 1) }))['text'], 'The text has more than 4096 characters.')
    assert.isTrue(E.isRight(readMessage(text, TO, { text: `${'x'.repeat(MAX_TEXT_LENGTH - 1)}\r\n` })))
  })

  it('writes a location with its name and address, or without, and shows both', () => {
    assert.deepEqual(right(readMessage(location, TO, { ...PLACE, name: ' Shop ' })), {
      message: { _tag: 'Content', to: TO, type: 'location', content: { latitude: '52.5219', longitude: '13.4132', name: 'Shop', address: 'Alexanderplatz 1' } },
      request: { operation: 'send', body: { to: TO, type: 'location', location: { latitude: '52.5219', longitude: '13.4132', name: 'Shop', address: 'Alexanderplatz 1' } } },
      preview: { header: 'Shop', body: 'Alexanderplatz 1\n52.5219, 13.4132', footer: undefined, buttons: [] },
    })
    assert.deepEqual(messageOf(location, { latitude: ' 1 ', longitude: '2', name: ' ' }), { _tag: 'Content', to: TO, type: 'location', content: { latitude: '1', longitude: '2' } })
  })

  it('takes degrees as decimal numbers in their limits, to six decimals, and nothing else', () => {
    for (const [latitude, longitude, read] of [
      ['-90', '-180', '-90, -180'], ['90.0', '180.00', '90, 180'], ['-0.0000001', '0', '0, 0'], ['52.52197645', '-0.0000006', '52.521976, -0.000001'],
    ] as const) {
      const { message, preview } = right(readMessage(location, TO, { latitude, longitude }))
      const [written, along] = read.split(', ')
      assert.deepEqual(message, { _tag: 'Content', to: TO, type: 'location', content: { latitude: String(written), longitude: String(along) } })
      assert.equal(preview?.body, read)
    }
    for (const latitude of ['90.000001', '-90.1', '52,5', '1e1', '0x10', 'NaN', 'Infinity', '--1', '+1', '1.', '.5', '1 2', '52.5219, 13.4132', '٥٢', '9'.repeat(400)]) {
      assert.deepEqual(left(readMessage(location, TO, { ...PLACE, latitude })), { latitude: 'This is no number from -90 to 90. Decimals follow a point, such as 1.5.' }, latitude)
    }
    assert.deepEqual(faultsOf(location, { ...PLACE, longitude: '-180.5' }), ['longitude'])
  })

  it('fills a template with what was typed, and shows it as the quote does', () => {
    const typed = { 'fill-header-latitude': '1.5', 'fill-header-longitude': '2', 'fill-header-name': '', 'fill-body-1': ' Ann ' }
    const components = [
      { type: 'header', parameters: [{ type: 'location', location: { latitude: '1.5', longitude: '2' } }] }, { type: 'body', parameters: [{ type: 'text', text: ' Ann ' }] },
    ]
    assert.deepEqual(right(readMessage(template, TO, typed)), {
      message: { _tag: 'Template', to: TO, name: 'order_update', language: 'en', components },
      request: { operation: 'send-template', body: { to: TO, template_name: 'order_update', language: 'en', components } },
    })
    assert.deepEqual(faultsOf(template, { ...typed, 'fill-body-1': '' }), ['fill-body-1'])
    assert.deepEqual(template.fields.map(({ label }) => label), ['Header, latitude', 'Header, longitude', 'Header, name of the place', 'Header, address of the place', 'Body, {{1}}'])
  })

  it('asks for nothing where a template has nothing to fill in, or nothing that a form could, and says so', () => {
    for (const [form, note] of [[formOf([body('Hello')]), /nothing to fill in/], [formOf(undefined), /so a form cannot/]] as const) {
      assert.match(form.note ?? '', note)
      assert.deepEqual([form.fields, messageOf(form, {})], [[], { _tag: 'Template', to: TO, name: 'order_update', language: 'en' }])
    }
  })

  it('reads to whom and what, and says what is wrong with either', () => {
    assert.deepEqual(right(readChoice({ to: ' +49 151 23456789 ', what: 'location' })), { to: TO, form: location })
    for (const what of [undefined, '', 'king', '__proto__', 'text']) assert.deepEqual(right(readChoice({ to: TO, ...(what !== undefined && { what }) })), { to: TO, form: text })
    for (const to of [undefined, '', '12', 'Ann']) assert.deepEqual(Object.keys(left(readChoice({ what: 'location', ...(to !== undefined && { to }) }))), ['to'])
    for (const named of [undefined, '', 'order_update', ' order_update', 'en ']) {
      assert.deepEqual(left(readChoice({ to: TO, what: 'template', ...(named !== undefined && { template: named }) })), { template: 'Choose a template first.' })
    }
    assert.deepInclude(right(readChoice({ to: TO, what: 'template', template: 'en order update' })), { to: TO, template: { language: 'en', name: 'order update' } })
  })
})
