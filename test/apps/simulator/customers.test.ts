import { assert } from 'chai'
import type { Simulator } from '../../../apps/simulator/simulator.js'
import {
  control, CUSTOMER, customersOf, PHONE_NUMBER_ID, type Receiver, record, startInOrder, template, text, toUserId, WELCOME,
} from './support.js'

const OTHER = '4915112345678'

describe('the simulator\'s customers', () => {
  let receiver: Receiver
  let simulator: Simulator
  const started = startInOrder()
  before(() => { [simulator, receiver] = [started.simulator(), started.receiver()] })

  const { change, show, userIdOf, write, send } = customersOf(() => simulator)
  const everyByte = (): string => receiver.notifications.map(({ raw }) => raw.toString()).join()
  const wamidBytes = (): string => [...receiver.messages(), ...receiver.statuses()]
    .map(({ id }) => Buffer.from(id!.replace('wamid.', ''), 'base64').toString('latin1')).join()

  it('write with a number and a user id, the same one in every notification', async () => {
    await write(CUSTOMER)
    const value = receiver.values().at(-1)!
    const userId = await userIdOf(CUSTOMER)
    assert.deepEqual(value['contacts'] as unknown, [{ profile: { name: 'A customer' }, wa_id: CUSTOMER, user_id: userId }])
    assert.deepInclude(record(value['messages']![0]), { from: CUSTOMER, from_user_id: userId })
    await send(text(CUSTOMER))
    assert.isTrue(receiver.statuses().every((status) => status['recipient_id'] === CUSTOMER && status['recipient_user_id'] === userId))
    assert.equal(await userIdOf(userId), userId)
    assert.equal((await show(userId))['number'], CUSTOMER)
  })

  /** The names under which notifications name a number. */
  const namesOf = (number: string): ReadonlyArray<string> =>
    receiver.values()
      .map((value) => JSON.stringify(value['contacts'] ?? []))
      .filter((contacts) => contacts.includes(number))
      .map((contacts) => /"name":"([^"]+)"/.exec(contacts)?.[1] ?? 'none')

  it('keep the name under which they wrote, in statuses and in later messages', async () => {
    await control(simulator, `customers/${OTHER}/messages`, { text: 'Hello', name: 'Ada' })
    await send(text(OTHER))
    await write(OTHER)
    const names = namesOf(OTHER)
    assert.isAtLeast(names.length, 3)
    assert.deepEqual([...new Set(names)], ['Ada'])
  })

  it('can be remembered without a notification, with a name and an open window', async () => {
    const number = '4915112345679'
    const before = receiver.notifications.length
    simulator.remember(number, { name: 'Ben', wroteAt: Date.now() - 1_000 }, PHONE_NUMBER_ID)
    simulator.change({ windows: 'refused' })
    await send(text(number))
    simulator.change({ windows: 'ignored' })
    assert.isAbove(receiver.notifications.length, before)
    assert.deepEqual([...new Set(namesOf(number))], ['Ben'])
    assert.throws(() => simulator.remember('Ben', { name: 'Ben', wroteAt: 0 }))
  })

  it('can be named by their user id', async () => {
    const userId = await userIdOf(CUSTOMER)
    await write(userId)
    const value = receiver.values().at(-1)!
    assert.equal(value['messages']![0]!['from'], CUSTOMER)
    simulator.writeAs(userId, { text: 'Again' })
    await simulator.idle()
    assert.equal(receiver.messages().at(-1)!['from_user_id'], userId)
    assert.throws(() => simulator.writeAs('unknown', {}), /phone number/)
  })

  describe('who hide their number', () => {
    it('are named by the user id alone in every notification', async () => {
      const userId = await userIdOf(CUSTOMER)
      assert.deepInclude(record(await change(CUSTOMER, 'hide-number', { username: '@ada' })), { number_hidden: true, username: '@ada' })
      for (const type of ['text', 'call', 'contacts', 'system', 'reaction']) await write(CUSTOMER, { type })
      await write(CUSTOMER, { standby: true })
      await change(CUSTOMER, 'change-user-id')
      await change(CUSTOMER, 'stop-marketing')
      await send(toUserId(await userIdOf(CUSTOMER)))
      await send(text(CUSTOMER, 'Hello', 'msg_1'))
      await send(template(CUSTOMER, 'welcome', 'en', WELCOME))
      assert.notInclude(everyByte().replaceAll(`msg_${CUSTOMER}`, ''), CUSTOMER)
      assert.include(everyByte(), userId)
      assert.equal(receiver.values().find(({ messages }) => messages !== undefined)!['contacts']![0]!['user_id'], userId)
    })

    it('have a username on messages, delivered and read, but not on sent', async () => {
      await change(CUSTOMER, 'hide-number', { username: '@ada' })
      await write(CUSTOMER)
      const value = receiver.values().at(-1)!
      assert.equal(value['contacts']![0]!['profile']!['username'], '@ada')
      await send(text(CUSTOMER))
      const named = receiver.values().filter(({ statuses }) => statuses !== undefined)
        .map(({ statuses, contacts }) => `${statuses![0]!['status']} ${contacts![0]!['profile']!['username'] ?? 'without'}`)
      assert.deepEqual(named, ['sent without', 'delivered @ada', 'read @ada'])
    })

    it('get a username of their own if none is given, which does not tell the number', async () => {
      const names = [await change(CUSTOMER, 'hide-number'), await change(OTHER, 'hide-number')].map(({ username }) => String(username))
      assert.equal(new Set(names).size, 2)
      assert.match(names[0]!, /^@[a-z0-9_]+$/)
      assert.notInclude(names[0], CUSTOMER.slice(-4))
    })

    it('hide it in ids of messages, which say the number of others', async () => {
      await write(CUSTOMER)
      assert.include(wamidBytes(), CUSTOMER)
      receiver.notifications.length = 0
      await change(CUSTOMER, 'hide-number')
      await write(CUSTOMER)
      assert.notInclude(wamidBytes(), CUSTOMER)
    })

    it('may show it again', async () => {
      await change(CUSTOMER, 'hide-number')
      assert.isFalse(Boolean((await change(CUSTOMER, 'show-number'))['number_hidden']))
      await write(CUSTOMER)
      const value = receiver.values().at(-1)!
      assert.equal(value['messages']![0]!['from'], CUSTOMER)
    })
  })

  it('write in `standby` while another app answers', async () => {
    await write(CUSTOMER, { standby: true, text: 'Are you a robot?' })
    const [notified] = receiver.latestChanges()
    assert.equal(notified!['field'], 'standby')
    const value = notified!['value']!
    assert.equal(value['metadata']!['phone_number_id'], PHONE_NUMBER_ID)
    assert.equal(value['standby']!['messages']![0]!['text']!['body'], 'Are you a robot?')
    assert.equal(value['standby']!['contacts']![0]!['wa_id'], CUSTOMER)
    assert.notProperty(value, 'messages')
  })

  it('are listed with both ids, also on the page', async () => {
    await send(text(CUSTOMER))
    const userId = await userIdOf(CUSTOMER)
    await change(CUSTOMER, 'hide-number', { username: '@ada<b>' })
    const { json: { customers } } = await control(simulator, 'customers')
    assert.deepEqual(customers as unknown, [
      { number: CUSTOMER, user_id: userId, username: '@ada<b>', number_hidden: true, marketing_stopped: false },
    ])
    const page = await (await fetch(`${simulator.url}/_simulator/log`)).text()
    for (const shown of [`data-number="${CUSTOMER}"`, `data-number="${userId}"`, 'number hidden', '@ada&#60;b&#62;']) {
      assert.include(page, shown)
    }
  })

  it('are forgotten on a reset', async () => {
    await change(CUSTOMER, 'hide-number')
    const before = await userIdOf(CUSTOMER)
    await change(CUSTOMER, 'change-user-id')
    await simulator.idle()
    simulator.reset()
    assert.deepInclude(record(await show(CUSTOMER)), { user_id: before, number_hidden: false })
  })

})
