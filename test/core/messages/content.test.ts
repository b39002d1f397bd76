import { assert } from 'chai'
import fc from 'fast-check'
import { type Breach, checkContent, type Content, CONTENT_TYPES, mostOf } from '../../../core/messages/content.js'
import type { Json } from '../../../core/kernel/json.js'
import { summaryOf } from '../../../core/messages/message.js'
import { SAMPLES } from '../content-samples.js'
import { generated } from '../generated-content.js'
import { CUSTOMER } from '../gateway.js'

const HEART = '❤️'

/** A copy of a sample in which the value at a path is another one; `undefined` takes it out. */
const changed = (sample: string, path: string, value: Json | undefined): Json => {
  const { type, content } = SAMPLES[sample] ?? assert.fail(sample)
  const copy = { [type]: JSON.parse(JSON.stringify(content)) as Content }
  const names = path.split(/[.[\]]+/).filter((name) => name !== '')
  const last = names.pop() ?? assert.fail(path)
  const place = names.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], copy) as Record<string, unknown>
  place[last] = value
  // What is undefined is not written, so the value is taken out.
  return (JSON.parse(JSON.stringify(copy)) as typeof copy)[type] ?? null
}

const times = <Item>(count: number, item: (index: number) => Item): ReadonlyArray<Item> =>
  Array.from({ length: count }, (_, index) => item(index))
const long = (length: number): string => 'x'.repeat(length)
const product = { product_retailer_id: 'a' }
const row = (id: number) => ({ id: String(id), title: 'A' })
const reply = (title: string) => ({ type: 'reply', reply: { id: title, title } })
const contact = { name: { formatted_name: 'Ann' } }
const carousel = 'interactive.action.cards'
const sections = 'interactive.action.sections'
const cards = (count: number): Json => times(count, (index) => ({
  card_index: index, type: 'cta_url', header: { type: 'video', video: { id: '1' } },
  action: { name: 'cta_url', parameters: { display_text: 'Look', url: 'https://shop.example' } },
}))

/** A sample, the path of a value in it, the value, what came as it is reported, and where the breach is if that is elsewhere. */
const BREACHES: ReadonlyArray<readonly [sample: string, path: string, value: Json | undefined, given: Breach['given'], where?: string]> = [
  ['text', 'text.body', '', 0], ['text', 'text.body', long(4097), 4097], ['text', 'text.body', ' \n', 'string'],
  ['text', 'text.body', '\ud800', 'string'], ['text', 'text.body', undefined, null],
  ['text', 'text.preview_url', 'yes', 'string'],
  ...(['image', 'video', 'document'] as const).map((type) => [type, `${type}.caption`, long(1025), 1025] as const),
  ['image', 'image.id', '1', 2, 'image'], ['image', 'image.link', undefined, 0, 'image'],
  ['image', 'image.link', 'ftp://shop.example', 'string'], ['image', 'image.link', 'https://', 'string'],
  ['image', 'image.link', 'https://shop..example/a.png', 'string'], ['image', 'image.link', 'https://shop.example:0/a.png', 'string'],
  ['image by id', 'image.id', 1, 'number'], ['image by id', 'image.id', '', 'string'], ['document', 'document.filename', 1, 'number'],
  ['audio', 'audio.link', 'data:audio/mp3,', 'string'], ['voice note', 'audio.voice', 1, 'number'],
  ['sticker', 'sticker.link', 'https://shop.example/a.webp', 2, 'sticker'], ['location', 'location.latitude', '90.1', 90.1],
  ['location', 'location.latitude', 'north', 'string'], ['location', 'location.latitude', undefined, null],
  ['location', 'location.longitude', -181, -181], ['location', 'location.longitude', true, 'boolean'],
  ['location', 'location.name', 1, 'number'], ['location', 'location.address', {}, 'object'], ['contacts', 'contacts', [], 0],
  ['contacts', 'contacts', times(258, () => contact), 258], ['contacts', 'contacts', contact, 'object'],
  ['contacts', 'contacts[1].name.formatted_name', undefined, null], ['contacts', 'contacts[1].name', undefined, null],
  ['contacts', 'contacts[0].birthday', '28.02.1990', 'string'], ['contacts', 'contacts[0].phones', {}, 'object'],
  ['contacts', 'contacts[0].phones[0].phone', undefined, null],
  ['contacts', 'contacts[1].emails', ['shop@example.com'], 'string', 'contacts[1].emails[0]'],
  ['contacts', 'contacts[1].org', 'Shop', 'string'], ['reaction', 'reaction.message_id', 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', 'string'],
  ['reaction', 'reaction.message_id', 'a b', 'string'], ['reaction', 'reaction.message_id', undefined, null],
  ['reaction', 'reaction.emoji', undefined, null], ['button', 'interactive.type', undefined, null],
  ['button', 'interactive.type', 'buttons', 'string'], ['button', 'interactive.type', 'toString', 'string'],
  ['button', 'interactive.body', undefined, null], ['button', 'interactive.body.text', long(1025), 1025],
  ['button', 'interactive.footer.text', long(61), 61],
  ['button', 'interactive.header', { type: 'text', text: long(61) }, 61, 'interactive.header.text'],
  ['button', 'interactive.header', { type: 'sticker' }, 'string', 'interactive.header.type'],
  ['button', 'interactive.header', { type: 'image', image: {} }, 0, 'interactive.header.image'],
  ['button', 'interactive.action.buttons', [], 0], ['button', 'interactive.action.buttons', times(4, (n) => reply(String(n))), 4],
  ['button', 'interactive.action.buttons', [reply('A'), reply('A')], 1],
  ['button', 'interactive.action.buttons', [reply('A'), { type: 'reply', reply: { id: 'A', title: 'B' } }], 1],
  ['button', 'interactive.action.buttons[1].reply.title', long(21), 21],
  ['button', 'interactive.action.buttons[1].reply.id', long(257), 257], ['button', 'interactive.action.buttons[1].type', 'url', 'string'],
  ['list', 'interactive.body.text', long(4097), 4097],
  ['list', 'interactive.header', { type: 'image', image: { id: '1' } }, 'string', 'interactive.header.type'],
  ['list', 'interactive.action.button', long(21), 21], ['list', sections, [], 0],
  ['list', sections, times(11, () => ({ title: 'A', rows: [] })), 11, sections],
  ['list', sections, [{ title: 'A', rows: times(6, row) }, { title: 'B', rows: times(5, (n) => row(n + 6)) }], 11],
  ['list', sections, [{ title: 'A', rows: [row(1)] }, { title: 'B', rows: [row(1)] }], 1],
  ['list', `${sections}[1].title`, undefined, null], ['list', `${sections}[1].title`, long(25), 25],
  ['list', `${sections}[0].rows[1].title`, long(25), 25], ['list', `${sections}[0].rows[1].description`, long(73), 73],
  ['list', `${sections}[0].rows[1].id`, long(201), 201], ['list', `${sections}[0].rows`, [], 0],
  ['cta_url', 'interactive.action.parameters.display_text', long(21), 21],
  ['cta_url', 'interactive.action.parameters.url', 'tel:112', 'string'], ['cta_url', 'interactive.action.name', 'url', 'string'],
  ['cta_url', 'interactive.body.text', long(1025), 1025],
  ['carousel', carousel, cards(1), 1], ['carousel', carousel, cards(11), 11],
  ['carousel', 'interactive.header', { type: 'text', text: 'A' }, 'object'], ['carousel', `${carousel}[1].body.text`, long(161), 161],
  ['carousel', `${carousel}[1].body.text`, 'a\nb\nc\nd', 3], ['carousel', `${carousel}[1].header.type`, 'text', 'string'],
  ['carousel', `${carousel}[1].header`, undefined, null], ['carousel', `${carousel}[1].action`, { buttons: [reply('A')] }, 2, carousel],
  ['carousel', `${carousel}[1].card_index`, 0, 1, carousel], ['carousel', `${carousel}[1].card_index`, 10, 10],
  ['carousel', `${carousel}[1].card_index`, '1', 'string'],
  ['carousel of replies', `${carousel}[1].action.buttons`, [reply('A')], 2, carousel],
  ['location_request_message', 'interactive.action.name', undefined, null],
  ['location_request_message', 'interactive.body.text', long(1025), 1025], ['flow', 'interactive.action.parameters.flow_cta', long(21), 21],
  ['flow', 'interactive.action.parameters.flow_cta', `Book ${HEART}`, 'string'],
  ['flow', 'interactive.action.parameters.flow_name', 'a', 2, 'interactive.action.parameters'],
  ['flow', 'interactive.action.parameters.flow_id', undefined, 0, 'interactive.action.parameters'],
  ['flow', 'interactive.action.parameters.flow_message_version', undefined, null],
  ['flow', 'interactive.action.parameters.mode', 'live', 'string'], ['product', 'interactive.action.catalog_id', undefined, null],
  ['product', 'interactive.body', { text: long(1025) }, 1025, 'interactive.body.text'],
  ['product', 'interactive.header', { type: 'text', text: 'A' }, 'object'],
  ['product_list', 'interactive.header', undefined, null], ['product_list', 'interactive.header.type', 'image', 'string'],
  ['product_list', sections,
    [{ title: 'A', product_items: times(16, () => product) }, { title: 'B', product_items: times(15, () => product) }], 31],
  ['product_list', `${sections}[0].product_items[1].product_retailer_id`, undefined, null],
  ['catalog_message', 'interactive.body', undefined, null], ['request_contact_info', 'interactive.action.name', 'send_location', 'string'],
  ['call_permission_request', 'interactive.action.name', undefined, null], ['voice_call', 'interactive.action.name', 'call', 'string'],
  ['address_message', 'interactive.action.parameters.country', 'DE', 'string'],
]

describe('The limits of content', () => {
  for (const [name, { type, content, summary }] of Object.entries(SAMPLES)) {
    it(`are kept by the sample ${name}, which is summed up as ${summary}`, () => {
      assert.deepEqual(checkContent(type, content), [])
      assert.equal(summaryOf({ _tag: 'Content', to: CUSTOMER, type, content }), summary)
    })
  }

  it('have a sample of each type', () =>
    assert.sameMembers([...new Set(Object.values(SAMPLES).map(({ type }) => type))], [...CONTENT_TYPES]))

  for (const [sample, path, value, given, where = path] of BREACHES) {
    it(`refuse ${sample} with ${path} ${value === undefined ? 'left out' : JSON.stringify(value).slice(0, 40)}`, () => {
      const breaches = checkContent(SAMPLES[sample]?.type ?? assert.fail(), changed(sample, path, value))
      assert.deepInclude(breaches.map(({ path: broken, given: came }) => ({ broken, came })), { broken: where, came: given })
    })
  }

  it('are reported for every field that breaks one, not only for the first', () => {
    const content = {
      type: 'button', body: { text: '' }, footer: { text: long(61) },
      action: { buttons: [reply(long(21)), { ...reply('A'), type: 'url' }] },
    }
    assert.deepEqual(checkContent('interactive', content), [
      { path: 'interactive.body.text', rule: 'a string of 1 to 1024 characters', given: 0 },
      { path: 'interactive.action.buttons[0].reply.title', rule: 'a string of 1 to 20 characters', given: 21 },
      { path: 'interactive.action.buttons[1].type', rule: '"reply"', given: 'string' },
      { path: 'interactive.footer.text', rule: 'a string of 1 to 60 characters', given: 61 },
    ])
  })

  it('count UTF-16 units, and let pass what is not known', () => {
    assert.deepEqual(checkContent('text', { body: '👍'.repeat(2048) }), [])
    assert.deepEqual(checkContent('text', { body: '👍'.repeat(2049) }).map(({ given }) => given), [4098])
    for (const [name, { type, content }] of Object.entries(SAMPLES)) {
      if (Array.isArray(content)) continue
      assert.deepEqual(checkContent(type, { ...content, invented_later: { any: ['thing'] } }), [], name)
    }
  })

  it('refuse a value of another type for every content, and never repeat the value', () => {
    const secret = 'my secret'
    fc.assert(fc.property(fc.constantFrom(...CONTENT_TYPES), fc.jsonValue({ depthSize: 'small' }), (type, value) => {
      const breaches = checkContent(type, [secret, { name: secret, body: secret, emoji: secret, link: secret, value: value as Json }])
      assert.isNotEmpty(breaches)
      assert.notInclude(JSON.stringify(breaches), secret)
    }))
  })

  it('are all kept by what passes, and each breach is found, of generated content', () => {
    fc.assert(fc.property(fc.gen(), (generate) => {
      const { type, content, broken } = generated(generate)
      assert.sameMembers([...new Set(checkContent(type, content).map(({ path }) => path))], [...broken])
    }), { numRuns: 2_000 })
  })

  it('says the limit of a field to who asks, and none of a field that has none or is not known', () => {
    const limits: ReadonlyArray<readonly [path: string, most: number | undefined, interactive?: string]> = [
      ['text.body', 4096], ['image.caption', 1024], ['image.link', undefined], ['location.latitude', 90], ['contacts', 257],
      ['contacts[0].name.formatted_name', undefined], ['sticker.caption', undefined], ['interactive.body.text', 1024, 'button'],
      ['interactive.body.text', 4096, 'list'], ['interactive.header.text', 60, 'button'], ['interactive.action.buttons', 3, 'button'],
      ['interactive.action.buttons[2].reply.title', 20, 'button'], ['interactive.action.sections[0].rows', 10, 'list'],
      ['interactive.action.sections[0].rows[9].description', 72, 'list'], ['interactive.action.parameters.display_text', 20, 'cta_url'],
      ['interactive.body.text', undefined, 'nothing'], ['interactive.body.text', undefined], ['nothing.at.all', undefined],
    ]
    for (const [path, most, interactive] of limits) assert.equal(mostOf(path, interactive), most, path)
  })
})
