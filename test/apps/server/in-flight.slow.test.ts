// Slow: keeps thousands of sends in flight at a platform that takes two seconds.
import { assert } from 'chai'
import { startAttackWorld, type AttackWorld } from '../../attack/attack-world.js'
import { tally } from '../../attack/attack.js'
import { customerOf, nameOf, PRICE, send } from '../../attack/sends.js'
import { makeCertificate } from '../../support/certificate.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

const FUNDS = 1_000_000_000n
const AT_ONCE = 1_000
const PLATFORM_MS = 2_000

let customers = 60_000_000

for (const transport of ['got', 'undici']) {
  describe(`A gateway over ${transport}, on a platform that takes two seconds`, () => {
    let scratch: Scratch
    let world: AttackWorld

    before(async () => {
      scratch = await makeScratch()
      const env = {
        PLATFORM_TRANSPORT: transport, PLATFORM_QUEUE_MS: '60000', PLATFORM_TIMEOUT_MS: '30000', RATE_LIMIT_PER_SECOND: '0',
        PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off',
      }
      world = await startAttackWorld(`sqlite:${scratch.path('postern.db')}`, env, await makeCertificate(scratch))
      await world.platform.answerAfter(PLATFORM_MS)
    })
    after(async () => {
      await world[Symbol.asyncDispose]()
      await scratch.remove()
    })

    it(`sends each of ${AT_ONCE} at once, twice, and knows the outcome of each`, async () => {
      const tenant = await world.tenant('1000')
      for (let round = 0; round < 2; round += 1) {
        const replies = await Promise.all(
          Array.from({ length: AT_ONCE }, () => send(world.server.url, tenant.key, customerOf(customers++))),
        )
        assert.deepEqual(tally(replies.map(nameOf)), { 200: AT_ONCE })
      }
      const { accepted, abandoned } = await world.platform.report()
      assert.equal(new Set(accepted.map(({ callback }) => callback)).size, 2 * AT_ONCE, 'every message reached the platform')
      assert.deepEqual([accepted.length, abandoned], [2 * AT_ONCE, 0], 'none reached it twice, and none was given up')
      const { available, held } = await tenant.balance()
      assert.deepEqual([available, held], [FUNDS - BigInt(2 * AT_ONCE) * PRICE, 0n])
      assert.deepEqual(await world.faults(), [])
    })
  })
}
