import { assert } from 'chai'
import type { CustomerConsent } from '../../../core/consent/consent.js'
import type { CustomerId, CustomerIds, PhoneNumber, UserId } from '../../../core/customers/customer.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import type { PlatformId } from '../../../core/messages/message.js'
import type { Inbound } from '../../../core/reports/receive.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import { CUSTOMER, gateway, type Gateway, NOON } from '../gateway.js'

const USER_ID = 'DE.1234567890' as UserId
const NEW_NUMBER = '4915123456700' as PhoneNumber
const NEW_ID = 'DE.2222222222' as UserId

const wrote = (gw: Gateway, type: string, content: JsonObject | undefined, more: Partial<Inbound> = {}): Inbound => ({
  _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at: NOON,
  message: { id: 'wamid.in' as PlatformId, type, ...(content && { content }) }, ...more,
})

const says = (gw: Gateway, body: string, more: Partial<Inbound> = {}): Inbound => wrote(gw, 'text', { body }, more)

const consentOf = async (gw: Gateway, id: CustomerId = CUSTOMER): Promise<CustomerConsent> =>
  rightOf(await gw.storage.consents.find(gw.workspace, [id]))[0] ?? {}

const consentEvents = async (gw: Gateway) =>
  (await gw.events()).filter(({ type }) => type.startsWith('customer.opted')).map(({ type, data }): JsonObject => ({ type, ...data }))

const preference = (gw: Gateway, stopped: boolean, at: number, customer: CustomerIds = { phoneNumber: CUSTOMER }) =>
  ({ _tag: 'MarketingPreference', phoneNumberId: gw.phoneNumberId, customer, stopped, at } as const)

describe('A word that stops messages', () => {
  it('is recorded with what the customer wrote, and stops marketing messages', async () => {
    const gw = await gateway()
    rightOf(await gw.receive(says(gw, 'Stop!')))
    assert.deepEqual(await consentOf(gw), { marketing: { status: 'withdrawn', since: NOON, source: 'word', note: 'Stop!' } })
    assert.equal(leftOf(await gw.sendTemplate())._tag, 'CustomerOptedOut')
  })

  it('counts as a quick reply of a template, and as a button of another message', async () => {
    for (const [type, content] of [
      ['button', { text: 'Stop promotions', payload: '17' }],
      ['interactive', { type: 'button_reply', button_reply: { id: '17', title: 'Abmelden' } }],
    ] as const) {
      const gw = await gateway()
      rightOf(await gw.receive(wrote(gw, type, content)))
      assert.equal((await consentOf(gw)).marketing?.status, 'withdrawn', type)
    }
  })

  it('is the whole message, in a text', async () => {
    for (const message of [
      (gw: Gateway) => says(gw, 'Please stop by at our shop'), (gw: Gateway) => wrote(gw, 'image', { caption: 'STOP' }),
      (gw: Gateway) => wrote(gw, 'interactive', { type: 'list_reply', list_reply: { id: '1', title: 'STOP' } }),
      (gw: Gateway) => says(gw, `STOP${'!'.repeat(400)}`), (gw: Gateway) => wrote(gw, 'button', { text: 7 }),
      (gw: Gateway) => wrote(gw, 'text', {}),
    ]) {
      const gw = await gateway()
      rightOf(await gw.receive(message(gw)))
      assert.deepEqual(await consentOf(gw), {})
    }
  })

  it('is recorded as the word of the list if contents are not stored', async () => {
    const gw = await gateway()
    const message = { id: 'wamid.in' as PlatformId, type: 'text', words: 'stop, it is me, Ada' }
    rightOf(await gw.receive(says(gw, '', { message }), says(gw, '', { message: { ...message, words: 'stop!!' } })))
    assert.equal((await consentOf(gw)).marketing?.note, 'STOP')
  })

  it('is one of the words of the workspace, and stops what the workspace chose', async () => {
    const gw = await gateway()
    const optOut = { words: { en: ['Enough'] }, topic: 'all' } as const
    rightOf(await gw.storage.consents.set(gw.workspace, { optOut }))
    rightOf(await gw.receive(says(gw, 'STOP')))
    assert.deepEqual(await consentOf(gw), {})
    rightOf(await gw.receive(says(gw, 'ENOUGH.')))
    assert.equal((await consentOf(gw)).all?.status, 'withdrawn')
    assert.equal(leftOf(await gw.sendText())._tag, 'CustomerOptedOut')
  })

  it('is recorded once, however often it is delivered, and makes one event without the words', async () => {
    const gw = await gateway({ broker: true })
    rightOf(await gw.receive(says(gw, 'STOP')))
    rightOf(await gw.receive(says(gw, 'STOP'), says(gw, 'STOP')))
    assert.deepEqual(await consentEvents(gw), [
      { type: 'customer.opted_out', to: CUSTOMER, of: 'marketing', source: 'word', since: new Date(NOON).toISOString() },
    ])
    assert.lengthOf(rightOf(await gw.storage.consents.history(gw.workspace, CUSTOMER, 10)), 1)
  })

  it('counts for every id of the customer', async () => {
    const gw = await gateway()
    rightOf(await gw.receive(says(gw, 'hello', { customer: { phoneNumber: CUSTOMER, userId: USER_ID }, at: NOON - HOUR_MS })))
    rightOf(await gw.receive(says(gw, 'STOP', { customer: { userId: USER_ID } })))
    for (const id of [CUSTOMER, USER_ID]) assert.equal((await consentOf(gw, id)).marketing?.status, 'withdrawn')
  })

  it('is delivered again if it could not be recorded', async () => {
    const gw = await gateway({ ports: ({ consents }) => ({ consents: { ...consents, record: failing(consents.record, { times: 1 }) } }) })
    assert.equal(leftOf(await gw.receive(says(gw, 'STOP')))._tag, 'PortFailure')
    rightOf(await gw.receive(says(gw, 'STOP')))
    assert.equal((await consentOf(gw)).marketing?.status, 'withdrawn')
  })
})

describe('What a customer tells the platform', () => {
  it('is recorded as what the customer stopped or allowed, in any order, and makes events if it changes something', async () => {
    const gw = await gateway({ broker: true })
    rightOf(await gw.receive(preference(gw, false, NOON - 1)))
    rightOf(await gw.receive(preference(gw, true, NOON - 3)))
    assert.deepEqual(await consentOf(gw), { marketing: { status: 'granted', since: NOON - 1, source: 'platform' } })
    rightOf(await gw.receive(preference(gw, true, NOON)))
    assert.equal((await consentOf(gw)).marketing?.status, 'withdrawn')
    assert.deepEqual((await consentEvents(gw)).map((data) => data['type']), ['customer.opted_in', 'customer.opted_out'])
  })

  it('is recorded if the platform refuses a message for it, and keeps its time if it was known', async () => {
    const gw = await gateway()
    const error = { code: 131_050, message: 'User has stopped marketing messages' }
    gw.willNextAnswer({ _tag: 'PlatformRejected', error })
    leftOf(await gw.sendTemplate())
    assert.deepEqual(await consentOf(gw), { marketing: { status: 'withdrawn', since: NOON, source: 'platform' } })
    gw.passes(HOUR_MS)
    const { id } = rightOf(await gw.sendText())
    rightOf(await gw.receive(gw.status(id, 'failed', { to: CUSTOMER, change: { state: 'failed', at: gw.now(), error } })))
    assert.equal((await consentOf(gw)).marketing?.since, NOON)
  })

  it('is recorded if a message fails for it', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.sendTemplate())
    const error = { code: 131_050, title: 'Unable to deliver the message' }
    rightOf(await gw.receive(gw.status(id, 'failed', { to: CUSTOMER, change: { state: 'failed', at: NOON, error } })))
    assert.equal((await consentOf(gw)).marketing?.status, 'withdrawn')
  })

  it('is not recorded for another refusal', async () => {
    const gw = await gateway()
    gw.willNextAnswer({ _tag: 'PlatformRejected', error: { code: 131_026 } })
    leftOf(await gw.sendTemplate())
    assert.deepEqual(await consentOf(gw), {})
  })
})

describe('What a customer stopped', () => {
  it('moves to the new ids of the customer, with its time', async () => {
    const gw = await gateway()
    rightOf(await gw.receive(says(gw, 'STOP', { at: NOON - HOUR_MS })))
    const after = { phoneNumber: NEW_NUMBER, userId: NEW_ID }
    rightOf(await gw.receive({ _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before: { phoneNumber: CUSTOMER }, after, at: NOON }))
    for (const id of [NEW_NUMBER, NEW_ID]) {
      assert.deepInclude((await consentOf(gw, id)).marketing, { status: 'withdrawn', since: NOON - HOUR_MS })
      assert.equal(leftOf(await gw.sendTemplate({ to: id }))._tag, 'CustomerOptedOut')
    }
  })
})
