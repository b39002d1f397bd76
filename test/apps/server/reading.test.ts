import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import type { Answer } from '../../support/gateway.js'
import { startInProcessFixture, type Tenant, type InProcessFixture } from '../../support/process-fixture.js'

const CUSTOMER = '493012345678'
const OTHER_CUSTOMER = '493087654321'

describe('Reading from the gateway', () => {
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => { world = await startInProcessFixture() })
  beforeEach(async () => { tenant = await world.tenant() })
  after(() => world[Symbol.asyncDispose]())

  type Item = { readonly id: string }
  const sendMany = async (count: number, to = CUSTOMER): Promise<ReadonlyArray<string>> => {
    const answers = await Promise.all(Array.from({ length: count }, () => tenant.send(to)))
    return answers.map(({ headers }) => headers.get('Postern-Message') ?? '')
  }
  /** Goes through a list page by page, doing something before each one; gives the ids in the order they came. */
  const turnPages = async (path: string, name: string, meanwhile: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
    const ids: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { json }: Answer = await tenant.ask('GET', `${path}?limit=4${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
      ids.push(...(json[name] as ReadonlyArray<Item>).map(({ id }) => id))
      cursor = json['next_cursor'] as string | null
      await meanwhile()
    }
    return ids
  }

  it('turns the pages of messages without missing or repeating one, while others are written and reported on', async () => {
    const there = await sendMany(18)
    const seen = await turnPages('/v1/messages', 'messages', () => sendMany(3))
    assert.deepEqual(seen, [...there].sort().reverse())
    await world.simulator.idle()
  })

  it('turns the pages of entries without missing or repeating one, while others are written', async () => {
    await sendMany(6)
    await world.simulator.idle()
    const { json } = await tenant.ask('GET', '/v1/wallet/entries?limit=100')
    const there = (json['entries'] as ReadonlyArray<Item>).map(({ id }) => id)
    assert.lengthOf(there, 13)
    assert.deepEqual(await turnPages('/v1/wallet/entries', 'entries', () => sendMany(2)), there)
  })

  it('gives the messages of one customer, and of one state', async () => {
    const [failed, read] = [await sendMany(1, '15550100026'), await sendMany(1, OTHER_CUSTOMER)]
    await world.simulator.idle()
    const idsOf = async (query: string): Promise<ReadonlyArray<string>> =>
      ((await tenant.ask('GET', `/v1/messages?${query}`)).json['messages'] as ReadonlyArray<Item>).map(({ id }) => id)
    assert.deepEqual(await idsOf(`to=${OTHER_CUSTOMER}`), read)
    assert.deepEqual(await idsOf('state=failed'), failed)
    assert.deepEqual(await idsOf(`state=failed&to=${OTHER_CUSTOMER}`), [])
  })

  it('shows a message whole, the same by either id, and its history as ISO 8601 in UTC', async () => {
    const answer = await tenant.send('15550100026')
    await world.simulator.idle()
    const [id, wamid] = [answer.headers.get('Postern-Message') ?? '', String(answer.json['message_id'])]
    const { json } = await tenant.ask('GET', `/v1/messages/${id}`)
    assert.hasAllKeys(json, [
      'id', 'platform_id', 'kind', 'type', 'summary', 'metadata', 'sender', 'to', 'state', 'price', 'currency', 'template_name', 'language',
      'error', 'created_at', 'history', 'content',
    ])
    assert.deepInclude(json, {
      id, platform_id: wamid, kind: 'template', to: '15550100026', state: 'failed', template_name: 'hello_world', language: 'en',
    })
    assert.deepInclude(json['error'] as object, { code: 131026 })
    const history = json['history'] as ReadonlyArray<{ readonly state: string; readonly at: string }>
    assert.deepEqual(history.map(({ state }) => state).sort(), ['accepted', 'failed', 'pending'])
    for (const { at } of history) assert.equal(at, new Date(at).toISOString())
    assert.deepEqual((await tenant.ask('GET', `/v1/messages/${encodeURIComponent(wamid)}`)).json, json)
  })

  it('gives nothing of another workspace, by whatever it is asked', async () => {
    const answer = await tenant.send(CUSTOMER)
    world.simulator.writeAs(CUSTOMER, { text: 'Hello' }, tenant.phoneNumberId)
    await world.simulator.idle()
    const { json: page } = await tenant.ask('GET', '/v1/wallet/entries?limit=1')
    const stranger = await world.tenant('3')
    for (const id of [answer.headers.get('Postern-Message') ?? '', encodeURIComponent(String(answer.json['message_id']))]) {
      assert.equal((await stranger.ask('GET', `/v1/messages/${id}`)).status, 404)
    }
    for (const query of ['', `to=${CUSTOMER}`, 'state=read', `cursor=messages.${answer.headers.get('Postern-Message') ?? ''}`]) {
      assert.deepEqual((await stranger.ask('GET', `/v1/messages?${query}`)).json, { messages: [], next_cursor: null })
    }
    const foreignCursor = await stranger.ask('GET', `/v1/wallet/entries?cursor=${encodeURIComponent(String(page['next_cursor']))}`)
    const { json: all } = await stranger.ask('GET', '/v1/wallet/entries')
    const entries = all['entries'] as ReadonlyArray<{ readonly kind: string; readonly amount: string }>
    assert.deepEqual(entries.map(({ kind, amount }) => [kind, amount]), [['top_up', '3.000000']])
    assert.deepEqual(foreignCursor.json, { entries: [], next_cursor: null })
    assert.deepEqual((await stranger.ask('GET', '/v1/wallet')).json, {
      currency: 'USD', available: '3.000000', held: '0.000000', scheduled: { next_24_h: '0.000000', all: '0.000000' },
    })
    assert.include((await stranger.ask('GET', `/v1/windows/${CUSTOMER}`)).json, { open: false, last_inbound_at: null, closes_at: null })
  })

  it('shows what a wallet holds while a send is under way', async () => {
    world.simulator.change({ delays: { late: 1_000 } })
    world.blockReports()
    const sending = tenant.send('15550100709')
    await eventually('the price being held', async () => ((await tenant.balance()).held === '0.062500') || undefined)
    assert.equal((await sending).status, 200)
    assert.deepEqual(await tenant.balance(), { available: '9.937500', held: '0.000000' })
    world.allowReports()
  })
})
