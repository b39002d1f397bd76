import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import createKnex from 'knex'
import type { Suite } from 'mocha'
import { IS_ROOT, MARIADB, type ServerKind } from './database-server-kinds.js'
import { run, startDatabaseServer, type DatabaseServer } from './database-server.js'
import { eventually } from './eventually.js'
import { freePort } from './free-port.js'

/** A node of a cluster that a test started. */
export type GaleraNode = DatabaseServer & {
  /** Runs one or more statements on this node, on a separate connection, and returns the rows of a single statement. */
  readonly ask: (sql: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** Waits until the node is in the cluster and has all data of the other nodes. */
  readonly synced: () => Promise<void>
  /** Cuts the node off from the other nodes; its clients still reach it. */
  readonly cutOff: () => Promise<void>
  /** Reconnects the node to the other nodes. It rejoins them by itself. */
  readonly reconnect: () => Promise<void>
}

/** Three Galera nodes on the loopback address. */
export type GaleraCluster = {
  readonly nodes: readonly [GaleraNode, GaleraNode, GaleraNode]
  /** Creates an empty database with a given name, known to every node when this resolves. */
  readonly createDatabase: (name: string) => Promise<GaleraDatabase>
  /** Stops every node in any state and removes their data. */
  readonly remove: () => Promise<void>
}

/** An empty database of a cluster. */
export type GaleraDatabase = {
  /** Its URL on each single node. */
  readonly urls: readonly [string, string, string]
  /** A URL that lists every node, starting with a given one. */
  readonly urlFrom: (first: number) => string
}

const PROVIDER = '/usr/lib/galera/libgalera_smm.so'

/** Whether the cluster's programs are installed. */
export const HAS_GALERA = MARIADB.programFolder !== undefined && existsSync(PROVIDER)

const SYNCED_MS = 60_000

type Ports = { readonly group: number; readonly incremental: number; readonly transfer: number }

/** A node is dropped after one second instead of five, so that tests are short. */
const TIMES = 'evs.keepalive_period=PT0.3S;evs.inactive_check_period=PT0.2S;evs.suspect_timeout=PT1S;evs.inactive_timeout=PT2S;evs.install_timeout=PT2S'

/** Runs a suite if Galera is installed; otherwise prints a line, or fails if `CI` is set. */
export const describeGalera = (title: string, suite: (this: Suite) => void): void => {
  if (HAS_GALERA) describe(title, suite)
  else if (process.env['CI'] === undefined) process.stdout.write(`Not run: ${title}. To run it, install mariadb-server, galera-4 and rsync.\n`)
  else it(title, () => { throw new Error('install mariadb-server, galera-4 and rsync') })
}

/** Starts three nodes, each with its own folder and ports. */
export const startGalera = async (): Promise<GaleraCluster> => {
  const ports: Ports[] = []
  for (let count = 0; count < 3; count += 1) {
    ports.push({ group: await freePort(), incremental: await freePort(), transfer: await freePort() })
  }
  const address = `gcomm://${ports.map(({ group }) => `127.0.0.1:${group}`).join(',')}`
  const nodes: GaleraNode[] = []
  const removeAll = async (): Promise<void> => { await Promise.all(nodes.map((node) => node.kill().then(node.remove))) }
  try {
    // Each node gets the data of the previous ones, so they start one after another.
    for (const own of ports) {
      const node = nodeOf(await startDatabaseServer(kindOf(own, address, nodes.length), { isCopy: nodes.length > 0 }))
      nodes.push(node)
      await node.synced()
    }
    const [first, second, third] = nodes
    if (first === undefined || second === undefined || third === undefined) throw new Error('a cluster has three nodes')
    return { nodes: [first, second, third], createDatabase: (name) => createDatabase([first, second, third], name), remove: removeAll }
  } catch (error) {
    await removeAll()
    throw error
  }
}

const createDatabase = async (nodes: GaleraCluster['nodes'], name: string): Promise<GaleraDatabase> => {
  await nodes[0].ask(`CREATE DATABASE ${name}`)
  for (const node of nodes) await node.ask(`SET STATEMENT wsrep_sync_wait = 15 FOR SHOW TABLES IN ${name}`)
  const urlOf = ({ url }: GaleraNode): string => url.replace(/[^/]*$/, name)
  const hosts = nodes.map(({ url }) => new URL(url).host)
  return {
    urls: [urlOf(nodes[0]), urlOf(nodes[1]), urlOf(nodes[2])],
    urlFrom: (first) => `mysql://root@${[...hosts.slice(first), ...hosts.slice(0, first)].join(',')}/${name}`,
  }
}

const nodeOf = (server: DatabaseServer): GaleraNode => {
  const ask: GaleraNode['ask'] = async (sql) => {
    const connection = server.url.replace(/[^/]*$/, 'mysql?multipleStatements=true')
    const knex = createKnex({ client: 'mysql2', connection, pool: { min: 0, max: 1 }, acquireConnectionTimeout: 5_000, log: SILENT })
    try {
      const [rows] = (await knex.raw(sql)) as [ReadonlyArray<Readonly<Record<string, unknown>>>]
      return rows
    } finally {
      await knex.destroy()
    }
  }
  const isSynced = async (): Promise<boolean> => {
    const rows = await ask("SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_local_state_comment', 'wsrep_cluster_status')")
    return ['ON', 'Synced', 'Primary'].every((value) => rows.some((row) => row['Value'] === value))
  }
  const synced = (): Promise<void> =>
    eventually('a node in its cluster', async () => (await isSynced().catch(() => false)) || undefined, SYNCED_MS).then(() => undefined)
  return {
    ...server, ask, synced,
    start: async () => {
      await server.start()
      await synced()
    },
    cutOff: async () => { await ask("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'") },
    reconnect: async () => { await ask("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'") },
  }
}

/** Knex would log every refused connection while a node starts. */
const SILENT = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }

/** The start options of a node. The first one creates the cluster, once; the others start without data. */
const kindOf = ({ group, incremental, transfer }: Ports, address: string, index: number): ServerKind => {
  let starts = 0
  let position: string | undefined
  return {
    ...MARIADB,
    name: `Galera node ${index + 1}`,
    // It may copy all data from another node before it responds.
    startMs: SYNCED_MS,
    log: async (folder) => (await readFile(`${folder}/log`, 'utf8')).split('\n').slice(-60).join('\n'),
    initialise: (folder) =>
      index === 0
        ? MARIADB.initialise(folder)
        : { program: 'install', args: ['-d', ...(IS_ROOT ? ['-o', 'mysql'] : []), `${folder}/data`] },
    beforeStart: async (folder) => {
      position = starts > 0 ? await recoveredPosition(folder) : undefined
    },
    serve: (folder, port) => {
      starts += 1
      const { program, args } = MARIADB.serve(folder, port)
      return {
        program,
        args: [
          ...args, `--log-error=${folder}/log`, '--innodb-buffer-pool-size=64M', '--innodb-log-file-size=32M', '--max-connections=500',
          '--binlog-format=ROW', '--default-storage-engine=InnoDB', '--innodb-autoinc-lock-mode=2', '--innodb-flush-log-at-trx-commit=2',
          '--wsrep-on=ON', `--wsrep-provider=${PROVIDER}`, '--wsrep-cluster-name=postern', `--wsrep-cluster-address=${address}`,
          `--wsrep-node-name=node${index + 1}`, `--wsrep-node-address=127.0.0.1:${group}`, '--wsrep-slave-threads=2',
          '--wsrep-sst-method=rsync', `--wsrep-sst-receive-address=127.0.0.1:${transfer}`,
          `--wsrep-provider-options=base_host=127.0.0.1;base_port=${group};gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${incremental};gcache.size=32M;${TIMES}`,
          ...(index === 0 && starts === 1 ? ['--wsrep-new-cluster'] : []),
          ...(position === undefined ? [] : [`--wsrep-start-position=${position}`]),
        ],
      }
    },
  }
}

/** The position at which the node stopped, determined like Debian's service does. Without it the node would copy all data from another. */
const recoveredPosition = async (folder: string): Promise<string | undefined> => {
  const log = `${folder}/recovery`
  await rm(log, { force: true })
  const { program, args } = MARIADB.serve(folder, 0)
  await run({
    program,
    args: [...args, '--wsrep-recover', '--wsrep-on=ON', `--wsrep-provider=${PROVIDER}`, '--disable-log-error', `--log-error=${log}`],
  }).catch(() => undefined)
  return /Recovered position: *(\S+)/.exec(await readFile(log, 'utf8').catch(() => ''))?.[1]
}
