import { assert } from 'chai'
import { isSignedBy } from '../../../../adapters/cloud-api/index.js'
import { MAGIC_PREFIX } from '../../../../apps/simulator/faults/faults.js'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import {
  APP_SECRET, freshForEach, json, post, quickSimulator, type Receiver, record, signatureHeader, startReceiver, template, text,
} from '../support.js'

describe('the simulator\'s unusual statuses', () => {
  let receiver: Receiver
  let simulator: Simulator
  before(async () => {
    receiver = await startReceiver((raw, _count, headers) => (isSignedBy(APP_SECRET, raw, signatureHeader(headers)) ? 200 : 401))
    // With one notification at a time, they arrive in order.
    simulator = await quickSimulator({ webhook: { ...receiver.webhook, concurrency: 1 } })
  })
  freshForEach(() => ({ simulator, receiver }))

  const report = async (digits: string, body = text(`${MAGIC_PREFIX}${digits}`) as object): Promise<ReadonlyArray<string>> => {
    assert.equal((await post(simulator, body)).status, 200)
    await simulator.idle()
    assert.sameMembers(simulator.received()[0]!.statuses.slice(), receiver.statuses().map(({ status }) => status!))
    return receiver.statuses().map(({ status, biz_opaque_callback_data: callback }) =>
      callback === undefined ? `${status} unmarked` : status!)
  }

  const sequences: ReadonlyArray<readonly [digits: string, title: string, statuses: ReadonlyArray<string>]> = [
    ['999', 'reports sent, delivered and read', ['sent', 'delivered', 'read']],
    ['801', 'reports delivered before sent', ['delivered', 'sent', 'read']],
    ['802', 'reports read without delivered', ['sent', 'read']],
    ['803', 'reports every status twice', ['sent', 'sent', 'delivered', 'delivered', 'read', 'read']],
    ['805', 'leaves the callback data out', ['sent unmarked', 'delivered unmarked', 'read unmarked']],
    ['806', 'reports nothing', []],
    ['807', 'fails without callback data', ['failed unmarked']],
    ['808', 'fails after sent', ['sent', 'failed']],
    ['809', 'fails after delivered', ['sent', 'delivered', 'failed']],
    ['810', 'reports an unknown status', ['sent', 'teleported', 'delivered', 'read']],
    ['817', 'reports all statuses at once', ['sent', 'delivered', 'read']],
    ['819', 'takes longer', ['sent', 'delivered', 'read']],
    ['820', 'reports sent only', ['sent']],
  ]
  for (const [digits, title, statuses] of sequences) {
    it(`${title} for ${MAGIC_PREFIX}${digits}`, async () => assert.deepEqual((await report(digits)).slice(), statuses.slice()))
  }

  for (const digits of ['813', '814', '815', '816']) {
    it(`delivers a notification with a bad signature for ${MAGIC_PREFIX}${digits} again, the same bytes signed correctly`, async () => {
      assert.sameMembers((await report(digits)).slice(), ['sent', 'delivered', 'read'])
      const bad = receiver.notifications.filter(({ status }) => status === 401)
      const good = receiver.notifications.filter(({ status }) => status === 200)
      assert.deepEqual(bad.map(({ raw }) => raw.toString()).sort(), good.map(({ raw }) => raw.toString()).sort())
      assert.isNotEmpty(bad)
      assert.equal(bad[0]?.headers['x-hub-signature-256'] === undefined, digits === '814')
    })
  }

  it('puts all statuses into one notification', async () => {
    await report('817')
    assert.lengthOf(receiver.notifications, 1)
  })

  it('reports a status before it answers the request', async () => {
    const answering = post(simulator, text(`${MAGIC_PREFIX}804`))
    const { messages } = await json(await answering)
    assert.deepInclude(record(receiver.statuses()[0]), { id: messages![0]!['id'], status: 'sent' })
    await simulator.idle()
    assert.lengthOf(receiver.statuses(), 3)
  })

  it('carries unknown keys', async () => {
    await report('811')
    assert.isTrue(receiver.statuses().every((status) => 'internal_1p_only_data' in status && 'recipient_logical_id' in status))
  })

  it('names the customer by user id only', async () => {
    await report('812')
    for (const status of receiver.statuses()) {
      assert.notProperty(status, 'recipient_id')
      assert.match(status['recipient_user_id']!, /^US\.[0-9]+$/)
    }
    assert.isTrue(receiver.values().every(({ contacts }) => !('wa_id' in contacts![0]!)))
  })

  it('mixes a status with a customer\'s message in one notification', async () => {
    await report('818')
    const mixed = receiver.values().find(({ messages }) => messages !== undefined)
    assert.include([...mixed!['statuses']!].map(({ status }) => String(status)), 'delivered')
    assert.equal(mixed!['messages']![0]!['from'], `${MAGIC_PREFIX}818`)
  })

  it('reports another category than the template\'s', async () => {
    await report('821', template(`${MAGIC_PREFIX}821`))
    assert.equal(receiver.statuses()[0]!['pricing']!['category'], 'marketing')
  })

  it('leaves the callback data out of failures if callbackOnFailed is false', async () => {
    simulator.change({ callbackOnFailed: false })
    assert.deepEqual((await report('026')).slice(), ['failed unmarked'])
  })

  it('does not report read if the delay is null', async () => {
    simulator.change({ delays: { read: null } })
    assert.deepEqual((await report('999')).slice(), ['sent', 'delivered'])
  })
})
