import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { role } from '../../core/use-cases/member-world.js'
import { done } from '../../support/right-of.js'
import { openConsole, type OpenConsole, flashIn } from './browser.js'

const KEY = /pst_[0-9a-f]{16}_[0-9a-f]{48}/
const MINT = { name: 'shop', 'scope-send': 'on' }

describe('The result of a form', () => {
  let console: OpenConsole
  let path: string
  let cookie: string
  beforeEach(async () => {
    console = await openConsole()
    path = `/console/workspaces/${console.workspace}/keys`
    cookie = await as('ann@example.com')
  })
  afterEach(() => console.close())

  const as = async (email: string) => `postern_session=${(await console.join(email, role(console.workspace, 'owner'))).token}`
  const submit = (to: string, form: Readonly<Record<string, string>>) =>
    console.send('POST', to, { form, headers: { Origin: console.origin, Cookie: cookie } })
  const mint = async () => {
    const reply = await submit(path, MINT)
    return flashIn(reply) ?? assert.fail(`there is no flash cookie, status ${reply.status}`)
  }

  it('is shown on a page that can be reloaded without submitting anything again', async () => {
    const endpoints = path.replace(/keys$/, 'endpoints')
    const [endpoint] = [await submit(endpoints, { url: 'https://app.example/hook', types: 'chosen', 'type-message.accepted': 'on' })]
    const [added] = await done(console.storage.eventEndpoints.list(console.workspace))
    const one = `${endpoints}/${added?.id ?? ''}`
    const { id } = await done(
      console.storage.keyStore.mint({ workspace: console.workspace, name: 'old', at: console.clock.at, scopes: ['send'] }),
    )
    const replies = [
      [path, await submit(path, MINT)], [path, await submit(`${path}/rotate`, { key: id, overlap: '1h' })], [endpoints, endpoint],
      [one, await submit(`${one}/rotate-secret`, {})], [one, await submit(`${one}/test`, {})],
      [one, await submit(`${one}/redeliver`, { since: '2026-01-01T00:00' })],
      [`/console/members?workspace=${console.workspace}`,
        await submit('/console/members', { email: 'bob@example.com', access: 'viewer', workspace: console.workspace })],
    ] as const
    for (const [to, reply] of replies) {
      assert.deepEqual([reply.status, reply.headers['location'], reply.text], [303, to, ''])
      assert.match(reply.cookies.find((each) => each.startsWith('postern_flash=')) ?? '', /^postern_flash=[\w-]+; Path=[^;?]+; Max-Age=300; HttpOnly; SameSite=Strict$/)
    }
  })

  it('is shown once', async () => {
    const flash = await mint()
    const first = await console.get(path, `${cookie}; ${flash}`)
    assert.match(first.text, KEY)
    assert.include(first.cookies.join('\n'), `postern_flash=; Path=${path}; Max-Age=0`)
    const again = await console.get(path, cookie)
    assert.notMatch(again.text, KEY)
    assert.isEmpty(again.cookies)
    assert.lengthOf(await done(console.storage.keyStore.list(console.workspace)), 1)
  })

  it('is not shown to another person, on another page, or if it was changed', async () => {
    const flash = await mint()
    const [name, sealed] = flash.split('=') as [string, string]
    const tampered = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`
    const tries = [
      await console.get(path, `${await as('eve@example.com')}; ${flash}`),
      await console.get(path.replace(/keys$/, 'endpoints'), `${cookie}; ${flash}`),
      ...await Promise.all([tampered, '', 'A', sealed.slice(0, 30), `${sealed}${sealed}`, '%00']
      .map((value) => console.get(path, `${cookie}; ${name}=${value}`))),
    ]
    assert.deepEqual(tries.map(({ status }) => status), tries.map(() => 200))
    assert.deepEqual(tries.filter(({ text }) => KEY.test(text)), [])
    assert.notMatch(Buffer.from(sealed, 'base64url').toString('latin1'), KEY)
  })

  it('is shown immediately if it is too long for a cookie', async () => {
    const owner = `x${'y'.repeat(60)}@example.com`
    await console.join(owner, role(console.workspace, 'owner'))
    const operator = `postern_session=${(await console.join('op@example.com', { _tag: 'Operator' })).token}`
    // Whoever has access to many workspaces has a long list of it.
    const { storage, clock } = console
    for (let each = 0; each < 150; each += 1) {
      const workspace = workspaceIdOf(randomUUID())
      await done(storage.workspaces.create({ id: workspace, name: 'shop', currency: 'USD' as Currency, createdAt: clock.at }))
      await console.join(owner, role(workspace, 'viewer'))
    }
    const reply = await console.post('/console/members', { email: owner, access: 'operator', workspace: '' }, operator)
    assert.deepEqual([reply.status, flashIn(reply)], [200, undefined])
    assert.match(reply.text, /\/console\/link\/[\w-]{20,}/)
  })
})
