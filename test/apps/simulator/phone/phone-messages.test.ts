import { assert } from 'chai'
import { interactive, message } from '../content-cases.js'
import { startPhone } from '../phone-support.js'
import { CUSTOMER, json, type Json, PHONE_NUMBER_ID, post, record, text } from '../support.js'

const TOKEN = { authorization: 'Bearer a-token' }
const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1')
const OPUS = Buffer.from('OggS\u0000\u0002 and OpusHead', 'latin1')
const LINK = 'https://shop.example/files/lamp'
const reply = (id: string, title: string): object => ({ type: 'reply', reply: { id, title } })
const quick = (id: string, title: string): object => ({ type: 'quick_reply', quick_reply: { id, title } })

describe('the types of messages on the customer\'s phone', () => {
  const { simulator, receiver, page, done, refused, addAda } = startPhone()

  /** Sends a message of the business, waits for its statuses and returns its id. */
  const send = async (body: object): Promise<string> => {
    const { messages } = await json(await post(simulator(), body))
    await simulator().idle()
    return String(messages![0]!['id'])
  }
  const upload = async (data: Buffer, type: string): Promise<string> => {
    const form = new FormData()
    form.append('messaging_product', 'whatsapp')
    form.append('file', new File([new Uint8Array(data)], 'a file', { type }))
    const response = await fetch(`${simulator().url}/v25.0/${PHONE_NUMBER_ID}/media`, { method: 'POST', headers: TOKEN, body: form })
    return String((await json(response))['id'])
  }
  const shows = async (...shown: ReadonlyArray<string | RegExp>): Promise<void> => {
    const html = await page()
    for (const one of shown) {
      if (typeof one === 'string') assert.include(html, one)
      else assert.match(html, one)
    }
  }
  /** Taps a button and returns the message that the business gets, which answers the one with the button. */
  const tap = async (id: string, fields: Readonly<Record<string, string>>): Promise<Json> => {
    receiver().notifications.length = 0
    await done('tap', { customer: CUSTOMER, message: id, ...fields })
    const [sent] = receiver().messages()
    assert.equal(sent!['context']!['id'], id)
    return sent!
  }

  it('shows the bytes of uploads, and of addresses only the address', async () => {
    const [picture, sound, film] = [
      await upload(PNG, 'image/png'), await upload(OPUS, 'audio/ogg; codecs=opus'), await upload(Buffer.from('0000ftypmp42'), 'video/mp4'),
    ]
    await send(message('image', { id: picture, caption: 'Your <lamp>' }))
    await send(message('video', { id: film }))
    await send(message('audio', { id: sound }))
    await send(message('image', { link: `${LINK}.jpg` }))
    await send(message('sticker', { link: `${LINK}.webp` }))
    await shows(
      `<img src="/_simulator/phone/media/${picture}" alt="Your &lt;lamp>"`, `<video src="/_simulator/phone/media/${film}" controls`, `<audio src="/_simulator/phone/media/${sound}" controls`,
      `<a href="${LINK}.jpg" target="_blank" rel="noopener noreferrer">${LINK}.jpg</a>`, 'Sticker',
    )
    assert.notInclude(await page(), `src="${LINK}`)
    const part = await fetch(`${simulator().url}/_simulator/phone/media/${sound}`, { headers: { range: 'bytes=0-3' } })
    assert.deepEqual([part.status, part.headers.get('content-type'), await part.text()], [206, 'audio/ogg', 'OggS'])
  })

  it('shows documents by name and size, and that a file is no longer kept', async () => {
    const id = await upload(Buffer.concat([Buffer.from('%PDF-1.4'), Buffer.alloc(1_992)]), 'application/pdf')
    await send(message('document', { id, filename: 'invoice.pdf' }))
    await shows('invoice.pdf', 'application/pdf, 2 kB', `<a href="/_simulator/phone/media/${id}" download="invoice.pdf">`)
    await fetch(`${simulator().url}/v25.0/${id}`, { method: 'DELETE', headers: TOKEN })
    await shows('The file is no longer kept.')
  })

  it('shows places and contacts', async () => {
    await send(message('location', { latitude: '52.5219', longitude: '13.4132', name: 'Shop', address: 'Alexanderplatz 1' }))
    await send(message('contacts', [
      {
        name: { formatted_name: 'Ada Lovelace' }, org: { company: 'Lamps' }, phones: [{ phone: '+15550109998' }],
        emails: [{ email: 'ada@shop.example' }],
      },
    ]))
    await shows('Shop', 'Alexanderplatz 1', '52.5219, 13.4132', 'Ada Lovelace', 'Lamps', '+15550109998', 'ada@shop.example')
  })

  it('plays a voice message once, which is reported with the callback data', async () => {
    const id = await send(message('audio', { id: await upload(OPUS, 'audio/ogg'), voice: true }, { biz_opaque_callback_data: 'voice-1' }))
    await shows('Play the voice message')
    receiver().notifications.length = 0
    await done('play', { customer: CUSTOMER, message: id })
    await done('play', { customer: CUSTOMER, message: id })
    assert.deepEqual(receiver().statuses().map((one) => [one['id'], one['status'], one['biz_opaque_callback_data']]), [
      [id, 'played', 'voice-1'],
    ] as never)
    await shows('✓✓</span> played', '<audio')
    receiver().notifications.length = 0
    await refused('play', { customer: CUSTOMER, message: 'wamid.none' }, 400, /Only a voice message/)
    simulator().change({ rates: { silent: 1 } })
    const never = await send(message('audio', { link: LINK, voice: true }))
    await refused('play', { customer: CUSTOMER, message: never }, 400, /not arrived yet/)
  })

  it('answers with reply buttons, rows of lists and quick replies of cards', async () => {
    const buttons = await send(interactive(
      'button', { buttons: [reply('r', 'Red'), reply('b', 'Blue')] },
      { header: { type: 'text', text: 'Lamps' }, footer: { text: 'Until Friday' } },
    ))
    await shows('Lamps', 'Which one?', 'Until Friday', '↩ Red')
    assert.deepEqual(record((await tap(buttons, { button: '1' }))['interactive']), {
      type: 'button_reply', button_reply: { id: 'b', title: 'Blue' },
    })
    const list = await send(interactive('list', {
      button: 'Choose a time',
      sections: [
        { title: 'Today', rows: [{ id: '1', title: '10:00' }] },
        { title: 'Tomorrow', rows: [{ id: '2', title: '11:00' }, { id: '3', title: '12:00', description: 'With Ada' }] },
      ],
    }))
    await shows('☰ Choose a time', 'Tomorrow', /12:00<small>With Ada/)
    assert.deepEqual(record((await tap(list, { row: '2' }))['interactive']), {
      type: 'list_reply', list_reply: { id: '3', title: '12:00', description: 'With Ada' },
    })
    assert.deepEqual(record((await tap(list, { row: '0' }))['interactive']), {
      type: 'list_reply', list_reply: { id: '1', title: '10:00' },
    })
    const cards = [0, 1].map((index) => ({
      card_index: index, header: { type: 'image', image: { link: LINK } }, body: { text: `Lamp ${index}` },
      action: { buttons: [quick(`more-${index}`, 'More')] },
    }))
    const carousel = await send(interactive('carousel', { cards }))
    await shows('Lamp 0', 'Lamp 1')
    assert.equal((await tap(carousel, { card: '1', button: '0' }))['interactive']!['button_reply']!['id'], 'more-1')
    await shows('Tapped', 'Chose', /<blockquote class="quote"><b>Business<\/b>Which one\?/)
    receiver().notifications.length = 0
    for (const fields of [{ row: '3' }, { row: 'x' }, { card: '2', button: '0' }, { button: '0' }]) {
      await refused('tap', { customer: CUSTOMER, message: list, ...fields }, 400, /Only a reply/)
    }
  })

  it('answers requests for the location and for the number', async () => {
    const place = await tap(await send(interactive('location_request_message', { name: 'send_location' })), { button: '0' })
    assert.deepEqual([place['type'], typeof place['location']!['latitude']], ['location', 'number'] as never)
    const contact = await tap(await send(interactive('request_contact_info', { name: 'request_contact_info' })), { button: '0' })
    assert.deepInclude(record(contact['contacts']![0]), { origin: 'contact_request' })
    assert.equal(contact['contacts']![0]!['phones']![0]!['wa_id'], CUSTOMER)
    await shows('Asks where you are', 'Asks for your number', 'Shared my number')
  })

  it('labels what a phone would open elsewhere', async () => {
    await send(interactive('cta_url', { name: 'cta_url', parameters: { display_text: 'Track it', url: LINK } }))
    const flow = await send(
      interactive('flow', { name: 'flow', parameters: { flow_message_version: '3', flow_id: '1', flow_cta: 'Book' } }),
    )
    await send(interactive('product', { catalog_id: '1', product_retailer_id: 'a17' }))
    await send(interactive(
      'product_list', { catalog_id: '1', sections: [{ title: 'Lamps', product_items: [{ product_retailer_id: 'a18' }] }] },
      { header: { type: 'text', text: 'Our lamps' } },
    ))
    await send(interactive('catalog_message', { name: 'catalog_message' }))
    await send(interactive('voice_call', { name: 'voice_call' }))
    await send(interactive('call_permission_request', { name: 'call_permission_request' }))
    await send(interactive('address_message', { name: 'address_message', parameters: { country: 'IN' } }))
    await shows(
      new RegExp(`<a class="out" href="${LINK}"[^>]*>↗ Track it`), 'Flow', '☰ Book', 'Product a17', 'Our lamps', 'a18', 'View catalog',
      'Call now', 'Asks whether it may call you', 'Provide address',
    )
    receiver().notifications.length = 0
    await refused('tap', { customer: CUSTOMER, message: flow, button: '0' }, 400, /Only a reply/)
  })

  it('shows reactions of both sides on the message that they are to, and what failed by itself', async () => {
    await addAda()
    await done('write', { customer: CUSTOMER, text: 'Where is it?' })
    const asked = String(receiver().messages()[0]!['id'])
    const reaction = (to: string, emoji: string): object => message('reaction', { message_id: to, emoji })
    await send(reaction(asked, '👀'))
    await shows(/Where is it\?(?:(?!<\/li>).)*Reactions: <\/span>👀/s)
    assert.notInclude(await page(), 'Reacted with')
    await send(reaction(asked, ''))
    assert.notInclude(await page(), 'Reactions:')
    const textId = await send(text(CUSTOMER, 'At the door.'))
    simulator().writeAs(CUSTOMER, { type: 'reaction', emoji: '🎉', reply_to: textId }, PHONE_NUMBER_ID)
    await shows(/At the door\.(?:(?!<\/li>).)*Reactions: <\/span>🎉/s)
    await send(reaction('wamid.unknown', '👍'))
    await shows(/Reacted with(?:(?!<\/li>).)*131009/s)
  })

  it('shows what a message quotes, if it exists', async () => {
    await addAda()
    await done('write', { customer: CUSTOMER, text: 'Where is it?' })
    const asked = String(receiver().messages()[0]!['id'])
    await send({ ...text(CUSTOMER, 'At the door.'), context: { message_id: asked } })
    await shows(/<blockquote class="quote"><b>You<\/b>Where is it\?<\/blockquote>(?:(?!<\/li>).)*At the door/s)
    await send({ ...text(CUSTOMER, 'Quoting nothing'), context: { message_id: 'wamid.unknown' } })
    assert.lengthOf((await page()).match(/<blockquote/g) ?? [], 1)
  })
})
