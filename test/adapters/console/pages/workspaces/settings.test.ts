import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { Role } from '../../../../../core/kernel/actor.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

describe('the page of settings', () => {
  let console: OpenConsole
  let base: string
  beforeEach(async () => {
    console = await openConsole()
    base = `/console/workspaces/${console.workspace}`
  })
  afterEach(() => console.close())

  const as = async (who: Role | 'operator', email = `${who}@example.com`, workspace = console.workspace) =>
    `postern_session=${(await console.join(email, who === 'operator' ? { _tag: 'Operator' } : role(workspace, who))).token}`
  const named = async () => O.toUndefined(await done(console.storage.workspaces.find(console.workspace)))

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
    for (const who of ['owner', 'developer', 'viewer', 'operator'] as const) {
      const cookie = await as(who)
      const replies = [await console.get(`${base}/settings`, cookie)]
      for (const [end, form] of [
        ['settings/name', { name: 'Acme' }], ['wallet/alerts', { threshold: '1' }],
        ['settings/archive', { sure: 'Acme' }],
      ] as const) replies.push(await console.post(`${base}/${end}`, form, cookie))
      statuses[who] = replies.map(({ status }) => status)
    }
    const none = [200, 403, 403, 403]
    assert.deepEqual(statuses, {
      owner: [200, 303, 303, 403], developer: none, viewer: none, operator: [200, 303, 303, 303],
    })
  })

  it('are closed to the members of another workspace', async () => {
    const eve = await as('owner', 'eve@example.com', await console.newWorkspace())
    const replies = [await console.get(`${base}/settings`, eve)]
    for (const [end, form] of [
      ['settings/name', { name: 'Eve' }], ['wallet/alerts', {}],
      ['settings/archive', { sure: 'on' }],
    ] as const) {
      replies.push(await console.post(`${base}/${end}`, form, eve))
    }
    assert.deepEqual(replies.map(({ status }) => status), replies.map(() => 403))
    assert.equal((await named())?.name, 'Acme')
  })
})
