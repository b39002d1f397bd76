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
    assert.match(notNamed[2]?.text ?? '', /<details class="behind opens danger" open[^]*Type Acme to archive it[^]*value="Acm"/)
    assert.match(notNamed[2]?.text ?? '', /<details class="more" open[^]*aria-describedby="sure-fault" aria-invalid="true"[^]*id="sure-fault"/)
    assert.isUndefined((await named())?.archivedAt)
    assert.equal((await console.post(`${base}/settings/archive`, { sure: 'Acme' }, operator)).headers['location'], '/console')
    assert.equal((await named())?.archivedAt, console.clock.at)
    assert.includeMembers((await console.entries()).map(({ act }) => act), ['workspace.rename', 'wallet.set_alert', 'workspace.archive'])
  })

  it('set the words that stop messages and the answer, with the sentence of the API at the field that is wrong', async () => {
    const developer = await as('developer')
    const settings = async () => (await done(console.storage.consents.rules(console.workspace))).optOut
    const set = (form: Readonly<Record<string, string>>) => console.post(`${base}/settings/opt-out`, { of: 'all', ...form }, developer)
    assert.include((await console.get(`${base}/settings`, developer)).text, 'en: STOP, STOP ALL, ')
    assert.equal((await set({ words: 'en: STOP, no  thanks\r\n\r\nde:STOPP\r\nen: STOP', reply: ' You get\r\nno more. ' })).status, 303)
    const words = { en: ['STOP', 'no  thanks'], de: ['STOPP'] }
    assert.deepEqual(await settings(), { words, topic: 'all', reply: 'You get\nno more.' })
    const { text } = await console.get(`${base}/settings`, developer)
    for (const said of ['>en: STOP, no thanks\nde: STOPP<', '>You get\nno more.<', '<option value="all" selected']) {
      assert.include(text, said)
    }
    for (const [form, at, said] of [
      [{ words: 'STOP' }, 'words', '“STOP” does not begin with a language'],
      [{ words: 'English: STOP' }, 'words', 'which is not a language such as en or pt-BR'],
      [{ words: `en: ${'x'.repeat(81)}` }, 'words', 'a word must have 1 to 80 characters on one line'],
      [{ words: 'en: STOP', reply: 'a'.repeat(4_097) }, 'reply', 'reply must have 1 to 4096 characters'],
    ] as const) {
      const refused = await set(form)
      assert.equal(refused.status, 422)
      assert.include(refused.text, `aria-describedby="${at}-hint ${at}-fault"`)
      assert.match(refused.text, new RegExp(`id="${at}-fault"[^<]*>(<svg[^]*?</svg>)?[^<]*${said}`))
      assert.include(refused.text, form.words)
    }
    assert.equal((await set({ words: '', reply: ' ' })).status, 303)
    assert.deepEqual(await settings(), { words: {}, topic: 'all' })
    const viewer = await as('viewer')
    assert.equal((await console.post(`${base}/settings/opt-out`, { words: 'STOP' }, viewer)).status, 403)
    assert.notInclude((await console.get(`${base}/settings`, viewer)).text, '/settings/opt-out')
  })

  it('require consent to marketing, and no longer', async () => {
    const [owner, developer] = [await as('owner'), await as('developer')]
    const needed = async () => (await done(console.storage.consents.rules(console.workspace))).marketingNeedsConsent
    assert.equal((await console.post(`${base}/settings/consent`, { needed: 'on' }, developer)).status, 403)
    assert.notInclude((await console.get(`${base}/settings`, developer)).text, '/settings/consent')
    assert.equal((await console.post(`${base}/settings/consent`, { needed: 'on' }, owner)).status, 303)
    assert.isTrue(await needed())
    assert.include((await console.get(`${base}/settings`, developer)).text, 'Consent to marketing</dt><dd>required')
    assert.equal((await console.post(`${base}/settings/consent`, {}, owner)).status, 303)
    assert.isFalse(await needed())
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
