import { assert } from 'chai'
import type { Report } from '../../../core/reports/receive.js'
import { inbound, readMessages, readValue, saying, text } from './notification-samples.js'

/** An item of a type, with the fields that the platform gives it. */
const item = (type: string, fields: object): object => text({ type, text: undefined, ...fields })

const messageOf = (report: Report | undefined): unknown => (report !== undefined && 'message' in report ? report.message : undefined)
const read = (message: object): unknown => messageOf(readMessages(JSON.parse(JSON.stringify(message))).reports[0])

const media = { id: '1234567890', mime_type: 'image/jpeg', sha256: 'OjWX2x0=', url: 'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1' }
const context = { from: '15550001111', id: 'wamid.out' }

describe('the content of a customer\'s message', () => {
  const named: Readonly<Record<string, object>> = {
    text: { body: 'Hi' },
    image: { ...media, caption: 'Is this mine?' },
    video: { ...media, mime_type: 'video/mp4' },
    audio: { ...media, mime_type: 'audio/ogg; codecs=opus', voice: true },
    voice: { ...media, mime_type: 'audio/ogg' },
    sticker: { ...media, mime_type: 'image/webp', animated: false },
    document: { ...media, mime_type: 'application/pdf', filename: 'order.pdf', caption: 'See' },
    location: { latitude: 52.52, longitude: 13.405, name: 'Berlin', address: 'Alexanderplatz' },
    order: {
      catalog_id: '1', text: 'Please', product_items: [{ product_retailer_id: 'a17', quantity: 1, item_price: 9.5, currency: 'USD' }],
    },
    button: { text: 'Yes', payload: 'YES-17' },
    interactive: { type: 'button_reply', button_reply: { id: 'YES-17', title: 'Yes' } },
    reaction: { message_id: 'wamid.out', emoji: '👍' },
    edit: { original_message_id: 'wamid.in', message: { type: 'text', text: { body: 'Hello' } } },
    revoke: { original_message_id: 'wamid.in' },
    hologram: { depth: 3 },
  }
  for (const [type, content] of Object.entries(named)) {
    it(`of the type ${type} is the object of that name, as the platform has it`, () => {
      assert.deepEqual(read(item(type, { [type]: content, context })), { id: 'wamid.in', type, content, context })
    })
  }

  for (const answer of [
    { type: 'list_reply', list_reply: { id: 'row-2', title: 'Tomorrow', description: 'From 9 to 12' } },
    { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token":"unused"}' } },
    { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } },
  ]) {
    it(`of an interactive message is its ${answer.type}`, () => {
      assert.deepEqual(read(item('interactive', { interactive: answer })), { id: 'wamid.in', type: 'interactive', content: answer })
    })
  }

  it('of contacts is the list under its name', () => {
    const contacts = [{ name: { formatted_name: 'Ada' }, phones: [{ phone: '+4915112345678', wa_id: '4915112345678', type: 'CELL' }] }]
    assert.deepEqual(read(item('contacts', { contacts })), { id: 'wamid.in', type: 'contacts', content: { contacts } })
  })

  it('of an unsupported message has the reason and what it hides', () => {
    const fields = { errors: [{ code: 131051, title: 'Message type unknown' }], unsupported: { type: 'poll_creation' } }
    assert.deepEqual(read(item('unsupported', fields)), { id: 'wamid.in', type: 'unsupported', content: fields })
  })

  it('of a type that has no object is everything but what every message has', () => {
    assert.deepEqual(read(item('hologram', { from_user_id: 'DE.1', depth: 3, colours: ['red'] })), {
      id: 'wamid.in', type: 'hologram', content: { depth: 3, colours: ['red'] },
    })
    assert.deepEqual(read(item('request_welcome', {})), { id: 'wamid.in', type: 'request_welcome', content: {} })
    for (const node of [null, 'a text', 7, ['a list']]) {
      assert.deepEqual(
        read(item('image', { image: node })), { id: 'wamid.in', type: 'image', content: { image: node } }, JSON.stringify(node),
      )
    }
  })

  it('of a type with the name of an inherited property is not inherited', () => {
    for (const type of ['constructor', 'toString', '__proto__']) {
      assert.deepEqual(read(item(type, {})), { id: 'wamid.in', type, content: {} })
    }
  })

  it('is the same in the field standby', () => {
    assert.deepEqual(readValue({ standby: { messages: [text()] } }, 'standby').reports.map(messageOf), [inbound.message])
  })

  it('of a name longer than any of the platform\'s has its beginning', () => {
    assert.deepEqual(read(item('x'.repeat(10_000), {})), { id: 'wamid.in', type: 'x'.repeat(64), content: {} })
  })
})

describe('the context of a customer\'s message', () => {
  it('is what the platform has, for an answer, a forwarded message and a question about a product', () => {
    const product = { ...context, referred_product: { catalog_id: '1', product_retailer_id: 'a17' } }
    for (const one of [context, { forwarded: true }, { frequently_forwarded: true }, product]) {
      assert.deepEqual(readMessages(text({ context: one })).reports as unknown, [saying({ context: one })])
    }
  })

  it('has the advertisement from which the customer came', () => {
    const referral = { source_type: 'ad', source_id: '1', ctwa_clid: 'ARA0', headline: 'Summer offers' }
    assert.deepEqual(read(text({ referral })), { ...inbound.message, context: { referral } })
    assert.deepEqual(read(text({ referral, context })), { ...inbound.message, context: { ...context, referral } })
    assert.deepEqual(read(item('hologram', { referral })), { id: 'wamid.in', type: 'hologram', content: {}, context: { referral } })
  })

  it('is absent if the message refers to nothing', () => {
    for (const one of [undefined, null, {}, [], 'wamid.out']) {
      assert.deepEqual(read(text({ context: one })), inbound.message, JSON.stringify(one))
    }
  })
})

describe('a customer\'s message that is not as it should be', () => {
  it('is reported without its content if it has no valid id', () => {
    for (const id of [undefined, null, 7, '', 'a b', 'x'.repeat(256)]) {
      const { reports, ignored } = readMessages(text({ id }), text())
      assert.deepEqual(ignored, [])
      assert.deepEqual(reports.map(messageOf), [undefined, inbound.message], JSON.stringify(id))
      assert.deepEqual({ ...reports[0], message: undefined } as unknown, { ...inbound, message: undefined }, JSON.stringify(id))
    }
  })

  it('is reported with a note if it is too large or too deep, and costs the others nothing', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as object
    const omitted = { omitted: 'too_large' }
    const large = { body: 'x'.repeat(65_536) }
    const { reports, ignored } = readMessages(
      text({ text: large }), text(), text({ text: deep }), text({ context: large }), item('hologram', { a: deep }),
    )
    assert.deepEqual(ignored, [])
    assert.deepEqual(reports.map(messageOf), [
      { ...inbound.message, content: omitted }, inbound.message, { ...inbound.message, content: omitted },
      { ...inbound.message, context: omitted }, { ...inbound.message, type: 'hologram', content: omitted },
    ])
  })

  it('may be as long as the longest text, in any script', () => {
    const longest = { body: '🧾'.repeat(2_048) }
    assert.deepEqual(read(text({ text: longest })), { ...inbound.message, content: longest })
  })
})
