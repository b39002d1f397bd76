import { writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { eventually } from '../../support/eventually.js'
import { startProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'
import { makeScratch } from '../../support/scratch.js'

const NUMBER = '4930120000001' as PhoneNumber
const [FREE, SENT] = [20, 64]

const CARD = {
  currency: 'USD', effective: '2020-01-01', default: { service: '0.01', marketing: '0.5', utility: '0.5', authentication: '0.5' },
  free_service_messages: FREE,
}

type Listed = { readonly price: string; readonly state: string }

describe('The free messages of the compiled gateway', () => {
  it('are exact if two workers send simultaneously, and the one of a failed text is refunded', async () => {
    const scratch = await makeScratch()
    try {
      await writeFile(scratch.path('rates.json'), JSON.stringify(CARD))
      await using fixture = await startProcessFixture({ RATE_CARD: scratch.path('rates.json'), WORKERS: '2' })
      const { id, ask, balance } = await fixture.tenant()
      rightOf(await fixture.storage.windowClock.recordInbound(id, { phoneNumber: NUMBER }, Date.now()))
      const send = () => ask('POST', '/v1/messages/send-text', { json: { to: NUMBER, text: 'Hello' } })
      const listed = async (): Promise<ReadonlyArray<Listed>> =>
        (await ask('GET', '/v1/messages?limit=100')).json['messages'] as ReadonlyArray<Listed>

      fixture.simulator.change({ rates: { failed131026: 1 } })
      assert.equal((await send()).status, 200)
      await eventually('the first text has failed', async () => ((await listed())[0]?.state === 'failed' ? true : undefined))
      assert.deepEqual(await balance(), { available: '10.000000', held: '0.000000' })

      fixture.simulator.change({ rates: {} })
      const statuses = (await Promise.all(Array.from({ length: SENT }, send))).map(({ status }) => status)
      assert.deepEqual(statuses, statuses.map(() => 200))
      const prices = (await listed()).filter(({ state }) => state !== 'failed').map(({ price }) => price)
      assert.lengthOf(prices.filter((price) => price === '0.000000'), FREE)
      assert.lengthOf(prices.filter((price) => price === '0.010000'), SENT - FREE)
      await eventually('every text is charged', async () => ((await balance()).held === '0.000000' ? true : undefined))
      assert.equal((await balance()).available, '9.560000')
    } finally {
      await scratch.remove()
    }
  })
})
