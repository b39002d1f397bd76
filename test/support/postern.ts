import { spawn } from 'node:child_process'
import { compiled } from './compiled.js'
import { RUN_VARIABLE, runName } from './test-run.js'

/** The exit status and output of a command. */
export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

export type Env = Readonly<Record<string, string>>

/** An environment with PATH and the name of the run only, besides what is given. */
export const bareEnv = (env: Env): Env => ({ PATH: process.env['PATH'] ?? '', [RUN_VARIABLE]: runName(), ...env })

/** Runs the compiled `postern` with arguments, an environment and perhaps input, until it ends; or another program in its place. */
export const postern = (args: ReadonlyArray<string>, env: Env, input = '', program = compiled('apps/cli/main.js')): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { env: bareEnv(env), stdio: 'pipe' })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.once('error', reject)
    // A command that reads no input may end before the input is written.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.once('close', (status) => resolve({ status, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }))
  })

/** Runs a command with `--json` and parses its output; throws if it fails. */
export const posternJson = async (args: ReadonlyArray<string>, env: Env, input = ''): Promise<unknown> => {
  const { status, stdout, stderr } = await postern([...args, '--json'], env, input)
  if (status !== 0) throw new Error(`postern ${args.join(' ')} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout)
}
