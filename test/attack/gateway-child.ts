import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { compiled } from '../support/compiled.js'
import { bareEnv, type Env } from '../support/postern.js'

/** A gateway that is being started, with all its processes. */
export type GatewayChild = {
  readonly pid: number
  /** What it has written to its log so far. */
  readonly log: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Ends the process that reads its log, as far as the gateway can see. */
  readonly closeLog: () => void
  /** Waits until it has ended, workers too; answers its exit status, or `running` after so many milliseconds. */
  readonly endsWithin: (ms: number) => Promise<number | null | 'running'>
  /** Kills what is left of it. */
  readonly kill: () => Promise<void>
}

/** Starts the gateway in a process group of its own and waits for nothing. */
export const spawnGateway = (env: Env): GatewayChild => {
  const child = spawn(process.execPath, [compiled('apps/cli/main.js'), 'serve'], {
    env: bareEnv({ PORT: '0', ...env }), stdio: ['ignore', 'pipe', 'pipe'], detached: true,
  })
  const { pid } = child
  if (pid === undefined) throw new Error('a gateway could not be started')
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => { log += chunk.toString() })
  const exited = once(child, 'exit')
  const onExit = (): void => killGroup(pid)
  process.once('exit', onExit)
  void exited.then(() => process.off('exit', onExit))
  return {
    pid,
    log: () => log,
    signal: (signal) => void child.kill(signal),
    closeLog: () => {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    endsWithin: async (ms) => {
      const last = performance.now() + ms
      while (performance.now() < last) {
        if (hasEnded(child) && !isGroupAlive(pid)) return child.exitCode
        await delay(20)
      }
      return 'running'
    },
    kill: async () => {
      killGroup(pid)
      await exited
    },
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const isGroupAlive = (group: number): boolean => {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

const killGroup = (group: number): void => {
  if (isGroupAlive(group)) process.kill(-group, 'SIGKILL')
}
