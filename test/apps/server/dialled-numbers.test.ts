import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import { posternJson } from '../../support/postern.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../../support/process-fixture.js'

/** As numbers of these countries are dialled, and as the platform knows those who had them before they got two more digits. */
const RENUMBERED = [['Ivory Coast', '2250707123456', '22507123456'], ['Benin', '2290197123456', '22997123456']] as const

describe('A customer whom the platform knows by another number than the one dialled', () => {
  let world: InProcessFixture
  before(async () => { world = await startInProcessFixture() })
  after(() => world[Symbol.asyncDispose]())

  /** Reads what the API returns to the workspace for one of the customer's numbers. */
  const toldOf = (tenant: Tenant) => {
    const json = async (path: string) => (await tenant.ask('GET', path)).json
    return {
      isOpen: async (id: string) => (await json(`/v1/windows/${id}`))['open'],
      customer: (id: string) => tenant.ask('GET', `/v1/customers/${id}`),
      messages: async (id: string) =>
        ((await json(`/v1/messages?to=${id}`))['messages'] as ReadonlyArray<{ readonly id: string }>).map((message) => message.id),
      text: async (to: string) => {
        const answer = await tenant.ask('POST', '/v1/messages/send-text', { json: { to, text: 'Hello' } })
        await world.simulator.idle()
        return answer
      },
      template: async (to: string) => {
        const answer = await tenant.send(to)
        await world.simulator.idle()
        return answer
      },
    }
  }

  for (const [country, dialled, known] of RENUMBERED) it(`is one customer under both, as in ${country}`, async () => {
    const tenant = await world.tenant()
    const { isOpen, customer, messages, text, template } = toldOf(tenant)
    const act = async (action: string, body: object = {}): Promise<void> => {
      const answer = await fetch(`${world.simulator.url}/_simulator/customers/${known}/${action}`, {
        method: 'POST', body: JSON.stringify({ phone_number_id: tenant.phoneNumberId, ...body }),
      })
      assert.equal(answer.status, 200)
      await world.simulator.idle()
    }

    assert.equal((await template(dialled)).status, 200)
    assert.isFalse(await isOpen(dialled))
    assert.equal((await text(dialled)).json['code'], 'window_closed')
    await act('messages', { text: 'Good morning' })
    assert.equal((await text(dialled)).status, 200)
    assert.equal((await text(known)).status, 200)
    assert.deepEqual(await Promise.all([dialled, known].map(isOpen)), [true, true])
    const [byDialled, byKnown] = await Promise.all([dialled, known].map(customer))
    assert.deepInclude(byDialled?.json, { phone_number: known })
    assert.deepEqual(byDialled?.json, byKnown?.json)
    assert.lengthOf(await messages(dialled), 3)
    assert.deepEqual(await messages(known), await messages(dialled))

    await act('stop-marketing')
    await eventually('the choice counts', async () => (await template(dialled)).json['code'] === 'customer_opted_out' || undefined)
    assert.equal((await template(known)).json['code'], 'customer_opted_out')

    const erased = await posternJson(['customer', 'erase', tenant.id, dialled], world.env)
    assert.deepInclude(erased, { messages: 3 })
    assert.deepEqual([await messages(dialled), await messages(known)], [[], []])
    assert.deepEqual((await Promise.all([dialled, known].map(customer))).map(({ status }) => status), [404, 404])
    assert.isFalse(await isOpen(known))
  })
})
