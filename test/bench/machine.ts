import { cpus, totalmem } from 'node:os'
import type { TestServer } from '../support/databases.js'
import { versionOf } from './database.js'

/** The machine of a run. */
export type Machine = {
  readonly cpu: string
  readonly cores: number
  readonly memory_gib: number
  readonly node: string
  readonly databases: ReadonlyArray<string>
  /** Which process ran on which core. */
  readonly placement: string
}

/** Describes this machine and the database servers on it. */
export const describeMachine = async (servers: ReadonlyArray<TestServer>, placement: string): Promise<Machine> => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory_gib: Math.round((totalmem() / 2 ** 30) * 10) / 10,
  node: process.version,
  databases: await Promise.all(servers.map(versionOf)),
  placement,
})
