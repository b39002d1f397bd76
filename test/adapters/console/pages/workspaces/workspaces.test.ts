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
    assert.include((await console.get('/console', operator)).text, 'One archived workspace')
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
    assert.match(rowOf(text, busy), /\$7\.00[^]*class="state attention">3 days</)
    assert.match(rowOf(text, idle), /\$7\.00[^]*>–</)
    const viewer = `postern_session=${(await console.join('vic@example.com', role(busy, 'viewer'))).token}`
    assert.notInclude((await console.get('/console', viewer)).text, '3 days')
  })

  it('leads on to every workspace and every archived one, also where one is archived meanwhile', async () => {
    for (let made = 0; made < 450; made += 1) {
      const id = await console.newWorkspace()
      if (made % 2 === 0) await done(console.storage.workspaces.archive(id, console.clock.at))
    }
    const inUse = (await all()).filter(({ archivedAt }) => archivedAt === undefined).map(({ id }) => id)
    const archived = (await all()).filter(({ archivedAt }) => archivedAt !== undefined).map(({ id }) => id)
    for (const [name, expected, table] of [['cursor', inUse, 'Workspaces'], ['archived', archived, 'Archived workspaces']] as const) {
      const seen: Array<string> = []
      const sizes: Array<number> = []
      for (let path: string | undefined = '/console?name=ac'; path !== undefined;) {
        const { status, text } = await console.get(path, operator)
        assert.equal(status, 200)
        const rows = text.slice(text.indexOf(`aria-label="${table}"`)).replace(/<\/table>[^]*/, '')
        const ids = [...rows.matchAll(/<code title="(ws_\w+)"/g)].map(([, id = '']) => id)
        seen.push(...ids)
        sizes.push(ids.length)
        path = new RegExp(`href="(/console\\?name=ac&amp;${name}=ws_\\w+)"`).exec(text)?.[1]?.replace('&amp;', '&')
        // The last that was seen is archived before the next page is asked for.
        if (name === 'cursor' && path !== undefined) {
          await done(console.storage.workspaces.archive(inUse[ids.length - 1] ?? assert.fail('no row'), console.clock.at))
        }
      }
      assert.isTrue(sizes.length > 1 && sizes.every((size) => size <= 200), String(sizes))
      assert.deepEqual(name === 'archived' ? seen.filter((id) => archived.includes(id as WorkspaceId)) : seen, expected)
    }
    const unknown = await console.get(`/console?cursor=ws_${'0'.repeat(32)}`, operator)
    assert.include(unknown.text, inUse[0] ?? '-', 'an unknown cursor shows the beginning')
  })

  it('shows others only theirs, and no totals', async () => {
    const other = await console.newWorkspace()
    await done(console.storage.workspaces.archive(await console.newWorkspace(), console.clock.at))
    const owner = `postern_session=${(await console.join('own@example.com', role(console.workspace, 'owner'))).token}`
    const shown = await console.get('/console', owner)
    assert.include(shown.text, console.workspace)
    for (const hidden of [other, 'Available', 'Create workspace', 'archived workspace', 'Search by name or id']) {
      assert.notInclude(shown.text, hidden)
    }
    assert.equal((await console.post('/console', { name: 'Mine' }, owner)).status, 403)
    assert.lengthOf(await all(), 3)
  })
})
