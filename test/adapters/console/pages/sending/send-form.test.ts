import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { FormField, SendForm } from '../../../../../adapters/console/pages/sending/send-content.js'
import { formKinds, type MessageForm, readChoice } from '../../../../../adapters/console/pages/sending/send-form.js'
import type { PhoneNumber } from '../../../../../core/customers/customer.js'
import type { Json } from '../../../../../core/kernel/json.js'
import { MAX_TEXT_LENGTH } from '../../../../../core/kernel/text.js'
import { checkContent } from '../../../../../core/messages/content.js'
import type { Message } from '../../../../../core/messages/message.js'
import { kindOf } from '../../../../../core/sending/prepare.js'
import { body, header, templateOf } from '../../../../core/template-samples.js'
import { recordOf } from '../../../../laws/template-fixture.js'
import { leftOf, rightOf } from '../../../../support/right-of.js'

const TO = '4915123456789' as PhoneNumber
const WAMID = 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABIYEjNB'
const PLACE = { latitude: '52.5219', longitude: '13.4132', name: 'Shop', address: 'Alexanderplatz 1' }

const FORM_KINDS = formKinds()
const text = FORM_KINDS.text.form
const location = FORM_KINDS.location.form
const formOf = (...[components]: Parameters<typeof templateOf>): MessageForm => FORM_KINDS.template.formOf(recordOf(templateOf(components)))
const template = formOf([header('LOCATION'), body('Dear {{1}}')])

/** The form of every kind; a new kind is tried by what is asked of all. */
const FORMS: ReadonlyArray<readonly [kind: string, form: MessageForm]> = Object.entries(FORM_KINDS)
  .map(([kind, offered]) => [kind, 'form' in offered ? offered.form : template])

/** Fields that take no text of any words. */
const FITTING: Readonly<Record<string, string>> = {
  message: WAMID, link: 'https://shop.example/a.jpg', url: 'https://shop.example/a', json: '{"type":"text","text":{"body":"Hello"}}',
  latitude: '90', longitude: '180',
}

/** What no field refuses by itself; it differs from field to field. */
const longest = ({ name, maxLength }: FormField): string =>
  FITTING[name] ?? name.padEnd(Math.max(name.length, maxLength), 'x').slice(0, maxLength)
const tooLong = ({ maxLength }: FormField): string => 'x'.repeat(maxLength + 1)
const filled = (form: MessageForm, valueOf: (field: FormField) => string): SendForm =>
  Object.fromEntries(form.fields.map((field) => [field.name, valueOf(field)]))

const messageOf = (form: MessageForm, typed: SendForm): Message => rightOf(form.write(TO, typed)).message
const contentOf = (form: MessageForm, typed: SendForm): Json => {
  const message = messageOf(form, typed)
  return message._tag === 'Content' ? message.content as Json : assert.fail(`this is a ${message._tag}`)
}
const faultsOf = (form: MessageForm, typed: SendForm): ReadonlyArray<string> => Object.keys(leftOf(form.write(TO, typed))).sort()
const namesOf = (fields: ReadonlyArray<FormField>): ReadonlyArray<string> => fields.map(({ name }) => name).sort()

describe('The form that sends', () => {
  for (const [kind, form] of FORMS) {
    it(`writes the message of ${kind} of what its fields may have at most, to the one who was chosen, as the platform takes it`, () => {
      const message = messageOf(form, filled(form, longest))
      assert.deepEqual([message.to, form.needsWindow], [TO, kindOf(message).needsWindow])
      if (message._tag === 'Content') assert.deepEqual(checkContent(message.type, message.content), [])
    })

    it(`says of each field of ${kind} that is empty, blank or has too much what is wrong with it, and of no other`, () => {
      const required = namesOf(form.fields.filter(({ isRequired }) => isRequired))
      for (const nothing of [{}, filled(form, () => ''), filled(form, () => ' \r\n ')]) {
        if (required.length > 0) assert.deepEqual(faultsOf(form, nothing), required)
      }
      const limited = form.fields.filter(({ input }) => input !== 'tick')
      assert.deepEqual(
        faultsOf(form, filled(form, tooLong)).filter((name) => limited.some((field) => field.name === name)), namesOf(limited),
      )
      for (const { name } of limited) {
        assert.deepEqual(faultsOf(form, filled(form, (field) => (field.name === name ? tooLong(field) : longest(field)))), [name])
      }
      assert.isTrue(E.isRight(form.write(TO, filled(form, (field) => (field.isRequired ? longest(field) : '')))))
    })

    it(`names the fields of ${kind} as no other field of the steps`, () => {
      const names = ['to', 'what', 'template', 'key', 'file', ...form.fields.map(({ name }) => name)]
      assert.equal(new Set(names).size, names.length)
    })
  }

  it('keeps a text as it was typed, with one character for each line end', () => {
    assert.deepEqual(rightOf(text.write(TO, { text: ' Hello\r\nAnn ' })), {
      message: { _tag: 'Text', to: TO, text: ' Hello\nAnn ' },
      preview: { header: undefined, body: ' Hello\nAnn ', footer: undefined, buttons: [] },
      request: { operation: 'send-text', body: { to: TO, text: ' Hello\nAnn ' } },
    })
    assert.equal(leftOf(text.write(TO, { text: ' ' }))['text'], 'Enter a text.')
    assert.equal(leftOf(text.write(TO, { text: 'x'.repeat(MAX_TEXT_LENGTH + 1) }))['text'], 'The maximum is 4096 characters; this has 4097.')
    assert.isTrue(E.isRight(text.write(TO, { text: `${'x'.repeat(MAX_TEXT_LENGTH - 1)}\r\n` })))
  })

  it('writes a location with its name and address, or without, and shows both', () => {
    const content = { latitude: '52.5219', longitude: '13.4132', name: 'Shop', address: 'Alexanderplatz 1' }
    const { message, request, preview } = rightOf(location.write(TO, { ...PLACE, name: ' Shop ' }))
    assert.deepEqual(
      [message, request],
      [
        { _tag: 'Content', to: TO, type: 'location', content },
        { operation: 'send', body: { to: TO, type: 'location', location: content } },
      ],
    )
    assert.deepEqual(preview?.things, [{ icon: 'location', name: 'Shop', detail: 'Alexanderplatz 1\n52.5219, 13.4132' }])
    assert.deepEqual(contentOf(location, { latitude: ' 1 ', longitude: '2', name: ' ' }), { latitude: '1', longitude: '2' })
  })

  it('takes degrees as decimal numbers in their limits, to six decimals, and nothing else', () => {
    for (const [latitude, longitude, read] of [
      ['-90', '-180', '-90, -180'], ['90.0', '180.00', '90, 180'], ['-0.0000001', '0', '0, 0'],
      ['52.52197645', '-0.0000006', '52.521976, -0.000001'],
    ] as const) {
      const [written, along] = read.split(', ')
      assert.deepEqual(contentOf(location, { latitude, longitude }), { latitude: String(written), longitude: String(along) })
    }
    for (const latitude of [
      '90.000001', '-90.1', '52,5', '1e1', '0x10', 'NaN', 'Infinity', '--1', '+1', '1.', '.5', '1 2', '52.5219, 13.4132', '٥٢',
      '9'.repeat(30),
    ]) {
      assert.deepEqual(
        leftOf(location.write(TO, { ...PLACE, latitude })), { latitude: 'Enter a number from -90 to 90, with a decimal point, such as 1.5.' },
        latitude,
      )
    }
    assert.deepEqual(faultsOf(location, { ...PLACE, longitude: '-180.5' }), ['longitude'])
  })

  it('writes buttons and rows that are known by their words, and closes up what was left empty between them', () => {
    const reply = (title: string) => ({ type: 'reply', reply: { title, id: title } })
    assert.deepEqual(
      contentOf(FORM_KINDS.buttons.form, { header: 'Delivery', body: 'When?', 'button-1': ' Today ', 'button-3': 'Never' }), {
        type: 'button', header: { text: 'Delivery', type: 'text' }, body: { text: 'When?' },
        action: { buttons: [reply('Today'), reply('Never')] },
      },
    )
    assert.deepEqual(
      contentOf(FORM_KINDS.list.form, {
        body: 'Which size?', opens: 'Sizes', 'row-1': '36', 'row-4': '37', 'row-4-description': 'The last pair',
      }),
      {
        type: 'list', body: { text: 'Which size?' },
        action: {
          button: 'Sizes', sections: [{ rows: [{ title: '36', id: '36' }, { title: '37', id: '37', description: 'The last pair' }] }],
        },
      },
    )
    assert.deepEqual(contentOf(FORM_KINDS.link.form, { body: 'Track it', label: 'Track', url: 'https://shop.example/t' }), {
      type: 'cta_url', body: { text: 'Track it' },
      action: { name: 'cta_url', parameters: { display_text: 'Track', url: 'https://shop.example/t' } },
    })
  })

  it('puts each breach of what the platform takes at the field that it is about, in words for a person', () => {
    const cases: ReadonlyArray<readonly [form: MessageForm, typed: SendForm, faults: SendForm]> = [
      [FORM_KINDS.buttons.form, { body: 'When?', 'button-1': 'Today', 'button-3': 'Today' }, { 'button-1': 'Two of these are the same. Use different texts, so that you can tell which one the customer chose.' }],
      [FORM_KINDS.list.form, { opens: 'Sizes', 'row-1': '36', 'row-3-description': 'The last pair' },
        { body: 'This field is required.', 'row-3': 'This field is required.' }],
      [FORM_KINDS.link.form, { body: 'Track it', label: 'Track', url: 'shop.example' }, { url: 'Enter an address that begins with https:// or http://.' }],
      [FORM_KINDS.reaction.form, { message: 'msg_1', emoji: '👍' }, { message: 'Enter the platform’s id of a message. WhatsApp ids begin with “wamid.”.' }],
      [FORM_KINDS.image.form, { link: 'ftp://shop.example/a.jpg', caption: 'x'.repeat(1_025) },
        { link: 'Enter an address that begins with https:// or http://.', caption: 'The maximum is 1024 characters; this has 1025.' }],
      [FORM_KINDS.contact.form, { phone: '1', name: '\uD800' }, { name: 'This must be well-formed Unicode.' }],
    ]
    for (const [form, typed, faults] of cases) assert.deepEqual(leftOf(form.write(TO, typed)), faults)
  })

  it('leaves the place of a file open where no address is given, and takes the address where one is', () => {
    const chosen = rightOf(FORM_KINDS.document.form.write(TO, { caption: 'Your invoice', filename: 'invoice.pdf', link: ' ' }))
    assert.deepEqual(chosen.file, { to: TO, type: 'document', caption: 'Your invoice', filename: 'invoice.pdf' })
    assert.deepEqual(chosen.request, {
      operation: 'send', form: { to: TO, type: 'document', caption: 'Your invoice', filename: 'invoice.pdf' },
    })
    const note = rightOf(FORM_KINDS.audio.form.write(TO, { voice: 'on' }))
    assert.deepEqual([note.file, note.request], [{ to: TO, type: 'audio', voice: true }, undefined])
    const linked = rightOf(FORM_KINDS.sticker.form.write(TO, { link: 'https://shop.example/a.webp' }))
    assert.isUndefined(linked.file)
    assert.deepEqual(linked.message, { _tag: 'Content', to: TO, type: 'sticker', content: { link: 'https://shop.example/a.webp' } })
  })

  it('takes any other message as JSON, and says where it breaks the limits, with paths', () => {
    const json = FORM_KINDS.json.form
    const carousel = {
      type: 'interactive', interactive: { type: 'catalog_message', body: { text: 'Our shoes' }, action: { name: 'catalog_message' } },
    }
    assert.deepEqual(messageOf(json, { json: JSON.stringify(carousel) }), {
      _tag: 'Content', to: TO, type: 'interactive', content: carousel.interactive,
    })
    const text = '{"body":"Hello","campaign":122097329108006499}'
    assert.include(JSON.stringify(messageOf(json, { json: `{"type":"text","text":${text}}` })), text, 'an id that a double would change')
    const product = '{"type":"product","body":{"text":"Our shoes"},"action":{"catalog_id":122097329108006499,"product_retailer_id":"a"}}'
    assert.match(leftOf(json.write(TO, { json: `{"type":"interactive","interactive":${product}}` }))['json'] ?? '', /^interactive\.action\.catalog_id must be more than blanks\.$/)
    const faults: ReadonlyArray<readonly [typed: string, fault: RegExp]> = [
      ['{', /not valid JSON/], ['[]', /not valid JSON/], [`{"type":"text","text":${'['.repeat(100)}${']'.repeat(100)}}`, /not valid JSON/],
      ['{"type":"template","template":{}}', /“type” must be one of text, image/], ['{"type":"text"}', /^text must be an object, but is missing\.$/],
      [JSON.stringify({ type: 'interactive', interactive: { ...carousel.interactive, body: { text: 'x'.repeat(1_025) }, action: {} } }),
        /^interactive\.body\.text must be a string of 1 to 1024 characters, but has 1025\.\ninteractive\.action\.name must be "catalog_message", but is missing\.$/],
    ]
    for (const [typed, fault] of faults) assert.match(leftOf(json.write(TO, { json: typed }))['json'] ?? '', fault, typed)
  })

  it('fills a template with what was typed, and shows it as the quote does', () => {
    const typed = { 'fill-header-latitude': '1.5', 'fill-header-longitude': '2', 'fill-header-name': '', 'fill-body-1': ' Ann ' }
    const components = [
      { type: 'header', parameters: [{ type: 'location', location: { latitude: '1.5', longitude: '2' } }] },
      { type: 'body', parameters: [{ type: 'text', text: ' Ann ' }] },
    ]
    assert.deepEqual(rightOf(template.write(TO, typed)), {
      message: { _tag: 'Template', to: TO, name: 'order_update', language: 'en', components },
      request: { operation: 'send-template', body: { to: TO, template_name: 'order_update', language: 'en', components } },
    })
    assert.deepEqual(faultsOf(template, { ...typed, 'fill-body-1': '' }), ['fill-body-1'])
    assert.deepEqual(template.fields.map(({ label }) => label), [
      'Header, latitude', 'Header, longitude', 'Header, name of the place', 'Header, address of the place', 'Body, {{1}}',
    ])
  })

  it('asks for nothing where a template has nothing to fill in, or nothing that a form could, and says so', () => {
    for (const [form, note] of [
      [formOf([body('Hello')]), /no placeholders/],
      [formOf(undefined), /does not know the placeholders/],
    ] as const) {
      assert.match(form.note ?? '', note)
      assert.deepEqual([form.fields, messageOf(form, {})], [[], { _tag: 'Template', to: TO, name: 'order_update', language: 'en' }])
    }
  })

  it('reads to whom and what, and says what is wrong with either', () => {
    assert.deepEqual(rightOf(readChoice({ to: ' +49 151 23456789 ', what: 'location' })), { to: TO, form: location })
    for (const what of [undefined, '', 'king', '__proto__', 'text']) {
      assert.deepEqual(rightOf(readChoice({ to: TO, ...(what !== undefined && { what }) })), { to: TO, form: text })
    }
    for (const to of [undefined, '', '12', 'Ann']) {
      assert.deepEqual(Object.keys(leftOf(readChoice({ what: 'location', ...(to !== undefined && { to }) }))), ['to'])
    }
    for (const named of [undefined, '', 'order_update', ' order_update', 'en ']) {
      assert.deepEqual(
        leftOf(readChoice({ to: TO, what: 'template', ...(named !== undefined && { template: named }) })),
        { template: 'Choose a template.' },
      )
    }
    assert.deepInclude(rightOf(readChoice({ to: TO, what: 'template', template: 'en order update' })), {
      to: TO, template: { language: 'en', name: 'order update' },
    })
  })
})
