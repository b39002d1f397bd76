import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { DEFAULT_BRAKE } from '../../../../../core/batches/batch.js'
import type { PhoneNumber } from '../../../../../core/customers/customer.js'
import type { Role } from '../../../../../core/kernel/actor.js'
import { appIdOf, type BatchId, type WorkspaceId } from '../../../../../core/kernel/ids.js'
import { DAY_MS } from '../../../../../core/kernel/time.js'
import { messageIdOf } from '../../../../../core/messages/message.js'
import { portfolioOf } from '../../../../../core/messages/portfolio-budget.js'
import { senderIdOf } from '../../../../../core/senders/sender.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { newBatchId, newPhoneNumber } from '../../../../laws/ids.js'
import { addApp } from '../../../../support/add-app.js'
import { done } from '../../../../support/right-of.js'
import { USD } from '../../../../support/memory-world.js'
import { openConsole, type OpenConsole } from '../../browser.js'
import { addNumber, addTwo } from './several-numbers.js'

const TOKEN = 'EAAG-secret-token'
const NUMBER = { phone: '1060', account: '2001', token: TOKEN }

describe('the pages of numbers', () => {
  let console: OpenConsole
  let base: string
  beforeEach(async () => {
    console = await openConsole()
    base = `/console/workspaces/${console.workspace}`
  })
  afterEach(() => console.close())

  const as = async (who: Role | 'operator', email = `${who}@example.com`, workspace = console.workspace) =>
    `postern_session=${(await console.join(email, who === 'operator' ? { _tag: 'Operator' } : role(workspace, who))).token}`
  const senders = () => done(console.storage.senders.sendersOf(console.workspace))
  const sender = async (id = '1060') => O.toUndefined(await done(console.storage.senders.senderOf(console.workspace, senderIdOf(id))))

  it('add a number, and never show its token', async () => {
    const cookie = await as('owner')
    assert.include((await console.get(`${base}/sender`, cookie)).text, 'This workspace has no number')
    const added = await console.post(`${base}/sender`, NUMBER, cookie)
    assert.deepEqual([added.status, added.headers['location']], [303, `${base}/sender`])
    assert.deepEqual(
      await sender(), { phoneNumberId: senderIdOf('1060'), businessAccountId: '2001', accessToken: TOKEN, isDefault: true },
    )
    const shown = [await console.get(`${base}/sender`, cookie), await console.get(`${base}/sender/1060`, cookie)]
    const checked = await console.post(`${base}/sender/1060/check`, {}, cookie)
    for (const said of ['The platform accepts the number.', 'GREEN', 'HIGH']) assert.include(checked.text, said)
    const all = [...shown, checked].map(({ text }) => text).join() + console.lines.join() + JSON.stringify(await console.entries())
    assert.notInclude(all, TOKEN)
  })

  it('list numbers by name with what is known of them, and no ids', async () => {
    const cookie = await as('viewer')
    await addTwo(console)
    await addNumber(console, '106003')
    const { workspace, clock, storage } = console
    await done(storage.senders.noteHealth({ workspace, sender: senderIdOf('106002') }, true, clock.at))
    const { text } = await console.get(`${base}/sender`, cookie)
    const rows = text.split('<tr>').filter((row) => row.includes('<td'))
    assert.lengthOf(rows, 3)
    const said = [
      ['Meridian Clinics', 'Default', '+49 302 312 5142', 'Working', 'High', '80 a second'],
      ['Meridian UK', '+44 207 946 0142', 'Token refused'], ['Number …106003', 'Working', 'not known yet'],
    ]
    said.forEach((words, index) => words.forEach((word) => assert.include(rows[index], word)))
    assert.deepEqual(rows.filter((row) => row.includes('Default')), [rows[0]])
    assert.notMatch(text.replace(/href="[^"]*"/g, ''), /10600[12]/)
    assert.include(text, 'Read from the platform')
  })

  it('are grouped by the business account whose limit of new customers they share', async () => {
    const { workspace, clock, storage } = console
    const account = { businessAccountId: '2001' }
    await addNumber(console, '106001', { verifiedName: 'Meridian Clinics', customersPerDay: 2_000 }, account)
    await addNumber(console, '106002', { verifiedName: 'Meridian UK', customersPerDay: 2_000 }, account)
    await addNumber(console, '106003', { verifiedName: 'Meridian Dental', customersPerDay: 'unlimited' }, { businessAccountId: '2002' })
    await addNumber(console, '106004', { verifiedName: 'Meridian Labs' })
    for (const [index, customer] of ['4915123456789', '4915123456780'].entries()) {
      await done(storage.portfolioBudget.take({
        workspace, message: messageIdOf(uuidv7()), portfolio: portfolioOf({ phoneNumberId: senderIdOf('106001'), ...account }),
        customer: customer as PhoneNumber, at: clock.at - index, limit: 2_000,
      }))
    }
    const { text } = await console.get(`${base}/sender`, await as('viewer'))
    const groups = text.split('<section class="card portfolio"').slice(1)
    const said = [
      [
        'Business account …2001', '2 numbers share this limit', '<strong>2</strong> of 2,000 new customers', 'Free <strong>1,998</strong>',
        'Clinics', 'UK',
      ],
      ['Business account …2002', '1 number', 'No limit of new customers', 'Dental'],
      ['Without a business account', 'The limit of new customers is not known yet', 'Labs'],
    ]
    assert.lengthOf(groups, said.length)
    said.forEach((words, index) => words.forEach((word) => assert.include(groups[index], word)))
  })

  it('show which batches use the limit, the largest by their names, and what else does', async () => {
    const { workspace, clock, storage } = console
    const account = { businessAccountId: '2001' }
    await addNumber(console, '106001', { customersPerDay: 2_000 }, account)
    const other = await console.newWorkspace()
    const batchOf = async (owner: WorkspaceId, name: string): Promise<BatchId> => (await done(storage.batches.create({
      id: newBatchId(clock.at), workspace: owner, sender: senderIdOf('106001'), name, templateName: 'recall', language: 'en', timing: {},
      brake: DEFAULT_BRAKE, createdAt: clock.at, state: 'draft', upload: 0,
    }))).id
    const batches = [
      await batchOf(workspace, 'November recall'), await batchOf(workspace, '<b>Spring</b>'), await batchOf(workspace, 'Small'),
      await batchOf(other, 'Of another workspace'),
    ]
    const reached = [[3, batches[0]], [2, batches[1]], [1, batches[2]], [4, batches[3]], [5, undefined]] as const
    for (const [customers, batch] of reached) {
      for (let index = 0; index < customers; index += 1) {
        await done(storage.portfolioBudget.take({
          workspace, message: messageIdOf(uuidv7()), portfolio: portfolioOf({ phoneNumberId: senderIdOf('106001'), ...account }),
          customer: newPhoneNumber(), at: clock.at, limit: 2_000, ...(batch !== undefined && { batch }),
        }))
      }
    }
    const { text } = await console.get(`${base}/sender`, await as('viewer'))
    const legend = text.match(/<ul class="legend"[^]*?<\/ul>/)?.[0].replace(/<svg[^]*?<\/svg>/g, '').match(/<li>[^]*?<\/li>/g)
    assert.deepEqual(legend?.map((item) => item.replace(/<\/?(?:li|strong)>/g, '').trim()), [
      'Batch November recall 3', 'Batch &lt;b>Spring&lt;/b> 2', 'Other batches 5', 'Everything else 5', 'Free 1,985',
    ])
    assert.notInclude(text, 'Of another workspace')
  })

  it('show for each of the last days how many new customers counted, under the limit, if any did', async () => {
    const { workspace, clock, storage } = console
    const account = { businessAccountId: '2001' }
    await addNumber(console, '106001', { customersPerDay: 2_000 }, account)
    assert.notInclude((await console.get(`${base}/sender`, await as('viewer'))).text, 'id="limit-days"')
    const portfolio = portfolioOf({ phoneNumberId: senderIdOf('106001'), ...account })
    const reach = (customers: number, batch?: BatchId) => Promise.all(Array.from({ length: customers }, () =>
      done(storage.portfolioBudget.take({
        workspace, message: messageIdOf(uuidv7()), portfolio, customer: newPhoneNumber(), at: clock.at, limit: 2_000,
        ...(batch !== undefined && { batch }),
      }))))
    await reach(1)
    await reach(2, newBatchId(clock.at))
    await done(storage.portfolioBudget.noteDay(clock.at))
    const first = clock.at
    clock.at += 2 * DAY_MS
    await reach(4)
    const cookie = await as('viewer', 'later@example.com')
    const { text } = await console.get(`${base}/sender`, cookie)
    const chart = text.slice(text.indexOf('id="limit-days"'))
    assert.include(chart, 'Limit 2,000')
    const bars = [...chart.matchAll(/<a class="bar" href="([^"]*)" aria-label="([^"]*)"/g)]
      .map(([, href = '', label = '']) => ({ href, label }))
    assert.deepEqual([bars.length, bars[0]?.label.split(': ')[1], bars[13]?.label], [14, '0', 'Today: 4 · everything else 4'])
    const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(first)
    assert.deepEqual(bars[11]?.label, `${day}: 3 · everything else 1 · batches 2`)
    const listed = await console.get(bars[11]?.href.replaceAll('&amp;', '&') ?? base, cookie)
    assert.deepEqual([listed.status, listed.text.includes('class="problem"')], [200, false])
  })

  it('show how many messages wait for each', async () => {
    const { workspace, storage, clock } = console
    await addTwo(console)
    await done(storage.messageLog.open({
      id: messageIdOf(uuidv7()), workspace, at: clock.at, sender: senderIdOf('106002'),
      price: { micros: 0n, currency: USD, category: 'service' }, queue: { dueAt: clock.at, endsAt: clock.at + DAY_MS },
      message: { _tag: 'Text', to: '4915123456789' as PhoneNumber, text: 'Later' },
    }))
    const { text } = await console.get(`${base}/sender`, await as('viewer'))
    const rows = text.split('<tr>').filter((row) => row.includes('<td'))
    assert.include(rows[0], '<span>0<span class="hint beneath">nothing waits</span>')
    assert.include(rows[1], 'class="number"><span>1</span>')
  })

  it('say what is wrong with a number at its field, and keep what was typed but the token', async () => {
    const cookie = await as('owner')
    for (const [wrong, at, sentence] of [
      [{ ...NUMBER, phone: '+49 30' }, 'phone', 'is not an id of the platform'],
      [{ ...NUMBER, account: 'x' }, 'account', 'is not an id of the platform'],
      [{ ...NUMBER, token: '' }, 'token', 'The access token is empty'],
      [{ ...NUMBER, token: 'bad' }, 'token', 'did not confirm that this token may use the phone number'],
    ] as const) {
      const reply = await console.post(`${base}/sender`, wrong, cookie)
      assert.equal(reply.status, 422)
      assert.match(reply.text, new RegExp(`<dialog class="side-panel"[^]*id="${at}-fault"[^>]*>[^]*${sentence}`))
      assert.include(reply.text, `value="${wrong.phone}"`)
      assert.notInclude(reply.text, TOKEN)
    }
    assert.deepEqual(await senders(), [])
    await console.post(`${base}/sender`, NUMBER, cookie)
    const other = await console.newWorkspace()
    const taken = await console.post(`/console/workspaces/${other}/sender`, NUMBER, await as('operator'))
    assert.match(taken.text, /id="phone-fault"[^>]*>[^]*Another workspace already uses/)
    await addNumber(console, '1061', undefined, { accessToken: 'bad' })
    assert.include((await console.post(`${base}/sender/1061/check`, {}, cookie)).text, 'The platform refuses the sender')
  })

  it('change a number without its token, which stays, and so does its app', async () => {
    const cookie = await as('owner')
    const app = appIdOf(uuidv7())
    await addApp(console.storage, app)
    await addNumber(console, '1060', undefined, { accessToken: TOKEN, businessAccountId: '2001', app })
    assert.include((await console.get(`${base}/sender/1060?new`, cookie)).text, 'Leave it empty to keep the stored token')
    const changed = await console.post(`${base}/sender/1060`, { account: '2002', marketing: 'on', token: '' }, cookie)
    assert.deepEqual([changed.status, changed.headers['location']], [303, `${base}/sender/1060`])
    assert.deepInclude(await sender(), { accessToken: TOKEN, businessAccountId: '2002', marketingApi: true, app })
    await console.post(`${base}/sender/1060`, { account: '2002', token: 'EAAG-another' }, cookie)
    assert.deepEqual(
      await sender(), { phoneNumberId: senderIdOf('1060'), accessToken: 'EAAG-another', businessAccountId: '2002', app, isDefault: true },
    )
    const refused = await console.post(`${base}/sender/1060`, { account: '2002', token: 'bad' }, cookie)
    assert.match(refused.text, /<dialog class="side-panel"[^]*id="token-fault"/)
    assert.deepInclude(await sender(), { accessToken: 'EAAG-another' })
  })

  it('let operators choose the app of a number', async () => {
    const cookie = await as('operator')
    const app = appIdOf(uuidv7())
    await done(console.storage.apps.add({ id: app, name: 'second-app', createdAt: console.clock.at, appSecret: 's', verifyToken: 'v' }))
    await console.post(`${base}/sender`, { ...NUMBER, app }, cookie)
    assert.equal((await sender())?.app, app)
    assert.include((await console.get(`${base}/sender/1060`, cookie)).text, 'second-app')
    assert.match((await console.get(`${base}/sender/1060?new`, cookie)).text, new RegExp(`<option value="${app}" selected>second-app`))
    assert.notInclude((await console.get(`${base}/sender/1060?new`, await as('owner'))).text, 'id="app"')
    await console.post(`${base}/sender/1060`, { account: '2001', app: '' }, cookie)
    assert.isUndefined((await sender())?.app)
    await done(console.storage.apps.remove(app))
    const refused = await console.post(`${base}/sender/1060`, { account: '2001', app }, cookie)
    assert.equal(refused.status, 422)
    assert.include(refused.text, 'The app of this number no longer exists')
    assert.isUndefined((await sender())?.app)
    assert.equal((await console.post(`${base}/sender/1060`, { account: '2001', app }, await as('owner'))).status, 303)
  })

  it('make another number the default one, also when it is added', async () => {
    const cookie = await as('owner')
    await addTwo(console)
    assert.notInclude((await console.get(`${base}/sender/106001`, cookie)).text, 'Make default')
    assert.include((await console.get(`${base}/sender/106002`, cookie)).text, 'Make default')
    assert.equal((await console.post(`${base}/sender/106002/default`, {}, cookie)).status, 303)
    assert.equal((await senders())[0]?.phoneNumberId, '106002')
    await console.post(`${base}/sender`, { ...NUMBER, default: 'on' }, cookie)
    assert.equal((await senders())[0]?.phoneNumberId, '1060')
    assert.includeMembers((await console.entries()).map(({ act }) => act), ['sender.set_default', 'sender.assign'])
  })

  it('move a number to another business account', async () => {
    const cookie = await as('owner')
    await addTwo(console)
    const wrong = await console.post(`${base}/sender/106001/replace`, { phone: 'x', token: TOKEN }, cookie)
    assert.match(wrong.text, /<dialog class="side-panel"[^]*id="phone-fault"/)
    const moved = await console.post(`${base}/sender/106001/replace`, { ...NUMBER, account: '2009' }, cookie)
    assert.deepEqual([moved.status, moved.headers['location']], [303, `${base}/sender/1060`])
    assert.deepEqual((await senders()).map(({ phoneNumberId }) => phoneNumberId), ['1060', '106002'].map(senderIdOf))
    assert.equal((await console.get(`${base}/sender/106001`, cookie)).status, 404)
    assert.include((await console.entries()).map(({ act }) => act), 'sender.replace')
  })

  it('remove a number after a tick, and say which one becomes the default', async () => {
    const cookie = await as('owner')
    await addTwo(console)
    assert.include((await console.get(`${base}/sender/106001`, cookie)).text, 'Meridian UK becomes the default number')
    assert.equal((await console.post(`${base}/sender/106001/remove`, { sure: 'on' }, await as('developer'))).status, 403)
    const unsure = await console.post(`${base}/sender/106001/remove`, {}, cookie)
    assert.equal(unsure.status, 422)
    assert.match(unsure.text, /<details class="more" open[^]*aria-describedby="sure-fault" aria-invalid="true"[^]*Tick the box/)
    assert.lengthOf(await senders(), 2)
    assert.equal((await console.post(`${base}/sender/106001/remove`, { sure: 'on' }, await as('operator'))).status, 303)
    assert.deepEqual((await senders()).map(({ phoneNumberId, isDefault }) => [phoneNumberId, isDefault]), [[senderIdOf('106002'), true]])
    assert.equal((await console.post(`${base}/sender/106001/remove`, { sure: 'on' }, cookie)).status, 404)
    assert.include((await console.get(`${base}/sender/106002`, cookie)).text, 'sends and receives nothing until it has a number again')
    assert.include((await console.entries()).map(({ act }) => act), 'sender.remove')
  })

  it('remove and move no number whose messages have an unknown outcome, and say how many there are', async () => {
    const cookie = await as('owner')
    const [id] = await addTwo(console)
    const { storage, workspace, clock } = console
    const message = { _tag: 'Text', to: '4915123456789' as PhoneNumber, text: 'Hello' } as const
    const price = { micros: 1n, currency: USD, category: 'service' } as const
    await done(storage.messageLog.open({ id: messageIdOf(uuidv7()), workspace, sender: id, at: clock.at, message, price }))
    for (const [end, form] of [['remove', { sure: 'on' }], ['replace', NUMBER]] as const) {
      const { status, text } = await console.post(`${base}/sender/${id}/${end}`, form, cookie)
      assert.equal(status, 422)
      assert.include(text, '1 message of this number waits in the queue, or it is not known yet whether it was sent')
    }
    assert.lengthOf(await senders(), 2)
  })

  it('say since when the token may not read the business account, and show nothing of it', async () => {
    const cookie = await as('owner')
    await console.post(`${base}/sender`, NUMBER, cookie)
    const { storage, workspace, clock } = console
    const account = { businessAccountId: '2001', accessToken: TOKEN }
    const template = {
      id: '1', name: 'their_offer', language: 'en', category: 'utility', status: 'paused', quality: 'red', parameterFormat: undefined,
      components: undefined,
    }
    await done(storage.templateCatalogue.replaceAll('2001', [template], clock.at))
    await done(storage.accountNotices.record({
      accountId: '2001', field: 'phone_number_quality_update', subject: '15550100001', value: { current_limit: 'TIER_1K' }, at: clock.at,
    }))
    const pages = async () =>
      (await Promise.all(['', '/sender/1060', '/templates'].map((path) => console.get(`${base}${path}`, cookie)))).map(({ text }) => text)
    const [overview, number, templates] = await pages()
    assert.deepEqual(
      [overview?.includes('their_offer'), number?.includes('15550100001'), templates?.includes('their_offer')], [true, true, true],
    )
    await done(storage.senders.noteAccount({ workspace, sender: senderIdOf('1060') }, account, true, clock.at))
    const hidden = await pages()
    assert.deepEqual(hidden.filter((text) => text.includes('their_offer') || text.includes('15550100001')), [])
    for (const text of hidden) assert.include(text, 'Until it has access again, or another token is set')
    assert.equal((await console.get(`${base}/templates/their_offer`, cookie)).status, 404)
    assert.include((await console.get(`${base}/sender`, cookie)).text, 'Account refused')
    await console.post(`${base}/sender/1060`, { ...NUMBER, token: 'EAAG-another' }, cookie)
    assert.include((await pages()).join(), 'their_offer')
  })

  it('show a token that cannot be decrypted at its number, and the other numbers as they are', async () => {
    const lost = { _tag: 'PortFailure', port: 'Senders', cause: new Error('another secret') } as const
    const [unreadable, readable] = [senderIdOf('106002'), senderIdOf('106001')]
    const closed: OpenConsole = await openConsole({ uses: { workspaces: {
      showSenders: async (workspace) => E.right((await done(closed.storage.senders.sendersOf(workspace))).map((sender) => ({
        sender: sender.phoneNumberId === unreadable ? { ...sender, isUnreadable: true as const } : sender, number: undefined,
      }))),
      findSender: async ({ workspace, sender }) =>
        (sender === unreadable ? E.left(lost) : E.right(O.toUndefined(await done(closed.storage.senders.senderOf(workspace, sender))))),
    } } })
    try {
      const cookie = `postern_session=${(await closed.join('ann@example.com')).token}`
      for (const number of ['106001', '106002']) await addNumber(closed, number)
      const path = `/console/workspaces/${closed.workspace}/sender`
      const list = await closed.get(path, cookie)
      assert.equal(list.status, 200)
      assert.lengthOf(list.text.match(/Token cannot be decrypted/g) ?? [], 1)
      assert.include(list.text, 'Working')
      const [one, other] = [await closed.get(`${path}/${unreadable}?new`, cookie), await closed.get(`${path}/${readable}`, cookie)]
      assert.deepEqual([one.status, other.status], [200, 200])
      assert.include(one.text, 'The stored access token cannot be decrypted.')
      assert.match(one.text, /<input id="token"[^>]* required/)
      assert.notInclude(other.text, 'cannot be decrypted')
      assert.equal((await closed.post(`${path}/${unreadable}`, { token: TOKEN }, cookie)).status, 303)
    } finally {
      await closed.close()
    }
  })

  it('store tokens again that cannot be decrypted', async () => {
    const id = await addNumber(console, '1060')
    const lost = { _tag: 'PortFailure', port: 'Senders', cause: new Error('another secret') } as const
    const fails = async () => ({ _tag: 'Left', left: lost }) as const
    const closed = await openConsole({ uses: { workspaces: { showSenders: fails, findSender: fails } } })
    try {
      const cookie = `postern_session=${(await closed.join('ann@example.com')).token}`
      const path = `/console/workspaces/${closed.workspace}/sender`
      await addNumber(closed, id)
      const [list, one] = [await closed.get(path, cookie), await closed.get(`${path}/${id}?new`, cookie)]
      assert.deepEqual([list.status, one.status], [503, 503])
      for (const { text } of [list, one]) assert.include(text, 'cannot be decrypted')
      assert.match(one.text, /<input id="token"[^>]* required/)
      assert.equal((await closed.post(`${path}/${id}`, { token: TOKEN }, cookie)).status, 303)
      const found = await done(closed.storage.senders.senderOf(closed.workspace))
      assert.equal(O.toUndefined(found)?.accessToken, TOKEN)
      // Pages that only name numbers show everything else.
      assert.equal((await closed.get(`/console/workspaces/${closed.workspace}/messages`, cookie)).status, 200)
    } finally {
      await closed.close()
    }
  })

  it('are changed by those whom the table allows', async () => {
    await console.post(`${base}/sender`, NUMBER, await as('operator', 'boss@example.com'))
    const statuses: Record<string, ReadonlyArray<number>> = {}
    for (const who of ['owner', 'developer', 'viewer', 'operator'] as const) {
      const cookie = await as(who)
      const replies = [await console.get(`${base}/sender`, cookie), await console.get(`${base}/sender/1060`, cookie)]
      for (const [end, form] of [
        ['', NUMBER], ['/1060', NUMBER], ['/1060/check', {}], ['/1060/default', {}], ['/1060/replace', { phone: 'x' }],
        ['/1060/remove', {}],
      ] as const) replies.push(await console.post(`${base}/sender${end}`, form, cookie))
      statuses[who] = replies.map(({ status }) => status)
    }
    const [some, none] = [[200, 200, 303, 303, 200, 303, 422, 422], [200, 200, 403, 403, 403, 403, 403, 403]]
    assert.deepEqual(statuses, { owner: some, developer: none, viewer: none, operator: some })
    const { text } = await console.get(`${base}/sender/1060`, await as('viewer'))
    assert.notMatch(text, /Change|Remove number|Check number/)
  })

  it('are closed to the members of another workspace', async () => {
    await console.post(`${base}/sender`, NUMBER, await as('owner'))
    const theirs = await console.newWorkspace()
    const eve = await as('owner', 'eve@example.com', theirs)
    const replies = [await console.get(`${base}/sender`, eve), await console.get(`${base}/sender/1060`, eve)]
    const ends = [
      ['', NUMBER], ['/1060', NUMBER], ['/1060/check', {}], ['/1060/default', {}], ['/1060/replace', NUMBER],
      ['/1060/remove', { sure: 'on' }],
    ] as const
    for (const [end, form] of ends) replies.push(await console.post(`${base}/sender${end}`, form, eve))
    assert.deepEqual(replies.map(({ status }) => status), replies.map(() => 403))
    const own = [await console.get(`/console/workspaces/${theirs}/sender/1060`, eve)]
    for (const [end, form] of ends.slice(1)) {
      own.push(await console.post(`/console/workspaces/${theirs}/sender${end}`, { ...form, phone: '1099' }, eve))
    }
    assert.deepEqual(own.map(({ status }) => status), own.map(() => 404))
    assert.deepInclude(await sender(), { accessToken: TOKEN })
  })
})
