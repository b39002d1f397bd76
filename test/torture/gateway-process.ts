import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { compiled } from '../support/compiled.js'
import { freePort } from '../support/free-port.js'
import { bareEnv, type Env } from '../support/postern.js'

/** A gateway that is killed and started again, always at the same address. */
export type KillableGateway = {
  readonly url: string
  /** Starts it; resolves once it listens, rejects if it ends by itself. */
  readonly start: () => Promise<void>
  /** Kills it with SIGKILL and waits for its end. */
  readonly kill: () => Promise<void>
  /** Stops it with SIGTERM; resolves with its exit status. */
  readonly stop: () => Promise<number | null>
  /** Its latest warnings and errors. */
  readonly logLines: () => ReadonlyArray<string>
}

const KEPT = 40

/** A gateway that has not been started, with an environment and a port of its own. */
export const makeKillableGateway = async (env: Env): Promise<KillableGateway> => {
  // It stays the same for every start, because the simulator delivers notifications there.
  const port = await freePort()
  const logLines: string[] = []
  let child: ChildProcess | undefined

  const keepLine = (line: string): void => {
    logLines.push(line)
    logLines.splice(0, logLines.length - KEPT)
  }

  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [compiled('apps/cli/main.js'), 'serve'], {
      env: bareEnv({ ...env, PORT: String(port) }), stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    // If the run is interrupted, the gateway ends with it.
    const onExit = (): void => void started.kill('SIGKILL')
    process.once('exit', onExit)
    started.once('close', () => process.off('exit', onExit))
    createInterface(started.stderr).on('line', keepLine)
    await new Promise<void>((resolve, reject) => {
      createInterface(started.stdout).on('line', (line) => {
        const { level, msg } = JSON.parse(line) as { readonly level: string; readonly msg: string }
        if (level === 'warn' || level === 'error') keepLine(line)
        if (msg === 'listening') resolve()
      })
      started.once('close', (status, signal) => {
        if (signal !== 'SIGKILL' && status !== 0) keepLine(`the gateway ended with ${status ?? signal}`)
        reject(new Error(`the gateway ended with ${status ?? signal}: ${logLines.slice(-3).join('\n')}`))
      })
    })
  }

  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const gone = once(child, 'close') as Promise<[number | null]>
    child.kill(signal)
    return (await gone)[0]
  }

  return {
    url: `http://127.0.0.1:${port}`,
    start,
    kill: async () => { await end('SIGKILL') },
    stop: () => end('SIGTERM'),
    logLines: () => logLines,
  }
}
