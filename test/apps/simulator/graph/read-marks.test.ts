import { assert } from 'chai'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import { control, CUSTOMER, json, PHONE_NUMBER_ID, post, quickSimulator, text } from '../support.js'

describe('marks of the simulator that a customer\'s message was read', () => {
  let simulator: Simulator
  before(async () => { simulator = await quickSimulator() })
  beforeEach(() => simulator.reset())
  after(() => simulator.close())

  const write = (words: string, customer = CUSTOMER): string => simulator.writeAs(customer, { text: words }, PHONE_NUMBER_ID)
  const mark = async (
    id: string, more: object = {}, phoneNumberId = PHONE_NUMBER_ID,
  ): Promise<readonly [status: number, body: unknown]> => {
    const response = await post(simulator, { messaging_product: 'whatsapp', status: 'read', message_id: id, ...more }, {}, phoneNumberId)
    return [response.status, await json(response)]
  }
  const readTexts = (): ReadonlyArray<string | null> =>
    simulator.inbound().filter(({ read_at: at }) => at !== null).map((message) => message.text)
  const typingTexts = (): ReadonlyArray<string | null> =>
    simulator.inbound().filter(({ typing_until: until }) => until !== null).map((message) => message.text)
  const page = async (): Promise<string> => (await fetch(`${simulator.url}/_simulator/log`)).text()
  const TYPING = { typing_indicator: { type: 'text' } }

  it('include the customer\'s earlier messages, and no other customer\'s', async () => {
    write('one')
    write('from another customer', '15550100998')
    const two = write('two')
    write('three')
    assert.deepEqual(await mark(two), [200, { success: true }])
    assert.deepEqual(readTexts(), ['one', 'two'])
    assert.isEmpty(simulator.received(), 'nothing was sent')
  })

  it('stay as they were if the message is marked again', async () => {
    const id = write('one')
    await mark(id)
    const before = simulator.inbound()
    assert.deepEqual(await mark(id), [200, { success: true }])
    assert.deepEqual(simulator.inbound(), before)
  })

  it('show on request that an answer is being written, until the business writes', async () => {
    await mark(write('one'), TYPING)
    await mark(write('two'), TYPING)
    assert.deepEqual(typingTexts(), ['two'])
    const [, two] = simulator.inbound()
    assert.equal((two?.typing_until ?? 0) - (two?.read_at ?? 0), 25_000)
    await post(simulator, text('15550100998'))
    assert.deepEqual(typingTexts(), ['two'])
    await post(simulator, text(CUSTOMER))
    assert.isEmpty(typingTexts())
    assert.deepEqual(readTexts(), ['one', 'two'])
  })

  const UNKNOWN = { code: 131009, type: 'OAuthException' }
  it('are refused for a message that the business number did not receive', async () => {
    const sent = await json(await post(simulator, text(CUSTOMER)))
    const theirs = simulator.writeAs(CUSTOMER, {}, '77')
    for (const id of ['wamid.unknown', theirs, String(sent['messages']![0]!['id'])]) {
      const [status, body] = await mark(id)
      assert.equal(status, 400)
      assert.deepInclude((body as { readonly error: object }).error, UNKNOWN)
    }
    assert.isEmpty(readTexts())
    assert.deepEqual(await mark(theirs, {}, '77'), [200, { success: true }])
  })

  it('are refused in a request of another form', async () => {
    const id = write('one')
    for (const change of [
      { status: 'seen' }, { message_id: 'msg_1' }, { message_id: 7 }, { typing_indicator: true }, { typing_indicator: { type: 'audio' } },
    ]) {
      assert.equal((await mark(id, change))[0], 400, JSON.stringify(change))
    }
    assert.isEmpty(readTexts())
  })

  it('are on the page and in the control endpoints, for messages of the customers only', async () => {
    assert.notInclude(await page(), 'What customers wrote')
    const id = write('<b>one</b>')
    assert.include(await page(), '<span class="ticks" title="delivered">')
    await mark(id, TYPING)
    const shown = await page()
    assert.include(shown, '<span class="ticks read" title="read">✓✓</span> typing…')
    assert.include(shown, '&#60;b&#62;one')
    const { json: listed } = await control(simulator, 'inbound')
    assert.deepEqual(listed as unknown, { messages: JSON.parse(JSON.stringify(simulator.inbound())) as unknown })
    assert.deepInclude(simulator.inbound()[0], { id, phone_number_id: PHONE_NUMBER_ID, from: CUSTOMER, type: 'text', text: '<b>one</b>' })
  })

  it('are forgotten by a reset, and for the oldest of more than 10,000 messages', async () => {
    const oldest = write('one')
    for (let count = 0; count < 10_000; count += 1) write('more')
    assert.lengthOf(simulator.inbound(), 10_000)
    assert.equal((await mark(oldest))[0], 400)
    simulator.reset()
    assert.isEmpty(simulator.inbound())
  })
})
