import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { Access } from '../../../../../core/access/members.js'
import { SYSTEM } from '../../../../../core/kernel/actor.js'
import type { PhoneNumber } from '../../../../../core/customers/customer.js'
import type { Currency } from '../../../../../core/kernel/money.js'
import { type EndpointSecret, endpointIdOf } from '../../../../../core/events/endpoint.js'
import { HOUR_MS } from '../../../../../core/kernel/time.js'
import { messageIdOf } from '../../../../../core/messages/message.js'
import { makeRollUpMessages } from '../../../../../core/messages/statistics.js'
import { rightOf } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

const uuidAt = (at: number): string => `${at.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`

describe('The page of the overview', () => {
  let shop: OpenConsole
  beforeEach(async () => { shop = await openConsole() })
  afterEach(() => shop.close())

  const signIn = async (email: string, access: Access): Promise<string> => {
    const { token } = rightOf(await shop.use.inviteMember({ by: SYSTEM, email, access }))
    return `postern_session=${rightOf(await shop.use.takeLink({ token, address: '127.0.0.1' })).token}`
  }

  it('is shown to operators and every role of its workspace, for every range, and to no one else', async () => {
    const [workspace, other] = [await shop.newWorkspace(), await shop.newWorkspace()]
    const roles = ['owner', 'developer', 'viewer'] as const
    const cookies = [await signIn('operator@example.com', { _tag: 'Operator' })]
    for (const role of roles) cookies.push(await signIn(`${role}@example.com`, { _tag: 'Role', workspace, role }))
    for (const cookie of cookies) {
      for (const range of ['', '?range=1h', '?range=24h', '?range=7d', '?range=30d', '?range=90d', '?range=nonsense', '?range=%00']) {
        const { status, text } = await shop.get(`/console/workspaces/${workspace}${range}`, cookie)
        assert.equal(status, 200, range)
        assert.include(text, 'This workspace has no number')
        assert.include(text, `href="/console/workspaces/${workspace}?range=90d"`)
      }
    }
    const strange = await signIn('stranger@example.com', { _tag: 'Role', workspace: other, role: 'owner' })
    assert.equal((await shop.get(`/console/workspaces/${workspace}`, strange)).status, 403)
    assert.equal((await shop.get(`/console/workspaces/${workspace}`)).status, 303)
  })

  it('has what is left to do for a first message, for owners and operators, with the way to each step', async () => {
    const { workspace } = shop
    const page = async (cookie: string): Promise<string> => (await shop.get(`/console/workspaces/${workspace}`, cookie)).text
    const operator = await signIn('operator@example.com', { _tag: 'Operator' })
    const owner = await signIn('owner@example.com', { _tag: 'Role', workspace, role: 'owner' })
    assert.include(await page(operator), '0 of 5 done')
    for (const end of ['sender\\?new', 'wallet\\?new', 'keys\\?new', 'send']) assert.match(await page(operator), new RegExp(`class="state quiet"[^]*href="/console/workspaces/${workspace}/${end}"`))
    assert.include(await page(owner), 'Ask an operator to add money')
    for (const role of ['developer', 'viewer'] as const) {
      assert.notInclude(await page(await signIn(`${role}@example.com`, { _tag: 'Role', workspace, role })), 'of 5 done')
    }
  })

  it('says that messages are being counted, and not that there are none, while the counts of before an upgrade are made', async () => {
    const operator = await signIn('operator@example.com', { _tag: 'Operator' })
    const { storage, workspace, clock: { at } } = shop
    const pages = async (): Promise<string> => (await Promise.all(['', '/wallet/spend', `/wallet/months/${new Date(at).toISOString().slice(0, 7)}`].map(async (end) => {
      const { status, text } = await shop.get(`/console/workspaces/${workspace}${end}`, operator)
      assert.equal(status, 200, end)
      return text
    }))).join('')
    const before = await pages()
    assert.isAtLeast(before.match(/being counted/g)?.length ?? 0, 3 + 2 + 2)
    assert.notInclude(before, 'No messages were sent in this period')
    for (let finished = false; !finished;) {
      finished = rightOf(await makeRollUpMessages({ ...storage, now: () => at })(() => Promise.resolve(true))).finished
    }
    const after = await pages()
    assert.notInclude(after, 'being counted')
    assert.include(after, 'No messages were sent in this period')
  })

  it('leads from an endpoint that is disabled to its deliveries', async () => {
    const { storage, workspace, clock: { at } } = shop
    const id = endpointIdOf(uuidv7())
    rightOf(await storage.eventEndpoints.add({
      id, workspace, url: 'https://example.com/', types: ['*'], description: '', createdAt: at, secret: 'whsec' as EndpointSecret,
    }))
    rightOf(await storage.eventEndpoints.change(id, { status: 'disabled' }, at))
    const operator = await signIn('operator@example.com', { _tag: 'Operator' })
    const [, href = ''] = /href="([^"]+)">Show deliveries</.exec((await shop.get(`/console/workspaces/${workspace}`, operator)).text) ?? []
    assert.include((await shop.get(href, operator)).text, '<h2>Deliveries')
  })

  it('leads from each bar to its messages, and from each reason of a failure to those that have it, with what to do', async () => {
    const operator = await signIn('operator@example.com', { _tag: 'Operator' })
    const { storage, workspace, clock: { at } } = shop
    const price = { micros: 50_000n, currency: 'USD' as Currency, category: 'utility' } as const
    const ids: Array<string> = []
    for (const change of [{ state: 'read' }, { state: 'failed', error: { code: 131_047 } }] as const) {
      const id = messageIdOf(uuidAt(at - HOUR_MS))
      ids.push(id)
      rightOf(await storage.messageLog.open({
        id,
        workspace,
        at: at - HOUR_MS,
        price,
        message: { _tag: 'Template', to: '4915123456789' as PhoneNumber, name: 'order_update', language: 'en' },
      }))
      rightOf(await storage.messageLog.apply(workspace, id, { ...change, at }))
    }
    rightOf(await makeRollUpMessages({ ...storage, now: () => at })(() => Promise.resolve(true)))
    const { text } = await shop.get(`/console/workspaces/${workspace}`, operator)
    const listed = async (href = ''): Promise<ReadonlyArray<string>> => {
      const page = await shop.get(href.replaceAll('&amp;', '&'), operator)
      assert.equal(page.status, 200, href)
      return Array.from(page.text.matchAll(/<tr id="(msg_\w+)"/g), ([, id]) => id ?? '')
    }
    const bars = Array.from(text.matchAll(/<a class="bar" href="([^"]+)" aria-label="([^"]+)"/g), ([, href, label]) => ({
      href, label: label ?? '',
    }))
    assert.lengthOf(bars, 24)
    const busy = bars.filter(({ label }) => label.includes(': 2 · read 1 · not delivered 1'))
    assert.sameMembers([...await listed(busy[0]?.href)], ids)
    const spend = await shop.get(`/console/workspaces/${workspace}?chart=spend`, operator)
    assert.lengthOf(spend.text.match(/<a class="bar" href="[^"]+" aria-label="[^"]+: \$0\.05/g) ?? [], 1)
    assert.lengthOf(text.match(/<line class="midnight"/g) ?? [], 1)
    const [, reason] = /<a href="([^"]+error=131047)"><span title="The customer service window was closed[^"]*">Window closed<[^]*?Send an approved template instead/
      .exec(text)
      ?? []
    assert.deepEqual(await listed(reason), ids.slice(1))
  })
})
