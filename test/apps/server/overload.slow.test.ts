// Slow: floods compiled gateways with thousands of sends.
import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import { startAttackWorld, type AttackTenant, type AttackWorld } from '../../attack/attack-world.js'
import { tally } from '../../attack/attack.js'
import { customerOf, nameOf, PRICE, send, sentBy, type SendReply } from '../../attack/sends.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

const FUNDS = 1_000_000_000n
const AT_ONCE = 600
const PLATFORM_MS = 300
/** Twice as long as a send waits for a place, so that places stay taken even where the requests arrive slowly. */
const SLOW_PLATFORM_MS = 2_000
/** How long a caller of the flood waits after a refusal; those whose sends end take the places at once, so the queue stays full. */
const REFUSED_MS = 200

let customers = 50_000_000

for (const transport of ['got', 'undici']) {
  describe(`A gateway over ${transport} with room for 64 sends`, () => {
    let scratch: Scratch
    let world: AttackWorld

    before(async () => {
      scratch = await makeScratch()
      world = await startAttackWorld(`sqlite:${scratch.path('postern.db')}`, {
        PLATFORM_TRANSPORT: transport, PLATFORM_MAX_IN_FLIGHT: '64', PLATFORM_QUEUE: '300', PLATFORM_QUEUE_MS: '1000',
        RATE_LIMIT_PER_SECOND: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off',
      })
    })
    beforeEach(() => world.platform.answerAfter(PLATFORM_MS))
    after(async () => {
      await world[Symbol.asyncDispose]()
      await scratch.remove()
    })

    const sendAs = (tenant: AttackTenant, key?: string): Promise<SendReply> =>
      send(world.server.url, tenant.key, customerOf(customers++), key)
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`${world.server.url}/metrics`)).text()
      return Number(new RegExp(`^${name} ([0-9]+)$`, 'm').exec(text)?.[1])
    }

    it(`sends or refuses each of ${AT_ONCE} at once, and writes nothing of those it refuses`, async () => {
      const tenant = await world.tenant('1000')
      await world.platform.answerAfter(SLOW_PLATFORM_MS)
      const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => sendAs(tenant)))
      const counts = tally(replies.map(nameOf))
      const sent = sentBy(replies)
      assert.hasAllKeys(counts, ['200', '503 platform_unreachable'], JSON.stringify(counts))
      for (const reply of replies) {
        if (reply === 'lost' || reply.status === 200) continue
        assert.isUndefined(reply.message, 'a refused send has no message')
        assert.isDefined(reply.retryAfter, 'a refused send says when to try again')
      }
      assert.lengthOf(await world.platform.accepted(tenant.phoneNumberId), sent.length)
      assert.deepEqual(await tenant.balance().then(({ available, held }) => ({ available, held })), {
        available: FUNDS - BigInt(sent.length) * PRICE, held: 0n,
      })
      assert.equal((await world.platform.report()).abandoned, 0, 'no call to the platform was given up')
      assert.deepEqual(await world.faults(), [])
      assert.equal(await metric('postern_platform_in_flight'), 0)
      assert.equal(await metric('postern_platform_queued'), 0)
    })

    it('lets a workspace that sends now and then in while another one floods it', async () => {
      const [loud, quiet] = [await world.tenant('1000'), await world.tenant('1000')]
      let over = false
      const flood = async (): Promise<void> => {
        while (!over) if (nameOf(await sendAs(loud)) !== '200') await delay(REFUSED_MS)
      }
      const flooding = Array.from({ length: 400 }, flood)
      const replies: SendReply[] = []
      for (let sends = 0; sends < 8; sends += 1) replies.push(await sendAs(quiet))
      over = true
      await Promise.all(flooding)
      assert.deepEqual(tally(replies.map(nameOf)), { 200: 8 })
    })

    it('answers a repeated request again though every place is taken', async () => {
      const tenant = await world.tenant('1000')
      const first = await sendAs(tenant, 'order 7')
      const flooding = Array.from({ length: 400 }, () => sendAs(tenant))
      const [sent] = await world.platform.accepted(tenant.phoneNumberId)
      const again = await send(world.server.url, tenant.key, sent?.to ?? '', 'order 7')
      await Promise.all(flooding)
      assert.equal(nameOf(again), '200')
      assert.equal(again !== 'lost' && again.message, first !== 'lost' && first.message)
    })
  })
}
