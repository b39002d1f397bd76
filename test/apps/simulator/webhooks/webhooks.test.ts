import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import { isSignedBy } from '../../../../adapters/cloud-api/index.js'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import { retryDelay } from '../../../../apps/simulator/webhooks/delivery.js'
import { eventually } from '../../../support/eventually.js'
import { listening } from '../../../support/listening.js'
import {
  APP_SECRET, control, CUSTOMER, json, PHONE_NUMBER_ID, post, quickSimulator, type Receiver, record, signatureHeader, startReceiver,
  template, text, VERIFY_TOKEN,
} from '../support.js'

/** Runs against a simulator of its own, and closes it and its receiver afterwards. */
const withBoth = async (
  statusOf: Parameters<typeof startReceiver>[0],
  run: (simulator: Simulator, receiver: Receiver) => Promise<void>,
  webhook: object = {},
): Promise<void> => {
  const receiver = await startReceiver(statusOf)
  const simulator = await quickSimulator({ webhook: { ...receiver.webhook, concurrency: 1, ...webhook } })
  try {
    await run(simulator, receiver)
  } finally {
    await Promise.all([simulator.close(), receiver.close()])
  }
}

const always = () => 200

describe('the simulator\'s webhooks', () => {
  it('are signed over the exact bytes that are sent, which are escaped as the platform escapes them', () =>
    withBoth(always, async (simulator, receiver) => {
      simulator.writeAs(CUSTOMER, { text: 'Grüße/<b>100%@😀' })
      await simulator.idle()
      const [{ raw, headers }] = receiver.notifications as [typeof receiver.notifications[number]]
      assert.isTrue(isSignedBy(APP_SECRET, raw, signatureHeader(headers)))
      assert.equal(headers['content-type'], 'application/json')
      assert.include(raw.toString(), '"Gr\\u00fc\\u00dfe\\/\\u003Cb>100\\u0025\\u0040\\ud83d\\ude00"')
      assert.notMatch(raw.toString('latin1'), /[\x80-\xff]/)
      assert.equal(receiver.messages()[0]!['text']!['body'], 'Grüße/<b>100%@😀')
    }))

  it('carry statuses in the platform\'s envelope', () =>
    withBoth(always, async (simulator, receiver) => {
      const code = [{ type: 'body', parameters: [{ type: 'text', text: '7' }] }]
      const { messages } = await json(await post(simulator, template(CUSTOMER, 'login_code', 'en', code)))
      await simulator.idle()
      const [{ json: envelope }] = receiver.notifications as [typeof receiver.notifications[number]]
      assert.equal(envelope['object'], 'whatsapp_business_account')
      assert.equal(envelope['entry']![0]!['id'], '200000000000001')
      assert.equal(envelope['entry']![0]!['changes']![0]!['field'], 'messages')
      const [value] = receiver.values()
      assert.deepInclude(record(value), {
        messaging_product: 'whatsapp', metadata: { display_phone_number: '15550109999', phone_number_id: PHONE_NUMBER_ID },
      })
      const [sent] = receiver.statuses()
      assert.deepInclude(record(sent), {
        id: messages![0]!['id'], status: 'sent', recipient_id: CUSTOMER, biz_opaque_callback_data: `msg_${CUSTOMER}`,
      })
      assert.match(sent!['timestamp']!, /^[0-9]{10}$/)
      assert.notProperty(sent, 'conversation')
      assert.equal(value!['contacts']![0]!['wa_id'], CUSTOMER)
    }))

  it('report the price on sent and on one of delivered and read', () =>
    withBoth(always, async (simulator, receiver) => {
      await post(simulator, template(CUSTOMER))
      await simulator.idle()
      const priced = receiver.statuses().filter(({ pricing }) => pricing !== undefined)
      assert.sameMembers(priced.map(({ status }) => status!), ['sent', 'delivered'])
      const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
      assert.deepEqual(priced.map((status) => status['pricing']) as unknown[], [pricing, pricing])
    }))

  it('report texts as free until as many arrived as the free tier has', () =>
    withBoth(always, async (simulator, receiver) => {
      simulator.change({ freeTier: 1 })
      for (const to of ['15550100808', CUSTOMER, '15550100998']) await post(simulator, text(to))
      await simulator.idle()
      const typeOf = (to: string) =>
        receiver.statuses().find(({ recipient_id: id, pricing }) => id === to && pricing !== undefined)!['pricing']!['type']
      assert.deepEqual(['15550100808', CUSTOMER, '15550100998'].map(typeOf) as unknown[], [
        'free_customer_service', 'free_customer_service', 'regular',
      ])
    }))

  it('are delivered again, the same bytes, until they are answered with 200', () =>
    withBoth((_raw, count) => [500, 404, 201, 302, 200][count] ?? 200, async (simulator, receiver) => {
      simulator.writeAs(CUSTOMER, {})
      await simulator.idle()
      assert.deepEqual(receiver.notifications.map(({ status }) => status), [500, 404, 201, 302, 200])
      assert.equal(new Set(receiver.notifications.map(({ raw }) => raw.toString())).size, 1)
      assert.deepEqual(simulator.stats(), { pending: 0, acknowledged: 1, failedAttempts: 4, dropped: 0 })
    }))

  it('are delivered once a receiver that was down is back', async () => {
    const gone = await startReceiver()
    await gone.close()
    const simulator = await quickSimulator({ webhook: gone.webhook })
    try {
      await post(simulator, text(CUSTOMER))
      await eventually('an attempt failed', () => simulator.stats().failedAttempts > 3 || undefined)
      const back = await startReceiver()
      try {
        simulator.setWebhook(back.webhook)
        await simulator.idle()
        assert.sameMembers(back.statuses().map(({ status }) => status!), ['sent', 'delivered', 'read'])
      } finally {
        await back.close()
      }
    } finally {
      await simulator.close()
    }
  })

  it('are delivered again if the answer is late', async () => {
    let hangs = true
    const simulator = await quickSimulator()
    await using server = await listening(createServer((request, response) => {
      request.resume()
      if (!hangs) response.writeHead(200).end()
      hangs = false
    }))
    try {
      simulator.setWebhook({ url: server.url, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN, timeoutMs: 500 })
      simulator.writeAs(CUSTOMER, {})
      await simulator.idle()
      assert.deepEqual(simulator.stats(), { pending: 0, acknowledged: 1, failedAttempts: 1, dropped: 0 })
    } finally {
      await simulator.close()
    }
  })

  it('are dropped after `giveUpMs`', () =>
    withBoth(() => 500, async (simulator) => {
      simulator.writeAs(CUSTOMER, {})
      await simulator.idle()
      assert.include(simulator.stats(), { pending: 0, acknowledged: 0, dropped: 1 })
    }, { giveUpMs: 10 }))

  it('are delivered again at once, then after pauses that double up to a limit', () => {
    const clock = { retryMs: 1_000, retryAtMostMs: 10_000 }
    const pauses = [1, 2, 3, 4, 5, 6, 400].map((attempts) => retryDelay(attempts, clock))
    assert.deepEqual(pauses, [0, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
  })

  it('share a notification when many wait, and none is lost', () =>
    withBoth(always, async (simulator, receiver) => {
      await Promise.all(Array.from({ length: 60 }, (_, index) => post(simulator, text('4915112345678', 'x', `msg_${index}`))))
      await simulator.idle()
      assert.lengthOf(receiver.statuses(), 180)
      const reported = receiver.statuses().map(({ status, biz_opaque_callback_data: callback }) => `${status} ${callback}`)
      assert.equal(new Set(reported).size, 180)
      assert.isBelow(receiver.notifications.length, 180)
      assert.isAtMost(Math.max(...receiver.values().map(({ statuses }) => statuses!.length)), 10)
    }))

  it('carry at most as many updates as `batch` says', () =>
    withBoth(always, async (simulator, receiver) => {
      await Promise.all(Array.from({ length: 5 }, () => post(simulator, text(CUSTOMER))))
      await simulator.idle()
      assert.lengthOf(receiver.notifications, 15)
    }, { batch: 1 }))

  it('are dropped and counted without a webhook', async () => {
    const simulator = await quickSimulator()
    try {
      simulator.writeAs(CUSTOMER, {})
      await simulator.idle()
      assert.deepEqual(simulator.stats(), { pending: 0, acknowledged: 0, failedAttempts: 0, dropped: 1 })
    } finally {
      await simulator.close()
    }
  })

  it('are configured through the control endpoint, which verifies the address first', async () => {
    const receiver = await startReceiver()
    const simulator = await quickSimulator()
    try {
      const { url, appSecret } = receiver.webhook
      const wrong = await control(simulator, 'webhook', { url, appSecret, verifyToken: 'wrong' })
      assert.equal(wrong.status, 400)
      const right = await control(simulator, 'webhook', { url, appSecret, verifyToken: VERIFY_TOKEN })
      assert.deepEqual(right as unknown, { status: 200, json: { url, verified: true } })
      simulator.writeAs(CUSTOMER, {})
      await simulator.idle()
      assert.lengthOf(receiver.messages(), 1)
    } finally {
      await Promise.all([simulator.close(), receiver.close()])
    }
  })

  it('stop, and idle is refused, once the simulator is closed', async () => {
    const receiver = await startReceiver(() => 500)
    const simulator = await quickSimulator({ webhook: receiver.webhook })
    simulator.writeAs(CUSTOMER, {})
    const idle = simulator.idle().then(() => 'idle', () => 'refused')
    await eventually('an attempt failed', () => simulator.stats().failedAttempts > 1 || undefined)
    await simulator.close()
    assert.equal(await idle, 'refused')
    // An attempt that was under way when the simulator was closed may still arrive.
    await eventually('everything sent has arrived', async () => (await receiver.open()) === 0 || undefined)
    const before = receiver.notifications.length
    await delay(2 * receiver.webhook.retryAtMostMs)
    assert.equal(receiver.notifications.length, before)
    await receiver.close()
  })
})
