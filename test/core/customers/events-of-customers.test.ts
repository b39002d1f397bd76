import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { type Inbound, makeRecordInbound, type UncountedInbound } from '../../../core/reports/receive.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import { CUSTOMER, gateway, type Gateway, NOON } from '../gateway.js'
import { bySystem } from '../use-cases/by-system.js'

const USER_ID = 'DE.aBc' as UserId
const OTHER_ID = 'DE.xYz' as UserId
const OTHER_NUMBER = '4915199999999' as PhoneNumber
const TEXT = { id: 'wamid.in.1' as PlatformId, type: 'text', content: { body: 'Hallo' }, context: { id: 'wamid.out.1' } }

const written = (gw: Gateway, more: Partial<Inbound> = {}): Inbound =>
  ({ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at: gw.now(), message: TEXT, ...more })

const eventsOf = async (gw: Gateway, type: string) => (await gw.events()).filter((event) => event.type === type)

describe('The event of a message that a customer wrote', () => {
  it('says who wrote what and when, with the content apart', async () => {
    const gw = await gateway({ broker: true })
    rightOf(await gw.receive(written(gw, { customer: { phoneNumber: CUSTOMER, userId: USER_ID, name: 'Ana', username: 'ana' } })))
    const [event] = await eventsOf(gw, 'message.received')
    assert.deepInclude(event, {
      subject: USER_ID, content: { content: { body: 'Hallo' }, context: { id: 'wamid.out.1' } },
      data: {
        id: 'wamid.in.1', from: { phone_number: CUSTOMER, user_id: USER_ID, name: 'Ana', username: 'ana' }, sender: gw.phoneNumberId,
        type: 'text', content: null, context: null, at: '2026-03-01T12:00:00.000Z',
      },
    })
  })

  it('has no content if none is kept, and null for what the platform does not say', async () => {
    const gw = await gateway({ broker: true })
    rightOf(await gw.receive(written(gw, { message: { id: TEXT.id, type: 'image' } })))
    const [event] = await eventsOf(gw, 'message.received')
    assert.notProperty(event, 'content')
    assert.deepEqual(event?.data['from'], { phone_number: CUSTOMER, user_id: null, name: null, username: null })
  })

  it('is one, however often the message is delivered, also at once and under two ids that nothing joins', async () => {
    for (const keepsCustomers of [true, false]) {
      const gw = await gateway({ broker: true, keepsCustomers })
      const report = written(gw, { customer: { phoneNumber: CUSTOMER, userId: USER_ID } })
      await gw.receive(report, report)
      gw.passes(HOUR_MS)
      rightOf(await gw.receive(report))
      assert.lengthOf(await eventsOf(gw, 'message.received'), 1)
    }
  })

  it('is stored before the notification is acknowledged', async () => {
    const gw = await gateway({
      broker: true,
      ports: ({ windowClock }) => ({ windowClock: { ...windowClock, recordInbound: failing(windowClock.recordInbound, { times: 1 }) } }),
    })
    assert.equal(leftOf(await gw.receive(written(gw)))._tag, 'PortFailure')
    assert.isEmpty(await gw.events())
    rightOf(await gw.receive(written(gw)))
    assert.lengthOf(await eventsOf(gw, 'message.received'), 1)
  })

  it('is made of what does not count for the window, too, which stays closed', async () => {
    const gw = await gateway({ broker: true, lastInbound: undefined })
    const reaction: UncountedInbound = {
      ...written(gw), _tag: 'UncountedInbound', message: { id: TEXT.id, type: 'reaction', content: { emoji: '👍' } },
    }
    assert.deepEqual(await gw.receive(reaction, reaction), E.right(['message_noted', 'message_noted']))
    assert.deepEqual((await gw.events()).map(({ type, data }) => [type, data['type']]), [['message.received', 'reaction']])
    assert.isUndefined(await gw.lastInbound())
  })

  it('is not acknowledged either if the storage fails, and is dropped if nothing listens', async () => {
    const failingOutbox = await gateway({
      broker: true, ports: ({ eventOutbox }) => ({ eventOutbox: { ...eventOutbox, append: failing(eventOutbox.append, { times: 1 }) } }),
    })
    const reaction: UncountedInbound = { ...written(failingOutbox), _tag: 'UncountedInbound', message: TEXT }
    assert.equal(leftOf(await failingOutbox.receive(reaction))._tag, 'PortFailure')
    const unheard = await gateway()
    assert.deepEqual(
      await unheard.receive({ ...reaction, phoneNumberId: unheard.phoneNumberId }, written(unheard)),
      E.right(['message_dropped', 'window_marked']))
    assert.isEmpty(await unheard.events())
  })
})

describe('The event of a window that was opened', () => {
  const opened = (gw: Gateway) => eventsOf(gw, 'window.opened')

  it('comes with the first message after a closed window, and says until when it is open', async () => {
    const gw = await gateway({ broker: true, lastInbound: NOON - 25 * HOUR_MS })
    await gw.receive(written(gw), written(gw, { at: NOON + 1, message: { ...TEXT, id: 'wamid.in.2' as PlatformId } }))
    assert.deepEqual((await opened(gw)).map(({ subject, data }) => ({ subject, data })), [{
      subject: CUSTOMER,
      data: {
        to: CUSTOMER, sender: gw.phoneNumberId, open: true, last_inbound_at: '2026-03-01T12:00:00.000Z',
        closes_at: '2026-03-02T12:00:00.000Z',
      },
    }])
    gw.passes(24 * HOUR_MS + 1)
    rightOf(await gw.receive(written(gw)))
    assert.lengthOf(await opened(gw), 2)
  })

  it('does not come while the window is open, for a message that is repeated, or for one whose window is over', async () => {
    const gw = await gateway({ broker: true, lastInbound: NOON - HOUR_MS })
    for (const at of [NOON, NOON, NOON - 2 * HOUR_MS]) rightOf(await gw.receive(written(gw, { at })))
    const late = await gateway({ broker: true, lastInbound: undefined })
    rightOf(await late.receive(written(late, { at: NOON - 24 * HOUR_MS })))
    assert.isEmpty([...await opened(gw), ...await opened(late)])
  })

  it('does not come if the customer has an open window under the other id', async () => {
    const gw = await gateway({ broker: true, lastInbound: undefined })
    rightOf(await gw.receive(written(gw, { at: NOON - HOUR_MS })))
    rightOf(await gw.receive(gw.status(undefined, 'sent', {
      customer: { phoneNumber: CUSTOMER, userId: USER_ID }, change: { state: 'sent', at: NOON - 2 * HOUR_MS },
    })))
    rightOf(await gw.receive(written(gw, { customer: { userId: USER_ID } })))
    assert.deepEqual((await opened(gw)).map(({ subject }) => subject), [CUSTOMER])
  })

  it('comes for a message that an operator records', async () => {
    const gw = await gateway({ broker: true, lastInbound: undefined })
    rightOf(await bySystem(makeRecordInbound(gw.deps))({ workspace: gw.workspace, customer: USER_ID, at: NOON - HOUR_MS }))
    assert.deepEqual((await gw.events()).map(({ type, data }) => [type, data['to']]), [['window.opened', USER_ID]])
  })
})

describe('The event of a customer whose ids have changed', () => {
  const changed = async (gw: Gateway) => (await eventsOf(gw, 'customer.changed')).map(({ data }) => data)

  it('comes once for a pair, from whatever report, and not again', async () => {
    const gw = await gateway({ broker: true })
    const customer = { phoneNumber: CUSTOMER, userId: USER_ID }
    for (const name of [undefined, 'Ana']) rightOf(await gw.receive(written(gw, { customer: { ...customer, name } })))
    const { id } = rightOf(await gw.sendText())
    rightOf(await gw.receive(gw.status(id, 'sent', { customer })))
    assert.deepEqual(await changed(gw), [{ phone_number: CUSTOMER, user_id: USER_ID }])
  })

  it('comes for a number that a customer shared, unless the number is another customer\'s', async () => {
    const gw = await gateway({ broker: true })
    rightOf(await gw.receive(written(gw, { customer: { phoneNumber: OTHER_NUMBER, userId: OTHER_ID } })))
    for (const phoneNumber of [CUSTOMER, OTHER_NUMBER]) {
      const userId = phoneNumber === CUSTOMER ? USER_ID : 'DE.new' as UserId
      rightOf(await gw.receive({ _tag: 'NumberShared', phoneNumberId: gw.phoneNumberId, userId, phoneNumber, at: gw.now() }))
    }
    assert.deepEqual(await changed(gw), [{ phone_number: OTHER_NUMBER, user_id: OTHER_ID }, { phone_number: CUSTOMER, user_id: USER_ID }])
  })

  it('comes once if a customer has another number, and if the ids end without others', async () => {
    const gw = await gateway({ broker: true })
    const before = { phoneNumber: CUSTOMER, userId: USER_ID }
    rightOf(await gw.receive(written(gw, { customer: before })))
    gw.passes(HOUR_MS)
    rightOf(await gw.receive({
      _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before, after: { phoneNumber: OTHER_NUMBER, userId: USER_ID }, at: gw.now(),
    }))
    gw.passes(HOUR_MS)
    rightOf(await gw.receive({
      _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before: { phoneNumber: OTHER_NUMBER }, after: { phoneNumber: CUSTOMER },
      at: gw.now(),
    }))
    assert.deepEqual(await changed(gw), [
      { phone_number: CUSTOMER, user_id: USER_ID }, { phone_number: OTHER_NUMBER, user_id: USER_ID },
      { phone_number: OTHER_NUMBER, user_id: null },
    ])
  })
})
