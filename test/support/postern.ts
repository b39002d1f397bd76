import { spawn } from 'node:child_process'
import { compiled } from './compiled.js'

/** What a command left behind when it ended. */
export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

export type Env = Readonly<Record<string, string>>

/** The environment of a process that inherits nothing it could be configured by. */
export const bareEnv = (env: Env): Env => ({ PATH: process.env['PATH'] ?? '', ...env })

/** Runs `postern` as compiled, with arguments, an environment and perhaps an input, to its end. */
export const postern = (args: ReadonlyArray<string>, env: Env, input = ''): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [compiled('apps/cli/main.js'), ...args], { env: bareEnv(env), stdio: 'pipe' })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.once('error', reject)
    // A command that reads no input may be gone before it is written.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.once('close', (status) => resolve({ status, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }))
  })

/** Runs a command that has to succeed, with `--json`, and reads what it prints. */
export const posternJson = async (args: ReadonlyArray<string>, env: Env, input = ''): Promise<unknown> => {
  const { status, stdout, stderr } = await postern([...args, '--json'], env, input)
  if (status !== 0) throw new Error(`postern ${args.join(' ')} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout)
}
