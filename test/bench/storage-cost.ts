import type { TestServer } from '../support/databases.js'
import { startChild } from './child.js'
import { median } from './load-result.js'
import type { Schedule } from './measure.js'
import { over } from './ratios.js'
import { MANY_CONNECTIONS } from './rows.js'
import type { StorageCost, StorageRequest } from './storage-cpu.js'
import type { TargetContext } from './targets.js'

/** The processor time of a send in storage code, in microseconds: with merged writes, and with a transaction for each write. */
export type StorageCosts = { readonly merged: number; readonly single: number; readonly ratio: number | null }

/** Measures both alternately, each time in a new process and a new database. */
export const measureStorageCost = async (
  server: TestServer, { cores, cleanup }: Pick<TargetContext, 'cores' | 'cleanup'>, { seconds, rounds }: Schedule,
  log: (line: string) => void,
): Promise<StorageCosts> => {
  const costs = { merged: [] as number[], single: [] as number[] }
  for (let round = 1; round <= rounds; round += 1) {
    for (const way of ['merged', 'single'] as const) {
      const { cpuMicros, perSecond } = await costOnce(way)
      costs[way].push(cpuMicros)
      log(`round ${round} of ${rounds}: storage alone, ${way === 'merged' ? 'merged writes' : 'a transaction a write'}: ${Math.round(perSecond)} sends/s, ${Math.round(cpuMicros)} µs each`)
    }
  }
  const merged = median(costs.merged)
  const single = median(costs.single)
  return { merged, single, ratio: over(merged, single) }

  async function costOnce(way: 'merged' | 'single'): Promise<StorageCost> {
    const database = await server.create()
    cleanup.defer(async () => database[Symbol.asyncDispose]())
    const child = await startChild(cores, 'measured', { program: { file: 'storage-cpu.ts' } })
    cleanup.defer(child.stop)
    const request: StorageRequest = { url: database.url, senders: MANY_CONNECTIONS, seconds, ...(way === 'single' && { cohort: 1 }) }
    const cost = (await child.ask(request)) as StorageCost
    await child.stop()
    return cost
  }
}
