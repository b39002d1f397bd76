import { assert } from 'chai'
import { withDatabase } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { request } from '../../support/gateway.js'
import type { InProcessServer } from '../../support/in-process-server.js'
import { rightOf } from '../../support/right-of.js'
import { startGatewaysInProcess } from '../../support/several-gateways.js'

const CALLERS = 10
const CALLS_BEFORE = 100

await describeEachDatabase('A key that is revoked', (server) => {
  it('fails at every gateway on the very next request, however busy it was', async () => {
    await using world = await startGatewaysInProcess(server, 1n)
    const { gateways, account, env } = world
    let revoked = false
    const before: number[] = []
    const afterwards: number[] = []
    let enough: () => void
    const busy = new Promise<void>((resolve) => { enough = resolve })

    /** Calls without a pause until one begun after the revocation was answered. */
    const call = async ({ url }: InProcessServer): Promise<void> => {
      for (let last = false; !last;) {
        last = revoked
        const { status } = await request(`${url}/v1/wallet`, 'GET', account.key, {})
        ;(last ? afterwards : before).push(status)
        if (before.length >= CALLS_BEFORE) enough()
      }
    }

    const calling = Promise.all(Array.from({ length: CALLERS }, () => gateways.map(call)).flat())
    await Promise.race([busy, calling])
    assert.deepEqual(before.filter((status) => status !== 200), [])
    rightOf(await withDatabase(env.DATABASE_URL, ({ keyStore }) => keyStore.revoke(account.keyId, Date.now())))
    revoked = true
    await calling
    assert.deepEqual(afterwards, new Array<number>(CALLERS * gateways.length).fill(401))
    assert.deepEqual(before.filter((one) => one !== 200 && one !== 401), [])
  })
})
