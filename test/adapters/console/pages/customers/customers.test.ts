import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { CustomerIds, PhoneNumber, UserId } from '../../../../../core/customers/customer.js'
import { alwaysOpen } from '../../../../../core/customers/window.js'
import { eventIdOf } from '../../../../../core/kernel/ids.js'
import type { JsonObject } from '../../../../../core/kernel/json.js'
import type { Currency } from '../../../../../core/kernel/money.js'
import { HOUR_MS, MINUTE_MS } from '../../../../../core/kernel/time.js'
import { messageIdOf } from '../../../../../core/messages/message.js'
import { senderIdOf } from '../../../../../core/senders/sender.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

const ROLES = ['viewer', 'developer', 'owner'] as const
const ALICE = { phoneNumber: '4915123456789' as PhoneNumber, userId: 'DE.1234567890' as UserId }
const BOB: CustomerIds = { phoneNumber: '5511987654321' as PhoneNumber }

describe('the customers of the console', () => {
  let console: OpenConsole
  let operator: string
  beforeEach(async () => {
    console = await openConsole()
    operator = await join('ann@example.com')
  })
  afterEach(() => console.close())

  const join = async (email: string, access?: Parameters<OpenConsole['join']>[1]): Promise<string> => `postern_session=${(await console.join(email, access)).token}`
  const pathOf = (end: string, workspace = console.workspace): string => `/console/workspaces/${workspace}/customers${end}`
  const wrote = (ids: CustomerIds, ago: number) =>
    done(console.storage.windowClock.recordInbound(console.workspace, ids, console.clock.at - ago))
  const learned = async (): Promise<void> => {
    const { customers } = console.storage
    const at = console.clock.at
    await done(customers.learn(console.workspace, ALICE.userId, { _tag: 'Paired', other: ALICE.phoneNumber, at }))
    await done(customers.learn(console.workspace, ALICE.phoneNumber, { _tag: 'Paired', other: ALICE.userId, at }))
    await done(customers.learn(console.workspace, ALICE.userId, { _tag: 'Named', name: 'Alice <b>', username: 'alice', at }))
  }
  const received = (subject: string, ago: number, type: string, content: JsonObject | undefined) => {
    const [at, workspace] = [console.clock.at - ago, console.workspace]
    return done(console.storage.eventOutbox.append(workspace, [{
      id: eventIdOf(uuidv7()), type: 'message.received', workspace, at, subject,
      data: { id: `wamid.${uuidv7()}`, type, at: new Date(at).toISOString() },
      ...(content !== undefined && { content: { content, context: null } }),
    }]))
  }
  const messageTo = async (ago = 0): Promise<void> => {
    const [at, workspace] = [console.clock.at - ago, console.workspace]
    const price = { micros: 10_000n, currency: 'USD' as Currency, category: 'service' as const }
    await done(console.storage.messageLog.open({
      id: messageIdOf(`${at.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`),
      workspace,
      at,
      price,
      message: { _tag: 'Text', to: ALICE.phoneNumber, text: 'Hello' },
    }))
  }

  it('show who watches them those who write, whatever address others watch', async () => {
    await wrote(ALICE, 2 * HOUR_MS)
    for (let other = 0; other < 50; other += 1) {
      await wrote({ phoneNumber: `49151234500${String(other + 10)}` as PhoneNumber }, HOUR_MS + other)
    }
    const cursor = /cursor=([^"&]+)/.exec((await console.get(pathOf(''), operator)).text)?.[1] ?? ''
    assert.notEqual(cursor, '')
    const forged = await console.watch(pathOf(`?cursor=${cursor}`), await join('eve@example.com', role(console.workspace, 'viewer')))
    const mine = await console.watch(pathOf(''), operator)
    await wrote(BOB, 0)
    await mine.shows(BOB.phoneNumber ?? '')
    await forged.shows(BOB.phoneNumber ?? '')
    forged.close()
    mine.close()
  })

  it('are listed while they may be written to, with the time left, the last first, each once', async () => {
    await learned()
    await wrote({ phoneNumber: ALICE.phoneNumber }, 3 * HOUR_MS)
    await wrote(ALICE, 2 * HOUR_MS + 30 * MINUTE_MS)
    await wrote(BOB, HOUR_MS)
    await wrote({ phoneNumber: '33612345678' as PhoneNumber }, 24 * HOUR_MS)
    const { status, text } = await console.get(pathOf(''), operator)
    assert.equal(status, 200)
    assert.isBelow(text.indexOf('23 h 0 min'), text.indexOf('21 h 30 min'))
    assert.equal(text.split(ALICE.userId).length - 1, 3, 'in the list once: the way to her page, her id, and its copy')
    assert.include(text, 'Alice &lt;b>')
    assert.notInclude(text, '33612345678')
  })

  it('are found by a number as people write it, or by a user id', async () => {
    const found = await console.get(pathOf(`?find=${encodeURIComponent('+49 151 23456789')}`), operator)
    assert.deepEqual([found.status, found.headers['location']], [303, pathOf(`/${ALICE.phoneNumber}`)])
    assert.equal((await console.get(pathOf(`?find=${ALICE.userId}`), operator)).headers['location'], pathOf(`/${ALICE.userId}`))
    const bad = await console.get(pathOf('?find=0151-23'), operator)
    assert.equal(bad.status, 422)
    for (const said of ['“0151-23” is neither a phone number', 'value="0151-23"']) assert.include(bad.text, said)
  })

  it('are found by a name, as by the search of every page', async () => {
    await learned()
    await wrote(ALICE, HOUR_MS)
    const { status, headers: { location } } = await console.get(pathOf('?find=Alice+%3Cb%3E'), operator)
    assert.deepEqual([status, location], [303, `/console/workspaces/${console.workspace}/search?q=Alice%20%3Cb%3E`])
    assert.equal((await console.get(String(location), operator)).headers['location'], pathOf(`/${ALICE.userId}`))
    assert.include((await console.get(pathOf(''), operator)).text, 'A name, a phone number in any common format, or a user id.')
  })

  it('are found by a number or a user id alone where the console has no search', async () => {
    const without = await openConsole({ uses: { search: undefined } })
    try {
      const cookie = `postern_session=${(await without.join('ann@example.com')).token}`
      const bad = await without.get(`/console/workspaces/${without.workspace}/customers?find=alice`, cookie)
      assert.equal(bad.status, 422)
      for (const said of ['“alice” is neither a phone number', 'value="alice"', 'A phone number in any common format, or a user id.']) {
        assert.include(bad.text, said)
      }
    } finally {
      await without.close()
    }
  })

  it('show one under both ids, with the window and the messages', async () => {
    await learned()
    await wrote(ALICE, HOUR_MS)
    await messageTo()
    for (const id of [ALICE.userId, ALICE.phoneNumber]) {
      const { status, text } = await console.get(pathOf(`/${id}`), operator)
      assert.equal(status, 200)
      for (const said of ['Alice &lt;b>', 'alice', ALICE.userId, ALICE.phoneNumber, '23 h 0 min', 'not opted out', '$0.01']) {
        assert.include(text, said)
      }
    }
    assert.include((await console.get(pathOf('/33612345678'), operator)).text, 'There is no data about this customer')
    for (const id of ['abc', '%3Cscript%3E']) assert.equal((await console.get(pathOf(`/${id}`), operator)).status, 404, id)
  })

  it('show what one allowed and stopped, since when and how it is known, even of a customer who never wrote', async () => {
    await learned()
    const { workspace } = console
    const fact = { status: 'withdrawn', since: console.clock.at - HOUR_MS } as const
    await done(console.storage.consents.record(workspace, [
      { ids: [ALICE.userId, ALICE.phoneNumber], fact: { ...fact, topic: 'marketing', source: 'word', note: '<b>STOP' } },
      { ids: ['33612345679' as PhoneNumber], fact: { ...fact, topic: 'all', source: 'a call' } },
    ]))
    const { text } = await console.get(pathOf(`/${ALICE.userId}`), operator)
    for (const said of ['Opted out', 'a word that the customer wrote', '“&lt;b>STOP”']) assert.include(text, said)
    assert.notInclude(text, 'All messages</dt>')
    const other = await console.get(pathOf('/33612345679'), operator)
    for (const said of ['All messages</dt>', 'a call', 'not opted out']) assert.include(other.text, said)
    assert.notInclude(other.text, 'There is no data about this customer')
  })

  it('record what one stops and allows, with a note, ask before messages are allowed again, and show the history, newest first', async () => {
    await learned()
    const developer = await join('dev@example.com', role(console.workspace, 'developer'))
    const record = (form: Readonly<Record<string, string>>) => console.post(pathOf(`/${ALICE.phoneNumber}/consent`), form, developer)
    const shown = async (): Promise<string> => (await console.get(pathOf(`/${ALICE.userId}`), developer)).text
    const offered = (text: string) =>
      Array.from(text.matchAll(/name="of" value="(\w+)"[^]*?name="status" value="(\w+)"/g), ([, of, status]) => [of, status])
    assert.deepEqual(offered(await shown()), [['marketing', 'withdrawn'], ['all', 'withdrawn'], ['marketing', 'granted']])
    const { headers } = await record({ of: 'all', status: 'withdrawn', note: 'asked <b>by phone' })
    assert.equal(headers['location'], pathOf(`/${ALICE.phoneNumber}`))
    const stopped = await shown()
    for (const said of ['All messages</dt>', 'Recorded in the console: “asked &lt;b>by phone”']) assert.include(stopped, said)
    assert.deepEqual(offered(stopped), [['marketing', 'withdrawn'], ['marketing', 'granted'], ['all', 'granted']])
    console.clock.at += MINUTE_MS
    const unsure = await record({ of: 'all', status: 'granted', note: 'wrote again' })
    assert.equal(unsure.status, 422)
    assert.match(unsure.text, /<details class="behind opens" open[^]*value="wrote again"[^]*aria-describedby="sure-all-granted-fault"/)
    assert.equal((await record({ of: 'all', status: 'withdrawn', note: 'x'.repeat(1_001) })).status, 422)
    assert.equal((await record({ of: 'all', status: 'granted', 'sure-all-granted': 'on' })).status, 303)
    const { workspace, storage, clock } = console
    for (let ago = 4; ago > 0; ago -= 1) {
      clock.at += MINUTE_MS
      await record({ of: 'marketing', status: ago % 2 === 0 ? 'withdrawn' : 'granted', 'sure-marketing-granted': 'on' })
    }
    const history = await shown()
    const places = [
      'Marketing messages: allowed', 'Marketing messages: opted out', '3 earlier changes', 'All messages: allowed',
      'All messages: opted out',
    ].map((said) => history.indexOf(said))
    assert.notInclude(places, -1)
    assert.deepEqual(places, [...places].sort((a, b) => a - b))
    const [known] = await done(storage.consents.find(workspace, [ALICE.userId]))
    assert.deepEqual(known?.all, { status: 'granted', since: clock.at - 4 * MINUTE_MS, source: 'console' }, 'for every id of the customer')
    assert.equal((await record({ of: 'everything', status: 'withdrawn' })).status, 404)
  })

  it('offer to record it only to those who may, and show the history to all members', async () => {
    await learned()
    const viewer = await join('vic@example.com', role(console.workspace, 'viewer'))
    const pathOfConsent = pathOf(`/${ALICE.userId}/consent`)
    assert.notInclude((await console.get(pathOf(`/${ALICE.userId}`), viewer)).text, 'id="consent"')
    assert.equal((await console.post(pathOfConsent, { of: 'all', status: 'withdrawn' }, operator)).status, 303)
    const { text } = await console.get(pathOf(`/${ALICE.userId}`), viewer)
    assert.include(text, 'All messages: opted out')
    assert.notInclude(text, pathOfConsent)
    for (const status of ['withdrawn', 'granted']) {
      assert.equal((await console.post(pathOfConsent, { of: 'all', status }, viewer)).status, 403)
    }
    const noted = (await console.entries()).filter(({ act }) => act === 'consent.record')
    assert.deepEqual(noted.map(({ outcome }) => outcome).sort(), ['done', 'refused', 'refused'])
    assert.equal((await console.post(pathOf(`/${ALICE.userId}/erase`), {}, operator)).status, 303)
    const erased = (await console.get(pathOf(`/${ALICE.userId}`), operator)).text
    assert.notInclude(erased, 'All messages: opted out', 'nothing is shown of an erased person')
  })

  it('show one as a conversation: what came and what went, in order, with what is stored of it', async () => {
    await learned()
    await wrote(ALICE, HOUR_MS)
    await received(ALICE.phoneNumber, 3 * HOUR_MS, 'text', { body: 'Where is <b>it</b>?' })
    await messageTo(2 * HOUR_MS)
    await received(ALICE.userId, HOUR_MS, 'interactive', { type: 'list_reply', list_reply: { id: '1', title: 'Tomorrow' } })
    await received(ALICE.userId, MINUTE_MS, 'audio', undefined)
    await received(BOB.phoneNumber ?? '', MINUTE_MS, 'text', { body: 'of somebody else' })
    const { text } = await console.get(pathOf(`/${ALICE.userId}`), operator)
    const places = [
      'Window open for another 23 h 0 min', 'The contents of some messages are not stored',
      'Some texts from the customer are not stored',
      'Yesterday', 'Where is &lt;b>it&lt;/b>?', 'Tomorrow',
    ].map((said) => text.indexOf(said))
    assert.notInclude(places, -1, text)
    assert.deepEqual(places, [...places].sort((a, b) => a - b))
    assert.notInclude(text, 'of somebody else')
    for (const once of ['are not stored', '<li class="day">']) assert.lengthOf(text.split(once), once.startsWith('<') ? 2 : 3, once)
  })

  it('show the text of a template where its values are not stored, under the days on which messages were sent', async () => {
    const { clock: { at }, storage, workspace } = console
    const sender = { phoneNumberId: senderIdOf('1'), accessToken: 'token', businessAccountId: '2001' }
    await done(storage.senders.assign(workspace, sender))
    await done(storage.templateCatalogue.replaceAll('2001', [{
      id: '7', name: 'reminder', language: 'en', category: 'utility', status: 'approved', quality: undefined,
      parameterFormat: 'positional', components: [{ type: 'BODY', text: 'Hello {{1}}, we <b>wait</b>.' }],
    }], at))
    const send = (name: string, ago: number) => done(storage.messageLog.open({
      id: messageIdOf(`${(at - ago).toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`), workspace, at: at - ago,
      price: { micros: 0n, currency: 'USD' as Currency, category: 'utility' },
      message: { _tag: 'Template', to: ALICE.phoneNumber, name, language: 'en' },
    }))
    await send('reminder', HOUR_MS)
    await send('unknown', 0)
    const { text } = await console.get(pathOf(`/${ALICE.phoneNumber}`), operator)
    const said = [
      'are not stored', 'Yesterday', 'Hello <span class="unfilled">{{1}}</span>, we &lt;b>wait&lt;/b>.', 'Today', '<p>unknown (en)</p>',
    ]
    const places = said.map((one) => text.indexOf(one))
    assert.notInclude(places, -1, text)
    assert.deepEqual(places, [...places].sort((a, b) => a - b))
  })

  it('list those who wrote and have no answer, by a filter', async () => {
    await learned()
    await wrote(ALICE, 2 * HOUR_MS)
    await wrote(BOB, HOUR_MS)
    const listed = async () =>
      Array.from((await console.get(pathOf('?unanswered=on'), operator)).text.matchAll(/customers\/([\w.]+)"/g), ([, id]) => id)
    assert.lengthOf(await listed(), 2)
    await messageTo()
    assert.notInclude(await listed(), ALICE.userId)
    assert.lengthOf(await listed(), 1)
    assert.equal((await console.get(pathOf('?unanswered=maybe'), operator)).status, 400)
  })

  it('show one page by page, each with what the customer wrote meanwhile, and what comes while the newest page is open', async () => {
    await wrote({ phoneNumber: ALICE.phoneNumber }, HOUR_MS)
    for (let ago = 35; ago > 0; ago -= 1) await messageTo(ago * HOUR_MS)
    await received(ALICE.phoneNumber, 33 * HOUR_MS + MINUTE_MS, 'text', { body: 'long ago' })
    await received(ALICE.phoneNumber, MINUTE_MS, 'text', { body: 'lately' })
    const newest = await console.get(pathOf(`/${ALICE.phoneNumber}`), operator)
    const older = await console.get(pathOf(`/${ALICE.phoneNumber}?cursor=${/cursor=(msg_\w+)/.exec(newest.text)?.[1] ?? ''}`), operator)
    for (const [{ text }, said, unsaid, count] of [[newest, 'lately', 'long ago', 30], [older, 'long ago', 'lately', 5]] as const) {
      assert.include(text, said)
      assert.notInclude(text, unsaid)
      assert.lengthOf(text.match(/<li class="to"/g) ?? [], count)
    }
    assert.notInclude(older.text, 'name="text"')
    const watching = await console.watch(pathOf(`/${ALICE.phoneNumber}`), operator)
    await received(ALICE.phoneNumber, 0, 'text', { body: 'just now' })
    await watching.shows('just now')
    watching.close()
  })

  it('are answered right there by those who may send, with a text while the window is open and else with a template', async () => {
    await done(console.storage.senders.assign(console.workspace, {
      phoneNumberId: senderIdOf('1'), accessToken: 'token', businessAccountId: undefined,
    }))
    await done(console.storage.ledger.topUp({ workspace: console.workspace, micros: 1_000_000n, reference: 'r', at: console.clock.at }))
    await wrote({ phoneNumber: ALICE.phoneNumber }, HOUR_MS)
    const pageOf = async (id: string, cookie: string): Promise<string> => (await console.get(pathOf(`/${id}`), cookie)).text
    const developer = await join('dev@example.com', role(console.workspace, 'developer'))
    const page = await pageOf(ALICE.phoneNumber, developer)
    assert.include(page, 'A text is free now.')
    const hidden = page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)
    const form = { ...Object.fromEntries(Array.from(hidden, ([, name, value]) => [name, value])), what: 'text' }
    const sent = await console.post(`/console/workspaces/${console.workspace}/send/confirm`, { ...form, text: 'Here I am' }, developer)
    assert.deepEqual([sent.status, sent.headers['location']], [303, pathOf(`/${ALICE.phoneNumber}`)])
    assert.match(await pageOf(ALICE.phoneNumber, developer), /<li class="to"[^]*Accepted/)
    const again = await console.post(`/console/workspaces/${console.workspace}/send/confirm`, { ...form, text: 'Here I am' }, developer)
    assert.equal(again.status, 303)
    assert.lengthOf((await done(console.storage.messageLog.list(console.workspace, { limit: 10 }))).items, 1)
    const empty = await console.post(`/console/workspaces/${console.workspace}/send/confirm`, { ...form, text: ' ' }, developer)
    assert.equal(empty.status, 422)
    assert.match(await pageOf('5511987654321', developer), /Window closed[^]*name="what" value="template"/)
    assert.notMatch(await pageOf(ALICE.phoneNumber, await join('vic@example.com', role(console.workspace, 'viewer'))), /name="what"/)
    assert.notInclude(console.lines.join(' '), 'Here I am')
  })

  it('are erased by owners and operators alone', async () => {
    await learned()
    await wrote(ALICE, HOUR_MS)
    const erase = (cookie: string, workspace = console.workspace) => console.post(pathOf(`/${ALICE.userId}/erase`, workspace), {}, cookie)
    const members = new Map<string, string>()
    for (const name of ROLES) members.set(name, await join(`${name}@example.com`, role(console.workspace, name)))
    const stranger = await join('eve@example.com', role(await console.newWorkspace(), 'owner'))
    for (const cookie of [members.get('viewer') ?? '', members.get('developer') ?? '', stranger]) {
      assert.equal((await erase(cookie)).status, 403)
    }
    for (const name of ['viewer', 'developer']) {
      assert.notInclude((await console.get(pathOf(`/${ALICE.userId}`), members.get(name))).text, '/erase')
    }
    assert.include((await console.get(pathOf(`/${ALICE.userId}`), members.get('owner'))).text, '/erase')
    const erased = await erase(members.get('owner') ?? '')
    assert.deepEqual([erased.status, erased.headers['location']], [303, pathOf('?erased=yes')])
    assert.include((await console.get(pathOf('?erased=yes'), operator)).text, 'The customer was erased.')
    assert.include((await console.get(pathOf(`/${ALICE.userId}`), operator)).text, 'There is no data about this customer')
    assert.equal((await erase(operator)).status, 303, 'an operator may, and again is harmless')
    const noted = (await console.entries()).filter(({ act, outcome }) => act === 'customer.erase' && outcome === 'done')
    assert.equal(noted.length, 2)
    assert.notInclude(JSON.stringify(noted), ALICE.userId)
  })

  it('are not erased while a message is under way', async () => {
    await learned()
    await messageTo()
    const refused = await console.post(pathOf(`/${ALICE.phoneNumber}/erase`), {}, operator)
    assert.equal(refused.status, 422)
    assert.include(refused.text, 'The outcome of 1 message')
  })

  it('may be written to at any time on a network without a window: the list, the page, the form and the search say so', async () => {
    await console.close()
    console = await openConsole({}, undefined, alwaysOpen)
    operator = await join('ann@example.com')
    const none = await console.get(pathOf(''), operator)
    assert.include(none.text, 'No customer wrote in the last 24 hours.')
    await wrote(ALICE, 2 * HOUR_MS)
    await wrote(BOB, 48 * HOUR_MS)
    const list = (await console.get(pathOf(''), operator)).text
    assert.include(list, 'You can write to any customer at any time.')
    assert.notInclude(list, 'Window closes in')
    for (const number of [BOB.phoneNumber, '33612345678']) {
      const page = (await console.get(pathOf(`/${number}`), operator)).text
      assert.include(page, 'Messages of any kind can be sent at any time')
      assert.notMatch(page, /window is (closed|open)/)
      assert.include(page, '/send/confirm')
    }
    const form = await console.post(`/console/workspaces/${console.workspace}/send`, { to: BOB.phoneNumber ?? '', what: 'text' }, operator)
    assert.equal(form.status, 200)
    assert.notInclude(form.text, 'customer service window is')
  })
})
