import { request } from 'node:http'
import { assert } from 'chai'
import { runSimulator, type Simulator, startSimulator } from '../../../../apps/simulator/simulator.js'
import { eventually } from '../../../support/eventually.js'
import {
  control, CUSTOMER, freshForEach, json, type Json, PHONE_NUMBER_ID, post, quickSimulator, type Receiver, record, startReceiver, template,
  text,
} from '../support.js'

describe('the simulator\'s control endpoints', () => {
  let receiver: Receiver
  let simulator: Simulator
  before(async () => {
    receiver = await startReceiver()
    simulator = await quickSimulator({ accessToken: 'top-secret-token', webhook: receiver.webhook })
  })
  freshForEach(() => ({ simulator, receiver }))

  const send = (body: object): Promise<Response> => post(simulator, body, { authorization: 'Bearer top-secret-token' })
  const page = async (): Promise<string> => (await fetch(`${simulator.url}/_simulator/log`)).text()
  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${simulator.url}/_simulator/${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers })

  it('list what was received, also by callback data and outcome', async () => {
    await send(text(CUSTOMER, 'one', 'msg_1'))
    await send(text('15550100008', 'two', 'msg_2'))
    const { json: all } = await control(simulator, 'received')
    assert.deepEqual(all['counts'] as unknown, { accepted: 1, refused: 1 })
    assert.deepEqual([...all['messages']!].map(({ callback }) => callback) as unknown[], ['msg_1', 'msg_2'])
    const { json: one } = await control(simulator, 'received?callback=msg_2')
    assert.lengthOf(one['messages']!, 1)
    assert.deepInclude(record(one['messages']![0]), { to: '15550100008', outcome: 'refused', code: 131008 })
    const { json: accepted } = await control(simulator, 'received?outcome=accepted')
    assert.lengthOf(accepted['messages']!, 1)
  })

  it('change settings and list every fault with its number', async () => {
    const { json: answer } = await control(simulator, 'faults', { seed: 9, rates: { resetAfter: 0.5 }, delays: { late: 1 } })
    assert.deepInclude(record(answer['settings']), { seed: 9, rates: { resetAfter: 0.5 } })
    const { json: now } = await control(simulator, 'faults')
    assert.equal(Number(now['settings']!['delays']!['late']), 1)
    assert.equal(Number(now['settings']!['delays']!['sent']), 2)
    assert.include([...now['faults']!].map(({ number, name }) => `${number} ${name}`), '15550100701 resetAfter')
  })

  const faulty: ReadonlyArray<readonly [path: string, body: object, says: RegExp]> = [
    ['faults', { rate: {} }, /no setting named "rate"/],
    ['faults', { delays: { sends: 1 } }, /no setting named "sends"/],
    ['faults', { rates: { nothing: 0.1 } }, /no fault named "nothing"/],
    ['faults', { rates: { reset: 2 } }, /from 0 to 1/],
    ['faults', { rates: { reset: 0.6, hang: 0.6 } }, /at most 1/],
    ['faults', { windows: 'open' }, /"windows"/],
    ['faults', { delays: { sent: -1 } }, /"delays"/],
    ['faults', [], /JSON object/],
    ['webhook', { url: 'ftp://x', appSecret: 'a', verifyToken: 'b' }, /A webhook has/],
    ['webhook', { url: 'http://127.0.0.1:1/', appSecret: 'a', verifyToken: 'b', retry: 1 }, /A webhook has/],
    ['customers/no-number/messages', { text: 'x' }, /phone number/],
    [`customers/${CUSTOMER}/messages`, { txt: 'x' }, /A customer's message has/],
    [`customers/${CUSTOMER}/messages`, { at: 'yesterday' }, /A customer's message has/],
    ['updates', { payload: 1 }, /A notification has/],
    ['templates/hello_world', { status: 'MERRY' }, /A template change has/],
  ]
  for (const [path, body, says] of faulty) {
    it(`refuse ${JSON.stringify(body)} for ${path}, and change nothing`, async () => {
      const { json: before } = await control(simulator, 'faults')
      const answer = await control(simulator, path, body)
      assert.equal(answer.status, 400)
      assert.match(answer.json['error']!, says)
      assert.deepEqual((await control(simulator, 'faults')).json, before)
      assert.equal((await control(simulator, 'webhook')).json['url'], receiver.webhook.url)
    })
  }

  it('know no other operation', async () => {
    assert.equal((await control(simulator, 'nothing')).status, 404)
    assert.equal((await control(simulator, 'received', {})).status, 404)
    assert.equal((await control(simulator, 'templates/nothing', { status: 'PAUSED' })).status, 404)
  })

  it('forget everything on a reset', async () => {
    await control(simulator, 'faults', { rates: { refused131008: 1 } })
    await send(text(CUSTOMER))
    assert.equal((await control(simulator, 'reset', {})).status, 200)
    assert.isEmpty(simulator.received())
    assert.equal((await send(text(CUSTOMER))).status, 200)
  })

  it('tell whether anything is still to be delivered, and wait for it', async () => {
    simulator.change({ delays: { sent: 60_000 } })
    await send(text(CUSTOMER))
    assert.isFalse((await control(simulator, 'idle')).json['idle'])
    simulator.reset()
    await send(text(CUSTOMER))
    const { json: later } = await control(simulator, 'idle?wait_ms=5000')
    assert.deepEqual(later as unknown, { idle: true, pending: 0, acknowledged: 3, failedAttempts: 0, dropped: 0 })
  })

  it('play a customer who writes', async () => {
    const { json: answer } = await control(simulator, `customers/+1 (555) 010-0999/messages`, {
      phone_number_id: '77', text: 'Is it here?', name: 'Ada', at: '2026-11-20T10:00:00Z',
    })
    await simulator.idle()
    const [value] = receiver.values()
    assert.equal(value!['metadata']!['phone_number_id'], '77')
    assert.deepInclude(record(value!['contacts']![0]), { profile: { name: 'Ada' }, wa_id: CUSTOMER })
    assert.deepInclude(record(value!['messages']![0]), {
      from: CUSTOMER, id: answer['id'], type: 'text', text: { body: 'Is it here?' },
      timestamp: String(Date.UTC(2026, 10, 20, 10) / 1000),
    })
  })

  it('play a customer to the business number last sent through', async () => {
    await send(text(CUSTOMER))
    const { json: answer } = await control(simulator, `customers/${CUSTOMER}/messages`, {})
    assert.equal(answer['phone_number_id'], PHONE_NUMBER_ID)
  })

  it('report that no gateway receives what a customer writes', async () => {
    const heard = await control(simulator, `customers/${CUSTOMER}/messages`, {})
    assert.match(String(heard.json['webhook']), /^http:/)
    assert.notProperty(heard.json, 'hint')
    const alone = await startSimulator()
    try {
      const { json: unheard } = await control(alone, `customers/${CUSTOMER}/messages`, {})
      assert.isNull(unheard['webhook'])
      assert.match(String(unheard['hint']), /--webhook/)
      assert.include(await (await fetch(`${alone.url}/_simulator/log`)).text(), 'no gateway is notified')
    } finally {
      await alone.close()
    }
  })

  it('play a customer who calls, and one whose number changed', async () => {
    for (const type of ['call', 'system', 'hologram']) await control(simulator, `customers/${CUSTOMER}/messages`, { type })
    await simulator.idle()
    const values = receiver.values()
    assert.equal(values.find(({ calls }) => calls !== undefined)!['calls']![0]!['event'], 'connect')
    const system = receiver.messages().find(({ type }) => type === 'system')
    assert.equal(system!['system']!['type'], 'user_changed_number')
    assert.notProperty(receiver.messages().find(({ type }) => type === 'hologram'), 'hologram')
  })

  it('play a customer without a phone number, several times, wrong in any way', async () => {
    await control(simulator, `customers/${CUSTOMER}/messages`, { bsuidOnly: true, times: 3, fields: { timestamp: 'soon' } })
    await simulator.idle()
    assert.lengthOf(receiver.messages(), 3)
    assert.equal(new Set(receiver.messages().map(({ id }) => id)).size, 1)
    assert.notProperty(receiver.messages()[0], 'from')
    assert.equal(receiver.messages()[0]!['timestamp'], 'soon')
  })

  it('send any notification, signed as asked', async () => {
    await control(simulator, 'updates', { payload: { object: 'page', entry: [] }, signature: 'right' })
    await simulator.idle()
    assert.deepEqual(receiver.notifications.map(({ json: body }) => body) as unknown[], [{ object: 'page', entry: [] }])
  })

  it('change a template, and report it', async () => {
    await control(simulator, 'templates/hello_world', { category: 'MARKETING', language: 'en' })
    await simulator.idle()
    const change: Json = receiver.notifications[0]!.json['entry']![0]!['changes']![0]!
    assert.equal(change['field'], 'template_category_update')
    assert.deepInclude(record(change['value']), {
      message_template_name: 'hello_world', previous_category: 'UTILITY', new_category: 'MARKETING',
    })
    await send(template(CUSTOMER))
    await simulator.idle()
    assert.equal(receiver.statuses()[0]!['pricing']!['category'], 'marketing')
  })

  it('show a page of what arrived, with everything escaped', async () => {
    await send(text(CUSTOMER, '<script>alert("1")</script> & \'more\'', '"><img src=x>'))
    await send({ ...text('"><b onclick=x>'), type: '<i>' })
    const shown = await page()
    assert.include(shown, '&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;more&#39;')
    assert.notMatch(shown, /<script>alert|<img|<b onclick|<i>/)
    assert.include(shown, CUSTOMER)
  })

  it('show a page that fetches nothing from elsewhere and lets nothing else run', async () => {
    const response = await fetch(`${simulator.url}/_simulator/log`)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; style-src 'nonce-.+'; font-src 'self'; script-src 'nonce-.+'/)
    assert.notMatch(await response.text(), /(?:src|href)="(?:https?:)?\/\//)
    const part = await (await fetch(`${simulator.url}/_simulator/log?arrived`)).text()
    assert.notInclude(part, '<html')
    const home = await fetch(simulator.url, { redirect: 'manual' })
    assert.equal(home.headers.get('location'), '/_simulator')
  })

  it('show a page of the app: where its webhook is, and the business numbers that were used, or that there are', async () => {
    const apps = async (of = simulator): Promise<string> => (await fetch(`${of.url}/_simulator/apps`)).text()
    assert.include(await apps(), 'None was used yet.')
    await send(text(CUSTOMER))
    await control(simulator, 'customers/15550100998/messages', { text: 'Hello', phone_number_id: '77' })
    await simulator.idle()
    const shown = await apps()
    assert.include(shown, `<code>${receiver.webhook.url}</code>`)
    const rows = [...shown.matchAll(/<tr><td><code>([0-9]+)<\/code><\/td>.*\n.*<td>([0-9]+)<\/td><\/tr>/g)]
    assert.deepEqual(rows.map(([, id, customers]) => [id, customers]), [[PHONE_NUMBER_ID, '1'], ['77', '1']])
    for (const other of ['', 'log']) {
      assert.include(await (await fetch(`${simulator.url}/_simulator/${other}`)).text(), 'href="/_simulator/apps"')
    }
    const alone = await startSimulator({ phoneNumberIds: ['1001', '<b>'] })
    try {
      assert.match(await apps(alone), /no gateway is notified[^]*<code>1001<\/code>[^]*&#60;b&#62;/)
      const answer = await fetch(`${alone.url}/_simulator/apps`)
      assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'nonce-.+'; .*form-action 'none'/)
      assert.notMatch(await answer.text(), /<script|(?:src|href)="(?:https?:)?\/\//)
    } finally {
      await alone.close()
    }
  })

  it('never show a token or a secret', async () => {
    await send(text(CUSTOMER))
    simulator.setWebhook({ ...receiver.webhook, url: `${receiver.webhook.url}?key=s3cr3t` })
    const everything = await Promise.all(['', 'log', 'apps', 'received', 'faults', 'webhook', 'idle']
      .map(async (path) => (await fetch(`${simulator.url}/_simulator/${path}`)).text()))
    simulator.setWebhook(receiver.webhook)
    for (const secret of ['top-secret-token', 's3cr3t', receiver.webhook.appSecret, receiver.webhook.verifyToken]) {
      assert.notInclude(everything.join(), secret)
    }
  })

  it('take the page\'s forms and show the page again', async () => {
    const answer = await form('customers', { number: CUSTOMER, text: 'From the page', type: 'text', phone_number_id: '77' })
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/_simulator/log'])
    await simulator.idle()
    assert.equal(receiver.messages()[0]!['text']!['body'], 'From the page')
    await send(text(CUSTOMER))
    assert.equal((await form('reset', {})).status, 303)
    assert.isEmpty(simulator.received())
  })

  it('take the JSON that curl calls a form', async () => {
    const answer = await fetch(`${simulator.url}/_simulator/customers/${CUSTOMER}/messages`, {
      method: 'POST', body: ' {"text": "From curl", "phone_number_id": "77"}', redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(answer.status, 200)
    await simulator.idle()
    assert.equal(receiver.messages()[0]!['text']!['body'], 'From curl')
    assert.equal(receiver.values()[0]!['metadata']!['phone_number_id'], '77')
  })

  it('are closed to pages of other sites', async () => {
    await send(text(CUSTOMER))
    assert.equal((await form('reset', {}, { origin: 'https://evil.example' })).status, 403)
    assert.lengthOf(simulator.received(), 1)
    assert.equal((await form('reset', {}, { origin: simulator.url })).status, 303)
  })

  it('answer a path that cannot be read with a plain refusal', async () => {
    assert.equal((await fetch(`${simulator.url}/_simulator/customers/%E0%A4%A/messages`, { method: 'POST' })).status, 400)
  })
})

describe('a simulator', () => {
  it('prints its address in one line when it is run by hand', async () => {
    const lines: string[] = []
    const simulator = await runSimulator({ port: 0, print: (line) => void lines.push(line) })
    try {
      assert.deepEqual(lines, [
        `Simulator of the Cloud API at ${simulator.url} (the customer's phone: ${simulator.url}/_simulator)`,
        'It does not notify a gateway: start it with --webhook and the gateway’s address, such as http://127.0.0.1:3000/webhooks/platform.',
      ])
      assert.equal((await fetch(`${simulator.url}/_simulator`)).status, 200)
    } finally {
      await simulator.close()
    }
  })

  it('refuses to start if its port is taken, and with rates that make no sense', async () => {
    const first = await quickSimulator()
    try {
      const second = await quickSimulator({ port: first.port }).then(() => 'started', () => 'refused')
      assert.equal(second, 'refused')
    } finally {
      await first.close()
    }
    assert.equal(await quickSimulator({ settings: { rates: { nonsense: 1 } } }).then(() => 'started', () => 'refused'), 'refused')
  })

  it('ends connections that hang, answers that are late and statuses to come when it is closed', async () => {
    const simulator = await quickSimulator({ delays: { sent: 60_000, late: 60_000 } })
    const pending = ['15550100600', '15550100700', '15550100709'].map((to) =>
      post(simulator, text(to)).then(() => 'answered', () => 'broken'))
    const halfSent = new Promise((resolve) => {
      const { port } = simulator
      request({ port, host: '127.0.0.1', method: 'POST', path: '/v25.0/1/messages', headers: { 'content-length': '100' } })
        .on('error', () => resolve('broken')).write('{')
    })
    await eventually('all arrived', () => simulator.received().length === 3 || undefined)
    await simulator.close()
    assert.deepEqual(await Promise.all([...pending, halfSent]), ['broken', 'broken', 'broken', 'broken'])
    assert.equal(await fetch(simulator.url).then(() => 'answered', () => 'refused'), 'refused')
  })

  it('keeps nothing of another simulator', async () => {
    const [one, other] = [await quickSimulator(), await quickSimulator()]
    try {
      await json(await post(one, text(CUSTOMER)))
      assert.lengthOf(one.received(), 1)
      assert.isEmpty(other.received())
    } finally {
      await Promise.all([one.close(), other.close()])
    }
  })
})
