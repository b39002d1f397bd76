import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { compiled } from '../support/compiled.js'
import { bareEnv, type Env } from '../support/postern.js'

/** A gateway that is killed and started again, always at the same address. */
export type Victim = {
  readonly url: string
  /** Starts it; the promise resolves once it listens, and rejects where it ends by itself. */
  readonly start: () => Promise<void>
  /** Kills it without warning, wherever it is, and waits until it is gone. */
  readonly kill: () => Promise<void>
  /** Asks it to stop with care; answers its exit status. */
  readonly stop: () => Promise<number | null>
  /** Its latest warnings and errors. */
  readonly complaints: () => ReadonlyArray<string>
}

const KEPT = 40

/** A gateway that has not been started, with an environment and a port of its own. */
export const makeVictim = async (env: Env): Promise<Victim> => {
  const port = await freePort()
  const complaints: string[] = []
  let child: ChildProcess | undefined

  const complain = (line: string): void => {
    complaints.push(line)
    complaints.splice(0, complaints.length - KEPT)
  }

  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [compiled('apps/cli/main.js'), 'serve'], {
      env: bareEnv({ ...env, PORT: String(port) }), stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    // A run that is broken off leaves no gateway behind.
    const onExit = (): void => void started.kill('SIGKILL')
    process.once('exit', onExit)
    started.once('close', () => process.off('exit', onExit))
    createInterface(started.stderr).on('line', complain)
    await new Promise<void>((resolve, reject) => {
      createInterface(started.stdout).on('line', (line) => {
        const { level, msg } = JSON.parse(line) as { readonly level: string; readonly msg: string }
        if (level === 'warn' || level === 'error') complain(line)
        if (msg === 'listening') resolve()
      })
      started.once('close', (status, signal) => {
        if (signal !== 'SIGKILL' && status !== 0) complain(`the gateway ended with ${status ?? signal}`)
        reject(new Error(`the gateway ended with ${status ?? signal}: ${complaints.slice(-3).join('\n')}`))
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
    complaints: () => complaints,
  }
}

/** A port nobody listens on. The simulator has to find the gateway again after each start, so it cannot be a new one each time. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
