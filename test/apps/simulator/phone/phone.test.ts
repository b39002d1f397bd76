import { assert } from 'chai'
import { startPhone } from '../phone-support.js'
import { control, CUSTOMER, PHONE_NUMBER_ID, post, record, template, text, WELCOME } from '../support.js'

const DAY_MS = 24 * 3_600_000

describe('the customer\'s phone', () => {
  const { simulator, receiver, skipped, whenSkipped, page, act, done, refused, addAda, attached, rates } = startPhone()

  it('gets another customer, who writes to the business', async () => {
    await addAda()
    await done('write', { customer: CUSTOMER, text: '  Is it <b>open</b>?  ' })
    const [value] = receiver().values()
    assert.deepInclude(record(value!['contacts']![0]), { profile: { name: 'Ada' }, wa_id: CUSTOMER })
    assert.equal(value!['metadata']!['phone_number_id'], PHONE_NUMBER_ID)
    assert.deepEqual(record(receiver().messages()[0]!['text']), { body: 'Is it <b>open</b>?' })
    const html = await page()
    assert.include(html, 'Is it &lt;b>open&lt;/b>?')
    assert.include(html, 'Window open:')
  })

  it('shows what the business sends and its ticks, whatever happens to it', async () => {
    await post(simulator(), text(CUSTOMER, 'Your order is at the door.'))
    assert.match(await page(), /Window closed\.<\/strong> The platform would accept templates only[^]*<code>windows<\/code> is <code>ignored/)
    simulator().change({ windows: 'refused' })
    assert.include(await page(), 'The business can send templates only')
    await simulator().idle()
    simulator().change({ windows: 'ignored' })
    assert.match(await page(), /Your order is at the door\.(?:(?!<\/li>).)*✓✓<\/span> read/s)
    await post(simulator(), text('15550100026', 'Never seen'))
    await simulator().idle()
    assert.match(await page(), /Never seen(?:(?!<\/li>).)* failed(?:(?!<\/li>).)*131026: Message undeliverable/s)
    await post(simulator(), text('15550100008', 'Refused'))
    const html = await page()
    assert.notInclude(html, 'Refused<')
    await post(simulator(), text('15550100056', 'To a known customer'))
    await done('add', { name: 'Ben', number: '15550100056' })
    assert.include(await page(), 'The platform refused a message of the business: 131056')
  })

  it('shows when the business has read a message, and that it is typing', async () => {
    await addAda()
    await done('write', { customer: CUSTOMER, text: 'Hello?' })
    const id = receiver().messages()[0]!['id']
    assert.include(await page(), '✓✓</span> delivered')
    await post(simulator(), { messaging_product: 'whatsapp', status: 'read', message_id: id, typing_indicator: { type: 'text' } })
    const html = await page()
    assert.include(html, '✓✓</span> read')
    assert.include(html, 'The business is typing')
  })

  it('fills in templates, and taps their quick replies only', async () => {
    const welcome = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/a.jpg' } }] }
    await post(simulator(), template(CUSTOMER, 'shipment_photo', 'en', [
      welcome, { type: 'body', parameters: [{ type: 'text', text: 'A-17' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'a17' }] },
      { type: 'button', sub_type: 'quick_reply', index: '1', parameters: [{ type: 'payload', payload: 'thanks-17' }] },
    ]))
    await simulator().idle()
    const html = await page()
    for (const shown of ['Photo', 'Your parcel A-17 was handed over.', '↗ Track it', '↩ Thanks']) assert.include(html, shown)
    const message = simulator().received()[0]!.wamid!
    receiver().notifications.length = 0
    await refused('tap', { customer: CUSTOMER, message, button: '0' }, 400, /Only a reply/)
    await refused('tap', { customer: CUSTOMER, message, button: 'x' }, 400, /Only a reply/)
    await refused('tap', { customer: CUSTOMER, message: 'wamid.none', button: '1' }, 400, /no longer known/)
    await done('tap', { customer: CUSTOMER, message, button: '1' })
    const [tapped] = receiver().messages()
    assert.deepEqual(record(tapped!['button']), { text: 'Thanks', payload: 'thanks-17' })
    assert.equal(tapped!['context']!['id'], message)
  })

  it('fills in named variables, and taps the button of a card', async () => {
    await post(simulator(), template(CUSTOMER, 'welcome', 'en', WELCOME))
    const card = (at: number) => ({
      card_index: at, components: [
        { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/a.jpg' } }] },
        { type: 'body', parameters: [{ type: 'text', text: `room ${at}` }] },
        { type: 'button', sub_type: 'quick_reply', index: 0, parameters: [{ type: 'payload', payload: `more ${at}` }] },
        { type: 'button', sub_type: 'url', index: 1, parameters: [{ type: 'text', text: 'x' }] },
      ],
    })
    await post(
      simulator(),
      template(CUSTOMER, 'new_arrivals', 'en', [
        { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
        { type: 'carousel', cards: [card(0), card(1)] },
      ]),
    )
    await simulator().idle()
    const html = await page()
    for (const shown of ['Hello A, B is glad to have you.', 'New in the shop, Ada:', 'A lamp for room 0.', 'A chair for room 1.']) {
      assert.include(html, shown)
    }
    await done('tap', { customer: CUSTOMER, message: simulator().received()[1]!.wamid!, button: '0', card: '1' })
    assert.equal(receiver().messages()[0]!['button']!['payload'], 'more 1')
  })

  const types = [
    'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'interactive', 'order', 'unsupported', 'system',
    'request_welcome', 'reaction', 'edit', 'revoke',
  ]
  for (const type of types) {
    it(`sends the type ${type}`, async () => {
      await post(simulator(), text(CUSTOMER, 'Hello'))
      await addAda()
      await done('write', { customer: CUSTOMER, text: 'Mine' })
      await done('attach', attached({ type }))
      const [mine, sent] = receiver().messages()
      assert.equal(sent!['type'], type)
      if (type === 'reaction') assert.equal(sent!['reaction']!['message_id'], simulator().received()[0]!.wamid)
      if (type === 'edit') assert.equal(sent!['edit']!['original_message_id'], mine!['id'])
      if (type === 'image') assert.notProperty(sent!['image'], 'caption')
    })
  }

  it('calls', async () => {
    await addAda()
    await done('attach', attached({ type: 'call' }))
    assert.equal(receiver().values()[0]!['calls']![0]!['event'], 'connect')
  })

  it('sends a file of one\'s own, and shows it if it is a picture', async () => {
    await addAda()
    const bytes = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(2_000, '\r\n--x')])
    await done('attach', attached({ type: 'file', text: 'Look, é' }, new File([bytes], 'my "lamp".png', { type: 'image/png' })))
    const [sent] = receiver().messages()
    assert.deepInclude(record(sent!['image']), { mime_type: 'image/png', caption: 'Look, é' })
    const address = /src="(\/_simulator\/phone\/media\/\d+)"/.exec(await page())?.[1] ?? ''
    const picture = await fetch(simulator().url + address)
    assert.equal(picture.headers.get('content-type'), 'image/png')
    assert.deepEqual(Buffer.from(await picture.arrayBuffer()), bytes)
    await done('attach', attached({ type: 'file' }, new File(['<script>alert(1)</script>'], 'page.html', { type: 'text/html' })))
    const document = receiver().messages()[1]!['document']!
    assert.deepInclude(record(document), { mime_type: 'text/html', filename: 'page.html' })
    const served = await fetch(`${simulator().url}/_simulator/phone/media/${document['id']}`)
    assert.deepEqual(
      [served.headers.get('content-type'), served.headers.get('content-disposition')], ['application/octet-stream', 'attachment'],
    )
    assert.equal((await fetch(`${simulator().url}/_simulator/phone/media/1`)).status, 404)
  })

  it('hides, shows and changes the number', async () => {
    await addAda()
    await done('write', { customer: CUSTOMER, text: 'one' })
    await done('hide-number', { customer: CUSTOMER })
    await done('write', { customer: CUSTOMER, text: 'two' })
    assert.notProperty(receiver().messages()[1], 'from')
    assert.include(await page(), 'number hidden')
    await done('show-number', { customer: CUSTOMER })
    await done('change-number', { customer: CUSTOMER, number: '+1 555 010 0998' })
    assert.equal(receiver().messages()[2]!['system']!['wa_id'], '15550100998')
    await done('write', { customer: CUSTOMER, text: 'three' })
    assert.equal(receiver().messages()[3]!['from'], '15550100998')
    const html = await page()
    for (const shown of ['one', 'two', 'three', '+15550100998', 'The number is shown to the business again.']) assert.include(html, shown)
  })

  it('stops offers and takes them again', async () => {
    await addAda()
    await done('stop-marketing', { customer: CUSTOMER })
    assert.include(await page(), 'Take offers again')
    await post(simulator(), template(CUSTOMER, 'welcome', 'en', WELCOME))
    await simulator().idle()
    assert.include(await page(), '131050')
    await done('resume-marketing', { customer: CUSTOMER })
    assert.include(await page(), 'Stop offers')
  })

  it('skips a day: every window is closed, and onSkip is called', async () => {
    simulator().change({ windows: 'refused' })
    await addAda()
    await done('write', { customer: CUSTOMER, text: 'Hello' })
    assert.equal((await post(simulator(), text(CUSTOMER))).status, 200)
    await done('skip', {})
    assert.deepEqual(skipped, [DAY_MS])
    assert.equal((await post(simulator(), text(CUSTOMER))).status, 400)
    const html = await page()
    assert.include(html, 'Window closed.')
    assert.include(html, '24 hours later')
    await done('add', { name: 'Ben', number: '15550100998' })
    assert.lengthOf((await page()).match(/24 hours later/g) ?? [], 1)
    await done('write', { customer: CUSTOMER, text: 'Hello again' })
    assert.equal((await post(simulator(), text(CUSTOMER))).status, 200)
    assert.deepEqual((await control(simulator(), 'skip', {})).json as object, { skipped_hours: 24 })
    assert.equal((await post(simulator(), text(CUSTOMER))).status, 400)
    whenSkipped(() => Promise.reject(new Error('down')))
    assert.match(await (await act('skip', {})).text(), /the business did not/)
  })

  it('makes the platform fail, and work again', async () => {
    await done('faults', { answer: 'throttle', statuses: 'twice' })
    assert.deepEqual(await rates(), { refused130429: 1, duplicateStatuses: 1 })
    assert.equal((await post(simulator(), text('33639980001'))).status, 429)
    assert.include(await page(), 'failing on purpose')
    for (const [answer, fault] of [['refuse', 'refused131026'], ['hang', 'hang'], ['lose', 'resetAfter'], ['slow', 'late']] as const) {
      await done('faults', { answer, statuses: 'usual' })
      assert.deepEqual(await rates(), { [fault]: 1 })
    }
    for (const [statuses, fault] of [
      ['late', 'delayed'], ['disorder', 'deliveredBeforeSent'], ['silent', 'silent'], ['failed', 'failed131026'],
    ] as const) {
      await done('faults', { answer: 'usual', statuses })
      assert.deepEqual(await rates(), { [fault]: 1 })
    }
    await done('faults', { answer: 'usual', statuses: 'usual' })
    assert.equal((await post(simulator(), text('33639980001'))).status, 200)
  })
})
