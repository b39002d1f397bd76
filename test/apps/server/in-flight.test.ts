import { assert } from 'chai'
import { startAttackWorld, type AttackWorld } from '../../attack/attack-world.js'
import { tally } from '../../attack/attack.js'
import { customerOf, nameOf, PRICE, send } from '../../attack/sends.js'
import { makeCertificate } from '../../support/certificate.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

const FUNDS = 1_000_000_000n
/** Over HTTP/1.1 each has a connection with a TLS handshake of its own, for which a busy machine needs long. */
const AT_ONCE = { 'HTTP/2': 1_000, 'HTTP/1.1': 600 }
const PLATFORM_MS = 2_000

let customers = 60_000_000

for (const [protocol, transport, http2] of [['HTTP/2', 'got', 'on'], ['HTTP/2', 'undici', 'on'], ['HTTP/1.1', 'undici', 'off']] as const) {
  const atOnce = AT_ONCE[protocol]
  describe(`A gateway over ${transport} and ${protocol}, on a platform that takes two seconds`, () => {
    let scratch: Scratch
    let world: AttackWorld

    before(async () => {
      scratch = await makeScratch()
      const env = { PLATFORM_TRANSPORT: transport, PLATFORM_HTTP2: http2, PLATFORM_QUEUE_MS: '60000', PLATFORM_TIMEOUT_MS: '30000', RATE_LIMIT_PER_SECOND: '0' }
      world = await startAttackWorld(`sqlite:${scratch.path('postern.db')}`, env, await makeCertificate(scratch))
      await world.platform.answerAfter(PLATFORM_MS)
    })
    after(async () => {
      await world[Symbol.asyncDispose]()
      await scratch.remove()
    })

    it(`sends each of ${atOnce} at once, twice, and knows the outcome of each`, async () => {
      const tenant = await world.tenant('1000')
      for (let round = 0; round < 2; round += 1) {
        const replies = await Promise.all(Array.from({ length: atOnce }, () => send(world.server.url, tenant.key, customerOf(customers++))))
        assert.deepEqual(tally(replies.map(nameOf)), { 200: atOnce })
      }
      const { accepted, abandoned, connections } = await world.platform.report()
      assert.equal(new Set(accepted.map(({ callback }) => callback)).size, 2 * atOnce, 'every message reached the platform')
      assert.deepEqual([accepted.length, abandoned], [2 * atOnce, 0], 'none reached it twice, and none was given up')
      if (protocol === 'HTTP/2') assert.isBelow(connections, atOnce / 10)
      const { available, held } = await tenant.balance()
      assert.deepEqual([available, held], [FUNDS - BigInt(2 * atOnce) * PRICE, 0n])
      assert.deepEqual(await world.faults(), [])
    })
  })
}
