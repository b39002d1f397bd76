import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { Role } from '../../../../../core/kernel/actor.js'
import { senderIdOf } from '../../../../../core/senders/sender.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

const TOKEN = 'EAAG-secret-token'
const SENDER = { phone: '1060', account: '2001', token: TOKEN }

describe('the pages of the sender and of settings', () => {
  let console: OpenConsole
  let base: string
  beforeEach(async () => {
    console = await openConsole()
    base = `/console/workspaces/${console.workspace}`
  })
  afterEach(() => console.close())

  const as = async (who: Role | 'operator', email = `${who}@example.com`, workspace = console.workspace) =>
    `postern_session=${(await console.join(email, who === 'operator' ? { _tag: 'Operator' } : role(workspace, who))).token}`
  const sender = async () => O.toUndefined(await done(console.storage.senders.senderOf(console.workspace)))
  const named = async () => O.toUndefined(await done(console.storage.workspaces.find(console.workspace)))

  it('set a sender, and never show its token', async () => {
    const cookie = await as('owner')
    const set = await console.post(`${base}/sender`, SENDER, cookie)
    assert.deepEqual([set.status, set.headers['location']], [303, `${base}/sender`])
    assert.deepEqual(await sender(), { phoneNumberId: senderIdOf('1060'), businessAccountId: '2001', accessToken: TOKEN })
    const shown = await console.get(`${base}/sender`, cookie)
    assert.include(shown.text, '1060')
    const checked = await console.post(`${base}/sender/check`, {}, cookie)
    for (const said of ['The platform accepts the sender.', 'GREEN', 'HIGH']) assert.include(checked.text, said)
    const all = shown.text + checked.text + console.lines.join() + JSON.stringify(await console.entries())
    assert.notInclude(all, TOKEN)
  })

  it('say what is wrong with a sender, keep what was typed but the token, and what the platform refuses', async () => {
    const cookie = await as('owner')
    for (const [wrong, sentence] of [
      [{ ...SENDER, phone: '+49 30' }, 'is not an id of the platform'],
      [{ ...SENDER, token: '' }, 'The access token is empty'],
    ] as const) {
      const reply = await console.post(`${base}/sender`, wrong, cookie)
      assert.equal(reply.status, 422)
      assert.include(reply.text, sentence)
      assert.include(reply.text, `value="${wrong.phone}"`)
      assert.notInclude(reply.text, TOKEN)
    }
    assert.equal((await console.post(`${base}/sender/check`, {}, cookie)).status, 422)
    const unproven = await console.post(`${base}/sender`, { ...SENDER, token: 'bad' }, cookie)
    assert.equal(unproven.status, 422)
    assert.include(unproven.text, 'did not confirm that this token may use the phone number')
    assert.isUndefined(await sender())
    await done(console.storage.senders.assign(console.workspace, {
      phoneNumberId: senderIdOf('1060'), accessToken: 'bad', businessAccountId: '2001',
    }))
    const refused = await console.post(`${base}/sender/check`, {}, cookie)
    assert.include(refused.text, 'The platform refuses the sender')
    const other = await console.newWorkspace()
    const taken = await console.post(`/console/workspaces/${other}/sender`, SENDER, await as('operator'))
    assert.include(taken.text, 'Another workspace already uses')
  })

  it('say since when the token may not read the business account, and show nothing of it', async () => {
    const cookie = await as('owner')
    await console.post(`${base}/sender`, SENDER, cookie)
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
      (await Promise.all(['', '/sender', '/templates'].map((path) => console.get(`${base}${path}`, cookie)))).map(({ text }) => text)
    const [overview, sender, templates] = await pages()
    assert.deepEqual(
      [overview?.includes('their_offer'), sender?.includes('15550100001'), templates?.includes('their_offer')], [true, true, true],
    )
    await done(storage.senders.noteAccount(workspace, account, true, clock.at))
    const hidden = await pages()
    assert.deepEqual(hidden.filter((text) => text.includes('their_offer') || text.includes('15550100001')), [])
    for (const text of hidden) assert.include(text, 'Until it has access again, or another token is set')
    assert.equal((await console.get(`${base}/templates/their_offer`, cookie)).status, 404)
    await console.post(`${base}/sender`, { ...SENDER, token: 'EAAG-another' }, cookie)
    assert.include((await pages()).join(), 'their_offer')
  })

  it('remove a sender after a tick, for whom the table allows, and another workspace can have its number', async () => {
    const cookie = await as('owner')
    await console.post(`${base}/sender`, SENDER, cookie)
    assert.equal((await console.post(`${base}/sender/remove`, { sure: 'on' }, await as('developer'))).status, 403)
    const unsure = await console.post(`${base}/sender/remove`, {}, cookie)
    assert.equal(unsure.status, 422)
    assert.include(unsure.text, 'Tick the box')
    assert.isDefined(await sender())
    assert.equal((await console.post(`${base}/sender/remove`, { sure: 'on' }, await as('operator'))).status, 303)
    assert.isUndefined(await sender())
    assert.equal((await console.post(`${base}/sender/remove`, { sure: 'on' }, cookie)).status, 422)
    const other = await console.newWorkspace()
    assert.equal((await console.post(`/console/workspaces/${other}/sender`, SENDER, await as('operator'))).status, 303)
    assert.include((await console.entries()).map(({ act }) => act), 'sender.remove')
  })

  it('rename, set the threshold of the alert and archive', async () => {
    const operator = await as('operator')
    assert.equal((await console.post(`${base}/settings/name`, { name: 'Shop' }, operator)).status, 303)
    assert.equal((await named())?.name, 'Shop')
    assert.equal((await console.post(`${base}/settings/name`, { name: ' ' }, operator)).status, 422)
    await console.newWorkspace()
    assert.include((await console.post(`${base}/settings/name`, { name: 'Acme' }, operator)).text, 'already has this name')
    assert.equal((await console.post(`${base}/settings/name`, { name: 'Acme', again: 'on' }, operator)).status, 303)
    assert.equal((await console.post(`${base}/wallet/alerts`, { threshold: 'much' }, operator)).status, 422)
    assert.match((await console.post(`${base}/wallet/alerts`, { threshold: '2.500' }, operator)).text, /value="2\.500000">\$2\.50<[^]*value="2500\.000000">\$2,500\.00</)
    assert.equal((await console.post(`${base}/wallet/alerts`, { threshold: '25' }, operator)).status, 303)
    const shown = await console.get(`${base}/settings`, operator)
    assert.include(shown.text, '$25.00')
    assert.include((await console.get(`${base}/wallet/alerts`, operator)).text, 'value="25.00"')
    assert.include(shown.text, '30 days')
    assert.equal((await console.post(`${base}/wallet/alerts`, { threshold: '' }, operator)).status, 303)
    assert.include((await console.get(`${base}/settings`, operator)).text, 'No alert')
    const notNamed = await Promise.all(
      [{}, { sure: 'on' }, { sure: 'Acm' }].map((form) => console.post(`${base}/settings/archive`, form, operator)),
    )
    assert.deepEqual(notNamed.map(({ status }) => status), [422, 422, 422])
    assert.match(notNamed[2]?.text ?? '', /<details class="behind danger" open[^]*Type Acme to archive it[^]*value="Acm"/)
    assert.match(notNamed[2]?.text ?? '', /<details class="more" open[^]*aria-describedby="sure-fault" aria-invalid="true"[^]*id="sure-fault"/)
    assert.isUndefined((await named())?.archivedAt)
    assert.equal((await console.post(`${base}/settings/archive`, { sure: 'Acme' }, operator)).headers['location'], '/console')
    assert.equal((await named())?.archivedAt, console.clock.at)
    assert.includeMembers((await console.entries()).map(({ act }) => act), ['workspace.rename', 'wallet.set_alert', 'workspace.archive'])
  })

  it('tell an owner nothing of the names of other workspaces', async () => {
    await done(console.storage.workspaces.rename(await console.newWorkspace(), 'Secret client'))
    const reply = await console.post(`${base}/settings/name`, { name: 'Secret client' }, await as('owner'))
    assert.equal(reply.status, 303)
  })

  it('are changed by those whom the table allows', async () => {
    const statuses: Record<string, ReadonlyArray<number>> = {}
    await console.post(`${base}/sender`, SENDER, await as('operator', 'boss@example.com'))
    for (const who of ['owner', 'developer', 'viewer', 'operator'] as const) {
      const cookie = await as(who)
      const replies = [await console.get(`${base}/sender`, cookie), await console.get(`${base}/settings`, cookie)]
      for (const [end, form] of [
        ['sender', SENDER], ['sender/check', {}], ['settings/name', { name: 'Acme' }], ['wallet/alerts', { threshold: '1' }],
        ['settings/archive', { sure: 'Acme' }],
      ] as const) replies.push(await console.post(`${base}/${end}`, form, cookie))
      statuses[who] = replies.map(({ status }) => status)
    }
    const none = [200, 200, 403, 403, 403, 403, 403]
    assert.deepEqual(statuses, {
      owner: [200, 200, 303, 200, 303, 303, 403], developer: none, viewer: none, operator: [200, 200, 303, 200, 303, 303, 303],
    })
  })

  it('are closed to the members of another workspace', async () => {
    const eve = await as('owner', 'eve@example.com', await console.newWorkspace())
    const replies = [await console.get(`${base}/sender`, eve), await console.get(`${base}/settings`, eve)]
    for (const [end, form] of [
      ['sender', SENDER], ['sender/check', {}], ['settings/name', { name: 'Eve' }], ['wallet/alerts', {}],
      ['settings/archive', { sure: 'on' }],
    ] as const) {
      replies.push(await console.post(`${base}/${end}`, form, eve))
    }
    assert.deepEqual(replies.map(({ status }) => status), replies.map(() => 403))
    assert.equal((await named())?.name, 'Acme')
  })
})
