import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { compiled } from './compiled.js'
import { bareEnv, type Ended, type Env } from './postern.js'

/** A gateway in a process of its own, run from the compiled output. */
export type ServerProcess = {
  readonly url: string
  /** Sends a signal; what becomes of it is for `ended` to tell. */
  readonly signal: (signal: NodeJS.Signals) => void
  /** Once the process has ended. */
  readonly ended: Promise<Ended & { readonly signal: NodeJS.Signals | null }>
  /** The log so far, a line an event. */
  readonly log: () => ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Ends the process whatever it is doing, and waits for that. */
  readonly kill: () => Promise<void>
}

const START_MS = 30_000

/** Starts `postern serve` on a free port and waits until it listens; rejects with what it said where it does not. */
export const startServer = async (env: Env): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [compiled('apps/cli/main.js'), 'serve'], { env: bareEnv({ PORT: '0', ...env }), stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => { stderr += chunk.toString() })
  const ended = new Promise<Ended & { readonly signal: NodeJS.Signals | null }>((resolve) =>
    void child.once('close', (status, signal) => resolve({ status, signal, stdout: lines.join('\n'), stderr })))

  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the gateway did not listen in time: ${lines.join('\n')}${stderr}`))
    }, START_MS)
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      const event = JSON.parse(line) as Readonly<Record<string, unknown>>
      if (event['msg'] === 'listening') {
        clearTimeout(late)
        resolve(String(event['url']))
      }
    })
    void ended.then(({ status }) => {
      clearTimeout(late)
      reject(new Error(`the gateway ended with ${status}: ${stderr}`))
    })
  })

  return {
    url,
    ended,
    signal: (signal) => void child.kill(signal),
    log: () => lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
