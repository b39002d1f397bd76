import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import { eventually } from '../../support/eventually.js'
import { type InProcessFixture, type Tenant, startInProcessFixture, startProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'
import { changeOf, inboundOf, notificationOf } from './notifications.js'

const HOUR_S = 3_600
const ACCOUNT = '102290129340398'

describe('Notifications of customers by user id, to the gateway', () => {
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => {
    world = await startInProcessFixture()
    tenant = await world.tenant()
  })
  after(() => world[Symbol.asyncDispose]())

  let customers = 0
  const newNumber = (): string => `4930${String(40_000_000 + customers++)}`
  const newUserId = (): string => `DE.${String(13_490_000_000 + customers++)}`
  const now = (): number => Math.floor(Date.now() / 1_000)
  const hiddenOf = (userId: string, more: object = {}): object =>
    inboundOf(undefined, { id: `wamid.${userId}`, from_user_id: userId, ...more })
  const isOpen = async (id: string): Promise<boolean> => (await tenant.ask('GET', `/v1/windows/${id}`)).json['open'] === true
  const change = (field: string, value: object): object => ({ ...changeOf(tenant.phoneNumberId, value), field })
  const notify = async (...changes: ReadonlyArray<unknown>): Promise<void> => {
    const answer = await world.notify(notificationOf(changes))
    assert.equal(answer.status, 200, answer.text)
  }
  const metrics = async (): Promise<string> => (await tenant.ask('GET', '/metrics')).text

  describe('open the window', () => {
    const ways: Readonly<Record<string, (userId: string) => object>> = {
      'of a message without a number': (userId) =>
        change('messages', { contacts: [{ user_id: userId, profile: { username: 'ada' } }], messages: [hiddenOf(userId)] }),
      'of a user id where the number should be': (userId) => change('messages', { messages: [inboundOf(userId)] }),
      'of a message that only contacts name': (userId) =>
        change('messages', { contacts: [{ user_id: userId }], messages: [hiddenOf('none')] }),
      'of a call without a number': (userId) =>
        change('calls', { calls: [hiddenOf(userId, { direction: 'USER_INITIATED', event: 'connect' })] }),
      'of a message while another program has the conversation': (userId) =>
        change('standby', { standby: { messages: [hiddenOf(userId)] } }),
      'of an answer with the number': (userId) => change('messages', {
        messages: [hiddenOf(userId, { type: 'contacts', contacts: [{ origin: 'contact_request', phones: [{ phone: '+49 30 123456' }] }] })],
      }),
    }
    for (const [name, changeFor] of Object.entries(ways)) {
      it(name, async () => {
        const [userId, stranger] = [newUserId(), newUserId()]
        await notify(changeFor(userId))
        assert.deepEqual([await isOpen(userId), await isOpen(stranger)], [true, false])
      })
    }
  })

  it('open none by a change of ids, a preference, a status or a message in a group', async () => {
    const [before, after] = [newUserId(), newUserId()]
    await notify(
      change('messages', {
        messages: [
          hiddenOf(before, { type: 'system', system: { type: 'user_changed_user_id', previous_user_id: before, user_id: after } }),
        ],
      }),
      change('messages', { messages: [hiddenOf(before, { group_id: 'g' }), hiddenOf(after, { group_id: 'g' })] }),
      change('user_preferences', {
        user_preferences: [{ user_id: before, category: 'marketing_messages', value: 'stop', timestamp: now() }],
      }),
      change('messages', { statuses: [{ id: 'wamid.old', status: 'read', timestamp: String(now() - HOUR_S), recipient_user_id: after }] }),
    )
    assert.deepEqual([await isOpen(before), await isOpen(after)], [false, false])
  })

  it('open the window of the customer who wrote, and of no other in the batch', async () => {
    const people = Array.from({ length: 20 }, () => ({ number: newNumber(), userId: newUserId() }))
    const [writers, silent] = [people.slice(0, 10), people.slice(10)]
    await notify(change('messages', {
      contacts: people.toReversed().map(({ number, userId }) => ({ wa_id: number, user_id: userId, profile: { name: number } })),
      messages: writers.map(({ number }) => inboundOf(number)),
    }))
    assert.deepEqual(
      await Promise.all(writers.flatMap(({ number, userId }) => [isOpen(number), isOpen(userId)])), writers.flatMap(() => [true, true]),
    )
    assert.deepEqual(
      await Promise.all(silent.flatMap(({ number, userId }) => [isOpen(number), isOpen(userId)])), silent.flatMap(() => [false, false]),
    )
  })

  it('are acknowledged whatever ids they bring, and open no window then', async () => {
    const odd = [
      'de.1349', `DE.${'x'.repeat(129)}`, 'ДЕ.1349', '٤٩.١', '49.15112345678', 'DE', 'DE.', 'DE.1 349', '\u0000', '', '__proto__',
      'DE.1349\n',
    ]
    const items = odd.flatMap((id) => [hiddenOf(id), inboundOf(id), hiddenOf('x', { from_user_id: undefined })])
    await notify(change('messages', { contacts: odd.map((id) => ({ wa_id: id, user_id: id, profile: { name: id } })), messages: items }))
    await notify(change('messages', {
      messages: odd.map((id) => hiddenOf(id, { type: 'system', system: { type: 'user_changed_number', wa_id: id, user_id: id } })),
    }))
    assert.match(await metrics(), /postern_notifications_ignored_total\{field="messages",reason="no_customer_id"\} 3\d/)
  })

  it('of the future are acknowledged', async () => {
    const [before, after] = [newUserId(), newUserId()]
    const timestamp = String(now() + 1_000 * HOUR_S)
    await notify(
      change('messages', { messages: [hiddenOf(before, { timestamp })] }),
      change('messages', {
        messages: [
          hiddenOf(before, {
            timestamp, type: 'system', system: { type: 'user_changed_user_id', previous_user_id: before, user_id: after },
          }),
        ],
      }),
      change('user_preferences', { user_preferences: [{ user_id: after, category: 'marketing_messages', value: 'stop', timestamp }] }),
    )
    assert.isFalse(await isOpen(newUserId()))
  })

  it('of a thousand mixed items are acknowledged once all of them are durable', async () => {
    const many = <Item>(count: number, make: (index: number) => Item): ReadonlyArray<Item> =>
      Array.from({ length: count }, (_, index) => make(index))
    const [numbers, hidden, callers, movers] = [many(250, newNumber), many(250, newUserId), many(100, newUserId), many(50, newUserId)]
    const moved = many(50, newUserId)
    const pairs = many(100, () => ({ number: newNumber(), userId: newUserId() }))
    const at = now() - 5
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [
        { id: ACCOUNT, changes: [change('messages', {
          contacts: pairs.map(({ number, userId }) => ({ wa_id: number, user_id: userId, profile: { name: 'Ada' } })),
          messages: [
            ...numbers.map((from) => inboundOf(from)), ...hidden.map((userId) => hiddenOf(userId)),
            ...pairs.map(({ number }) => inboundOf(number)),
            ...movers.map((userId) => hiddenOf(userId, { timestamp: String(at) })),
            ...movers.map((userId, index) => hiddenOf(userId, {
              timestamp: String(at + 1), type: 'system',
              system: { type: 'user_changed_user_id', previous_user_id: userId, user_id: moved[index] },
            })),
            ...many(50, () => null),
          ],
        })] },
        {
          id: ACCOUNT,
          changes: [
            change('calls', { calls: callers.map((userId) => hiddenOf(userId, { direction: 'USER_INITIATED', event: 'connect' })) }),
          ],
        },
        { id: ACCOUNT, changes: [change('user_preferences', {
          user_preferences: hidden.slice(0, 100).map((user_id) => ({
            user_id, category: 'marketing_messages', value: 'stop', timestamp: at,
          })),
        })] },
        {
          id: ACCOUNT,
          time: at,
          changes: many(50, (index) => ({
            field: 'message_template_quality_update', value: { message_template_id: index, new_quality_score: 'RED' },
          })),
        },
      ],
    })
    const answer = await world.notify(body)
    assert.equal(answer.status, 200, answer.text)
    const { windowClock, accountNotices } = world.storage
    const writers = [...numbers, ...hidden, ...callers, ...movers, ...moved, ...pairs.map(({ userId }) => userId)]
    const found = await Promise.all(writers.map((id) => windowClock.lastInbound(tenant.id, id as CustomerId)))
    assert.equal(found.filter((last) => O.isSome(rightOf(last))).length, writers.length)
    assert.lengthOf(rightOf(await accountNotices.latest(ACCOUNT)), 50)
    assert.match(await metrics(), /postern_notifications_ignored_total\{field="messages",reason="no_type"\} 50\n/)
  })

  it('are counted and logged by field and reason if they are not used, with labels of fixed lists', async () => {
    const fields = ['flows', 'account_alerts', 'x'.repeat(5_000), 'new_field_1', 'new_field_2', '__proto__', '"} 1\n']
    for (const _ of [1, 2]) {
      await notify(...fields.map((field) => ({ field, value: { text: 'Hello' } })), change('messages', { errors: [{ code: 1 }] }))
    }
    const text = await metrics()
    assert.match(text, /postern_notifications_ignored_total\{field="flows",reason="unused_field"\} 2\n/)
    assert.match(text, /postern_notifications_ignored_total\{field="other",reason="unused_field"\} 10\n/)
    assert.match(text, /postern_notifications_ignored_total\{field="messages",reason="platform_error"\} 2\n/)
    assert.notInclude(text, 'new_field')
    const lines = await eventually('the log lines', () => {
      const found = world.server().log().filter(({ msg, field }) =>
        msg === 'notification_items_ignored' && (field === 'other' || field === 'flows'))
      return found.length >= 2 ? found : undefined
    })
    assert.lengthOf(lines, 2)
    assert.deepInclude(lines.find(({ field }) => field === 'flows'), { level: 'info', reason: 'unused_field', count: 1 })
  })

  it('are counted over all workers', async () => {
    await using several = await startProcessFixture({ WORKERS: '2' })
    for (let sent = 0; sent < 8; sent += 1) {
      assert.equal((await several.notify(notificationOf([{ field: 'flows', value: {} }]))).status, 200)
    }
    await several.server().logged('listening', 2)
    const text = await eventually('the sum', async () => {
      const body = await (await fetch(`${several.server().url}/metrics`)).text()
      return body.includes('reason="unused_field"') ? body : undefined
    })
    assert.match(text, /postern_notifications_ignored_total\{field="flows",reason="unused_field"\} 8\n/)
  })
})
