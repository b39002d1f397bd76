import { spawn } from 'node:child_process'
import { compiled } from './compiled.js'
import { bareEnv, type Ended, type Env } from './postern.js'

/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>>

/** A process of the compiled gateway, which may still be starting. */
export type SpawnedServer = {
  readonly pid: number
  readonly signal: (signal: NodeJS.Signals) => void
  /** Resolves when the process has ended and its output is read. */
  readonly ended: Promise<Ended & { readonly signal: NodeJS.Signals | null }>
  /** The log so far, one line per event. */
  readonly log: () => ReadonlyArray<LogLine>
  /** Calls a listener for each line of the log. */
  readonly onLine: (listener: (line: LogLine) => void) => void
  /** Waits until the log has `count` lines of an event, and returns them; rejects if the process ends before. */
  readonly logged: (event: string, count?: number) => Promise<ReadonlyArray<LogLine>>
  /** Stops reading the log, so that its pipe fills up. */
  readonly stopReading: () => void
  /** Closes the reader's ends of its pipes. */
  readonly closeLog: () => void
  /** Kills the process, or its whole process group if it has one, and waits for its end. */
  readonly kill: () => Promise<void>
}

/** A gateway in its own process, run from the compiled output. */
export type ServerProcess = SpawnedServer & { readonly url: string }

const START_MS = 30_000

/** Runs its arguments as a command, as a child process. */
const SHELL = ['sh', '-c', '"$0" "$@"; exit $?']

type SpawnOptions = {
  /** Whether its processes are in a separate group, which is killed as a whole, so that even a worker that has lost its parent ends. */
  readonly ownGroup?: boolean
  /** Whether it runs under a shell, so that signals go to the shell, as with npm. */
  readonly shell?: boolean
  /** The program, if it is not from this release. */
  readonly program?: string
  /** The Node.js that runs it, if it is not this one. */
  readonly node?: string
}

/** Starts `postern serve` on a free port without waiting. Its senders have no limit, unless a test gives them one. */
export const spawnServer = (
  env: Env, { ownGroup = false, shell = false, program = compiled('apps/cli/main.js'), node = process.execPath }: SpawnOptions = {},
): SpawnedServer => {
  const [command, ...args] = [...(shell ? SHELL : []), node, program, 'serve'] as const
  const child = spawn(command, args, {
    env: bareEnv({ PORT: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'], detached: ownGroup,
  })
  const { pid } = child
  if (pid === undefined) throw new Error('the gateway could not be started')
  // An interrupted run leaves no gateway behind.
  const killAll = (): void => {
    if (!ownGroup) child.kill('SIGKILL')
    else if (isGroupAlive(pid)) process.kill(-pid, 'SIGKILL')
  }
  process.once('exit', killAll)
  child.once('close', () => process.off('exit', killAll))
  const lines: string[] = []
  const listeners: Array<(line: LogLine) => void> = []
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => { stderr += chunk.toString() })
  // A process that is killed may leave half a line, which is not reported.
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const whole = (rest + chunk).split('\n')
    rest = whole.pop() ?? ''
    for (const line of whole) {
      lines.push(line)
      for (const listener of listeners) listener(JSON.parse(line) as LogLine)
    }
  })
  const ended = new Promise<Ended & { readonly signal: NodeJS.Signals | null }>((resolve) =>
    void child.once('close', (status, signal) =>
      resolve({ status, signal, stdout: [...lines, ...(rest === '' ? [] : [rest])].join('\n'), stderr })))

  const log = (): ReadonlyArray<LogLine> => lines.map((line) => JSON.parse(line) as LogLine)

  return {
    pid,
    ended,
    signal: (signal) => void child.kill(signal),
    log,
    logged: (event, count = 1) => new Promise((resolve, reject) => {
      const look = (): void => {
        const found = log().filter(({ msg }) => msg === event)
        if (found.length >= count) resolve(found)
      }
      look()
      listeners.push(look)
      void ended.then(({ status }) => { reject(new Error(`the gateway ended with ${status} before ${count} ${event}`)) })
    }),
    onLine: (listener) => void listeners.push(listener),
    stopReading: () => {
      child.stdout.pause()
    },
    closeLog: () => {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    kill: async () => {
      killAll()
      await ended
    },
  }
}

/** Whether a process of a group runs. */
export const isGroupAlive = (group: number): boolean => {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

/** Waits until a server listens and returns its address; rejects with its output if it does not listen. */
export const addressOf = (server: SpawnedServer): Promise<string> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      void server.kill()
      reject(new Error(`the gateway did not listen in time: ${JSON.stringify(server.log())}`))
    }, START_MS)
    server.onLine((line) => {
      if (line['msg'] !== 'listening') return
      clearTimeout(late)
      resolve(String(line['url']))
    })
    void server.ended.then(({ status, stderr }) => {
      clearTimeout(late)
      reject(new Error(`the gateway ended with ${status}: ${stderr}`))
    })
  })

/** Starts `postern serve` on a free port and waits until it listens. */
export const startServer = async (env: Env, options: SpawnOptions = {}): Promise<ServerProcess> => {
  const server = spawnServer(env, options)
  return { ...server, url: await addressOf(server) }
}

/** Starts several gateways concurrently; if one does not start, kills the others and rejects. */
export const startServers = async (envs: ReadonlyArray<Env>): Promise<ReadonlyArray<ServerProcess>> => {
  const starts = await Promise.allSettled(envs.map((env) => startServer(env)))
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed === undefined) return started
  await Promise.all(started.map((gateway) => gateway.kill()))
  throw failed.reason
}
