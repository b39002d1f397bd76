import { assert } from 'chai'
import { readNotification } from '../../../adapters/cloud-api/notification.js'
import type { Report } from '../../../core/reports/receive.js'
import {
  change, contact, customersOf, inbound, notification, NUMBER, only, readCalls, readMessages, readValue, saying, status, text, USER_ID,
} from './notification-samples.js'

/** A report without what the message says. */
const apart = (report: Report): object => ({ ...report, message: undefined })
const counted = { ...inbound, message: undefined }
const uncounted = { ...counted, _tag: 'UncountedInbound' }

describe('an inbound message in a notification', () => {
  const types = [
    'text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'interactive', 'order', 'call',
    'unsupported', 'hologram', 'constructor', '__proto__',
  ]
  for (const type of types) {
    it(`is the customer writing when its type is ${type}, whether the node named after it is there or not`, () => {
      const { reports, ignored } = readMessages(text({ type }), text({ type, [type]: null }))
      assert.deepEqual<unknown>(reports.map(apart), [counted, counted])
      assert.deepEqual(ignored, [])
    })
  }

  it('has a long name of a type cut between two characters', () => {
    const { reports } = readMessages(text({ type: `${'x'.repeat(63)}🙂` }))
    assert.include(JSON.stringify(reports), `"type":"${'x'.repeat(63)}"`)
  })

  for (const type of ['reaction', 'edit', 'revoke', 'request_welcome', 'pin', 'keep_in_chat']) {
    it(`is not the customer writing when its type is ${type}, and is nothing without an id`, () => {
      assert.deepEqual<unknown>(readMessages(text({ type })).reports.map(apart), [uncounted])
      assert.deepEqual<unknown>(readMessages(text({ type, id: undefined })), only('not_writing'))
      assert.deepEqual<unknown>(readMessages(text({ type, from: undefined })), only('no_customer_id'))
    })
  }

  for (const type of ['edit', 'revoke', 'reaction', 'pin', 'keep_in_chat']) {
    it(`is not the customer writing when an unsupported one hides a ${type}`, () => {
      assert.deepEqual<unknown>(readMessages(text({ type: 'unsupported', unsupported: { type } })).reports.map(apart), [uncounted])
    })
  }

  it('is the customer writing when an unsupported one hides a poll', () => {
    assert.deepEqual<unknown>(
      readMessages(text({ type: 'unsupported', unsupported: { type: 'poll_creation' } })).reports.map(apart), [counted],
    )
  })

  it('opens no window when its type is missing or not a string', () => {
    for (const type of [undefined, 7, null, ['text'], { toString: 'text' }]) {
      assert.deepEqual<unknown>(readMessages(text({ type })), only('no_type'), JSON.stringify(type))
    }
  })

  it('opens no window when it was written to a group', () => {
    assert.deepEqual<unknown>(readMessages(text({ group_id: 'Y2Fw' })), only('group'))
  })

  it('is of the customer whom a user id names, without a number or with one that is not valid', () => {
    const none = [undefined, null, '', '+4915112345678', '0151123', '49 151', 4_915_112_345_678, ['4915112345678'], '٤٩١٥١١٢٣٤٥٦', USER_ID]
    for (const from of none) {
      assert.deepEqual<unknown>(
        readMessages(text({ from, from_user_id: USER_ID })).reports, [{ ...inbound, customer: { userId: USER_ID } }], String(from),
      )
    }
    assert.deepEqual<unknown>(readMessages(text({ from: USER_ID })).reports, [{ ...inbound, customer: { userId: USER_ID } }])
  })

  it('is of the customer whom a number names, with a user id that is not valid', () => {
    const none = [
      undefined, null, '', 7, 'de.1349', 'DE1349', 'DE.', `DE.${'x'.repeat(129)}`, 'DE.été', 'ДЕ.1349', 'DE.1349 ', 'DE.13.49', 'DEU.1349',
      '49.15112345678', [USER_ID],
    ]
    for (const from_user_id of none) {
      assert.deepEqual<unknown>(readMessages(text({ from_user_id })).reports, [inbound], String(from_user_id))
    }
    for (const from of none) assert.deepEqual<unknown>(readMessages(text({ from })), only('no_customer_id'), String(from))
  })

  it('is of both ids if it names both', () => {
    const longest = `DE.${'x'.repeat(128)}`
    for (const from_user_id of [USER_ID, longest, 'DE.ENT.1349']) {
      assert.deepEqual<unknown>(customersOf(readMessages(text({ from_user_id }))), [{ phoneNumber: NUMBER, userId: from_user_id }])
    }
  })

  it('opens the window in the field standby, whether it is one level deeper or not', () => {
    for (const value of [{ messages: [text()] }, { standby: { messages: [text()] } }]) {
      assert.deepEqual<unknown>(readValue(value, 'standby'), { reports: [inbound], ignored: [] })
    }
    assert.deepEqual<unknown>(readValue({ contacts: [contact()], standby: { messages: [text()] } }, 'standby').reports, [
      { ...inbound, customer: { phoneNumber: NUMBER, userId: USER_ID, name: 'Ada', username: 'ada.l' } },
    ])
    assert.deepEqual<unknown>(readValue({ standby: {} }, 'standby'), only('no_items', 'standby'))
    assert.deepEqual<unknown>(readValue({ standby: { message_echoes: [text()] } }, 'standby'), only('echo', 'standby'))
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

  const called = saying({ id: 'wacid.1', type: 'call', content: { to: '15550001111', event: 'connect', direction: 'USER_INITIATED' } })

  it('opens the window when the customer began it, in either field', () => {
    for (const field of ['calls', 'messages']) assert.deepEqual<unknown>(readCalls(call, field), { reports: [called], ignored: [] })
  })

  it('opens no window when the business began it, when the direction is missing, or when it ends', () => {
    for (const more of [{ direction: 'BUSINESS_INITIATED' }, { direction: undefined }, { event: 'terminate' }, { event: undefined }]) {
      assert.deepEqual<unknown>(readCalls({ ...call, ...more }), only('not_a_customers_call', 'calls'))
    }
  })

  it('is of the customer whom a user id names, with the names of contacts', () => {
    const hidden = { ...call, from: undefined, from_user_id: USER_ID }
    assert.deepEqual<unknown>(readCalls(hidden).reports, [{ ...called, customer: { userId: USER_ID } }])
    const named = readValue({ calls: [hidden], contacts: [contact({ wa_id: undefined })] }, 'calls')
    assert.deepEqual<unknown>(customersOf(named), [{ userId: USER_ID, name: 'Ada', username: 'ada.l' }])
  })

  it('reports nothing of the later events of a call of ours', () => {
    const ringing = change({ statuses: [status({ type: 'call', status: 'RINGING' })] }, 'calls')
    assert.deepEqual<unknown>(readNotification(notification(ringing)), only('call_status', 'calls'))
  })
})
