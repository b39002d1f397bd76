import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { type Role, SYSTEM } from '../../../../core/kernel/actor.js'
import { role } from '../../../core/use-cases/member-world.js'
import { done } from '../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../browser.js'

const URL = 'https://hooks.example/T1/hunter2'

describe('alerts to people, on the pages', () => {
  let console: OpenConsole
  let settings: string
  beforeEach(async () => {
    console = await openConsole()
    settings = `/console/workspaces/${console.workspace}/settings`
  })
  afterEach(() => console.close())

  const as = async (who: Role | 'operator') => {
    const { token, principal } = await console.join(
      `${who}@example.com`, who === 'operator' ? { _tag: 'Operator' } : role(console.workspace, who),
    )
    return { member: principal.member, cookie: `postern_session=${token}` }
  }
  const ticked = (text: string): ReadonlyArray<string> =>
    Array.from(text.matchAll(/<input type="checkbox" id="(\w+)"[^>]* checked/g), ([, id = '']) => id)
  const stored = async () => O.toUndefined(await done(console.storage.alerts.channelOf(console.workspace)))

  it('are chosen by every person for themselves, and none at first', async () => {
    const [viewer, operator] = [await as('viewer'), await as('operator')]
    const show = async ({ cookie }: typeof viewer) => ticked((await console.get('/console/account', cookie)).text)
    assert.deepEqual(await show(viewer), [])
    const saved = await console.post('/console/account/alerts', { quality: 'on', balance: 'on', other: 'on' }, viewer.cookie)
    assert.deepEqual([saved.status, saved.headers['location']], [303, '/console/account'])
    assert.deepEqual([await show(viewer), await show(operator)], [['balance', 'quality'], []])
    assert.deepEqual(await done(console.storage.alerts.choicesOf(viewer.member)), ['balance', 'quality'])
    await console.post('/console/account/alerts', {}, viewer.cookie)
    assert.deepEqual(await show(viewer), [])
  })

  it('are in the language that the person chose last, or in that of the page on which they signed in first', async () => {
    const { member, cookie } = await as('viewer')
    const stored = async () => O.toUndefined(await done(console.storage.members.find(member)))?.language
    assert.isUndefined(await stored())
    for (const [language, expected] of [['de', 'de'], ['pt-BR', 'pt-BR'], ['browser', 'en'], ['fr', 'en']] as const) {
      await console.post('/console/language', { language }, cookie)
      assert.equal(await stored(), expected)
    }
    const link = await done(console.use.inviteMember({ by: SYSTEM, email: 'bob@example.com', access: role(console.workspace, 'viewer') }))
    await console.post(`/console/link/${link.token}`, {}, 'postern_lang=es')
    assert.equal(O.toUndefined(await done(console.storage.members.find(link.member)))?.language, 'es')
  })

  it('say that there is no mail server, unless there is one', async () => {
    const [without, { cookie }] = [/The gateway has no mail server/, await as('viewer')]
    assert.match((await console.get('/console/account', cookie)).text, without)
    await console.close()
    console = await openConsole({ sendsMail: true })
    const shown = await console.get('/console/account', `postern_session=${(await console.join('ann@example.com')).token}`)
    assert.equal(shown.status, 200)
    assert.notMatch(shown.text, without)
  })

  it('have a channel that is set, replaced and removed, and never shown', async () => {
    const { cookie } = await as('developer')
    assert.notInclude((await console.get(settings, cookie)).text, 'name="remove"')
    for (const url of [URL, `${URL}2`]) {
      const set = await console.post(`${settings}/channel`, { channel: url }, cookie)
      assert.deepEqual([set.status, set.headers['location'], await stored()], [303, settings, url])
    }
    const { text } = await console.get(settings, cookie)
    assert.include(text, 'An address is set.')
    assert.include(text, 'name="remove"')
    assert.notInclude(text + JSON.stringify(await console.entries()) + console.lines.join(), 'hunter2')
    assert.equal((await console.post(`${settings}/channel`, { remove: 'yes', channel: '' }, cookie)).status, 303)
    assert.isUndefined(await stored())
    assert.notInclude((await console.get(settings, cookie)).text, 'name="remove"')
  })

  it('keep their channel if a new address is refused, and say so at its field', async () => {
    const { cookie } = await as('owner')
    await console.post(`${settings}/channel`, { channel: URL }, cookie)
    for (const url of ['ftp://hooks.example/T1', 'hooks.example', 'https://user:word@hooks.example/', 'https://[::1/']) {
      const { status, text } = await console.post(`${settings}/channel`, { channel: url }, cookie)
      assert.equal(status, 422, url)
      const field = /<input id="channel"[^>]*>/.exec(text)?.[0] ?? ''
      assert.include(field, `value="${url}"`)
      assert.match(field, /aria-describedby="channel-hint channel-fault" aria-invalid/)
      assert.match(text, /id="channel-fault" role="alert">.*?The address is invalid: url /)
    }
    assert.equal(await stored(), URL)
  })

  it('have a channel that only operators, owners and developers may set or remove, and for which others have no form', async () => {
    await done(console.storage.alerts.setChannel(console.workspace, URL))
    for (const who of ['viewer', 'operator', 'owner', 'developer'] as const) {
      const { cookie } = await as(who)
      const may = who !== 'viewer'
      assert.equal((await console.get(settings, cookie)).text.includes('id="channel"'), may, who)
      for (const form of [{ channel: `${URL}/${who}` }, { remove: 'yes' }]) {
        assert.equal((await console.post(`${settings}/channel`, form, cookie)).status, may ? 303 : 403, who)
        if (!may) assert.equal(await stored(), URL)
      }
    }
    assert.isUndefined(await stored())
  })

  it('have no channel without the secret that encrypts it, and are not there at all without their use cases', async () => {
    const shown = async (options: Parameters<typeof openConsole>[0]) => {
      await console.close()
      console = await openConsole(options)
      const cookie = `postern_session=${(await console.join('ann@example.com')).token}`
      const [account, page] = [
        await console.get('/console/account', cookie), await console.get(`/console/workspaces/${console.workspace}/settings`, cookie),
      ]
      assert.deepEqual([account.status, page.status], [200, 200])
      return [account.text.includes('action="/console/account/alerts"'), page.text.includes('id="channel"')]
    }
    assert.deepEqual(await shown({ isSecretSet: false }), [true, false])
    assert.deepEqual(await shown({ uses: { alerts: undefined } }), [false, false])
  })
})
