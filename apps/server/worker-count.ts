import { availableParallelism, totalmem } from 'node:os'

/** What the machine, or the container, lets the gateway use. */
export type Capacity = { readonly processors: number; readonly memoryBytes: number }

/** More processes write the same wallets at the same time more often, and each opens connections to the database. */
const MOST = 4

/** The memory of a process with many sends in flight. */
const MEMORY_BYTES = 1024 * 1024 * 1024

/**
 * How many processes `WORKERS=auto` runs.
 *
 * One processor is left to the database, or to other programs. SQLite accepts one writer at a time, so more processes would wait for each other.
 */
export const workersFor = (databaseUrl: string, { processors, memoryBytes }: Capacity = capacityHere()): number =>
  (databaseUrl.startsWith('sqlite:') ? 1 : Math.max(1, Math.min(MOST, processors - 1, Math.floor(memoryBytes / MEMORY_BYTES))))

/** A container may have less memory than the machine. Node.js reports 0 if it does not know the limit. */
const capacityHere = (): Capacity => ({
  processors: availableParallelism(), memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Infinity),
})
