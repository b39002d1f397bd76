import { assert } from 'chai'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../../support/process-fixture.js'

const NUMBER = '4915123456789'
/** The business number of the first workspace of a gateway. */
const PHONE_NUMBER_ID = '1001'

type Shown = { readonly user_id: string; readonly phone_number: string | null; readonly username: string | null; readonly window: object }

describe('A customer of the whole gateway who hides the number', () => {
  let gateway: InProcessFixture
  let tenant: Tenant
  before(async () => {
    gateway = await startInProcessFixture()
    tenant = await gateway.tenant()
  })
  after(() => gateway[Symbol.asyncDispose]())

  const shown = async (id: string): Promise<Shown> => (await tenant.ask('GET', `/v1/customers/${id}`)).json as Shown
  const writes = async (customer: string): Promise<void> => {
    gateway.simulator.writeAs(customer, { text: 'Hello' }, PHONE_NUMBER_ID)
    await gateway.simulator.idle()
  }
  const send = (to: string) => tenant.ask('POST', '/v1/messages/send-text', { json: { to, text: 'Hello' } })
  const hide = () =>
    fetch(`${gateway.simulator.url}/_simulator/customers/${NUMBER}/hide-number`, { method: 'POST', body: '{"username": "ada"}' })

  it('goes on under the same window, message list and price', async () => {
    await writes(NUMBER)
    const before = await shown(NUMBER)
    assert.deepInclude(before, { phone_number: NUMBER })
    assert.match(before.user_id, /^DE\./)
    const first = await send(NUMBER)

    assert.equal((await hide()).status, 200)
    await writes(NUMBER)
    const { user_id: userId, username } = await shown(before.user_id)
    assert.deepEqual([userId, username], [before.user_id, 'ada'])
    const second = await send(userId)
    assert.deepEqual([first.status, second.status], [200, 200])
    assert.deepEqual(gateway.simulator.received().map(({ to, recipient }) => [to, recipient]), [[NUMBER, undefined], [NUMBER, undefined]])
    await gateway.simulator.idle()

    const lists = await Promise.all([NUMBER, userId].map(async (to) => (await tenant.ask('GET', `/v1/messages?to=${to}`)).json['messages']))
    const [listed] = lists as ReadonlyArray<ReadonlyArray<{ readonly id: string; readonly price: string }>>
    assert.deepEqual(lists[0], lists[1])
    assert.deepEqual(listed?.map(({ id }) => id), [second, first].map(({ headers }) => headers.get('Postern-Message')))
    assert.lengthOf(new Set(listed?.map(({ price }) => price)), 1)
    assert.deepEqual((await tenant.ask('GET', `/v1/windows/${NUMBER}`)).json, (await tenant.ask('GET', `/v1/windows/${userId}`)).json)
  })
})
