import { assert } from 'chai'
import { SECOND_MS } from '../../../../core/kernel/time.js'
import { MIN_CONFIRM_WITHIN_MS } from '../../../../core/messages/deadlines.js'
import type { MessageId, PlatformId } from '../../../../core/messages/message.js'
import type { Postern } from '../../../../core/postern.js'
import { done } from '../../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, NOON, type World } from '../gateway.js'

const SEND = '/v1/messages/send'
const TEMPLATE = '/v1/messages/send-template'
const IMAGE = { to: CUSTOMER, type: 'image', image: { link: 'https://shop.example/boots.jpg' } }
const CODE = { to: CUSTOMER, template_name: 'one_time_code' }

/** A gateway whose application listens to events. */
const listened = async (options: World = {}) => {
  const gw = await gateway(options)
  await done(gw.storage.eventOutbox.notePull(gw.workspace, NOON))
  return gw
}

const noteOverdue = async ({ deps: { postern } }: Gateway) => {
  const { upkeep } = postern as Postern
  return done(upkeep.noteOverdue?.() ?? assert.fail('the storage keeps no deadlines'))
}

const overdue = async ({ storage, workspace }: Gateway) =>
  (await done(storage.eventOutbox.after(workspace, 0, 100))).filter(({ type }) => type === 'message.overdue')

describe('confirm_within', () => {
  for (const [path, body] of [[SEND, IMAGE], [TEMPLATE, CODE]] as const) {
    it(`of ${path} makes an event once if the message is not delivered by then`, async () => {
      await using gw = await listened()
      const { status, headers } = await gw.post(path, { ...body, confirm_within: 30 })
      assert.equal(status, 200)
      gw.passes(30 * SECOND_MS - 1)
      assert.deepEqual(await noteOverdue(gw), { overdue: 0, nextInMs: 1 })
      gw.passes(1)
      assert.deepEqual(await noteOverdue(gw), { overdue: 1, nextInMs: MIN_CONFIRM_WITHIN_MS })
      assert.deepEqual(await noteOverdue(gw), { overdue: 0, nextInMs: MIN_CONFIRM_WITHIN_MS })
      const [event, ...more] = await overdue(gw)
      const id = headers.get('postern-message')
      assert.deepEqual<unknown>([event?.subject, event?.data['id'], event?.data['state'], more], [id, id, 'accepted', []])
      const { json } = await gw.get(`/v1/messages/${id}`)
      assert.equal((json as { readonly state: string }).state, 'accepted')
    })
  }

  it('makes no event of a message that was delivered or refused, and none without it', async () => {
    await using gw = await listened({ balance: '0.01' })
    const { headers, json } = await gw.post(SEND, { ...IMAGE, confirm_within: 10 })
    const messageId = headers.get('postern-message') as MessageId
    const platformId = (json as { readonly message_id: PlatformId }).message_id
    await done(gw.receive([{
      _tag: 'StatusReport', phoneNumberId: gw.phoneNumberId, messageId, platformId, change: { state: 'delivered', at: NOON, platformId },
    }]))
    assert.equal((await gw.post(SEND, { ...IMAGE, confirm_within: 10 })).status, 402)
    await gw.topUp('1')
    assert.equal((await gw.post(SEND, IMAGE)).status, 200)
    gw.passes(10 * SECOND_MS)
    assert.deepEqual(await noteOverdue(gw), { overdue: 0, nextInMs: MIN_CONFIRM_WITHIN_MS })
    assert.isEmpty(await overdue(gw))
  })

  it('is part of a repeated request only if it is given', async () => {
    await using gw = await listened()
    const headers = { 'Idempotency-Key': 'code 4711' }
    const codes = async (confirm_within?: number) => (await gw.post(TEMPLATE, { ...CODE, confirm_within }, headers)).status
    assert.deepEqual([await codes(30), await codes(30), await codes(31), await codes()], [200, 200, 422, 422])
    const other = { 'Idempotency-Key': 'code 4712' }
    assert.equal((await gw.post(TEMPLATE, CODE, other)).status, 200)
    assert.equal((await gw.post(TEMPLATE, { ...CODE, confirm_within: 30 }, other)).status, 422)
    assert.lengthOf(gw.sent, 2)
  })

  for (const given of [9, 86_401, 30.5, '30', null, true]) {
    it(`is refused as ${JSON.stringify(given)}, before anything is sent, and by quotes`, async () => {
      await using gw = await gateway()
      for (const path of [SEND, TEMPLATE, '/v1/quotes/send', '/v1/quotes/send-template']) {
        const { status, json } = await gw.post(path, { ...IMAGE, ...CODE, confirm_within: given })
        const { code, message } = json as { readonly code: string; readonly message: string }
        assert.deepEqual(
          [status, code, message], [400, 'invalid_parameter', 'confirm_within must be a whole number from 10 to 86400'], path,
        )
      }
      assert.isEmpty(gw.sent)
    })
  }

  it('is refused of a text at send-text, and where the storage keeps no deadlines', async () => {
    await using gw = await gateway()
    const text = await gw.sendText({ to: CUSTOMER, text: 'Hello', confirm_within: 30 })
    assert.match(text.text, /confirm_within must be left out: POST \/v1\/messages\/send accepts it/)
    await using without = await gateway({ ports: () => ({ deliveryDeadlines: undefined as never }) })
    for (const [path, body] of [[SEND, IMAGE], [TEMPLATE, CODE]] as const) {
      const { status, text: refusal } = await without.post(path, { ...body, confirm_within: 30 })
      assert.equal(status, 400)
      assert.match(refusal, /confirm_within must be left out: this gateway does not await deliveries/)
    }
    assert.isEmpty([...gw.sent, ...without.sent])
  })
})
