import { assert } from 'chai'
import { startPhone } from '../phone-support.js'
import { CUSTOMER, PHONE_NUMBER_ID, post, quickSimulator, text } from '../support.js'

describe('the page of the customer\'s phone', () => {
  const { simulator, receiver, page, act, refused, addAda, attached, rates, open } = startPhone()

  it('is the page of the simulator, and leads to the log and back', async () => {
    const response = await fetch(`${simulator().url}/_simulator`)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self'/)
    const html = await response.text()
    assert.include(html, 'href="/_simulator/log"')
    assert.notMatch(html, /<style|style="|<script>| on[a-z]+="|(?:src|href)="(?:https?:)?\/\//)
    assert.include(await (await fetch(`${simulator().url}/_simulator/log`)).text(), 'href="/_simulator"')
    for (const path of html.match(/\/_simulator\/phone\/(?:style|live|icon)[^"]+/g) ?? []) {
      assert.equal((await fetch(simulator().url + path)).status, 200, path)
    }
  })

  it('reports that no business listens, and that it is not notified of skipped time', async () => {
    for (const hint of ['--webhook', 'only the simulator']) assert.notInclude(await page(), hint)
    const alone = await quickSimulator()
    try {
      const html = await (await fetch(`${alone.url}/_simulator`)).text()
      for (const hint of ['--webhook', 'only the simulator']) assert.include(html, hint)
    } finally {
      await alone.close()
    }
  })

  it('shows the latest phones, or those that are named, of the business number that was used last or is named', async () => {
    for (const last of [1, 2, 3, 4, 5]) {
      await post(simulator(), text(`3363998000${last}`, `to ${last}`))
    }
    const latest = await page()
    assert.notInclude(latest, 'to 1')
    for (const last of [2, 3, 4, 5]) assert.include(latest, `to ${last}`)
    const named = await page('?customer=33639980001')
    assert.include(named, 'to 1')
    assert.notInclude(named, 'to 5')
    await post(simulator(), text('33639980001', 'from another'), {}, '77')
    assert.include(await page(), 'from another')
    const pinned = await page(`?business=${PHONE_NUMBER_ID}`)
    assert.include(pinned, 'to 5')
    assert.notInclude(pinned, 'from another')
    const back = await fetch(`${simulator().url}/_simulator/phone/write?business=${PHONE_NUMBER_ID}&customer=33639980001`, {
      method: 'POST', redirect: 'manual', headers: { origin: simulator().url },
      body: new URLSearchParams({ customer: '33639980001', text: 'x' }),
    })
    assert.equal(back.headers.get('location'), `/_simulator?business=${PHONE_NUMBER_ID}&customer=33639980001`)
  })

  it('answers htmx with what changed, and with what was wrong', async () => {
    await addAda()
    const partial = { origin: simulator().url, 'hx-request': 'true' }
    const written = await act('write', { customer: CUSTOMER, text: 'Partly' }, partial)
    assert.equal(written.status, 200)
    const html = await written.text()
    assert.include(html, 'Partly')
    assert.include(html, '<hx-partial hx-target="#notice" hx-swap="innerHTML"></hx-partial>')
    assert.notInclude(html, '<html')
    const wrong = await act('write', { customer: CUSTOMER, text: ' ' }, partial)
    assert.equal(wrong.status, 400)
    assert.match(await wrong.text(), /^<hx-partial hx-target="#notice" hx-swap="innerHTML"><p>Write something first\.<\/p><\/hx-partial>$/)
  })

  it('refuses what makes no sense, says why, and sends nothing', async () => {
    await addAda()
    const [customer, wrong] = [CUSTOMER, 400]
    await refused('write', { customer: 'nobody', text: 'x' }, 404, /no such customer/)
    await refused('write', { text: 'x' }, 404, /no such customer/)
    await refused('write', { customer, text: '   ' }, wrong, /Write something first/)
    await refused('write', { customer }, wrong, /Write something first/)
    await refused('write', { customer, text: 'x'.repeat(4097) }, wrong, /4097 characters; 4096/)
    await refused('attach', { customer, type: 'hologram' }, wrong, /Choose what to send/)
    await refused('attach', { customer, type: 'constructor' }, wrong, /Choose what to send/)
    await refused('attach', attached({ type: 'file' }), wrong, /Choose a file/)
    await refused('attach', attached({ type: 'reaction' }), wrong, /no message yet/)
    await refused('attach', attached({ type: 'image', text: 'x'.repeat(4097) }), wrong, /4097 characters/)
    await refused('attach', attached({ type: 'file' }, new File([new Uint8Array(17 * 1024 * 1024)], 'big.bin')), 413, /too large/)
    await refused('change-number', { customer, number: 'mine' }, wrong, /country code/)
    await refused('change-number', { customer, number: CUSTOMER }, wrong, /already/)
    await refused('add', { name: 'Ben', number: 'x' }, wrong, /country code/)
    await refused('add', { name: ' ', number: '15550100998' }, wrong, /1 to 60/)
    await refused('add', { name: 'x'.repeat(61), number: '15550100998' }, wrong, /1 to 60/)
    await refused('faults', { answer: 'throttle' }, wrong, /Choose one/)
    await refused('faults', { answer: 'magic', statuses: 'usual' }, wrong, /Choose one/)
    await refused('dance', {}, 404, /no such act/)
    await refused('constructor', {}, 404, /no such act/)
    const plain = await fetch(`${simulator().url}/_simulator/phone/write`, {
      method: 'POST', body: JSON.stringify({ customer, text: 'x' }), headers: { origin: simulator().url },
    })
    assert.equal(plain.status, 404)
    const broken = await fetch(`${simulator().url}/_simulator/phone/attach`, {
      method: 'POST', body: '--b\r\nnothing\r\n--b--',
      headers: { origin: simulator().url, 'content-type': 'multipart/form-data; boundary=b' },
    })
    assert.equal(broken.status, 404)
    assert.deepEqual(await rates(), {})
    assert.equal((await fetch(`${simulator().url}/_simulator/phone/nothing`)).status, 404)
    assert.equal((await fetch(`${simulator().url}/_simulator/phone/write`, { method: 'PUT' })).status, 405)
  })

  it('refuses the forms of other sites', async () => {
    await addAda()
    const fields = { customer: CUSTOMER, text: 'forged' }
    for (const headers of [
      { origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }, { referer: 'https://evil.example/' }, {},
    ]) {
      assert.equal((await act('write', fields, headers as Record<string, string>)).status, 403, JSON.stringify(headers))
    }
    await simulator().idle()
    assert.isEmpty(receiver().notifications)
    assert.equal((await act('write', fields, { referer: `${simulator().url}/_simulator` })).status, 303)
  })

  it('sends what changes as events, and only what was missed to a browser that comes back', async () => {
    await addAda()
    const first = open()
    const { id } = await first.next('A new phone')
    first.close()
    await post(simulator(), text(CUSTOMER, 'While you were away\nline two'))
    await simulator().idle()
    const second = open(id)
    const { id: now, html } = await second.next('While you were away')
    assert.include(html, 'line two')
    second.close()
    const third = open(now)
    await post(simulator(), text(CUSTOMER, 'And now'))
    await third.next('And now')
    assert.notInclude(third.all()[0]!, 'id: ' + now)
    third.close()
  })

  it('ends its streams when the simulator is closed', async () => {
    const other = await quickSimulator()
    const response = await fetch(`${other.url}/_simulator/phone/live`)
    const ended = response.text().then(() => 'ended', () => 'ended')
    await other.close()
    assert.equal(await ended, 'ended')
  })
})
