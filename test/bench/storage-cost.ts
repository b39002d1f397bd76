import type { TestServer } from '../support/databases.js'
import { startChild } from './child.js'
import { median } from './load-result.js'
import type { Schedule } from './measure.js'
import { over } from './ratios.js'
import { BUSY } from './rows.js'
import type { StorageCost, StorageQuestion } from './storage-cpu.js'
import type { Ground } from './targets.js'

/** What a send costs in storage code, in microseconds of processor time, with writes merged and with a transaction each. */
export type StorageCosts = { readonly merged: number; readonly single: number; readonly ratio: number | null }

/** Measures the two by turns, each time in a process and a database of its own. */
export const measureStorageCost = async (
  server: TestServer, { cores, closing }: Ground, { seconds, rounds }: Schedule, tell: (line: string) => void,
): Promise<StorageCosts> => {
  const costs = { merged: [] as number[], single: [] as number[] }
  for (let round = 1; round <= rounds; round += 1) {
    for (const way of ['merged', 'single'] as const) {
      const { cpuMicros, perSecond } = await costOnce(way)
      costs[way].push(cpuMicros)
      tell(`round ${round} of ${rounds}: storage alone, ${way === 'merged' ? 'merged writes' : 'a transaction a write'}: ${Math.round(perSecond)} sends/s, ${Math.round(cpuMicros)} µs each`)
    }
  }
  const merged = median(costs.merged)
  const single = median(costs.single)
  return { merged, single, ratio: over(merged, single) }

  async function costOnce(way: 'merged' | 'single'): Promise<StorageCost> {
    const database = await server.create()
    closing.defer(async () => database[Symbol.asyncDispose]())
    const child = await startChild(cores, 'measured', { program: { file: 'storage-cpu.ts' } })
    closing.defer(child.stop)
    const question: StorageQuestion = { url: database.url, senders: BUSY, seconds, ...(way === 'single' && { cohort: 1 }) }
    const cost = (await child.ask(question)) as StorageCost
    await child.stop()
    return cost
  }
}
