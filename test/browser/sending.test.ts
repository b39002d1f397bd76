import { assert } from 'chai'
import { rightOf } from '../support/right-of.js'
import { openConsole, type Console, type Viewer } from './console.js'

const CUSTOMER = '4915123456789'
const STRANGER = '4915123456780'
const SECRET_TEXT = 'Your parcel waits at the door <b>& "now"</b>'
const TEXT = { to: `+49 151 234 567 89`, what: 'text', text: SECRET_TEXT }

describe('Sending and the wallet in the console of a whole gateway', () => {
  let dashboard: Console
  let base: string
  beforeEach(async () => {
    dashboard = await openConsole()
    base = `/console/workspaces/${dashboard.tenant.id}`
    await dashboard.tenant.customerWrites(CUSTOMER)
  })
  afterEach(() => dashboard.close())

  const post = (path: string, form: Readonly<Record<string, string>>, as: Viewer = 'owner') =>
    fetch(dashboard.gateway.url + path, {
      method: 'POST', redirect: 'manual', body: new URLSearchParams(form),
      headers: { Cookie: dashboard.cookieOf(as), Origin: dashboard.gateway.url },
    })
  const get = (path: string, as: Viewer = 'owner') =>
    fetch(dashboard.gateway.url + path, { redirect: 'manual', headers: { Cookie: dashboard.cookieOf(as) } })
  const messages = async () => rightOf(await dashboard.gateway.storage.messageLog.list(dashboard.tenant.id, { limit: 50 })).items
  const entries = async () =>
    rightOf(await dashboard.gateway.storage.auditLog.list({ limit: 100 })).items.filter(({ act }) => act === 'message.send')

  it('send once, however often the last form is sent, and note who sent without the text', async () => {
    const checked = await (await post(`${base}/send/check`, TEXT)).text()
    const key = /name="key" value="([^"]+)"/.exec(checked)?.[1] ?? assert.fail('the form has no key')
    const replies = await Promise.all([1, 2, 3].map(() => post(`${base}/send/confirm`, { ...TEXT, key })))
    const again = await post(`${base}/send/confirm`, { ...TEXT, key })
    assert.equal(again.status, 303)
    assert.includeMembers([303, 422], replies.map(({ status }) => status))
    const [message, ...more] = await messages()
    assert.isEmpty(more)
    assert.equal(again.headers.get('location'), `${base}/send/sent/${message?.id ?? ''}`)
    const done = (await entries()).filter(({ outcome }) => outcome === 'done')
    assert.deepEqual(
      done.map(({ subject, by }) => [subject, by.type === 'member' ? by.email : by.type]), [[message?.id, 'owner@example.com']],
    )
    assert.notInclude(JSON.stringify(await entries()), 'parcel')
    await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: CUSTOMER, text: 'With a key' } })
    assert.lengthOf((await entries()).filter(({ outcome }) => outcome === 'done'), 1)
  })

  it('send a location as they send a text: while the window is open, with its price, and noted without the place', async () => {
    const place = { to: CUSTOMER, what: 'location', latitude: '-33.8568', longitude: '151.2153', name: 'Opera House', address: '' }
    const checked = await post(`${base}/send/check`, place)
    const page = await checked.text()
    assert.equal(checked.status, 200)
    assert.match(page, /Opera House[^]*-33\.8568, 151\.2153[^]*New balance[^]*name="longitude" value="151\.2153"[^]*Send for /)
    const key = /name="key" value="([^"]+)"/.exec(page)?.[1] ?? assert.fail('the form has no key')
    for (const _again of [1, 2]) assert.equal((await post(`${base}/send/confirm`, { ...place, key })).status, 303)
    assert.deepEqual(dashboard.gateway.simulator.received().map(({ type, to, text }) => [type, to, text]), [
      ['location', CUSTOMER, 'Opera House\n-33.8568, 151.2153'],
    ])
    const [message, ...more] = await messages()
    assert.deepEqual([message?.kind, more], ['location', []])
    assert.deepEqual((await entries()).map(({ outcome, subject }) => [outcome, subject]), [['done', message?.id]])
    assert.notInclude(JSON.stringify(await entries()), 'Opera')
    const closed = await post(`${base}/send/confirm`, { ...place, to: STRANGER, key: 'another' })
    assert.equal(closed.status, 422)
    assert.match(await closed.text(), /window is closed/)
    const faulty = await post(`${base}/send/check`, { ...place, latitude: '91', longitude: '' })
    assert.equal(faulty.status, 422)
    assert.match(await faulty.text(), /value="91"[^>]*aria-describedby="latitude-hint latitude-fault"[^]*a number from -90 to 90[^]*id="longitude-fault"[^>]*><svg.*?<\/svg>This field is required/)
    assert.lengthOf(dashboard.gateway.simulator.received(), 1)
  })

  it('let exactly the roles send that may, and no one into another workspace', async () => {
    const statuses: Record<string, number> = {}
    for (const as of ['operator', 'owner', 'developer', 'viewer', 'stranger'] as const) {
      statuses[as] = (await post(`${base}/send/confirm`, { ...TEXT, key: `key-${as}` }, as)).status
      const pages = await Promise.all([
        get(`${base}/send`, as), post(`${base}/send`, {}, as), post(`${base}/send/compose`, TEXT, as), post(`${base}/send/check`, TEXT, as),
      ])
      assert.deepEqual(
        pages.map(({ status }) => status), ['viewer', 'stranger'].includes(as) ? [403, 403, 403, 403] : [200, 200, 200, 200], as,
      )
      assert.equal((await post(`${base}/templates/sync`, {}, as)).status, ['viewer', 'stranger'].includes(as) ? 403 : 200, as)
      for (const path of ['/templates', '/wallet', '/wallet/books', '/wallet/spend', '/wallet/statement.csv']) {
        assert.equal((await get(base + path, as)).status, as === 'stranger' ? 403 : 200, path)
      }
    }
    assert.deepEqual(statuses, { operator: 303, owner: 303, developer: 303, viewer: 403, stranger: 403 })
    assert.lengthOf(await messages(), 3)
    assert.sameMembers(
      (await entries()).flatMap(({ outcome, by }) => (outcome === 'refused' && by.type === 'member' ? [by.email] : []))
        .filter((email, at, all) => all.indexOf(email) === at),
      ['viewer@example.com', 'stranger@example.com'],
    )
  })

  it('say what is wrong with what was typed, and keep it', async () => {
    const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, RegExp]> = [
      [{ ...TEXT, to: '12' }, /neither a phone number/], [{ ...TEXT, text: ' ' }, /Enter a text/], [{ ...TEXT, text: 'x'.repeat(4_097) }, /The maximum is 4096 characters; this has 4097/],
      [{ ...TEXT, what: 'template' }, /Choose a template\./],
      [{ ...TEXT, what: 'template', template: 'de nothing_of_this' }, /Choose a template\./],
      [{ ...TEXT, to: STRANGER }, /window is closed/],
    ]
    for (const [form, sentence] of cases) {
      const reply = await post(`${base}/send/confirm`, { ...form, key: 'k' })
      const text = await reply.text()
      assert.equal(reply.status, 422)
      assert.match(text, sentence)
      assert.include(text, `value="${form['to'] ?? ''}"`)
    }
    assert.isEmpty(dashboard.gateway.simulator.received())
    assert.equal((await post(`${base}/send/check`, { ...TEXT, text: 'ä€'.repeat(2_048) })).status, 200)
  })

  it('top up and correct a wallet once for each reference, by operators alone, and explain what is refused', async () => {
    for (const as of ['owner', 'developer', 'viewer', 'stranger'] as const) {
      assert.equal((await post(`${base}/wallet/top-up`, { amount: '5', reference: 'invoice 1' }, as)).status, 403)
      assert.equal((await post(`${base}/wallet/adjust`, { amount: '-5', reference: 'invoice 1', note: 'no' }, as)).status, 403)
    }
    const form = { amount: '5.25', reference: 'invoice 1' }
    for (const _again of [1, 2]) assert.equal((await post(`${base}/wallet/top-up`, form, 'operator')).status, 303)
    assert.equal((await dashboard.tenant.balance()).available, '105.250000')
    const reused = await post(`${base}/wallet/top-up`, { ...form, amount: '6' }, 'operator')
    assert.equal(reused.status, 422)
    assert.match(await reused.text(), /already used for \$5\.25;/)
    for (const bad of [{ ...form, amount: '-1' }, { ...form, amount: '1e3' }, { ...form, reference: '' }]) {
      assert.equal((await post(`${base}/wallet/top-up`, bad, 'operator')).status, 422)
    }
    assert.equal((await post(`${base}/wallet/adjust`, { amount: '-0.25', reference: 'a', note: 'typed wrong' }, 'operator')).status, 303)
    assert.match(
      await (await post(`${base}/wallet/adjust`, { amount: '-1000', reference: 'b', note: 'too much' }, 'operator')).text(),
      /would be negative/,
    )
    assert.equal((await dashboard.tenant.balance()).available, '105.000000')
    const csv = await (await get(`${base}/wallet/statement.csv?kind=adjustment`)).text()
    assert.match(csv, /^id,at,kind,amount,currency,message,reference,note,error\r\n[0-9a-f]{32},[^,]+,adjustment,-0\.250000,USD,,a,typed wrong,\r\n$/)
    assert.match(await (await get(`${base}/wallet/books`)).text(), /Books are exact/)
  })
})
