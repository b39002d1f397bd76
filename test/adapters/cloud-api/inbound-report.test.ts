import { assert } from 'chai'
import { readNotification } from '../../../adapters/cloud-api/notification.js'
import { change, notification, text, status, readMessages, readCalls, inbound, only } from './notification-samples.js'

describe('an inbound message in a notification', () => {
  const types = [
    'text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'interactive', 'order', 'call',
    'unsupported', 'hologram', 'constructor', '__proto__',
  ]
  for (const type of types) {
    it(`is the customer writing when its type is ${type}, whether the node named after it is there or not`, () => {
      assert.deepEqual<unknown>(readMessages(text({ type }), text({ type, [type]: null })), { reports: [inbound, inbound], ignored: [] })
    })
  }

  for (const type of ['system', 'reaction', 'edit', 'revoke', 'request_welcome', 'pin', 'keep_in_chat']) {
    it(`is not the customer writing when its type is ${type}`, () => {
      assert.deepEqual<unknown>(readMessages(text({ type })), only('not_writing'))
    })
  }

  for (const type of ['edit', 'revoke', 'reaction', 'pin', 'keep_in_chat']) {
    it(`is not the customer writing when an unsupported one hides a ${type}`, () => {
      assert.deepEqual<unknown>(readMessages(text({ type: 'unsupported', unsupported: { type } })), only('not_writing'))
    })
  }

  it('is the customer writing when an unsupported one hides a poll', () => {
    assert.deepEqual<unknown>(readMessages(text({ type: 'unsupported', unsupported: { type: 'poll_creation' } })).reports, [inbound])
  })

  it('opens no window when its type is missing or not a string', () => {
    for (const type of [undefined, 7, null, ['text'], { toString: 'text' }]) {
      assert.deepEqual<unknown>(readMessages(text({ type })), only('no_type'), JSON.stringify(type))
    }
  })

  it('opens no window when it was written to a group', () => {
    assert.deepEqual<unknown>(readMessages(text({ group_id: 'Y2Fw' })), only('group'))
  })

  it('opens no window when the customer has no phone number, or one that is not valid', () => {
    const none = [
      undefined, null, '', '+4915112345678', '0151123', '49 151', 'DE.1349', 4_915_112_345_678, ['4915112345678'], '٤٩١٥١١٢٣٤٥٦',
    ]
    for (const from of none) {
      assert.deepEqual<unknown>(readMessages(text({ from, from_user_id: 'DE.1349' })), only('no_phone_number'), String(from))
    }
  })

  it('takes its time in seconds, as a string or as a number', () => {
    assert.deepEqual<unknown>(readMessages(text({ timestamp: 1_763_700_000 })).reports, [inbound])
  })

  it('opens no window when its time is not possible', () => {
    const times = [
      undefined, null, '', 'now', '0', 0, -1, '-1', '1763700000000', 1_763_700_000_000, '1763700000.5', 1_763_700_000.5, '1e9',
      '99999999999999999999', {}, [1_763_700_000],
    ]
    for (const timestamp of times) assert.deepEqual<unknown>(readMessages(text({ timestamp })), only('no_time'), JSON.stringify(timestamp))
  })
})

describe('a call in a notification', () => {
  const call = {
    id: 'wacid.1', from: '4915112345678', to: '15550001111', event: 'connect', timestamp: '1763700000', direction: 'USER_INITIATED',
  }

  it('opens the window when the customer began it, in either field', () => {
    for (const field of ['calls', 'messages']) assert.deepEqual<unknown>(readCalls(call, field), { reports: [inbound], ignored: [] })
  })

  it('opens no window when the business began it, when the direction is missing, or when it ends', () => {
    for (const more of [{ direction: 'BUSINESS_INITIATED' }, { direction: undefined }, { event: 'terminate' }, { event: undefined }]) {
      assert.deepEqual<unknown>(readCalls({ ...call, ...more }), only('not_a_customers_call'))
    }
  })

  it('reports nothing of the later events of a call of ours', () => {
    const ringing = change({ statuses: [status({ type: 'call', status: 'RINGING' })] }, 'calls')
    assert.deepEqual<unknown>(readNotification(notification(ringing)), only('unknown_status'))
  })
})
