import { setTimeout as delay } from 'node:timers/promises'
import { startGalera, type GaleraCluster } from '../support/galera.js'
import { makeSeededRandom } from './seeded-random.js'
import type { Finding } from './run-record.js'
import type { TortureDatabase } from './torture-database.js'

const DATABASE = 'postern_torture'

/** The maximum time that a node stays frozen or cut off, in milliseconds. The others drop it after a second. */
const AWAY_MS = 3_000

/** A node that returns may still report that it is in its cluster. */
const NOTICED_MS = 300

/**
 * Starts three Galera nodes and creates an empty database on them, for three gateways that prefer different nodes. Its `kill` kills, freezes or cuts off
 * a node, and its `start` brings this node back.
 */
export const openGaleraDatabase = async (seed: number): Promise<TortureDatabase> => {
  const random = makeSeededRandom(seed + 2)
  const cluster = await startGalera()
  const { urlFrom } = await cluster.createDatabase(DATABASE)
  let undo: () => Promise<unknown> = () => Promise.resolve()
  const kill = async (): Promise<void> => {
    const node = cluster.nodes[random.between(0, 2)] ?? cluster.nodes[0]
    const way = random.between(0, 2)
    if (way === 0) {
      undo = node.start
      await node.kill()
    } else if (way === 1) {
      undo = async () => {
        await delay(random.between(0, AWAY_MS))
        node.thaw()
        await delay(NOTICED_MS)
        await node.synced()
      }
      node.freeze()
    } else {
      undo = async () => {
        await delay(random.between(0, AWAY_MS))
        await node.reconnect()
        await delay(NOTICED_MS)
        await node.synced()
      }
      await node.cutOff()
    }
  }
  return {
    name: 'Galera', url: urlFrom(0), otherUrls: [urlFrom(1), urlFrom(2)],
    server: { kill, start: async () => { await undo() } },
    check: () => findDifferences(cluster.nodes),
    [Symbol.asyncDispose]: cluster.remove,
  }
}

/** Every node must hold the same rows. */
const findDifferences = async (nodes: GaleraCluster['nodes']): Promise<ReadonlyArray<Finding>> => {
  const [{ tables } = {}] = await nodes[0].ask(`SELECT GROUP_CONCAT(table_schema, '.', table_name) AS tables FROM information_schema.tables WHERE table_schema = '${DATABASE}'`)
  const checksums: Array<string> = []
  for (const node of nodes) {
    await node.synced()
    const rows = await node.ask(`SET STATEMENT wsrep_sync_wait = 15 FOR CHECKSUM TABLE ${String(tables)}`)
    checksums.push(rows.map((row) => `${String(row['Table'])} ${String(row['Checksum'])}`).join('\n'))
  }
  return new Set(checksums).size === 1 ? [] : [{ about: 'the nodes', fault: `hold different rows:\n${checksums.join('\n\n')}` }]
}
