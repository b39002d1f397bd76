import { assert } from 'chai'
import type { Suite } from 'mocha'
import { startSimulator } from '../../apps/simulator/simulator.js'
import { openAccount, readBooks } from '../support/books.js'
import type { GaleraCluster } from '../support/galera.js'
import { SECRET } from '../support/gateway.js'
import { PRICE } from '../support/load.js'
import { type ServerProcess, startServers } from '../support/server-process.js'

const FUNDS = 100n * PRICE
const SENDS = 150
const RACES = 10

export const sendsOnEveryNode = (cluster: () => GaleraCluster): Suite => describe('Three gateways on three Galera nodes', () => {
  it('spend one wallet at once to its end and not further, and send one message for a raced idempotency key', async () => {
    const { urls } = await cluster().createDatabase('postern_sends')
    const simulator = await startSimulator()
    const account = await openAccount(urls[0], FUNDS)
    let gateways: ReadonlyArray<ServerProcess> = []
    try {
      gateways = await startServers(urls.map((url) => ({ DATABASE_URL: url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url })))
      const send = async (gateway: number, to: string, idempotencyKey?: string): Promise<number> => {
        const response = await fetch(`${gateways[gateway % gateways.length]?.url}/v1/messages/send-template`, {
          method: 'POST', body: JSON.stringify({ to, template_name: 'hello_world' }),
          headers: {
            Authorization: `Bearer ${account.key}`,
            'Content-Type': 'application/json',
            ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
          },
        })
        const answer = await response.text()
        assert.include([200, 402, 409], response.status, answer)
        return response.status
      }
      const raced = await Promise.all(Array.from(
        { length: RACES * 3 }, (_, n) => send(n, `1555020${String(Math.floor(n / 3)).padStart(6, '0')}`, `race-${Math.floor(n / 3)}`),
      ))
      assert.notInclude(raced, 402)
      assert.lengthOf(simulator.received().filter(({ outcome }) => outcome === 'accepted'), RACES)

      const statuses = await Promise.all(Array.from({ length: SENDS }, (_, n) => send(n, `1555021${String(n).padStart(6, '0')}`)))
      assert.deepEqual([...new Set(statuses)].sort(), [200, 402])
      assert.lengthOf(simulator.received().filter(({ outcome }) => outcome === 'accepted'), 100)
      const { audit, balance, messages } = await readBooks(urls[2], account.id)
      assert.deepEqual([balance.available, balance.held], [0n, 0n])
      assert.deepEqual(audit.broken, [])
      assert.lengthOf([...messages.values()].filter((state) => state !== 'refused'), 100)
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.kill()))
      await simulator.close()
    }
  })
})
