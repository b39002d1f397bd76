import { rename, writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import { startProcessFixture } from '../../support/process-fixture.js'
import { makeScratch } from '../../support/scratch.js'
import type { LogLine } from '../../support/server-process.js'

const NUMBER = '4930120000001'

/** A list of cards: one that holds for long, and one that is still to come. */
const cardsAt = (marketing: string) => ['2020-01-01', '2999-01-01'].map((effective) => ({
  currency: 'USD', effective,
  default: { service: '9', marketing: effective === '2020-01-01' ? marketing : '9', utility: '9', authentication: '9' },
}))

describe('The rate card of the compiled gateway', () => {
  it('takes effect in every worker when its file changes, and ends with the gateway', async () => {
    const scratch = await makeScratch()
    try {
      const file = scratch.path('rates.json')
      /** Puts a finished file into place, so that no worker reads half of it. */
      const replace = async (content: string): Promise<void> => {
        await writeFile(scratch.path('next.json'), content)
        await rename(scratch.path('next.json'), file)
      }
      await replace(JSON.stringify(cardsAt('0.1')))
      await using fixture = await startProcessFixture({ RATE_CARD: file, WORKERS: '2' })
      const server = fixture.server()
      const pidsOf = (lines: ReadonlyArray<LogLine>): number => new Set(lines.map(({ pid }) => pid)).size
      await server.logged('listening', 2)
      const tenant = await fixture.tenant()
      const priced = async (): Promise<unknown> => (await tenant.messageOf(await tenant.send(NUMBER)))['price']
      assert.equal(await priced(), '0.100000')

      await replace('[{')
      assert.equal(pidsOf(await server.logged('rate_card_refused', 2)), 2)
      assert.equal(await priced(), '0.100000')

      await replace(JSON.stringify(cardsAt('0.2')))
      assert.equal(pidsOf(await server.logged('rate_card_changed', 2)), 2)
      assert.deepEqual(await Promise.all([1, 2, 3, 4].map(priced)), Array.from({ length: 4 }, () => '0.200000'))
      assert.lengthOf(server.log().filter(({ msg }) => msg === 'rate_card_refused'), 2)

      server.signal('SIGTERM')
      assert.equal((await server.ended).status, 0)
    } finally {
      await scratch.remove()
    }
  })
})
