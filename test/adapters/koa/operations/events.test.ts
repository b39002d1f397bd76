import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { eventIdOf } from '../../../../core/kernel/ids.js'
import type { JsonObject } from '../../../../core/kernel/json.js'
import { type Event, type EventType, PULL_LISTENS_MS } from '../../../../core/kernel/outbox.js'
import { rightOf } from '../../../support/right-of.js'
import { type Answered, gateway, type Gateway, NOON, portDown } from '../gateway.js'

const AT = new Date(NOON).toISOString()
const UNKNOWN = `evt_${'0'.repeat(32)}`

type Listed = { readonly events: ReadonlyArray<{ readonly id: string; readonly type: string }>; readonly next: string | null }

/** Stores events of these types and gives their ids. */
const happen = async (gw: Gateway, types: ReadonlyArray<EventType>, workspace = gw.workspace): Promise<ReadonlyArray<string>> => {
  const events = types.map((type): Event => ({ id: eventIdOf(uuidv7()), type, workspace, at: NOON, subject: 'x', data: { about: type } }))
  rightOf(await gw.storage.eventOutbox.append(workspace, events))
  return events.map(({ id }) => id)
}
const list = async (gw: Gateway, query = '', key = gw.key): Promise<Listed> => {
  const { status, json, text } = await gw.get(`/v1/events${query}`, { Authorization: `Bearer ${key}` })
  assert.equal(status, 200, text)
  return json as Listed
}
const ids = ({ events }: Listed): ReadonlyArray<string> => events.map(({ id }) => id)
const refused = ({ status, json }: Answered): string => {
  const { code, message } = json as { readonly code: string; readonly message: string }
  return `${status} ${code}: ${message}`
}

describe('events over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`GET ${base}/events gives them oldest first, as they are delivered`, async () => {
      await using gw = await gateway()
      const [first, second] = await happen(gw, ['message.sent', 'key.minted'])
      const { status, json } = await gw.get(`${base}/events`)
      assert.equal(status, 200)
      assert.deepEqual<unknown>(json, {
        events: [
          { id: first, type: 'message.sent', workspace: gw.workspace, created_at: AT, data: { about: 'message.sent' } },
          { id: second, type: 'key.minted', workspace: gw.workspace, created_at: AT, data: { about: 'key.minted' } },
        ],
        next: second,
      })
    })
  }

  it('are none if nothing happened, and next is null until something has', async () => {
    await using gw = await gateway()
    assert.deepEqual<unknown>(await list(gw), { events: [], next: null })
    const [first] = await happen(gw, ['message.sent'])
    assert.deepEqual<unknown>(await list(gw, `?after=${first}`), { events: [], next: first })
  })

  it('come once each to a reader that asks after next', async () => {
    await using gw = await gateway()
    const made: Array<string> = []
    const seen: Array<string> = []
    let next: string | null = null
    for (let round = 0; round < 8; round += 1) {
      if (round < 5) made.push(...await happen(gw, ['message.sent', 'message.delivered', 'wallet.topped_up']))
      const listed: Listed = await list(gw, `?limit=2${next === null ? '' : `&after=${next}`}`)
      seen.push(...ids(listed))
      next = listed.next
    }
    assert.deepEqual<unknown>(seen, made)
    assert.equal(next, made.at(-1))
  })

  it('are filtered by types and groups, and next passes those that are left out', async () => {
    await using gw = await gateway()
    const [sent, , topped, read] = await happen(gw, ['message.sent', 'key.minted', 'wallet.topped_up', 'message.read', 'customer.changed'])
    const all = (await list(gw)).next
    assert.deepEqual<unknown>(ids(await list(gw, '?types=message.*')), [sent, read])
    assert.deepEqual<unknown>(ids(await list(gw, '?types=wallet.topped_up,message.read')), [topped, read])
    assert.deepEqual<unknown>(ids(await list(gw, `?types=message.*&after=${sent}`)), [read])
    assert.deepEqual<unknown>(await list(gw, '?types=template.*'), { events: [], next: all })
    assert.deepEqual<unknown>(await list(gw, '?types=*&limit=1'), await list(gw, '?limit=1'))
  })

  it('give 20 at a time, or as many as asked for up to 100', async () => {
    await using gw = await gateway()
    const made = await happen(gw, Array.from({ length: 130 }, () => 'message.sent' as const))
    assert.deepEqual<unknown>(ids(await list(gw)), made.slice(0, 20))
    assert.deepEqual<unknown>(ids(await list(gw, '?limit=100')), made.slice(0, 100))
    for (const limit of ['0', '101', '-1', 'x', '1.5']) assert.match(refused(await gw.get(`/v1/events?limit=${limit}`)), /^400 invalid_parameter: limit must be a whole number/)
  })

  it('begin with the oldest that is kept if the one to ask after is not, or is of another workspace', async () => {
    await using gw = await gateway()
    const made = await happen(gw, ['message.sent', 'message.read'])
    const other = await gw.addWorkspace()
    const [theirs] = await happen(gw, ['message.sent'], other.workspace)
    assert.deepEqual<unknown>(ids(await list(gw, `?after=${UNKNOWN}`)), made)
    assert.deepEqual<unknown>(ids(await list(gw, `?after=${theirs}`)), made)
    assert.deepEqual<unknown>(ids(await list(gw, '', other.key)), [theirs])
  })

  it('answer 400 if after is not an id of an event, or types contains none', async () => {
    await using gw = await gateway()
    for (const after of ['x', 'evt_', UNKNOWN.toUpperCase(), `${UNKNOWN}0`, 'msg_1', '%00']) {
      assert.equal(
        refused(await gw.get(`/v1/events?after=${after}`)), '400 invalid_parameter: after must be an id of an event, evt_…', after,
      )
    }
    for (const types of [
      'message', 'message.lost', 'message.*,', ',', 'message.sent;message.read', '**', 'MESSAGE.*', 'message.*,%20wallet.*',
      `${'message.*,'.repeat(51)}*`,
    ]) {
      assert.match(refused(await gw.get(`/v1/events?types=${types}`)), /^400 invalid_parameter: types/, types)
    }
    assert.match(refused(await gw.get('/v1/events?types=message.sent,message.sent')), /names nothing twice/)
    assert.match(refused(await gw.get('/v1/events?types=message.sent&types=message.read')), /types must be one list, separated by commas/)
    assert.equal(refused(await gw.get('/v1/events?types=')), '400 invalid_parameter: types must not be empty; leave it out to list all. This list takes after, types, limit')
    for (const query of ['?after=', '?limit=']) assert.equal((await gw.get(`/v1/events${query}`)).status, 200)
  })

  it('are made for a workspace for a week after it asked for them', async () => {
    await using gw = await gateway()
    const listens = async (at: number) => rightOf(await gw.storage.eventOutbox.listens(gw.workspace, at))
    assert.isFalse(await listens(NOON))
    await list(gw)
    assert.isTrue(await listens(NOON + PULL_LISTENS_MS - 3_600_000))
    assert.isFalse(await listens(NOON + PULL_LISTENS_MS + 3_600_000))
  })

  it('have what the customer wrote in their data, as long as it is kept', async () => {
    await using gw = await gateway()
    const content: JsonObject = { content: { body: 'Hello, 🌍' }, context: null }
    const event: Event = {
      id: eventIdOf(uuidv7()), type: 'message.received', workspace: gw.workspace, at: NOON, subject: '1',
      data: { id: 'wamid.x', content: null, context: null }, content,
    }
    rightOf(await gw.storage.eventOutbox.append(gw.workspace, [event]))
    const { events: [shown] } = await list(gw)
    assert.deepEqual<unknown>(shown, {
      id: event.id, type: 'message.received', workspace: gw.workspace, created_at: AT, data: { id: 'wamid.x', ...content },
    })
    assert.notInclude(gw.log.join() + JSON.stringify(gw.requests), '🌍')
  })

  it('answer 503 if storage fails', async () => {
    await using gw = await gateway({
      eventPorts: ({ eventOutbox }) => ({ eventOutbox: { ...eventOutbox, after: portDown('EventOutbox') } }),
    })
    assert.match(refused(await gw.get('/v1/events')), /^503 storage_unavailable/)
  })
})

describe('delivering again over HTTP', () => {
  const add = async (gw: Gateway, types = ['*']): Promise<string> =>
    ((await gw.post('/v1/event-endpoints', { url: 'https://shop.example/', types })).json as { id: string }).id
  const waiting = async (gw: Gateway, endpoint: string): Promise<ReadonlyArray<string>> =>
    rightOf(await gw.storage.eventDeliveries.retries(endpoint as never, NOON, 100)).map(({ event }) => event.id)

  for (const base of ['/v1', '/api/v1']) {
    it(`POST ${base}/events/{id}/redeliver makes one event wait for the endpoint`, async () => {
      await using gw = await gateway()
      await list(gw)
      const [first] = await happen(gw, ['message.sent', 'message.read'])
      const endpoint = await add(gw, ['wallet.*'])
      const { status, json } = await gw.post(`${base}/events/${first}/redeliver`, { endpoint })
      assert.deepEqual<unknown>([status, json], [202, { status: 'success' }])
      assert.deepEqual<unknown>(await waiting(gw, endpoint), [first])
    })

    it(`POST ${base}/event-endpoints/{id}/redeliver makes all since a moment wait that the endpoint asks for`, async () => {
      await using gw = await gateway()
      await list(gw)
      const [sent, , read] = await happen(gw, ['message.sent', 'wallet.low', 'message.read'])
      const endpoint = await add(gw, ['message.*'])
      const since = async (moment: string) => (await gw.post(`${base}/event-endpoints/${endpoint}/redeliver`, { since: moment }))
      assert.deepEqual<unknown>((await since(new Date(NOON + 1).toISOString())).json, { status: 'success', events: 0 })
      assert.deepEqual<unknown>((await since('2026-03-02')).json, { status: 'success', events: 0 })
      assert.deepEqual<unknown>((await since('2026-03-01')).json, { status: 'success', events: 2 })
      assert.equal((await since('2026-02-29')).status, 400)
      const { status, json } = await since('2026-03-01T13:00:00+01:00')
      assert.deepEqual<unknown>([status, json], [202, { status: 'success', events: 2 }])
      assert.sameMembers<string | undefined>([...await waiting(gw, endpoint)], [sent, read])
    })
  }

  it('POST /v1/event-endpoints/{id}/redeliver makes the failed events of a filter wait, each once', async () => {
    await using gw = await gateway()
    await list(gw)
    const endpoint = await add(gw)
    const types = ['message.sent', 'wallet.low', 'message.read'] as const
    const events = await happen(gw, types)
    rightOf(await gw.storage.eventDeliveries.record({
      endpoint: endpoint as never, from: 0, to: 3, retry: [], done: [], failures: 3, failingSince: NOON, pausedUntil: undefined,
      attempts: types.map((type, index) => ({
        id: `${index}`.repeat(32), endpoint: endpoint as never, event: events[index] as never, type, at: NOON, delivered: false,
        httpStatus: 501 + index, error: 'No.', answer: undefined, durationMs: 1, nextAttemptAt: undefined,
      })),
    }))
    const again = async (body: object) => (await gw.post(`/v1/event-endpoints/${endpoint}/redeliver`, body))
    const failed = { status: 'failed', since: '2026-03-01', until: '2026-03-02', types: ['message.*'] }
    for (const [body, count] of [
      [{ ...failed, http_status: 502 }, 0], [{ ...failed, until: '2026-03-01' }, 0], [{ ...failed, http_status: 503 }, 1], [failed, 1],
      [failed, 0], [{ status: 'failed' }, 1],
    ] as const) {
      const { status, json } = await again(body)
      assert.deepEqual<unknown>([status, json], [202, { status: 'success', events: count }], JSON.stringify(body))
    }
    assert.sameMembers<string | undefined>([...await waiting(gw, endpoint)], [...events])
    assert.equal(refused(await again({ types: ['message.*'], since: '2026-03-01' })), '400 missing_parameters: Missing required parameters: status')
    assert.match(refused(await again({ status: 'delivered' })), /^400 invalid_parameter: status must be/)
    assert.match(refused(await again({ status: 'failed', types: ['message.eaten'] })), /^400 /)
  })

  it('answers 404 for an event or an endpoint that the workspace does not have', async () => {
    await using gw = await gateway()
    const other = await gw.addWorkspace()
    const [mine] = await happen(gw, ['message.sent'])
    const [theirs] = await happen(gw, ['message.sent'], other.workspace)
    const endpoint = await add(gw)
    const again = async (event: string, to: string, key = gw.key) =>
      refused(await gw.post(`/v1/events/${event}/redeliver`, { endpoint: to }, { Authorization: `Bearer ${key}` }))
    for (const event of [UNKNOWN, theirs ?? '']) assert.equal(await again(event, endpoint), `404 not_found: This workspace has no event ${event}, or no longer has it`)
    assert.match(await again('x', endpoint), /^404 not_found/)
    assert.equal(await again(mine ?? '', `ep_${'0'.repeat(32)}`), `404 not_found: This workspace has no endpoint ep_${'0'.repeat(32)}`)
    assert.equal(await again(theirs ?? '', endpoint, other.key), `404 not_found: This workspace has no endpoint ${endpoint}`)
    assert.isEmpty(await waiting(gw, endpoint))
  })

  it('answers 400 if the endpoint or the time has another form or is missing', async () => {
    await using gw = await gateway()
    const endpoint = await add(gw)
    const one = (body: object) => gw.post(`/v1/events/${UNKNOWN}/redeliver`, body)
    assert.equal(refused(await one({})), '400 missing_parameters: Missing required parameters: endpoint')
    for (const wrong of ['x', 7, null, endpoint.toUpperCase()]) assert.match(refused(await one({ endpoint: wrong })), /^400 invalid_parameter: endpoint must be/)
    const all = (body: object) => gw.post(`/v1/event-endpoints/${endpoint}/redeliver`, body)
    assert.equal(refused(await all({})), '400 missing_parameters: Missing required parameters: since')
    for (const since of [
      'yesterday', '2026-02-31', '2026-03', '2026-03-01T12:00:00', '2026-03-01 12:00:00Z', '2026-13-01T12:00:00Z', '2026-03-01T24:00:00Z',
      '1772366400000', '2026-02-31T00:00:00Z', 0, null,
    ]) {
      assert.match(refused(await all({ since })), /^400 invalid_parameter: since must be/, String(since))
    }
  })

  it('answers 409 if the endpoint is disabled', async () => {
    await using gw = await gateway()
    await list(gw)
    const [event] = await happen(gw, ['message.sent'])
    const endpoint = await add(gw)
    await gw.request(`/v1/event-endpoints/${endpoint}`, {
      method: 'PATCH', body: '{"status":"disabled"}', headers: { 'Content-Type': 'application/json' },
    })
    for (const answer of [
      await gw.post(`/v1/events/${event}/redeliver`, { endpoint }),
      await gw.post(`/v1/event-endpoints/${endpoint}/redeliver`, { since: AT }),
    ]) {
      assert.equal(refused(answer), '409 endpoint_disabled: The endpoint is disabled, so nothing is delivered to it; enable it first')
    }
  })
})
