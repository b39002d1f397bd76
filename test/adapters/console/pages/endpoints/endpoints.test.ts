import { assert } from 'chai'
import type { EndpointId } from '../../../../../core/events/endpoint.js'
import type { Role } from '../../../../../core/kernel/actor.js'
import { EVENT_TYPES } from '../../../../../core/kernel/outbox.js'
import { eventIdOf } from '../../../../../core/kernel/ids.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { LONG_NUMBERS } from '../../../../laws/ids.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

const ADDRESS = 'https://shop.example/postern'
const EVENT = eventIdOf('00000000-0000-7000-8000-00000000000a')

describe('the pages of endpoints', () => {
  let console: OpenConsole
  let path: string
  beforeEach(async () => {
    console = await openConsole()
    path = `/console/workspaces/${console.workspace}/endpoints`
  })
  afterEach(() => console.close())

  const as = async (who: Role | 'operator', email = `${who}@example.com`, workspace = console.workspace) =>
    `postern_session=${(await console.join(email, who === 'operator' ? { _tag: 'Operator' } : role(workspace, who))).token}`
  const stored = () => done(console.storage.eventEndpoints.list(console.workspace))
  const add = async (cookie: string, url = ADDRESS): Promise<string> => {
    await console.post(path, { url, types: 'chosen', 'type-message.*': 'on', description: '' }, cookie)
    return (await stored()).at(-1)?.id ?? ''
  }

  it('offer every type with a sentence on it, and have ticked what is chosen', async () => {
    const cookie = await as('developer')
    const fresh = await console.get(`${path}?new`, cookie)
    for (const type of EVENT_TYPES) assert.equal(fresh.text.includes(`id="type-${type}"`), type !== 'endpoint.test', type)
    const ticked = (text: string) =>
      Array.from(text.matchAll(/<input type="checkbox" id="type-([^"]+)" name="[^"]+" checked/g), ([, name]) => name)
    assert.deepEqual(ticked(fresh.text), ['*'], 'all, to begin with')
    const id = await add(cookie)
    await console.post(
      `${path}/${id}/change`, { url: ADDRESS, types: 'chosen', 'type-window.opened': 'on', 'type-key.*': 'on', 'type-key.minted': 'on' },
      cookie,
    )
    assert.deepEqual((await stored())[0]?.types, ['window.opened', 'key.*'])
    assert.deepEqual(ticked((await console.get(`${path}/${id}?new`, cookie)).text), ['window.opened', 'key.*'])
    const refused = await console.post(`${path}/${id}/change`, { url: 'nowhere', types: 'chosen', 'type-wallet.low': 'on' }, cookie)
    assert.deepEqual(ticked(refused.text), ['wallet.low'], 'as it was typed')
    assert.match(refused.text, /<input[^>]* id="url"[^>]* autofocus[^>]* aria-describedby="url-hint url-fault" aria-invalid="true"/)
  })

  it('show an example of what is sent, of each type that the endpoint gets and of no other', async () => {
    const cookie = await as('viewer')
    const id = await add(await as('developer'))
    const { text } = await console.get(`${path}/${id}`, cookie)
    const shown = Array.from(text.matchAll(/&quot;type&quot;: &quot;([a-z_]+\.[a-z_]+)&quot;/g), ([, type]) => type)
    assert.deepEqual(shown, EVENT_TYPES.filter((type) => type.startsWith('message.') || type === 'endpoint.test'))
  })

  it('keep a group of one type that an application asked for', async () => {
    const cookie = await as('developer')
    const id = await add(cookie)
    await done(console.storage.eventEndpoints.change(id as EndpointId, { types: ['window.*'] }, console.clock.at))
    assert.match((await console.get(`${path}/${id}?new`, cookie)).text, /id="type-window\.\*" name="[^"]+" checked/)
  })

  it('add an endpoint and show its secret in that answer only', async () => {
    const cookie = await as('developer')
    const added = await console.post(
      path,
      {
        url: ADDRESS, types: 'chosen', 'type-message.received': 'on', 'type-wallet.*': 'on', 'type-wallet.low': 'on',
        description: 'the shop',
      },
      cookie,
    )
    assert.equal(added.status, 200)
    assert.match(added.text, /whsec_[A-Za-z0-9+/=]{20}/)
    const [endpoint] = await stored()
    assert.deepEqual([endpoint?.url, endpoint?.types, endpoint?.description], [ADDRESS, ['message.received', 'wallet.*'], 'the shop'])
    for (const page of [path, `${path}/${endpoint?.id ?? ''}`]) {
      const shown = await console.get(page, cookie)
      assert.equal(shown.status, 200)
      assert.include(shown.text, ADDRESS)
      assert.notInclude(shown.text, 'whsec_')
    }
    assert.notInclude(JSON.stringify(await console.entries()) + console.lines.join(), 'whsec_')
  })

  it('say what is wrong with settings, and keep what was typed', async () => {
    const cookie = await as('developer')
    for (const [wrong, sentence] of [
      [{ url: 'nowhere' }, 'The endpoint is invalid'],
      [{ url: ADDRESS, types: 'chosen', 'type-message.nonsense': 'on' }, 'The event type'],
      [{ url: ADDRESS, types: 'chosen' }, 'The endpoint is invalid'],
    ] as const) {
      const reply = await console.post(path, wrong, cookie)
      assert.equal(reply.status, 422)
      assert.include(reply.text, sentence)
      assert.include(reply.text, `value="${wrong.url}"`)
    }
    assert.isEmpty(await stored())
    const id = await add(cookie)
    assert.equal((await console.post(`${path}/${id}/change`, { url: 'nowhere' }, cookie)).status, 422)
    assert.equal((await console.post(`${path}/${id}/status`, { status: 'asleep' }, cookie)).status, 400)
    assert.equal((await console.post(`${path}/${id}/redeliver`, { since: 'yesterday' }, cookie)).status, 422)
    assert.equal((await console.post(`${path}/${id}/redeliver`, { event: 'evt_none' }, cookie)).status, 422)
  })

  it('change, disable, enable, rotate, test and remove', async () => {
    const cookie = await as('owner')
    const id = await add(cookie)
    const one = `${path}/${id}`
    const changed = await console.post(
      `${one}/change`, { url: `${ADDRESS}/down`, types: 'chosen', 'type-*': 'on', description: 'x' }, cookie,
    )
    assert.deepEqual([changed.status, changed.headers['location']], [303, one])
    const tested = await console.post(`${one}/test`, {}, cookie)
    assert.include(tested.text, 'The endpoint did not accept the test.')
    assert.include(tested.text, '&lt;b>not today&lt;/b>')
    assert.include((await console.get(one, cookie)).text, 'HTTP 503')
    assert.match((await console.post(`${one}/rotate-secret`, {}, cookie)).text, /whsec_/)
    await console.post(`${one}/status`, { status: 'disabled' }, cookie)
    assert.equal((await stored())[0]?.status, 'disabled')
    assert.equal((await console.post(`${one}/redeliver`, { since: '2026-01-01T00:00' }, cookie)).status, 422)
    await console.post(`${one}/status`, { status: 'enabled' }, cookie)
    for (const page of [path, one]) assert.match((await console.get(page, cookie)).text, />all events<\/(?:td|dd)>/, page)
    assert.deepEqual((await stored()).map(({ url, status, types }) => [url, status, types]), [[`${ADDRESS}/down`, 'enabled', ['*']]])
    assert.equal((await console.post(`${one}/remove`, {}, cookie)).headers['location'], path)
    assert.isEmpty(await stored())
    assert.equal((await console.get(one, cookie)).status, 404)
    const acts = (await console.entries()).map(({ act, subject }) => `${act} ${subject === id ? 'it' : ''}`)
    assert.includeMembers(acts, [
      'endpoint.change it', 'endpoint.test it', 'endpoint.rotate_secret it', 'event.redeliver it', 'endpoint.remove it',
    ])
  })

  it('count the failed events of a filter, and deliver them again', async () => {
    const cookie = await as('developer')
    const id = await add(cookie)
    const one = `${path}/${id}`
    assert.notInclude((await console.get(one, cookie)).text, 'failed events match')
    const filter = { failed: 'yes', failed_type: 'message.*', failed_since: '2026-01-01T00:00', failed_until: '', failed_status: '503' }
    const counted = await console.get(`${one}?${new URLSearchParams(filter).toString()}`, cookie)
    assert.include(counted.text, '0 failed events match.')
    assert.match(counted.text, /<option value="message\.\*" selected/)
    const again = await console.post(`${one}/redeliver`, filter, cookie)
    assert.include(again.text, '0 events will be redelivered.')
    for (const wrong of [{ failed_status: '7' }, { failed_since: 'yesterday' }, { failed_type: 'message.eaten' }]) {
      const given = { ...filter, ...wrong }
      assert.equal((await console.get(`${one}?${new URLSearchParams(given).toString()}`, cookie)).status, 422)
      assert.equal((await console.post(`${one}/redeliver`, given, cookie)).status, 422)
    }
  })

  it('show the body of an event and deliver it again, or all since a moment', async () => {
    const cookie = await as('developer')
    const id = await add(cookie)
    await done(console.storage.eventOutbox.append(console.workspace, [
      {
        id: EVENT, type: 'message.sent', workspace: console.workspace, at: console.clock.at, subject: 'msg_1',
        data: { id: 'msg_1', text: '<script>', ...LONG_NUMBERS },
      },
    ]))
    for (const [number, event] of [[1, EVENT], [2, EVENT], [3, eventIdOf('00000000-0000-7000-8000-00000000000b')]] as const) {
      await done(console.storage.eventDeliveries.log({
        id: `${'0'.repeat(31)}${number}`, endpoint: id as EndpointId, event, type: 'message.sent', at: console.clock.at + number * 1_000,
        delivered: number === 2, httpStatus: number === 2 ? 204 : 503, error: number === 2 ? undefined : `It was refused, no. ${number}.`,
        answer: `answer ${number}`, durationMs: 3, nextAttemptAt: undefined,
      }))
    }
    const shown = await console.get(`${path}/${id}/events/${EVENT}`, cookie)
    assert.isBelow(shown.text.indexOf('answer 1'), shown.text.indexOf('answer 2'), 'the attempts as they came')
    assert.isAbove(shown.text.indexOf('answer 1'), 0)
    assert.notInclude(shown.text, 'answer 3', 'those of another event are not here')
    assert.include((await console.get(`${path}/${id}`, cookie)).text, `curl -X DELETE &quot;${console.origin}/v1/event-endpoints/${id}&quot;`)
    assert.include(shown.text, '&quot;msg_1&quot;')
    assert.include(shown.text, '&quot;catalog_id&quot;: 122097329108006499')
    assert.notInclude(shown.text, '<script>"')
    assert.include((await console.get(path, cookie)).text, 'Waiting events')
    const again = await console.post(`${path}/${id}/redeliver`, { event: EVENT }, cookie)
    assert.include(again.text, 'One event will be redelivered.')
    assert.equal((await done(console.storage.eventDeliveries.pending(id as EndpointId))).retries, 1)
    assert.include((await console.post(`${path}/${id}/redeliver`, { since: '2026-01-01T00:00' }, cookie)).text, 'will be redelivered')
    assert.equal((await console.get(`${path}/${id}/events/evt_none`, cookie)).status, 404)
  })

  it('are changed by operators, owners and developers, and read by viewers', async () => {
    const statuses: Record<string, ReadonlyArray<number>> = {}
    const operator = await as('operator', 'boss@example.com')
    for (const who of ['operator', 'owner', 'developer', 'viewer'] as const) {
      const cookie = await as(who)
      const one = `${path}/${await add(operator)}`
      const replies = [await console.get(path, cookie), await console.get(one, cookie), await console.post(path, { url: ADDRESS }, cookie)]
      for (const [end, form] of [
        ['change', { url: ADDRESS }], ['status', { status: 'enabled' }], ['rotate-secret', {}], ['test', {}],
        ['redeliver', { since: '2026-01-01T00:00' }], ['remove', {}],
      ] as const) replies.push(await console.post(`${one}/${end}`, form, cookie))
      statuses[who] = replies.map(({ status }) => status)
    }
    const all = [200, 200, 200, 303, 303, 200, 200, 200, 303]
    assert.deepEqual(statuses, { operator: all, owner: all, developer: all, viewer: [200, 200, 403, 403, 403, 403, 403, 403, 403] })
  })

  it('are not shown to others, and not under the address of another workspace', async () => {
    const id = await add(await as('owner'))
    const other = await console.newWorkspace()
    const eve = await as('owner', 'eve@example.com', other)
    assert.equal((await console.get(`${path}/${id}`, eve)).status, 403)
    const theirs = `/console/workspaces/${other}/endpoints/${id}`
    for (const cookie of [eve, await as('operator')]) {
      assert.equal((await console.get(theirs, cookie)).status, 404)
      for (const end of ['change', 'status', 'rotate-secret', 'test', 'redeliver', 'remove']) {
        const reply = await console.post(`${theirs}/${end}`, { url: ADDRESS, status: 'disabled', since: '2026-01-01T00:00' }, cookie)
        assert.equal(reply.status, 404, end)
      }
    }
    assert.deepEqual((await stored()).map(({ status }) => status), ['enabled'])
  })
})
