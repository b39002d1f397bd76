import { writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import type { Answer } from '../../support/gateway.js'
import { startInProcessFixture, type InProcessFixture, type Tenant } from '../../support/process-fixture.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

const NUMBER = '4930120000001'
const HIDDEN = '5511998765432'

/** Brazil and Germany cost less than the rest, so that a price tells the market. */
const CARD = {
  currency: 'USD', effective: '2026-10-01',
  default: { service: '0.5', marketing: '0.5', utility: '0.5', authentication: '0.5' },
  markets: { 49: { service: '0.01' }, 55: { service: '0.02' } },
}

type Listed = { readonly id: string; readonly price: string }

describe('A customer who hides the phone number from the gateway', () => {
  let scratch: Scratch
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => {
    scratch = await makeScratch()
    await writeFile(scratch.path('rates.json'), JSON.stringify(CARD))
    world = await startInProcessFixture({ RATE_CARD: scratch.path('rates.json') })
    tenant = await world.tenant()
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await scratch.remove()
  })

  /** Asks the simulator to act as a customer, and waits until the gateway has acknowledged every notification. */
  const act = async (id: string, action: string, body: object = {}): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${world.simulator.url}/_simulator/customers/${id}/${action}`, {
      method: 'POST', body: JSON.stringify(body),
    })
    assert.equal(response.status, 200)
    await world.simulator.idle()
    return await response.json() as Readonly<Record<string, unknown>>
  }
  const write = (id: string, at?: number) => act(id, 'messages', { phone_number_id: tenant.phoneNumberId, at })
  const answer = async (to: string): Promise<Answer> => {
    const answered = await tenant.ask('POST', '/v1/messages/send-text', { json: { to, text: 'Gladly' } })
    await world.simulator.idle()
    return answered
  }
  const windowOf = async (id: string) => (await tenant.ask('GET', `/v1/windows/${id}`)).json
  const conversation = async (id: string): Promise<ReadonlyArray<Listed>> =>
    (await tenant.ask('GET', `/v1/messages?to=${id}`)).json['messages'] as ReadonlyArray<Listed>

  /** The platform states moments in seconds, and of two reports in one second neither is the later one. */
  const nextSecond = (): Promise<true> => {
    const now = Math.floor(Date.now() / 1_000)
    return eventually('the next second', () => Math.floor(Date.now() / 1_000) > now || undefined)
  }

  it('is answered under the same window, conversation and price, until the number belongs to another person', async () => {
    const { user_id: id } = await write(NUMBER, Date.now() - 60_000)
    const userId = String(id)
    assert.equal((await answer(NUMBER)).status, 200)

    await act(NUMBER, 'hide-number')
    await write(userId)
    assert.equal((await answer(userId)).status, 200)
    assert.deepEqual(world.simulator.received().map(({ to }) => to), [NUMBER, NUMBER])
    assert.isTrue((await windowOf(NUMBER))['open'])
    assert.deepEqual(await windowOf(userId), await windowOf(NUMBER))
    const messages = await conversation(NUMBER)
    assert.deepEqual(messages.map(({ price }) => price), ['0.010000', '0.010000'])
    assert.deepEqual(await conversation(userId), messages)

    await nextSecond()
    const { user_id: other } = await act(NUMBER, 'give-number-away')
    assert.equal((await tenant.send(NUMBER)).status, 200)
    await world.simulator.idle()
    assert.isFalse((await windowOf(NUMBER))['open'])
    assert.isFalse((await windowOf(String(other)))['open'])
    assert.equal((await answer(NUMBER)).json['code'], 'window_closed')
    assert.equal((await answer(String(other))).json['code'], 'window_closed')
    assert.isTrue((await windowOf(userId))['open'])
  })

  it('is answered by the user id if the number was never known, at the price of its country', async () => {
    await act(HIDDEN, 'hide-number')
    const { user_id: id } = await write(HIDDEN)
    const userId = String(id)
    assert.match(userId, /^BR\./)
    const answered = await answer(userId)
    assert.equal(answered.status, 200)
    const { to, recipient } = world.simulator.received().at(-1) ?? {}
    assert.deepEqual([to, recipient], ['', userId])
    const message = await tenant.messageOf(answered)
    assert.deepEqual([message['price'], message['state']], ['0.020000', 'read'])
    assert.lengthOf(await conversation(userId), 1)
    assert.isTrue((await windowOf(userId))['open'])
    assert.isFalse((await windowOf(HIDDEN))['open'])

    await nextSecond()
    await act(userId, 'share-number', { phone_number_id: tenant.phoneNumberId })
    assert.equal((await answer(HIDDEN)).status, 200)
    assert.deepEqual(await conversation(userId), await conversation(HIDDEN))
    assert.lengthOf(await conversation(userId), 2)
  })
})
