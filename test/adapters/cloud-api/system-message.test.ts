import { assert } from 'chai'
import { contact, NUMBER, only, PHONE_NUMBER_ID, readMessages, readValue, text, USER_ID } from './notification-samples.js'

const NEW_NUMBER = '33612345678'
const NEW_ID = 'FR.77'

const system = (node: unknown, more: object = {}) => text({ type: 'system', text: undefined, system: node, ...more })
const changed = (before: object, after: object) =>
  ({ _tag: 'IdsChanged', phoneNumberId: PHONE_NUMBER_ID, before, after, at: 1_763_700_000_000 })
/** The reports without keys that have no value. */
const read = (...messages: ReadonlyArray<unknown>): unknown => JSON.parse(JSON.stringify(readMessages(...messages).reports))

describe('a system message', () => {
  it('moves the ids of a customer who has another number', () => {
    const body = `User Ada changed from ${NUMBER} to ${NEW_NUMBER}`
    const before = { phoneNumber: NUMBER }
    assert.deepEqual(read(system({ body, type: 'user_changed_number', wa_id: NEW_NUMBER })), [changed(before, { phoneNumber: NEW_NUMBER })])
    assert.deepEqual(
      read(system({ body, type: 'user_changed_number', wa_id: NEW_NUMBER, user_id: NEW_ID, previous_user_id: USER_ID })),
      [changed({ ...before, userId: USER_ID }, { phoneNumber: NEW_NUMBER, userId: NEW_ID })],
    )
    assert.deepEqual(
      read(system({ type: 'user_changed_number', wa_id: NEW_NUMBER, user_id: NEW_ID }, { from_user_id: USER_ID })),
      [changed({ ...before, userId: USER_ID }, { phoneNumber: NEW_NUMBER, userId: NEW_ID })],
    )
  })

  it('moves them in the older forms too', () => {
    const old = [{ customer: NUMBER, wa_id: NEW_NUMBER }, { wa_id: NUMBER, new_wa_id: NEW_NUMBER }]
    for (const node of old) {
      assert.deepEqual(read(system({ type: 'customer_changed_number', ...node })), [
        changed({ phoneNumber: NUMBER }, { phoneNumber: NEW_NUMBER }),
      ])
    }
  })

  it('moves the ids of a customer who is named only by the user id', () => {
    const node = { type: 'user_changed_user_id', previous_user_id: USER_ID, user_id: NEW_ID }
    assert.deepEqual(read(system(node, { from: undefined })), [changed({ userId: USER_ID }, { userId: NEW_ID })])
    assert.deepEqual(read(system(node, { from: undefined, from_user_id: NEW_ID })), [changed({ userId: USER_ID }, { userId: NEW_ID })])
    assert.deepEqual(read(system(node, { from: USER_ID })), [changed({ userId: USER_ID }, { userId: NEW_ID })])
    assert.deepEqual(read(system({ type: 'user_changed_user_id', user_id: NEW_ID })), [
      changed({ phoneNumber: NUMBER }, { userId: NEW_ID }),
    ])
  })

  it('opens no window and takes nothing from contacts', () => {
    const { reports } = readValue({ contacts: [contact()], messages: [system({ type: 'user_changed_number', wa_id: NEW_NUMBER })] })
    assert.deepEqual(JSON.parse(JSON.stringify(reports)), [changed({ phoneNumber: NUMBER }, { phoneNumber: NEW_NUMBER })])
  })

  it('is ignored if it names no other ids than before', () => {
    const nothingNew = [
      {}, { wa_id: NUMBER }, { wa_id: 'x', user_id: 'x' }, { user_id: USER_ID, previous_user_id: USER_ID }, { previous_user_id: USER_ID },
      { wa_id: [NEW_NUMBER] },
    ]
    for (const node of nothingNew) {
      assert.deepEqual<unknown>(readMessages(system({ type: 'user_changed_number', ...node })), only('no_new_ids'), JSON.stringify(node))
    }
    assert.deepEqual<unknown>(
      readMessages(system({ type: 'user_changed_user_id', user_id: NEW_ID }, { from: undefined })), only('no_new_ids'),
    )
    assert.deepEqual<unknown>(
      readMessages(system({ type: 'user_changed_number', wa_id: '525512345678' }, { from: '5215512345678' })), only('no_new_ids'),
    )
  })

  it('is ignored if its time is not possible, or in a group', () => {
    const node = { type: 'user_changed_number', wa_id: NEW_NUMBER }
    assert.deepEqual<unknown>(readMessages(system(node, { timestamp: 'x' })), only('no_time'))
    assert.deepEqual<unknown>(readMessages(system(node, { group_id: 'Y2Fw' })), only('group'))
  })

  it('is ignored if the keys of the customer have changed, or its type is not known', () => {
    for (const type of ['customer_identity_changed', 'user_identity_changed']) {
      assert.deepEqual<unknown>(readMessages(system({ type, wa_id: NEW_NUMBER })), only('identity_changed'))
    }
    for (const node of [undefined, null, 'x', {}, { type: 7 }, { type: 'user_became_famous', wa_id: NEW_NUMBER }, { type: '__proto__' }]) {
      assert.deepEqual<unknown>(readMessages(system(node)), only('unknown_system_type'), JSON.stringify(node))
    }
  })
})

describe('a preference in a notification', () => {
  const preference = (more: object = {}) => ({
    wa_id: NUMBER, user_id: USER_ID, detail: 'User requested to stop marketing messages', category: 'marketing_messages', value: 'stop',
    timestamp: 1_763_700_000, ...more,
  })
  const readPreferences = (...all: ReadonlyArray<unknown>) => readValue({ user_preferences: all }, 'user_preferences')
  const chosen = (customer: object, stopped: boolean) => ({
    _tag: 'MarketingPreference', phoneNumberId: PHONE_NUMBER_ID, customer, stopped, at: 1_763_700_000_000,
  })
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

  it('stops marketing messages, or resumes them', () => {
    const { reports } = readPreferences(preference(), preference({ value: 'resume', wa_id: undefined, timestamp: '1763700000' }))
    assert.deepEqual(plain(reports), [chosen({ phoneNumber: NUMBER, userId: USER_ID }, true), chosen({ userId: USER_ID }, false)])
  })

  it('is of the customer whom contacts name too', () => {
    const { reports } = readValue({ user_preferences: [preference({ user_id: undefined })], contacts: [contact()] }, 'user_preferences')
    assert.deepEqual(plain(reports), [chosen({ phoneNumber: NUMBER, userId: USER_ID }, true)])
  })

  it('is ignored if it is of another category or value, or says not whose it is or when', () => {
    const odd: ReadonlyArray<readonly [object, string]> = [
      [{ category: 'utility_messages' }, 'unknown_preference'], [{ category: undefined }, 'unknown_preference'],
      [{ value: 'pause' }, 'unknown_preference'], [{ value: ['stop'] }, 'unknown_preference'],
      [{ wa_id: undefined, user_id: 'x' }, 'no_customer_id'], [{ timestamp: undefined }, 'no_time'],
    ]
    for (const [more, reason] of odd) assert.deepEqual<unknown>(readPreferences(preference(more)), only(reason, 'user_preferences'))
    assert.deepEqual<unknown>(readPreferences(null), only('unknown_preference', 'user_preferences'))
  })
})
