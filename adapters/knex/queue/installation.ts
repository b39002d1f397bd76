import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Database } from '../engine/database.js'
import { codeOf } from '../engine/faults.js'
import { hostKeys } from '../engine/hosts.js'
import { select } from '../engine/sql.js'
import { IN_MEMORY, sqlitePath } from '../engine/sqlite.js'

/**
 * Identifies an installation by its database: a digest of where it is, and of what the database itself says. It stays the same after restarts of the gateway and of the database, is the same for gateways
 * that name the hosts of the database in another order, have another user or connect to another node of a Galera cluster, and differs in a copy, even one that has the same address on another server.
 */
export const installationOf = async (database: Database, url: string): Promise<string> =>
  createHash('sha256').update(JSON.stringify(await identityOf(database, url))).digest('hex')

const identityOf = ({ dialect, ...database }: Database, url: string): Promise<ReadonlyArray<string>> => {
  switch (dialect.name) {
    case 'sqlite': return fileIdentity(sqlitePath(url))
    case 'postgres': return clusterIdentity({ dialect, ...database }, hostKeys(url))
    case 'mysql': return serverIdentity({ dialect, ...database }, hostKeys(url))
  }
}

/** A copy of a file has another inode or another time of birth. The device is left out, because its number may change when the machine starts. */
const fileIdentity = async (path: string): Promise<ReadonlyArray<string>> => {
  if (path === IN_MEMORY) return [path]
  const { ino, birthtimeNs } = await stat(path, { bigint: true })
  return [resolve(path), String(ino), String(birthtimeNs)]
}

/** A database that was restored from a dump, or created from a template, has another oid, even if it has the same name. */
const clusterIdentity = async ({ db }: Database, hosts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const [row] = await select(db, 'SELECT oid::text AS oid, datname FROM pg_database WHERE datname = current_database()', [])
  return [...hosts, String(row?.['datname']), String(row?.['oid']), await systemIdentifier(db)]
}

/** The identifier of the cluster; empty if this user may not read it, or if the server is not PostgreSQL itself and has none. */
const systemIdentifier = async (db: Database['db']): Promise<string> => {
  try {
    const [row] = await select(db, 'SELECT system_identifier::text AS id FROM pg_control_system()', [])
    return String(row?.['id'])
  } catch (error) {
    if (!NOT_READABLE.has(codeOf(error))) throw error
    return ''
  }
}

/** Insufficient privilege, undefined function, feature not supported. */
const NOT_READABLE = new Set(['42501', '42883', '0A000'])

/** The database and the id of its Galera cluster, or else the hosts, the database and the id of the server. Of several hosts without Galera, each has an id of its own, so none is used. */
const serverIdentity = async ({ db }: Database, hosts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const name = String((await select(db, 'SELECT DATABASE() AS name', []))[0]?.['name'])
  const cluster = valuesIn(await select(db, "SHOW GLOBAL STATUS LIKE 'wsrep_cluster_state_uuid'", [])).filter((id) => /[1-9a-f]/.test(id))
  if (cluster.length > 0) return [name, ...cluster]
  if (hosts.length > 1) return [...hosts, name]
  return [...hosts, name, ...valuesIn(await select(db, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uuid', 'server_uid')", []))]
}

const valuesIn = (rows: Awaited<ReturnType<typeof select>>): ReadonlyArray<string> => rows.map((row) => String(row['Value']))
