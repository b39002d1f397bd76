import { readFile } from 'node:fs/promises'
import { assert } from 'chai'
import { MAGIC_CHANGES } from '../../../../apps/simulator/faults/customer-changes.js'
import { FAULTS, MAGIC_PREFIX } from '../../../../apps/simulator/faults/faults.js'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import {
  control, CUSTOMER, customersOf, PHONE_NUMBER_ID, post, type Receiver, record, startInOrder, template, text, toUserId, WELCOME,
} from '../support.js'

const NEW_NUMBER = '4915112345678'

describe('the simulator\'s customers, when they change,', () => {
  let receiver: Receiver
  let simulator: Simulator
  const started = startInOrder()
  before(() => { [simulator, receiver] = [started.simulator(), started.receiver()] })

  const { change, userIdOf, write, send } = customersOf(() => simulator)

  it('who change their number get a new user id, which a system message without contacts reports', async () => {
    const before = await userIdOf(CUSTOMER)
    await write(CUSTOMER)
    const answer = await change(CUSTOMER, 'change-number', { number: `+${NEW_NUMBER}`, at: '2026-11-20T10:00:00Z' })
    await simulator.idle()
    assert.deepInclude(record(answer), { number: NEW_NUMBER, reported_to: [PHONE_NUMBER_ID] })
    const after = await userIdOf(NEW_NUMBER)
    assert.notEqual(after, before)
    assert.match(after, /^DE\./)
    const value = receiver.values().at(-1)!
    assert.notProperty(value, 'contacts')
    const { id, ...message } = record(value['messages']![0]) as Record<string, unknown>
    assert.match(String(id), /^wamid\./)
    assert.deepEqual(message, {
      from: CUSTOMER, timestamp: String(Date.UTC(2026, 10, 20, 10) / 1000), type: 'system',
      system: {
        body: `User A customer changed from ${CUSTOMER} to ${NEW_NUMBER}`, wa_id: NEW_NUMBER, user_id: after, type: 'user_changed_number',
      },
    })
    assert.notInclude([before, after], await userIdOf(CUSTOMER))
  })

  it('who hide their number and change it are reported by both user ids', async () => {
    const before = await userIdOf(CUSTOMER)
    await change(CUSTOMER, 'hide-number')
    await change(before, 'change-number', { number: NEW_NUMBER })
    await simulator.idle()
    const [message] = receiver.messages()
    assert.notProperty(message, 'from')
    assert.deepEqual(message!['system'] as unknown, {
      body: `User A customer changed from ${before} to ${await userIdOf(NEW_NUMBER)}`,
      user_id: await userIdOf(NEW_NUMBER), previous_user_id: before, type: 'user_changed_user_id',
    })
  })

  it('who get a new user id keep their number, and messages to the former id do not arrive', async () => {
    const before = await userIdOf(CUSTOMER)
    await change(CUSTOMER, 'change-user-id')
    await simulator.idle()
    const after = await userIdOf(CUSTOMER)
    assert.notEqual(after, before)
    assert.deepInclude(record(receiver.messages()[0]), { from: CUSTOMER })
    assert.deepInclude(record(receiver.messages()[0]!['system']), {
      type: 'user_changed_user_id', wa_id: CUSTOMER, user_id: after, previous_user_id: before,
    })
    await send(toUserId(before))
    assert.equal(Number(receiver.statuses()[0]!['errors']![0]!['code']), 131026)
  })

  it('keep their conversation and its window whatever ids they have', async () => {
    simulator.change({ windows: 'refused' })
    await write(CUSTOMER)
    await change(CUSTOMER, 'change-number', { number: NEW_NUMBER })
    await change(NEW_NUMBER, 'change-user-id')
    await change(NEW_NUMBER, 'hide-number')
    assert.equal((await post(simulator, text(NEW_NUMBER))).status, 200)
    assert.equal((await post(simulator, toUserId(await userIdOf(NEW_NUMBER)))).status, 200)
    assert.equal((await post(simulator, text(CUSTOMER))).status, 400)
  })

  it('whose number goes to another person are not reported; that person has a new user id and no window', async () => {
    simulator.change({ windows: 'refused' })
    const before = await userIdOf(CUSTOMER)
    await write(CUSTOMER)
    receiver.notifications.length = 0
    const answer = await change(CUSTOMER, 'give-number-away')
    await simulator.idle()
    assert.isEmpty(receiver.notifications)
    const after = await userIdOf(CUSTOMER)
    assert.deepInclude(record(answer), { number: CUSTOMER, user_id: after })
    assert.notEqual(after, before)
    assert.equal((await post(simulator, text(CUSTOMER))).status, 400)
    await send(template(CUSTOMER))
    assert.equal(receiver.statuses()[0]!['recipient_user_id'], after)
    receiver.notifications.length = 0
    await send(toUserId(before, template('')))
    assert.equal(Number(receiver.statuses()[0]!['errors']![0]!['code']), 131026)
    assert.equal((await control(simulator, `customers/${before}/give-number-away`, {})).status, 400)
  })

  it('answer a request for their number, which stays hidden elsewhere', async () => {
    await change(CUSTOMER, 'hide-number', { username: '@ada' })
    await write(CUSTOMER)
    await change(CUSTOMER, 'share-number')
    await simulator.idle()
    const value = receiver.values().at(-1)!
    assert.deepEqual(value['contacts'] as unknown, [
      { profile: { name: 'A customer', username: '@ada' }, user_id: await userIdOf(CUSTOMER) },
    ])
    const message = value['messages']![0]!
    assert.notProperty(message, 'from')
    assert.equal(message['type'], 'contacts')
    assert.deepEqual(message['contacts'] as unknown, [{
      name: { formatted_name: 'A customer', first_name: 'A' }, phones: [{ phone: `+${CUSTOMER}`, wa_id: CUSTOMER, type: 'MOBILE' }],
      origin: 'contact_request',
    }])
  })

  it('stop marketing messages, whose templates then fail with 131050, and take them again', async () => {
    await write(CUSTOMER)
    await change(CUSTOMER, 'stop-marketing', { at: '2026-11-20T10:00:00Z' })
    await simulator.idle()
    const [notified] = receiver.latestChanges()
    assert.equal(notified!['field'], 'user_preferences')
    const value = notified!['value']!
    const userId = await userIdOf(CUSTOMER)
    assert.deepEqual(value['contacts'] as unknown, [{ profile: { name: 'A customer' }, wa_id: CUSTOMER, user_id: userId }])
    assert.deepEqual(value['user_preferences'] as unknown, [{
      wa_id: CUSTOMER, user_id: userId, detail: 'User requested to stop marketing messages', category: 'marketing_messages', value: 'stop',
      timestamp: Date.UTC(2026, 10, 20, 10) / 1000,
    }])
    const outcome = async (body: object): Promise<unknown> => {
      receiver.notifications.length = 0
      await send(body)
      return receiver.statuses()[0]!['errors']?.[0]?.['code'] ?? 'arrives'
    }
    assert.equal(await outcome(template(CUSTOMER, 'welcome', 'en', WELCOME)), 131050)
    assert.equal(await outcome(template(CUSTOMER)), 'arrives')
    await change(CUSTOMER, 'resume-marketing')
    await simulator.idle()
    assert.equal(receiver.values().at(-1)!['user_preferences']![0]!['value'], 'resume')
    assert.equal(await outcome(template(CUSTOMER, 'welcome', 'en', WELCOME)), 'arrives')
  })

  it('tell every business number with which they have a conversation, each its own user id', async () => {
    simulator.change({ portfolios: { 77: 'another' } })
    await write(CUSTOMER)
    await write(CUSTOMER, { phone_number_id: '77' })
    receiver.notifications.length = 0
    const { reported_to: reportedTo } = await change(CUSTOMER, 'change-user-id')
    await simulator.idle()
    assert.deepEqual(reportedTo as unknown, [PHONE_NUMBER_ID, '77'])
    assert.equal(new Set(receiver.messages().map(({ system }) => system!['user_id'])).size, 2)
    receiver.notifications.length = 0
    assert.deepEqual((await change(CUSTOMER, 'stop-marketing', { phone_number_id: '77', times: 2 }))['reported_to'] as unknown, ['77'])
    await simulator.idle()
    assert.deepEqual(receiver.values().map(({ metadata }) => String(metadata!['phone_number_id'])), ['77', '77'])
  })

  const faulty: ReadonlyArray<readonly [path: string, body: object, says: RegExp]> = [
    [`customers/${CUSTOMER}/hide-number`, { name: 'x' }, /hide-number has only these keys: username/],
    [`customers/${CUSTOMER}/change-number`, {}, /The key number/],
    [`customers/${CUSTOMER}/change-number`, { number: 'x' }, /The key number/],
    [`customers/${CUSTOMER}/change-user-id`, { at: 'soon' }, /change-user-id has only these keys/],
    ['customers/unknown/stop-marketing', {}, /phone number with its country code, or a user id/],
    ['customers/US.123/share-number', {}, /no phone number/],
  ]
  for (const [path, body, says] of faulty) {
    it(`refuse ${JSON.stringify(body)} for ${path}`, async () => {
      const answer = await control(simulator, path, body)
      assert.equal(answer.status, 400)
      assert.match(answer.json['error']!, says)
    })
  }

  describe('with magic numbers', () => {
    const magic = (digits: string): string => `${MAGIC_PREFIX}${digits}`
    const systemTypes = (): ReadonlyArray<string> =>
      receiver.messages().map(({ type, system }) => `${type} ${system?.['type'] ?? ''}`.trim())

    it('are listed in the guide, and none is a fault\'s', async () => {
      const guide = await readFile(new URL('../../../../docs/simulator.md', import.meta.url), 'utf8')
      for (const { digits, about } of MAGIC_CHANGES) {
        assert.include(guide, `| \`${magic(digits)}\` | accepted; ${about} |`)
        assert.notInclude(FAULTS.map((fault) => fault.digits), digits)
      }
      const { json: { changes } } = await control(simulator, 'faults')
      assert.lengthOf(changes!, MAGIC_CHANGES.length)
    })

    it('hide the number', async () => {
      await send(text(magic('850')))
      assert.lengthOf(receiver.statuses(), 3)
      assert.isTrue(receiver.statuses().every((status) => !('recipient_id' in status)))
    })

    it('change the number', async () => {
      await send(text(magic('851')))
      assert.deepEqual(systemTypes(), ['system user_changed_number'])
      assert.equal(receiver.messages()[0]!['system']!['wa_id'], '15550200001')
      await send(text(magic('851')))
      assert.equal(receiver.messages()[1]!['system']!['wa_id'], '15550200002')
    })

    it('change the user id', async () => {
      await send(text(magic('852')))
      assert.deepEqual(systemTypes(), ['system user_changed_user_id'])
    })

    it('pass to another person', async () => {
      await send(text(magic('853')))
      await send(text(magic('853')))
      const ids = receiver.statuses().map((status) => status['recipient_user_id'])
      assert.equal(new Set(ids).size, 2)
      assert.isEmpty(receiver.messages())
    })

    it('share the number', async () => {
      await send(text(magic('854')))
      assert.equal(receiver.messages()[0]!['contacts']![0]!['origin'], 'contact_request')
    })

    it('stop marketing messages', async () => {
      await send(template(magic('855'), 'welcome', 'en', WELCOME))
      assert.equal(receiver.values().at(-1)!['user_preferences']![0]!['value'], 'stop')
      receiver.notifications.length = 0
      await send(template(magic('855'), 'welcome', 'en', WELCOME))
      assert.equal(Number(receiver.statuses()[0]!['errors']![0]!['code']), 131050)
    })

    it('write in standby', async () => {
      await send(text(magic('856')))
      assert.property(receiver.values().at(-1), 'standby')
    })
  })
})
