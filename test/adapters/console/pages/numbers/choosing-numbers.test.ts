import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../../../../core/customers/customer.js'
import { eventIdOf } from '../../../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS } from '../../../../../core/kernel/time.js'
import { messageIdOf } from '../../../../../core/messages/message.js'
import { makeRollUpMessages } from '../../../../../core/messages/statistics.js'
import { inboxOf, type SenderId } from '../../../../../core/senders/sender.js'
import { USD } from '../../../../support/memory-world.js'
import { done, rightOf } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'
import { addNumber, addTwo } from './several-numbers.js'

const ALICE = '4915123456789' as PhoneNumber

describe('a workspace with several numbers', () => {
  let console: OpenConsole
  let base: string
  let cookie: string
  let [clinics, uk]: Array<SenderId> = []
  beforeEach(async () => {
    console = await openConsole()
    base = `/console/workspaces/${console.workspace}`
    cookie = `postern_session=${(await console.join('ann@example.com')).token}`;
    [clinics, uk] = await addTwo(console)
    const { storage, workspace, clock } = console
    await done(storage.ledger.topUp({ workspace, micros: 1_000_000n, reference: 'opening', at: clock.at }))
    for (const [account, name] of [['2001', 'appointment'], ['2002', 'uk_offer']] as const) {
      await done(storage.templateCatalogue.replaceAll(account, [templateOf(name)], clock.at))
    }
  })
  afterEach(() => console.close())

  const templateOf = (name: string) => ({
    id: name, name, language: 'en', category: 'utility', status: 'approved', quality: 'green', parameterFormat: undefined,
    components: [{ type: 'BODY', text: `The text of ${name}` }],
  })
  const page = async (path: string): Promise<string> => (await console.get(`${base}${path}`, cookie)).text
  /** A customer writes to a number some time ago. */
  const wrote = async (sender: SenderId, ago: number): Promise<void> => {
    const { storage, workspace, clock } = console
    const found = (await done(storage.senders.sendersOf(workspace))).find(({ phoneNumberId }) => phoneNumberId === sender)
    await done(storage.windowClock.recordInbound(inboxOf(workspace, found), { phoneNumber: ALICE }, clock.at - ago))
  }
  const sentThrough = async (sender: SenderId, more: object = {}): Promise<void> => {
    const { storage, workspace, clock } = console
    const price = { micros: 10_000n, currency: USD, category: 'service' as const }
    await done(storage.messageLog.open({
      id: messageIdOf(uuidv7()), workspace, sender, at: clock.at, price, message: { _tag: 'Text', to: ALICE, text: 'Hello' }, ...more,
    }))
  }
  /** The options of the choice of a number, each with whether it is chosen. */
  const choiceIn = (text: string) =>
    Array.from(text.matchAll(/<option value="(1060\d+)"( selected)?>([^<]*)</g), ([, id, chosen, name]) => [id, chosen !== undefined, name])

  it('chooses one for a message, whose templates, window and quote are used', async () => {
    const first = await page('/send')
    assert.deepEqual(choiceIn(first), [
      [clinics, false, 'Meridian Clinics, +49 302 312 5142'], [uk, false, 'Meridian UK, +44 207 946 0142'],
    ])
    assert.include(first, 'appointment (en)')
    assert.notInclude(first, 'uk_offer')
    const chosen = await page(`/send?sender=${uk}&template=en+uk_offer`)
    assert.deepEqual(choiceIn(chosen).map(([, isChosen]) => isChosen), [false, true])
    assert.match(chosen, /<option value="en uk_offer" selected>/)
    const other = await console.post(`${base}/send`, { to: ALICE, sender: uk ?? '', what: 'template' }, cookie)
    assert.include(other.text, 'uk_offer (en)')
    assert.notInclude(other.text, 'appointment (en)')

    await wrote(uk!, HOUR_MS)
    const form = { to: ALICE, what: 'text', text: 'Hello' }
    const composed = await console.post(`${base}/send/compose`, { ...form, sender: uk ?? '' }, cookie)
    for (const said of ['From', 'Meridian UK', '23 h 0 min']) assert.include(composed.text, said)
    assert.include((await console.post(`${base}/send/compose`, { ...form, sender: clinics ?? '' }, cookie)).text, 'window is closed')
    const checked = await console.post(`${base}/send/check`, { ...form, sender: uk ?? '' }, cookie)
    assert.include(checked.text, `&quot;sender&quot;:&quot;${uk}&quot;`)
    const sent = await console.post(`${base}/send/confirm`, { ...form, sender: uk ?? '', key: 'k' }, cookie)
    assert.equal(sent.status, 303)
    assert.deepEqual(console.sent.map(({ sender }) => sender.phoneNumberId), [uk])
    const id = sent.headers['location']?.toString().split('/').at(-1) ?? ''
    assert.match(await page(`/messages/${id}`), new RegExp(`<dt>From</dt><dd><a href="${base}/sender/${uk}">Meridian UK</a>`))
  })

  it('says that a number which was removed meanwhile is not there, at its field', async () => {
    const gone = { to: ALICE, sender: '106009', what: 'text', text: 'Hello' }
    for (const step of ['compose', 'check']) {
      const { status, text } = await console.post(`${base}/send/${step}`, gone, cookie)
      assert.equal(status, 422, step)
      assert.include(text, 'The workspace does not have this number.')
    }
    assert.equal((await console.post(`${base}/send/confirm`, { ...gone, key: 'k' }, cookie)).status, 422)
    assert.deepEqual(console.sent, [])
  })

  it('shows the window of each to a customer, and answers through the one to which the customer wrote last', async () => {
    await wrote(clinics!, 25 * HOUR_MS)
    await wrote(uk!, 2 * HOUR_MS)
    await addNumber(console, '106003', { verifiedName: 'Meridian Dental' })
    await sentThrough(clinics!)
    const { storage, workspace, clock } = console
    await done(storage.eventOutbox.append(workspace, [{
      id: eventIdOf(uuidv7()), type: 'message.received', workspace, at: clock.at - HOUR_MS, subject: ALICE,
      data: { id: 'wamid.1', type: 'text', sender: uk ?? null, at: new Date(clock.at - HOUR_MS).toISOString() },
      content: { content: { body: 'Hi' }, context: null },
    }]))
    const text = await page(`/customers/${ALICE}`)
    assert.isBelow(text.indexOf('Meridian UK: Window open for another 22 h 0 min'), text.indexOf('Meridian Clinics: Window closed'))
    assert.include(text, 'The customer never wrote to Meridian Dental.')
    assert.match(text, /class="to"[^]*? · Meridian Clinics · /)
    assert.match(text, /class="from"[^]*? · Meridian UK<\/p>/)
    assert.deepEqual(choiceIn(text), [
      [clinics, false, 'Meridian Clinics, +49 302 312 5142 · Window closed'], [uk, true, 'Meridian UK, +44 207 946 0142'],
      ['106003', false, 'Meridian Dental · Window closed'],
    ])
    const answer = { to: ALICE, what: 'text', text: 'Yes', back: 'customer' }
    const closed = await console.post(`${base}/send/confirm`, { ...answer, sender: clinics ?? '', key: 'k1' }, cookie)
    assert.include(closed.text, 'The customer service window is closed')
    assert.equal((await console.post(`${base}/send/confirm`, { ...answer, sender: uk ?? '', key: 'k2' }, cookie)).status, 303)
    assert.deepEqual(console.sent.map(({ sender }) => sender.phoneNumberId), [uk])
  })

  it('offers a template through the last of them once every window is closed', async () => {
    await wrote(uk!, 2 * DAY_MS)
    const text = await page(`/customers/${ALICE}`)
    assert.notInclude(text, 'class="composer"')
    assert.deepEqual(choiceIn(text).map(([id, isChosen]) => [id, isChosen]), [[clinics, false], [uk, true]])
  })

  it('lists the open windows of each number with its name', async () => {
    await wrote(clinics!, HOUR_MS)
    await wrote(uk!, 2 * HOUR_MS)
    const text = await page('/customers')
    assert.deepEqual(Array.from(text.matchAll(/<td class="what">([^<]*)</g), ([, name]) => name), ['Meridian Clinics', 'Meridian UK'])
  })

  it('lists the messages of one, also in its file, and refuses one that it does not have', async () => {
    await sentThrough(clinics!, { message: { _tag: 'Text', to: '4915100000001', text: 'Hello' } })
    await sentThrough(uk!)
    const all = await page('/messages')
    assert.match(all, new RegExp(`<summary>Number</summary>[^]*messages\\?sender=${uk}">Meridian UK <span class="soft">1</span>`))
    const [some, csv] = [await page(`/messages?sender=${uk}`), await page(`/messages.csv?sender=${uk}`)]
    assert.deepEqual([csv.includes(ALICE), csv.includes('4915100000001')], [true, false])
    assert.deepEqual([some.includes('+49 151 234 567 89'), some.includes('+49 151 000 000 01')], [true, false])
    assert.match(some, /class="active"[^>]*>Meridian UK/)
    assert.match(some, new RegExp(`<option value="${uk}" selected>`))
    const unknown = await console.get(`${base}/messages?sender=106009`, cookie)
    assert.equal(unknown.status, 422)
    assert.include(unknown.text, 'The workspace does not have this number.')
    assert.equal((await console.get(`${base}/messages.csv?sender=106009`, cookie)).status, 404)
  })

  it('shows the overview and the spend of one, without the balance and the months, which are those of all', async () => {
    await sentThrough(clinics!, { message: { _tag: 'Text', to: '4915100000001', text: 'Hello' } })
    await sentThrough(uk!)
    const { storage: { messageStatistics }, clock } = console
    rightOf(await makeRollUpMessages({ messageStatistics, now: () => clock.at })(() => Promise.resolve(true)))
    const [all, some] = [await page(''), await page(`?sender=${uk}&range=7d`)]
    assert.match(all, new RegExp(`<summary>Number</summary>[^]*\\?range=24h&amp;sender=${uk}">Meridian UK`))
    assert.match(some, /class="active" href="[^"]*\?range=7d"[^>]*>Meridian UK/)
    assert.deepEqual([all, some].map((text) => text.includes('Available')), [true, false])
    assert.deepEqual([all, some].map((text) => text.includes('+49 151 000 000 01')), [true, false])
    assert.include(some, `sender=${uk}"`)
    assert.notInclude(some, 'of 5 done')
    const [spend, ofOne] = [await page('/wallet/spend'), await page(`/wallet/spend?sender=${uk}`)]
    assert.deepEqual([spend, ofOne].map((text) => text.includes('<h2>Months</h2>')), [true, false])
    assert.match(ofOne, /class="active"[^>]*>Meridian UK/)
    for (const path of ['', '/wallet/spend']) assert.equal((await console.get(`${base}${path}?sender=106009`, cookie)).status, 404)
  })

  it('shows the templates of each business account, and loads the list of the chosen one', async () => {
    const [own, theirs] = [await page('/templates'), await page(`/templates?sender=${uk}`)]
    assert.deepEqual([own.includes('uk_offer'), theirs.includes('uk_offer')], [false, true])
    assert.match(own, /class="active"[^>]*>Meridian Clinics</)
    assert.match(theirs, /class="active"[^>]*>Meridian UK</)
    assert.include(theirs, `href="${base}/templates/uk_offer?sender=${uk}"`)
    assert.include(await page(`/templates/uk_offer?sender=${uk}`), `${base}/send?sender=${uk}&amp;template=en+uk_offer`)
    assert.equal((await console.get(`${base}/templates/uk_offer`, cookie)).status, 404)
    assert.equal((await console.get(`${base}/templates?sender=106009`, cookie)).status, 404)
    await addNumber(console, '106003', { verifiedName: 'Meridian Dental' }, { businessAccountId: '2002' })
    assert.match(await page('/templates'), />Meridian UK, Meridian Dental</, 'a switch for each account, not for each number')
  })

  it('names the number that needs attention', async () => {
    const { storage, workspace, clock } = console
    await done(storage.senders.noteHealth({ workspace, sender: uk! }, true, clock.at))
    const text = await page('')
    assert.match(text, /<strong>Meridian UK<\/strong>: The platform has refused the access token since/)
    assert.include(text, `href="${base}/sender/${uk}"`)
  })

  it('distinguishes numbers of one name by the number', async () => {
    await addNumber(console, '106003', { verifiedName: 'Meridian UK', displayNumber: '+44 20 7946 0143' }, { businessAccountId: '2003' })
    const text = await page('/templates')
    for (const name of ['Meridian UK, +44 207 946 0142', 'Meridian UK, +44 207 946 0143']) assert.include(text, `>${name}<`)
  })
})

describe('a workspace with one number', () => {
  it('names it nowhere but on its own pages and on that of a message', async () => {
    const console = await openConsole()
    try {
      const sender = await addNumber(console, '106001', { verifiedName: 'Meridian Clinics' }, { businessAccountId: '2001' })
      const { storage, workspace, clock } = console
      const cookie = `postern_session=${(await console.join('ann@example.com')).token}`
      await done(storage.windowClock.recordInbound(workspace, { phoneNumber: ALICE }, clock.at))
      await done(storage.senders.noteHealth({ workspace, sender }, true, clock.at))
      for (const path of ['', '/send', '/messages', '/customers', `/customers/${ALICE}`, '/templates']) {
        assert.notInclude((await console.get(`/console/workspaces/${workspace}${path}`, cookie)).text, 'Meridian Clinics', path)
      }
    } finally {
      await console.close()
    }
  })
})
