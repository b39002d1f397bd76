import { readFile } from 'node:fs/promises'
import { assert } from 'chai'
import { type Fault, FAULTS, MAGIC_PREFIX } from '../../../../apps/simulator/faults/faults.js'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import { eventually } from '../../../support/eventually.js'
import {
  CUSTOMER, freshForEach, json, PHONE_NUMBER_ID, post, quickSimulator, type Receiver, record, startReceiver, template, text,
} from '../support.js'

/** What a client receives: status and body, or `broken` for a broken connection. */
const seen = async (answering: Promise<Response>): Promise<string> => {
  try {
    const response = await answering
    return `${response.status} ${await response.text()}`
  } catch {
    return 'broken'
  }
}

describe('the simulator\'s faults', () => {
  let receiver: Receiver
  let simulator: Simulator
  before(async () => {
    receiver = await startReceiver()
    // With one notification at a time, they arrive in order.
    simulator = await quickSimulator({ webhook: { ...receiver.webhook, concurrency: 1 } })
  })
  freshForEach(() => ({ simulator, receiver }))

  const numberOf = ({ digits }: Fault): string => `${MAGIC_PREFIX}${digits}`
  const statusNames = (): ReadonlyArray<string> => receiver.statuses().map(({ status }) => status!)

  it('has a name and a number of its own for every fault', () => {
    assert.equal(new Set(FAULTS.map(({ name }) => name)).size, FAULTS.length)
    const numbers = FAULTS.flatMap(({ digits }) => digits ?? [])
    assert.equal(new Set(numbers).size, numbers.length)
    assert.isTrue(numbers.every((digits) => /^[0-9]{3}$/.test(digits)))
    assert.notInclude(numbers, CUSTOMER.slice(-3))
  })

  it('lists every fault, with its number and name, in its guide', async () => {
    const guide = await readFile(new URL('../../../../docs/simulator.md', import.meta.url), 'utf8')
    for (const { digits, name, about } of FAULTS) {
      assert.include(guide, `| ${digits === undefined ? '(rate only)' : `\`${MAGIC_PREFIX}${digits}\``} | \`${name}\` | ${about} |`)
    }
  })

  for (const fault of FAULTS) {
    if (fault._tag !== 'Refused') continue
    it(`refuses ${numberOf(fault)} at once: ${fault.name}`, async () => {
      const response = await post(simulator, text(numberOf(fault)))
      const { error } = await json(response)
      const { status, code } = fault.error
      assert.deepEqual([response.status, Number(error!['code'])], [status, code])
      const callback = `msg_${numberOf(fault)}`
      assert.deepInclude(simulator.received()[0], { outcome: 'refused', code, faults: [fault.name], callback })
      await simulator.idle()
      assert.isEmpty(receiver.notifications)
    })
  }

  const codes: Readonly<Record<string, readonly [status: number, code: number, subcode?: number]>> = {
    '000': [500, 131000], '001': [500, 1], '002': [503, 2], '016': [500, 131016], '056': [400, 131056],
    126: [400, 131026], 147: [400, 131047], 190: [401, 190, 463], '033': [400, 100, 33], 429: [429, 130429],
    613: [429, 613], 304: [503, 133004],
  }
  it('answers refusals with the platform\'s codes and statuses', async () => {
    for (const [digits, [status, code, subcode]] of Object.entries(codes)) {
      const response = await post(simulator, text(`${MAGIC_PREFIX}${digits}`))
      const { error } = await json(response)
      assert.deepEqual([response.status, error!['code'], error!['error_subcode']] as unknown[], [status, code, subcode], digits)
    }
  })

  const answers: Readonly<Record<string, RegExp>> = {
    reset: /^broken$/, http502: /^502 <!DOCTYPE html>/, http503: /^503 <!DOCTYPE html>/, closed: /^broken$/,
    garbage: /^200 (?!\{"messaging_product")/, truncated: /^broken$/, empty: /^200 $/, drip: /^200 \{.*"wamid\.[^"]+"\}\]\}$/,
    late: /^200 \{.*"wamid\.[^"]+"\}\]\}$/, error131000: /^500 .*131000/, error1: /^500 .*"code":1,/, error2: /^503 .*"code":2,/,
  }
  for (const fault of FAULTS) {
    if (fault._tag !== 'Broken' || fault.how === 'hang' || fault.digits === undefined) continue
    it(`breaks the answer to ${numberOf(fault)}: ${fault.name}`, async () => {
      const answer = await seen(post(simulator, text(numberOf(fault))))
      assert.match(answer, answers[fault.name.replace(/After$/, '')]!)
      assert.deepInclude(simulator.received()[0], { outcome: fault.accepts ? 'accepted' : 'refused', faults: [fault.name] })
      await simulator.idle()
      assert.deepEqual(statusNames(), fault.accepts ? ['sent', 'delivered', 'read'] : [])
      assert.isTrue(receiver.statuses().every((status) => status['biz_opaque_callback_data'] === `msg_${numberOf(fault)}`))
    })
  }

  for (const [digits, outcome] of [['600', 'refused'], ['700', 'accepted']] as const) {
    it(`never answers ${MAGIC_PREFIX}${digits}, which was ${outcome}, until the client gives up`, async () => {
      const abort = new AbortController()
      const answer = seen(fetch(`${simulator.url}/v25.0/${PHONE_NUMBER_ID}/messages`, {
        method: 'POST', headers: { authorization: 'Bearer t' }, signal: abort.signal,
        body: JSON.stringify(text(`${MAGIC_PREFIX}${digits}`)),
      }))
      await eventually('the request arrived', () => simulator.received().length === 1 || undefined)
      await simulator.idle()
      abort.abort()
      assert.equal(await answer, 'broken')
      assert.equal(simulator.received()[0]?.outcome, outcome)
      assert.lengthOf(receiver.statuses(), outcome === 'accepted' ? 3 : 0)
    })
  }

  for (const fault of FAULTS) {
    if (fault._tag !== 'Failed') continue
    it(`accepts ${numberOf(fault)} and fails it later: ${fault.name}`, async () => {
      const { messages } = await json(await post(simulator, text(numberOf(fault))))
      await simulator.idle()
      const [status] = receiver.statuses()
      assert.deepEqual(statusNames(), ['failed'])
      assert.equal(status!['id'], messages![0]!['id'])
      assert.equal(Number(status!['errors']![0]!['code']), fault.error.code)
      assert.hasAllKeys(status!['errors']![0], ['code', 'title', 'message', 'error_data', 'href'])
      assert.notProperty(receiver.values()[0], 'contacts')
      assert.notProperty(status, 'pricing')
    })
  }

  it('draws the same faults for the same seed, rates and order, and others for another seed', async () => {
    const run = async (seed: number): Promise<ReadonlyArray<string>> => {
      simulator.reset()
      const rates = { refused131008: 0.2, http502: 0.1, resetAfter: 0.1, duplicateStatuses: 0.3, failed131026: 0.1 }
      simulator.change({ seed, rates })
      for (let sent = 0; sent < 60; sent += 1) await seen(post(simulator, text(CUSTOMER)))
      return simulator.received().map(({ outcome, faults }) => [outcome, ...faults].join(' '))
    }
    const first = await run(7)
    assert.deepEqual(await run(7), first)
    assert.notDeepEqual(await run(8), first)
    assert.includeMembers(first.slice(), ['refused refused131008', 'accepted', 'accepted duplicateStatuses'])
  })

  it('applies a fault whose rate is 1 to every recipient that provokes no fault of its own', async () => {
    simulator.change({ rates: { refused131008: 1, sentOnly: 1 } })
    assert.equal((await post(simulator, text('4915112345678'))).status, 400)
    assert.equal((await post(simulator, text(`${MAGIC_PREFIX}803`))).status, 200)
  })

  it('resets a connection before it reads the request, by rate', async () => {
    simulator.change({ rates: { resetEarly: 1 } })
    assert.equal(await seen(post(simulator, text(CUSTOMER))), 'broken')
    assert.deepInclude(simulator.received()[0], { outcome: 'refused', faults: ['resetEarly'] })
  })

  it('fails a text outside the window later if `windows` is failed, until the customer writes', async () => {
    simulator.change({ windows: 'failed' })
    assert.equal((await post(simulator, text(CUSTOMER))).status, 200)
    await simulator.idle()
    assert.deepEqual(statusNames(), ['failed'])
    simulator.writeAs(CUSTOMER, { text: 'Hello' })
    await post(simulator, text(CUSTOMER))
    await simulator.idle()
    assert.deepEqual(statusNames(), ['failed', 'sent', 'delivered', 'read'])
  })

  it('holds a paced template, then sends it', async () => {
    const { messages } = await json(await post(simulator, template(`${MAGIC_PREFIX}830`)))
    assert.equal(messages![0]!['message_status'], 'held_for_quality_assessment')
    await simulator.idle()
    assert.deepEqual(statusNames(), ['sent', 'delivered', 'read'])
  })

  it('holds a paced template, then drops it and pauses the template', async () => {
    await post(simulator, template(`${MAGIC_PREFIX}831`, 'hello_world', 'en'))
    await simulator.idle()
    assert.equal(Number(receiver.statuses()[0]!['errors']![0]!['code']), 132015)
    const paused = receiver.notifications.flatMap(({ json: { entry } }) => [...entry!].flatMap(({ changes }) => [...changes!]))
      .find(({ field }) => field === 'message_template_status_update')
    assert.deepInclude(record(paused!['value']), {
      event: 'PAUSED', message_template_name: 'hello_world', message_template_language: 'en',
    })
    assert.isNumber(paused!['value']!['message_template_id'])
    assert.equal((await post(simulator, template(CUSTOMER))).status, 400)
    assert.equal((await post(simulator, template(CUSTOMER, 'hello_world', 'en_US'))).status, 200)
  })

  it('fails a message once for a window that is open, and not again', async () => {
    for (const expected of [['failed'], ['failed', 'sent', 'delivered', 'read']]) {
      await post(simulator, text(`${MAGIC_PREFIX}847`))
      await simulator.idle()
      assert.deepEqual(statusNames(), expected)
    }
  })
})
