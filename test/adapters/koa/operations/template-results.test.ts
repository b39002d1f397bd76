import { assert } from 'chai'
import { DAY_MS } from '../../../../core/kernel/time.js'
import { gateway } from '../gateway.js'

type Shown = Readonly<Record<string, unknown>> & {
  readonly total: Readonly<Record<string, unknown>>
  readonly parts: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly from: string
  readonly to: string
}

/** The ids of messages have the time of this machine, unlike the gateway's clock. */
const NOW = `from=${new Date(Date.now() - DAY_MS).toISOString()}&to=${new Date(Date.now() + DAY_MS).toISOString()}`

describe('the results of a template over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`${base}/templates/{name}/results has the figures in total and by part`, async () => {
      await using gw = await gateway()
      await gw.post(`${base}/messages/send-template`, { to: '5511987654321', template_name: 'order_update', language: 'de' })
      await gw.post(`${base}/messages/send-template`, { to: '5511987654322', template_name: 'order_update' })
      const { status, json } = await gw.get(`${base}/templates/order_update/results?by=week&${NOW}`)
      assert.equal(status, 200)
      const { total, parts, ...query } = json as Shown
      assert.include(query, { template: 'order_update', language: null, by: 'week', currency: 'USD' })
      assert.include(total, { sent: 2, delivered: 0, read: 0, failed: 0, replied: 0, opted_out: 0, price_per_reply: null })
      assert.match(String(total['price']), /^0\.[0-9]{6}$/)
      assert.equal(parts.reduce((sum, { sent }) => sum + Number(sent), 0), 2)
      const german = (await gw.get(`${base}/templates/order_update/results?language=de&${NOW}`)).json as Shown
      assert.equal(german.total['sent'], 1)
    })
  }

  it('are of the last 28 days if no period is given, and zero for a name that was never sent', async () => {
    await using gw = await gateway()
    const { from, to, parts, total } = (await gw.get('/v1/templates/never/results')).json as Shown
    assert.equal(Date.parse(to) - Date.parse(from), 28 * DAY_MS)
    assert.isAtLeast(parts.length, 28)
    assert.equal(total['sent'], 0)
  })

  it('are a file of comma-separated values on request', async () => {
    await using gw = await gateway()
    const reply = await fetch(`${gw.url}/v1/templates/order_update/results?format=csv&from=2026-03-02&to=2026-03-04`, {
      headers: { authorization: `Bearer ${gw.key}` },
    })
    assert.equal(reply.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    const lines = (await reply.text()).split('\r\n')
    assert.equal(lines[0], 'from,to,template,language,sent,delivered,read,failed,replied,opted_out,price,price_per_reply,currency')
    assert.equal(lines[1], '2026-03-02T00:00:00.000Z,2026-03-03T00:00:00.000Z,order_update,,0,0,0,0,0,0,0.000000,,USD')
    assert.lengthOf(lines, 4)
  })

  it('refuse a period that is empty or too long, and other words', async () => {
    await using gw = await gateway()
    for (const [query, sentence] of [
      ['from=2026-03-02&to=2026-03-02', '"from" must be before "to"'],
      ['from=2026-01-01&to=2026-04-04', '"from" and "to" must be at most 92 days apart; choose a shorter period'],
      ['by=month', /by must be one of day, week/], ['format=xml', /format must be one of json, csv/], ['from=x', /from must be/],
    ] as const) {
      const { status, json } = await gw.get(`/v1/templates/order_update/results?${query}`)
      assert.equal(status, 400, query)
      const { message } = json as { readonly message: string }
      if (typeof sentence === 'string') assert.equal(message, sentence)
      else assert.match(message, sentence)
    }
  })
})
