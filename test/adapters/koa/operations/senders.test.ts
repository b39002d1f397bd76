import { assert } from 'chai'
import { senderIdOf } from '../../../../core/senders/sender.js'
import { senderView } from '../../../../core/senders/show-senders.js'
import { done } from '../../../support/right-of.js'
import { gateway } from '../gateway.js'

describe('GET /v1/senders', () => {
  it('shows each sender without its token, and null for what is not known', async () => {
    await using gw = await gateway()
    const { status, json } = await gw.get('/v1/senders')
    assert.equal(status, 200)
    const [sender] = json as ReadonlyArray<{ readonly phone_number_id: string }>
    assert.deepEqual<unknown>(json, [{
      phone_number_id: sender?.phone_number_id, display_phone_number: null, verified_name: null, business_account_id: null, default: true,
      status: 'ok', failing_reason: null, failing_since: null, quality: null, quality_since: null, messages_per_second: null,
      customers_per_day: { limit: null, used: null }, direct_send: { status: 'unknown', until: null }, read_at: null,
    }])
    assert.deepEqual((await gw.get(`/v1/senders/${sender?.phone_number_id ?? ''}`)).json as unknown, sender)
  })

  it('shows what the platform reported of each number, the default sender first', async () => {
    await using gw = await gateway()
    const { storage, workspace } = gw
    const other = senderIdOf('0')
    await done(storage.senders.assign(workspace, { phoneNumberId: other, accessToken: 'EAAsecret', businessAccountId: '102' }))
    const at = Date.UTC(2026, 2, 1, 12)
    await done(storage.senders.noteHealth({ workspace, sender: other }, true, at))
    await done(storage.numberHealth.note({ workspace, sender: other }, {
      displayNumber: '+1 555-078-3881', verifiedName: 'Shop', quality: 'red', customersPerDay: 'unlimited', messagesPerSecond: 1_000, at,
    }))
    const [first, second]: ReadonlyArray<unknown> = Object.values((await gw.get('/v1/senders')).json as object)
    assert.deepInclude(first, { default: true })
    const time = new Date(at).toISOString()
    assert.deepEqual<unknown>(second, {
      phone_number_id: '0', display_phone_number: '+1 555-078-3881', verified_name: 'Shop', business_account_id: '102', default: false,
      status: 'failing', failing_reason: 'token_refused', failing_since: time,
      quality: 'red', quality_since: time, messages_per_second: 1_000,
      customers_per_day: { limit: 'unlimited', used: null }, direct_send: { status: 'unknown', until: null }, read_at: time,
    })
  })

  it('shows how many customers the business account has reached, if it has a limit and they are counted', async () => {
    await using gw = await gateway({ customersPerDay: 250, lastInbound: undefined })
    for (const to of ['4915123456780', '4915123456781', '4915123456781']) {
      assert.equal((await gw.sendTemplate({ to, template_name: 'order_update' })).status, 200)
    }
    const [sender] = (await gw.get('/v1/senders')).json as ReadonlyArray<object>
    assert.deepInclude(sender, { customers_per_day: { limit: 250, used: 2 } })
  })

  it('says that a token cannot be decrypted, even if the platform refused it before', () => {
    for (const failing of [{}, { failingSince: 0 }]) {
      const sender = { phoneNumberId: senderIdOf('1'), businessAccountId: undefined, isUnreadable: true as const, ...failing }
      assert.deepInclude(senderView({ sender, number: undefined }), { status: 'failing', failing_reason: 'token_unreadable' })
    }
  })

  it('does not find a sender that the workspace does not have', async () => {
    await using gw = await gateway()
    const { status, json } = await gw.get('/v1/senders/404')
    assert.equal(status, 404)
    assert.deepInclude(json, { code: 'not_found', message: 'This workspace has no sender 404' })
  })

  it('is empty for a workspace without a sender', async () => {
    await using gw = await gateway({ sender: false })
    assert.deepEqual((await gw.get('/v1/senders')).json as unknown, [])
  })
})
