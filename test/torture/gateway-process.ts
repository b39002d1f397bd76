import { freePort } from '../support/free-port.js'
import type { Env } from '../support/postern.js'
import { addressOf, type SpawnedServer, spawnServer } from '../support/server-process.js'

/** A gateway that is killed and restarted, always at the same address. */
export type KillableGateway = {
  readonly url: string
  /** Starts it; resolves when it listens, rejects if it ends by itself. */
  readonly start: () => Promise<void>
  /** Kills it with SIGKILL and waits for its end. */
  readonly kill: () => Promise<void>
  /** Stops it with SIGTERM; resolves with its exit status. */
  readonly stop: () => Promise<number | null>
  /** Its latest warnings and errors. */
  readonly logLines: () => ReadonlyArray<string>
}

const KEPT = 40

/** A gateway that has not been started, with its own environment and port. */
export const makeKillableGateway = async (env: Env): Promise<KillableGateway> => {
  // The port is the same for every start, because the simulator delivers notifications to it.
  const port = await freePort()
  const logLines: string[] = []
  let server: SpawnedServer | undefined

  const keepLine = (line: string): void => {
    logLines.push(line)
    logLines.splice(0, logLines.length - KEPT)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    start: async () => {
      const started = spawnServer({ ...env, PORT: String(port) })
      server = started
      started.onLine((line) => { if (line['level'] === 'warn' || line['level'] === 'error') keepLine(JSON.stringify(line)) })
      void started.ended.then(({ status, signal, stderr }) => {
        for (const line of stderr.split('\n')) if (line !== '') keepLine(line)
        if (signal !== 'SIGKILL' && status !== 0) keepLine(`the gateway ended with ${status ?? signal}`)
      })
      await addressOf(started)
    },
    kill: async () => { await server?.kill() },
    stop: async () => {
      server?.signal('SIGTERM')
      return (await server?.ended)?.status ?? null
    },
    logLines: () => logLines,
  }
}
