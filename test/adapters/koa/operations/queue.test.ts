import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { MINUTE_MS } from '../../../../core/kernel/time.js'
import type { MessageId } from '../../../../core/messages/message.js'
import { rightOf } from '../../../support/right-of.js'
import { agentWith } from '../mcp/agent.js'
import { CUSTOMER, gateway, type Gateway, NOON } from '../gateway.js'

const TEXT = { to: CUSTOMER, text: 'Hello' }
const at = (ms: number): string => new Date(NOON + ms).toISOString()
const UNTIL = { queue: { until: at(60 * MINUTE_MS) } }
const LIMITED = { pairLimit: { burst: 1, intervalMs: MINUTE_MS } }

const cancel = (gw: Gateway, id: string) => gw.request(`/v1/messages/${id}`, { method: 'DELETE' })
/** The audit log, oldest first. */
const noted = async ({ storage }: Gateway) =>
  rightOf(await storage.auditLog.list({ limit: 9 })).items.toReversed().map(({ by, act, outcome, subject, details, address }) =>
    ({ by: by.type, act, outcome, subject, details, address }))

const idOf = ({ json }: { readonly json: unknown }): string => (json as { readonly id: string }).id

describe('A queued message over HTTP', () => {
  it('is accepted, shown, replayed and canceled once', async () => {
    await using gw = await gateway(LIMITED)
    const key = { 'Idempotency-Key': 'order 17' }
    assert.equal((await gw.sendText({ ...TEXT, ...UNTIL })).status, 200)
    const queued = await gw.sendText({ ...TEXT, ...UNTIL }, key)
    assert.equal(queued.status, 202)
    assert.deepEqual(queued.json, { status: 'queued', id: queued.headers.get('postern-message'), send_at: null })
    const again = await gw.sendText({ ...TEXT, ...UNTIL }, key)
    assert.deepEqual([again.status, again.json, again.headers.get('idempotency-replayed')], [202, queued.json, 'true'])
    assert.deepInclude((await gw.get('/v1/queue')).json, { waiting: 1, scheduled: 0, oldest_at: at(0), held: null })
    assert.deepInclude((await gw.get('/v1/wallet')).json, { held: '0.007700' })
    const canceled = await cancel(gw, idOf(queued))
    assert.equal(canceled.status, 200)
    assert.deepInclude(canceled.json, { id: idOf(queued), state: 'canceled' })
    assert.deepInclude((await gw.get('/v1/wallet')).json, { held: '0.000000' })
    assert.equal((await cancel(gw, idOf(queued))).status, 200)
    assert.deepInclude((await gw.sendText({ ...TEXT, ...UNTIL }, key)).json, { status: 'canceled' })
    assert.lengthOf(gw.sent, 1)
  })

  it('has an entry in the audit log for each cancellation by a key, over HTTP and over MCP', async () => {
    await using gw = await gateway()
    const schedule = () => gw.sendText({ ...TEXT, send_at: at(MINUTE_MS) })
    const [first, second] = [await schedule(), await schedule()]
    assert.equal((await cancel(gw, idOf(first))).status, 200)
    await using agent = await agentWith(gw, gw.key)
    assert.deepInclude((await agent.use('cancel_message', { id: idOf(second) })).json, { state: 'canceled' })
    const sent = (await gw.sendText(TEXT)).headers.get('postern-message') ?? ''
    const platformId = rightOf(await gw.storage.messageLog.find(gw.workspace, { id: sent as MessageId }))
    for (const id of [sent, O.toUndefined(platformId)?.platformId ?? '']) {
      assert.equal((await cancel(gw, encodeURIComponent(id))).status, 409)
    }
    const by = { by: 'key', act: 'message.cancel', address: '127.0.0.1' }
    const done = { ...by, outcome: 'done', details: undefined }
    const refused = { ...by, outcome: 'refused', details: { reason: 'AlreadySent' } }
    assert.deepEqual<unknown>(await noted(gw), [
      { ...done, subject: idOf(first) }, { ...done, subject: idOf(second) }, { ...refused, subject: sent },
      { ...refused, subject: undefined },
    ])
  })

  it('is shown as waiting, not as scheduled, while the hours of its customer postpone it', async () => {
    await using gw = await gateway()
    assert.equal((await gw.sendText({ ...TEXT, deliver_between: { from: '22:00', to: '06:00', timezone: 'UTC' } })).status, 202)
    const { senders, ...queue } = (await gw.get('/v1/queue')).json as { readonly senders: ReadonlyArray<object> }
    assert.deepEqual<unknown>([queue, senders.length], [{ waiting: 1, scheduled: 0, oldest_at: null, held: null }, 1])
    assert.deepInclude(senders[0], { waiting: 1 })
  })

  it('is scheduled for its time, and a message that was sent cannot be canceled', async () => {
    await using gw = await gateway()
    const scheduled = await gw.sendText({ ...TEXT, send_at: at(MINUTE_MS) })
    assert.deepEqual([scheduled.status, (scheduled.json as { send_at: string }).send_at], [202, at(MINUTE_MS)])
    assert.deepInclude((await gw.get('/v1/queue')).json, { waiting: 0, scheduled: 1, oldest_at: null })
    const sent = await gw.sendText(TEXT)
    const refused = await cancel(gw, sent.headers.get('postern-message') ?? '')
    assert.equal(refused.status, 409)
    assert.deepInclude(refused.json, { code: 'already_sent' })
    assert.equal((await cancel(gw, `msg_${'0'.repeat(32)}`)).status, 404)
  })

  const HOURS = { from: '09:00', to: '20:00' }
  const refused: ReadonlyArray<readonly [string, object, RegExp]> = [
    ['an end that has passed', { queue: { until: at(-1) } }, /^queue\.until must be later than now$/],
    ['an end that is missing', { queue: {} }, /^queue\.until must be/],
    ['an end that is no time', { queue: { until: 'soon' } }, /^queue\.until must be/],
    ['an end that is a number', { queue: { until: NOON } }, /^queue\.until must be/],
    ['a queue that is no object', { queue: 'yes' }, /^queue must be an object$/],
    ['a time two years ahead', { send_at: '2028-03-01T12:00:00Z' }, /^send_at must be at most 366 days ahead$/],
    ['a time that is no time', { send_at: 'NaN' }, /^send_at must be/],
    ['an empty span', { deliver_between: { from: '09:00', to: '09:00' } }, /^deliver_between\.to must be another time than from$/],
    ['no days', { deliver_between: { ...HOURS, days: [] } }, /^deliver_between\.days must be an array of at least one item$/],
    ['an unknown day', { deliver_between: { ...HOURS, days: ['noday'] } }, /^deliver_between\.days/],
    ['an unknown zone', { deliver_between: { ...HOURS, timezone: 'Mars/Olympus' } }, /^deliver_between\.timezone must be customer, or the IANA name/],
  ]
  for (const [what, more, message] of refused) {
    it(`is refused with ${what}`, async () => {
      await using gw = await gateway()
      const { status, json } = await gw.sendText({ ...TEXT, ...more })
      const { code, message: said } = json as { readonly code: string; readonly message: string }
      assert.deepEqual([status, code], [400, 'invalid_parameter'])
      assert.match(said, message)
      assert.isEmpty(gw.sent)
    })
  }

  it('is refused if the zone of its customer is not known for sure', async () => {
    await using gw = await gateway()
    const { status, json } = await gw.post('/v1/messages/send-template', {
      to: '8816123456789', template_name: 'order_update', deliver_between: HOURS,
    })
    assert.deepEqual([status, (json as { readonly code: string }).code], [400, 'timezone_unknown'])
  })
})
