import { assert } from 'chai'
import { contact, customersOf, inbound, NUMBER, PHONE_NUMBER_ID, readValue, text, USER_ID } from './notification-samples.js'

const OTHER_NUMBER = '33612345678'
const OTHER_ID = 'FR.77'
const other = (more: object = {}) => contact({ wa_id: OTHER_NUMBER, user_id: OTHER_ID, profile: { name: 'Blaise' }, ...more })
const read = (contacts: unknown, ...messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  customersOf(readValue({ contacts, messages }))

const ADA = { phoneNumber: NUMBER, userId: USER_ID, name: 'Ada', username: 'ada.l' }
const BLAISE = { phoneNumber: OTHER_NUMBER, userId: OTHER_ID, name: 'Blaise' }

describe('the contacts of a notification', () => {
  it('complete a message by the id that both name, whichever it is', () => {
    const hidden = text({ from: undefined, from_user_id: USER_ID })
    for (const message of [text(), text({ from_user_id: USER_ID }), hidden, text({ from: USER_ID })]) {
      assert.deepEqual(read([contact()], message), [ADA])
    }
    assert.deepEqual(read([contact({ wa_id: undefined })], hidden), [{ userId: USER_ID, name: 'Ada', username: 'ada.l' }])
  })

  it('are matched by their ids, in any order', () => {
    const messages = [text({ from: OTHER_NUMBER }), text(), text({ from: undefined, from_user_id: OTHER_ID })]
    for (const contacts of [[contact(), other()], [other(), contact()], [other(), contact(), other()]]) {
      assert.deepEqual(read(contacts, ...messages), [BLAISE, ADA, BLAISE])
    }
  })

  it('know the variants of a number', () => {
    const mexican = contact({ wa_id: '525512345678' })
    assert.deepEqual(read([mexican, other()], text({ from: '5215512345678' })), [{ ...ADA, phoneNumber: '5215512345678' }])
  })

  it('complete no message of another customer', () => {
    assert.deepEqual(read([other()], text()), [{ phoneNumber: NUMBER }])
    assert.deepEqual(read([other()], text({ from_user_id: USER_ID })), [{ phoneNumber: NUMBER, userId: USER_ID }])
  })

  it('complete nothing if they contradict the message', () => {
    assert.deepEqual(read([contact({ user_id: OTHER_ID })], text({ from_user_id: USER_ID })), [{ phoneNumber: NUMBER, userId: USER_ID }])
    assert.deepEqual(read([contact({ wa_id: OTHER_NUMBER })], text({ from_user_id: USER_ID })), [{ phoneNumber: NUMBER, userId: USER_ID }])
  })

  it('complete nothing if they contradict each other, in whatever order they come', () => {
    const twoIds = [contact(), contact({ user_id: OTHER_ID })]
    const twoNumbers = [contact(), contact({ wa_id: OTHER_NUMBER })]
    const twoNames = [contact(), contact({ profile: { name: 'Eve' } })]
    for (const contacts of [twoIds, twoIds.toReversed(), [...twoIds, contact()]]) {
      assert.deepEqual(read(contacts, text(), text({ from: undefined, from_user_id: USER_ID })), [
        { phoneNumber: NUMBER }, { userId: USER_ID },
      ])
    }
    for (const contacts of [twoNumbers, twoNumbers.toReversed()]) {
      assert.deepEqual(read(contacts, text(), text({ from: undefined, from_user_id: USER_ID })), [
        { phoneNumber: NUMBER }, { userId: USER_ID },
      ])
    }
    assert.deepEqual(read(twoNames, text()), [{ phoneNumber: NUMBER }])
  })

  it('name the sender of the only message without an id, if there is only one of them', () => {
    const nameless = text({ from: undefined })
    assert.deepEqual(read([contact()], nameless), [ADA])
    assert.deepEqual(read([contact(), other()], nameless), [])
    assert.deepEqual(read([contact()], nameless, nameless), [])
    assert.deepEqual(read([contact()], nameless, text()), [ADA])
    assert.deepEqual(read([{ profile: { name: 'Ada' } }], nameless), [])
  })

  it('are of no use if they are of another shape', () => {
    const senseless = [null, 7, 'x', {}, [null], [[]], [{ wa_id: 7, user_id: [] }], [{ profile: 'Ada' }], { 0: contact() }]
    for (const contacts of senseless) {
      assert.deepEqual<unknown>(readValue({ contacts, messages: [text()] }), { reports: [inbound], ignored: [] })
    }
    for (const profile of [null, 'Ada', { name: 7, username: {} }, { name: '', username: ' ' }]) {
      assert.deepEqual(read([contact({ profile })], text()), [{ phoneNumber: NUMBER, userId: USER_ID }])
    }
  })

  it('have names of limited length, of characters that every database stores', () => {
    const profile = { name: `A\u0000da\ud800 ${'🙂'.repeat(200)}`, username: 'u'.repeat(1_000) }
    const [customer] = read([contact({ profile })], text()) as ReadonlyArray<{ name: string; username: string }>
    assert.match(customer?.name ?? '', /^Ada 🙂+$/u)
    assert.isAtMost(customer?.name.length ?? 0, 255)
    assert.lengthOf(customer?.username ?? '', 255)
  })

  it('of ten thousand customers are joined with as many messages', () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => `4917${String(index).padStart(8, '0')}`)
    const contacts = numbers.map((wa_id, index) => contact({ wa_id, user_id: `DE.${index}`, profile: { name: wa_id } }))
    const customers = read(contacts, ...numbers.toReversed().map((from) => text({ from })))
    assert.deepEqual(customers.at(0), { phoneNumber: numbers.at(-1), userId: 'DE.9999', name: numbers.at(-1) })
    assert.lengthOf(customers, 10_000)
  })

  it('teach nothing of a group', () => {
    const { reports, ignored } = readValue({ contacts: [contact()], messages: [text({ group_id: 'Y2Fw' })] })
    assert.deepEqual([reports.length, ignored], [0, [{ field: 'messages', reason: 'group' }]])
  })
})

describe('an answer to a request for the number', () => {
  const card = (more: object = {}) => ({
    name: { formatted_name: 'Ada' }, phones: [{ phone: '+49 1511 2345678', wa_id: NUMBER, type: 'MOBILE' }], ...more,
  })
  const answer = (more: object, ...contacts: ReadonlyArray<unknown>) => {
    const { reports, ignored } = readValue({
      messages: [text({ from: undefined, from_user_id: USER_ID, type: 'contacts', contacts, ...more })],
    })
    // What the message says is no matter here.
    return { reports: reports.map((report) => (report._tag === 'Inbound' ? { ...report, message: undefined } : report)), ignored }
  }
  const wrote = { ...inbound, customer: { userId: USER_ID }, message: undefined }
  const shared = { _tag: 'NumberShared', phoneNumberId: PHONE_NUMBER_ID, userId: USER_ID, phoneNumber: NUMBER, at: inbound.at }

  it('is an inbound message, and shares the number', () => {
    assert.deepEqual<unknown>(answer({}, card({ origin: 'contact_request' })), { reports: [wrote, shared], ignored: [] })
    assert.deepEqual<unknown>(answer({ origin: 'contact_request' }, card()).reports, [wrote, shared])
    assert.deepEqual<unknown>(answer({}, card({ origin: 'contact_request/other' })).reports, [wrote, shared])
    assert.deepEqual<unknown>(
      answer({}, card({ origin: 'contact_request', phones: [{ phone: '+49 (1511) 2345678' }] })).reports, [wrote, shared],
    )
    const twice = { origin: 'contact_request', phones: [{ wa_id: NUMBER }, { phone: `+${NUMBER}` }] }
    assert.deepEqual<unknown>(answer({}, card(twice)).reports, [wrote, shared])
  })

  it('shares nothing if it is a card that the customer passed on', () => {
    for (const origin of [undefined, 'other', '', 'CONTACT_REQUEST', 7, ['contact_request']]) {
      assert.deepEqual<unknown>(answer({}, card({ origin })), { reports: [wrote], ignored: [] }, String(origin))
    }
  })

  it('shares nothing if it names no number, or several', () => {
    const odd = [[], undefined, null, [null], [{ phone: 'x' }], [{ phone: 7, wa_id: 'x' }], [{ wa_id: NUMBER }, { wa_id: '33612345678' }]]
    for (const phones of odd) {
      assert.deepEqual<unknown>(answer({}, card({ origin: 'contact_request', phones })).reports, [wrote], JSON.stringify(phones))
    }
    assert.deepEqual<unknown>(answer({ contacts: 'x', origin: 'contact_request' }).reports, [wrote])
  })

  it('shares nothing if the platform names the number of the sender, or no user id', () => {
    for (const more of [{ from: NUMBER }, { from: '33612345678' }, { from: '33612345678', from_user_id: undefined }]) {
      assert.deepEqual(answer(more, card({ origin: 'contact_request' })).reports.map(({ _tag }) => _tag), ['Inbound'])
    }
  })
})
