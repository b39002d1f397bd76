import type { Env } from './postern.js'
import { startServer, type ServerProcess } from './server-process.js'

/** Starts several gateways at once; if one does not start, kills the others and rejects. */
export const startServers = async (count: number, env: Env): Promise<ReadonlyArray<ServerProcess>> => {
  const starts = await Promise.allSettled(Array.from({ length: count }, () => startServer(env)))
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed === undefined) return started
  await Promise.all(started.map((gateway) => gateway.kill()))
  throw failed.reason
}
