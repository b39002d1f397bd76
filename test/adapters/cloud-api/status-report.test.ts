import { assert } from 'chai'
import { contact, NUMBER, only, ours, PHONE_NUMBER_ID, readStatuses, readValue, status, USER_ID } from './notification-samples.js'

describe('a status in a notification', () => {
  const report = (more: object = {}, state = 'delivered', messageId?: string) => ({
    _tag: 'StatusReport', phoneNumberId: PHONE_NUMBER_ID, messageId, platformId: 'wamid.out',
    change: { state, at: 1_763_700_001_000, platformId: 'wamid.out', ...more }, to: NUMBER,
  })
  const { to: _none, ...withoutRecipient } = report()

  for (const [said, state] of [
    ['sent', 'sent'], ['delivered', 'delivered'], ['read', 'read'], ['played', 'played'], ['failed', 'failed'],
  ] as const) {
    it(`says ${state} when it is ${said}`, () => {
      assert.deepEqual<unknown>(readStatuses(status({ status: said })), { reports: [report({}, state)], ignored: [] })
    })
  }

  it('is ignored when it is unknown, absent or the name of a prototype\'s property', () => {
    for (const said of ['deleted', 'accepted', 'DELIVERED', undefined, null, 1, '__proto__', 'constructor']) {
      assert.deepEqual<unknown>(readStatuses(status({ status: said })), only('unknown_status'), String(said))
    }
  })

  it('names our message if the platform echoes our id', () => {
    assert.deepEqual<unknown>(readStatuses(status({ biz_opaque_callback_data: ours })).reports, [report({}, 'delivered', ours)])
  })

  it('names no message of ours if the echoed text is not an id of ours', () => {
    for (const echo of ['order-17', '', ours.toUpperCase(), `${ours} `, ours.slice(0, -1), 5, null, [ours]]) {
      assert.deepEqual<unknown>(readStatuses(status({ biz_opaque_callback_data: echo })).reports, [report()], String(echo))
    }
  })

  it('keeps the first error of a failure whole', () => {
    const error = {
      code: 131047, title: 'Re-engagement message', message: 'x', error_data: { details: 'Grüße' }, href: '/docs', odd: [null],
    }
    assert.deepEqual<unknown>(
      readStatuses(status({ status: 'failed', errors: [error, { code: 1 }] })).reports, [report({ error }, 'failed')],
    )
  })

  it('has no error if a failure gives none, and if it did not fail', () => {
    for (const errors of [undefined, null, [], ['131047'], [null], [[{ code: 1 }]], { code: 1 }]) {
      assert.deepEqual<unknown>(readStatuses(status({ status: 'failed', errors })).reports, [report({}, 'failed')])
    }
    assert.deepEqual<unknown>(readStatuses(status({ errors: [{ code: 1 }] })).reports, [report()])
  })

  it('keeps the code of an error too large or too deep to keep', () => {
    const kept = { code: 131000, message: 'The platform sent an error too large to keep' }
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)
    for (const more of [{ message: 'x'.repeat(9_000) }, { error_data: deep }]) {
      const { reports } = readStatuses(status({ status: 'failed', errors: [{ code: 131000, ...more }] }))
      assert.deepEqual<unknown>(reports, [report({ error: kept }, 'failed')])
    }
    assert.deepEqual<unknown>(readStatuses(status({ status: 'failed', errors: [{ code: 'x'.repeat(9_000) }] })).reports, [
      report({ error: { message: 'The platform sent an error too large to keep' } }, 'failed'),
    ])
  })

  it('keeps pricing whole, unless it is too large or not an object', () => {
    const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing', odd: { a: [1] } }
    assert.deepEqual<unknown>(readStatuses(status({ pricing })).reports, [report({ pricing })])
    for (const none of [undefined, null, 'PMP', [pricing], { category: 'x'.repeat(9_000) }]) {
      assert.deepEqual<unknown>(readStatuses(status({ pricing: none })).reports, [report()])
    }
  })

  it('is ignored when it names no message of the platform\'s', () => {
    for (const id of [undefined, null, '', 7, 'wamid with space', 'wamid\u0000', 'w'.repeat(256)]) {
      assert.deepEqual<unknown>(readStatuses(status({ id })), only('no_platform_id'), String(id))
    }
  })

  it('names the customer if it has both ids, or a name', () => {
    const both = status({ recipient_user_id: USER_ID })
    const customerIn = (...given: Parameters<typeof readValue>) => {
      const [first] = readValue(...given).reports
      return first?._tag === 'StatusReport' ? first.customer : 'no status'
    }
    assert.deepEqual<unknown>(customerIn({ statuses: [both] }), { phoneNumber: NUMBER, userId: USER_ID })
    assert.deepEqual<unknown>(
      customerIn({ statuses: [status()], contacts: [contact({ profile: {} })] }), { phoneNumber: NUMBER, userId: USER_ID },
    )
    const hidden = status({ recipient_id: undefined, recipient_user_id: USER_ID })
    assert.deepEqual<unknown>(customerIn({ statuses: [hidden], contacts: [contact({ wa_id: undefined })] }), {
      userId: USER_ID, name: 'Ada', username: 'ada.l',
    })
    for (const one of [status(), hidden, status({ recipient_id: undefined }), status({ recipient_id: {}, recipient_user_id: 7 })]) {
      assert.isUndefined(customerIn({ statuses: [one] }))
    }
  })

  it('names the recipient by the number, or by the user id if it has no number', () => {
    const recipientIn = (more: object) => {
      const [first] = readStatuses(status(more)).reports
      return first?._tag === 'StatusReport' ? first.to : 'no status'
    }
    assert.equal(recipientIn({ recipient_user_id: USER_ID }), NUMBER)
    assert.equal(recipientIn({ recipient_id: undefined, recipient_user_id: USER_ID }), USER_ID)
    for (const recipient of [undefined, '', {}, 'someone']) assert.isUndefined(recipientIn({ recipient_id: recipient }))
  })

  it('names no customer if it went to a group', () => {
    for (const more of [{ recipient_type: 'group' }, { recipient_participant_id: NUMBER }]) {
      const group = status({ recipient_user_id: USER_ID, ...more })
      assert.deepEqual<unknown>(readValue({ statuses: [group], contacts: [contact()] }).reports, [withoutRecipient])
    }
  })

  it('is read from standby only if it names our message', () => {
    const statuses = [status(), status({ biz_opaque_callback_data: ours })]
    for (const value of [{ statuses }, { standby: { statuses } }]) {
      assert.deepEqual<unknown>(readValue(value, 'standby'), {
        reports: [report({}, 'delivered', ours)], ignored: [{ field: 'standby', reason: 'status_of_another_sender' }],
      })
    }
  })

  it('is ignored when its time is not possible', () => assert.deepEqual<unknown>(readStatuses(status({ timestamp: 'x' })), only('no_time')))

  it('accepts unknown fields, and a missing recipient', () => {
    const odd = status({ recipient_id: undefined, internal_1p_only_data: {}, type: 'message', conversation: { expiration_timestamp: 1 } })
    assert.deepEqual<unknown>(readStatuses(odd).reports, [withoutRecipient])
  })
})
