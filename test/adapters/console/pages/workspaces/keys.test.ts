import { assert } from 'chai'
import type { Role } from '../../../../../core/kernel/actor.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

const MINT = { name: 'shop', 'scope-send': 'on', 'scope-read': 'on', expires: '90d', limit: '5.00' }

describe('the page of keys', () => {
  let console: OpenConsole
  let path: string
  beforeEach(async () => {
    console = await openConsole()
    path = `/console/workspaces/${console.workspace}/keys`
  })
  afterEach(() => console.close())

  const as = async (who: Role | 'operator') => {
    const { token } = await console.join(`${who}@example.com`, who === 'operator' ? { _tag: 'Operator' } : role(console.workspace, who))
    return `postern_session=${token}`
  }
  const stored = () => done(console.storage.keyStore.list(console.workspace))
  const mint = (name: string) =>
    done(console.storage.keyStore.mint({ workspace: console.workspace, name, at: console.clock.at, scopes: ['send'] }))

  it('are sorted by a click on a column, which the address keeps', async () => {
    for (const name of ['till', 'app', 'shop']) await mint(name)
    const cookie = await as('viewer')
    const show = async (query: string): Promise<string> => (await console.get(`${path}${query}`, cookie)).text
    const names = async (query: string): Promise<ReadonlyArray<string>> =>
      Array.from((await show(query)).matchAll(/<strong class="cut" title="([^"]+)"/g), ([, name = '']) => name)
    assert.deepEqual(await names('?sort=name'), ['app', 'shop', 'till'])
    assert.deepEqual(await names('?sort=-name'), ['till', 'shop', 'app'])
    assert.include(await show('?sort=name'), `aria-sort="ascending"><a href="${path}?sort=-name"`, 'and reversed by the next click')
  })

  it('makes a key and shows it in that answer only, with a first message to send', async () => {
    const cookie = await as('developer')
    const made = await console.post(path, MINT, cookie)
    assert.equal(made.status, 200)
    const key = /pst_[0-9a-f]{16}_[0-9a-f]{48}/.exec(made.text)?.[0] ?? 'none'
    assert.match(key, /^pst_/)
    assert.include(made.text, `curl ${console.origin}/v1/messages/send-template`)
    assert.include(made.text, '&quot;template_name&quot;:&quot;hello_world&quot;', 'a template needs no open window')
    assert.include(made.text, `data-copy="${key}"`)
    const [of] = await stored()
    assert.deepEqual(
      [of?.name, of?.scopes, of?.spendingLimit, of?.expiresAt], ['shop', ['send', 'read'], 5_000_000n, console.clock.at + 90 * 86_400_000],
    )
    const shown = await console.get(path, cookie)
    assert.notInclude(shown.text, key)
    assert.include(shown.text, '$0.00 of $5.00')
    assert.notInclude(console.lines.join(), key)
    assert.notInclude(JSON.stringify(await console.entries()), key)
  })

  it('says what is wrong, and keeps what was typed', async () => {
    const cookie = await as('developer')
    for (const [wrong, sentence] of [
      [{ ...MINT, name: ' ' }, 'The name is invalid'], [{ ...MINT, expires: 'soon' }, 'The expiry is invalid'],
      [{ ...MINT, limit: '-1' }, 'The limit is invalid'], [{ ...MINT, limit: '0' }, 'The limit is invalid'],
      [{ name: 'shop' }, 'The scopes are invalid'],
    ] as const) {
      const reply = await console.post(path, wrong, cookie)
      assert.equal(reply.status, 422)
      assert.include(reply.text, sentence)
      assert.include(reply.text, `value="${wrong.name}"`)
    }
    assert.isEmpty(await stored())
  })

  it('asks which limit is meant where the text has two readings', async () => {
    const cookie = await as('developer')
    const { status, text } = await console.post(path, { ...MINT, limit: '2,500' }, cookie)
    assert.equal(status, 200)
    assert.deepEqual(
      Array.from(text.matchAll(/<button name="limit" value="([^"]+)">([^<]+)</g), ([, value, says]) => [value, says]),
      [['2.500000', '$2.50'], ['2500.000000', '$2,500.00']],
    )
    assert.match(text, /name="name" value="shop"[^]*name="scope-read" value="on"/)
    assert.isEmpty(await stored())
    assert.include((await console.post(path, { ...MINT, limit: '2,500', change: 'on' }, cookie)).text, 'value="2,500"')
    await console.post(path, { ...MINT, limit: '2500.000000' }, cookie)
    assert.deepEqual((await stored()).map(({ spendingLimit }) => spendingLimit), [2_500_000_000n])
  })

  it('replaces a key for an overlap, and ends one', async () => {
    const cookie = await as('owner')
    const { id } = await mint('shop')
    const bad = await console.post(`${path}/rotate`, { key: id, overlap: 'a while' }, cookie)
    assert.equal(bad.status, 422)
    const rotated = await console.post(`${path}/rotate`, { key: id, overlap: '30m' }, cookie)
    assert.match(rotated.text, /pst_[0-9a-f]{16}_[0-9a-f]{48}/)
    const again = await console.post(`${path}/rotate`, { key: id, overlap: '30m' }, cookie)
    assert.include(again.text, 'was already replaced by key')
    const keys = await stored()
    const find = (of: string) => keys.find((key) => key.id === of)
    assert.deepEqual([keys.length, find(id)?.expiresAt], [2, console.clock.at + 1_800_000])
    assert.isDefined(find(find(id)?.replacedBy ?? ''))
    const revoked = await console.post(`${path}/revoke`, { key: id }, cookie)
    assert.deepEqual([revoked.status, revoked.headers['location']], [303, path])
    assert.equal((await stored()).find((key) => key.id === id)?.revokedAt, console.clock.at)
    assert.equal((await console.post(`${path}/rotate`, { key: 'none' }, cookie)).status, 422)
  })

  it('is changed by operators, owners and developers, and read by viewers', async () => {
    const statuses: Record<string, ReadonlyArray<number>> = {}
    for (const who of ['operator', 'owner', 'developer', 'viewer'] as const) {
      const cookie = await as(who)
      const { id } = await mint(who)
      const replies = [
        await console.get(path, cookie), await console.post(path, { ...MINT, name: who }, cookie),
        await console.post(`${path}/rotate`, { key: id }, cookie), await console.post(`${path}/revoke`, { key: id }, cookie),
      ]
      statuses[who] = replies.map(({ status }) => status)
    }
    const all = [200, 200, 200, 303]
    assert.deepEqual(statuses, { operator: all, owner: all, developer: all, viewer: [200, 403, 403, 403] })
    const viewer = await console.get(path, await as('viewer'))
    assert.notInclude(viewer.text, '<form method="post" action="/console/workspaces')
  })

  it('does not touch the keys of another workspace, nor is it shown to its members', async () => {
    const other = await console.newWorkspace()
    const { id } = await mint('shop')
    const { token } = await console.join('eve@example.com', role(other, 'owner'))
    const eve = `postern_session=${token}`
    const theirs = `/console/workspaces/${other}/keys`
    assert.deepEqual(
      [await console.get(path, eve), await console.post(path, MINT, eve), await console.post(`${path}/revoke`, { key: id }, eve)]
        .map(({ status }) => status),
      [403, 403, 403])
    assert.deepEqual(
      [await console.post(`${theirs}/revoke`, { key: id }, eve), await console.post(`${theirs}/rotate`, { key: id }, eve)]
        .map(({ status }) => status),
      [422, 422])
    const operator = await as('operator')
    assert.equal((await console.post(`${theirs}/revoke`, { key: id }, operator)).status, 422)
    assert.deepEqual((await stored()).map(({ revokedAt, replacedBy }) => [revokedAt, replacedBy]), [[undefined, undefined]])
  })
})
