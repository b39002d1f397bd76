import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../../core/kernel/ids.js'
import type { Currency } from '../../../../../core/kernel/money.js'
import { DAY_MS } from '../../../../../core/kernel/time.js'
import { messageIdOf } from '../../../../../core/messages/message.js'
import { makeRollUpMessages } from '../../../../../core/messages/statistics.js'
import { role } from '../../../../core/use-cases/member-world.js'
import * as E from 'fp-ts/lib/Either.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

describe('the page of workspaces', () => {
  let console: OpenConsole
  let operator: string
  beforeEach(async () => {
    console = await openConsole()
    operator = `postern_session=${(await console.join('boss@example.com')).token}`
  })
  afterEach(() => console.close())

  const all = () => done(console.storage.workspaces.list())

  it('answers 503 where the workspace cannot be read, and shows nothing of the cause', async () => {
    const broken = await openConsole({
      uses: {
        workspaces: {
          readWorkspace: async () => E.left({ _tag: 'PortFailure', port: 'Workspaces', cause: new Error('the secret place is down') }),
        },
      },
    })
    const cookie = `postern_session=${(await broken.join('boss@example.com')).token}`
    const { status, text } = await broken.get(`/console/workspaces/${broken.workspace}/messages`, cookie)
    await broken.close()
    assert.equal(status, 503)
    assert.notInclude(text, 'secret')
  })

  it('leads to the members of a workspace, and says where there are none', async () => {
    const members = `/console/members?workspace=${console.workspace}`
    const none = 'This workspace has no members yet.'
    const { text } = await console.get(members, operator)
    assert.include(text, none)
    assert.notInclude(text, '<th scope="col">Last signed in</th>')
    await console.join('ann@example.com', role(console.workspace, 'viewer'))
    const shown = (await console.get(members, operator)).text
    assert.include(shown, 'title="ann@example.com">ann@example.com</td>')
    assert.notInclude(shown, none)
  })

  it('leads to pages that keep the navigation of a workspace where nothing is found, but not for who may not see it', async () => {
    const stranger = `postern_session=${(await console.join('stranger@example.com', role(await console.newWorkspace(), 'owner'))).token}`
    for (const end of ['/messages/msg_0', '/customers/abc', '/templates/nothing', '/endpoints/ep_0', '/wallet/months/2020-13']) {
      const missing = await console.get(`/console/workspaces/${console.workspace}${end}`, operator)
      assert.equal(missing.status, 404, end)
      assert.include(missing.text, `href="/console/workspaces/${console.workspace}/messages"`, end)
      assert.notInclude(
        (await console.get(`/console/workspaces/${console.workspace}${end}`, stranger)).text, `${console.workspace}/messages"`, end,
      )
    }
  })

  it('makes a workspace for an operator, and leads to its first page', async () => {
    const made = await console.post('/console', { name: ' Shop ', currency: '' }, operator)
    const shop = (await all()).find(({ name }) => name === 'Shop')
    assert.deepEqual([made.status, made.headers['location'], shop?.currency], [303, `/console/workspaces/${shop?.id ?? ''}`, 'USD'])
    for (const [form, sentence] of [
      [{ name: ' ', currency: 'USD' }, 'The name is invalid'], [{ name: 'X', currency: 'dollars' }, 'The currency is invalid'],
      [{ name: 'X', currency: 'EUR' }, 'The rate card is in USD'], [{ name: 'Shop', currency: 'USD' }, 'already has this name'],
    ] as const) {
      const reply = await console.post('/console', form, operator)
      assert.equal(reply.status, 422)
      assert.include(reply.text.replaceAll('&#39;', "'"), sentence)
    }
    assert.equal((await console.post('/console', { name: 'Shop', again: 'on' }, operator)).status, 303)
    assert.lengthOf((await all()).filter(({ name }) => name === 'Shop'), 2)
    assert.include((await console.entries()).map(({ act }) => act), 'workspace.create')
  })

  it('has totals, a search, and the archived ones apart', async () => {
    const other = await console.newWorkspace()
    await done(console.storage.workspaces.rename(other, 'Bookshop'))
    await done(console.storage.ledger.topUp({ workspace: other, micros: 7_000_000n, reference: 'r', at: console.clock.at }))
    assert.include((await console.get('/console', operator)).text, '$7.00')
    const found = await console.get('/console?name=BOOK', operator)
    assert.include(found.text, `/console/workspaces/${other}`)
    assert.notInclude(found.text, console.workspace)
    assert.include((await console.get('/console?name=nothing', operator)).text, 'No workspace has this name or id.')
    await done(console.storage.workspaces.archive(other, console.clock.at))
    assert.match((await console.get('/console', operator)).text, /href="\/console\?show=archived"[^>]*>Archived <span class="soft">1</)
    const archived = (await console.get('/console?show=archived', operator)).text
    assert.include(archived, 'Bookshop')
    assert.equal((await console.get('/console?show=x', operator)).status, 400)
  })

  it('says to operators what each workspace has, and how long it lasts at the spend of a week', async () => {
    console.clock.at = Date.UTC(2026, 10, 26)
    operator = `postern_session=${(await console.join('operator@example.com')).token}`
    const [idle, busy] = [await console.newWorkspace(), await console.newWorkspace()]
    for (const workspace of [idle, busy]) {
      await done(console.storage.ledger.topUp({ workspace, micros: 7_000_000n, reference: 'r', at: console.clock.at }))
    }
    const at = console.clock.at - DAY_MS
    const id = messageIdOf(`${at.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`)
    const [message, price] = [
      { _tag: 'Text', to: '4915123456789' as PhoneNumber, text: 'Hello' },
      { micros: 14_000_000n, currency: 'USD' as Currency, category: 'service' },
    ] as const
    await done(console.storage.messageLog.open({ id, workspace: busy, at, message, price }))
    await done(console.storage.messageLog.apply(busy, id, { state: 'read', at }))
    await done(makeRollUpMessages({ ...console.storage, now: () => console.clock.at })(() => Promise.resolve(true)))
    const rowOf = (text: string, workspace: WorkspaceId): string =>
      text.split('<tr').find((row) => row.includes(`/console/workspaces/${workspace}"`)) ?? assert.fail('no row')
    const { text } = await console.get('/console', operator)
    assert.match(rowOf(text, busy), /\$7\.00[^]*class="soon">3 days</)
    assert.include(text, 'All well: 3 workspaces, no messages in 24 hours.')
    assert.isBelow(text.indexOf(busy), text.indexOf(idle), 'what runs out first comes first')
    assert.match(rowOf(text, idle), /\$7\.00[^]*>–</)
    const viewer = `postern_session=${(await console.join('vic@example.com', role(busy, 'viewer'))).token}`
    assert.notInclude((await console.get('/console', viewer)).text, '3 days')
  })

  it('has the workspaces in need first, with the reason and one act, and says how many there are', async () => {
    const { storage, clock } = console
    const [empty, low, failing] = [await console.newWorkspace(), await console.newWorkspace(), await console.newWorkspace()]
    for (const [id, name] of [[empty, 'Empty Shop'], [low, 'Low Shop'], [failing, 'Failing Shop']] as const) {
      await done(storage.workspaces.rename(id, name))
    }
    const spend = (workspace: WorkspaceId, micros: bigint) => storage.wallet.hold({
      workspace, message: messageIdOf(uuidv7().replaceAll('-', '')), amount: { micros, currency: 'USD' as Currency }, at: clock.at,
    })
    await spend(empty, 5n)
    await done(storage.ledger.topUp({ workspace: low, micros: 9_000_000n, reference: 'r', at: clock.at }))
    await done(storage.walletAlerts.setThreshold(low, 8_000_000n))
    await spend(low, 2_000_000n)
    await done(storage.senders.assign(failing, { phoneNumberId: '123' as never, accessToken: 't', businessAccountId: '1' }))
    await done(storage.senders.noteHealth({ workspace: failing, sender: '123' as never }, true, clock.at))
    const { text } = await console.get('/console', operator)
    assert.include(text, '3 workspaces need you, 1 is well.')
    const order = [
      'Empty Shop', 'cannot pay for messages', 'Failing Shop', 'access token refused', 'Replace token', 'Low Shop', 'below $8.00',
      'Add money',
    ]
    let at = text.indexOf('<tbody')
    for (const said of order) {
      at = text.indexOf(said, at)
      assert.isAtLeast(at, 0, said)
    }
    const need = (await console.get('/console?show=need&sort=name', operator)).text
    assert.notInclude(need.slice(need.indexOf('<tbody')), console.workspace)
    assert.isBelow(need.indexOf('Empty Shop'), need.indexOf('Low Shop'))
  })

  it('leads on to every workspace, also where one is archived meanwhile', async () => {
    for (let made = 0; made < 120; made += 1) await console.newWorkspace()
    const inUse = (await all()).map(({ id }) => id)
    const seen: Array<string> = []
    for (let path: string | undefined = '/console?name=ac'; path !== undefined;) {
      const { status, text } = await console.get(path, operator)
      assert.equal(status, 200)
      const ids = [...text.slice(text.indexOf('<tbody')).matchAll(/ title="(ws_\w+)"/g)].map(([, id = '']) => id)
      assert.isAtMost(ids.length, 50)
      seen.push(...ids)
      path = /href="(\/console\?name=ac&amp;cursor=ws_\w+)"/.exec(text)?.[1]?.replace('&amp;', '&')
      // The last that was seen is archived before the next page is asked for.
      if (path !== undefined) await done(console.storage.workspaces.archive(ids.at(-1) as WorkspaceId, console.clock.at))
    }
    assert.deepEqual(seen.toSorted(), inUse.toSorted())
    const unknown = await console.get(`/console?cursor=ws_${'0'.repeat(32)}`, operator)
    assert.include(unknown.text, '<tbody', 'an unknown cursor shows the beginning')
  })

  it('shows others only theirs, and no totals', async () => {
    const other = await console.newWorkspace()
    await done(console.storage.workspaces.archive(await console.newWorkspace(), console.clock.at))
    const owner = `postern_session=${(await console.join('own@example.com', role(console.workspace, 'owner'))).token}`
    const shown = await console.get('/console', owner)
    assert.include(shown.text, console.workspace)
    for (const hidden of [other, 'All well', 'Create workspace', 'archived workspace', 'Search by name or id']) {
      assert.notInclude(shown.text, hidden)
    }
    assert.equal((await console.post('/console', { name: 'Mine' }, owner)).status, 403)
    assert.lengthOf(await all(), 3)
  })
})
