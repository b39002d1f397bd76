import { spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import type { Shell } from '../../apps/cli/shell.js'
import { compiled } from './compiled.js'
import { RUN_VARIABLE, testRun } from './test-run.js'

/** The exit status and output of a command. */
export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

export type Env = Readonly<Record<string, string>>

/** An environment with PATH and the name of the run only, besides what is given. */
export const bareEnv = (env: Env): Env => ({ PATH: process.env['PATH'] ?? '', [RUN_VARIABLE]: testRun(), ...env })

/** A shell that is no process's: it has an environment and perhaps input, and keeps what a command writes. */
export const makeShell = (env: Env, input = ''): { readonly shell: Shell; readonly written: () => Omit<Ended, 'status'> } => {
  let [stdout, stderr] = ['', '']
  return {
    shell: {
      env, stdin: Readable.from(input === '' ? [] : [input]), stdout: { write: (text) => { stdout += text } }, stderr: { write: (text) => { stderr += text } },
    },
    written: () => ({ stdout, stderr }),
  }
}

/** Runs a command line in this process, with arguments, an environment and perhaps input, as `postern` runs it in a process of its own. */
export const postern = async (args: ReadonlyArray<string>, env: Env, input = ''): Promise<Ended> => {
  // Loaded as its commands load their parts: mocha requires a test, and what a test imports would be another copy with error classes of its own.
  const { run } = await import('../../apps/cli/program.js')
  const { shell, written } = makeShell(env, input)
  const status = await run(args, shell)
  return { status, ...written() }
}

/** Runs a command in this process with `--json` and parses its output; throws if it fails. */
export const posternJson = async (args: ReadonlyArray<string>, env: Env, input = ''): Promise<unknown> => {
  const { status, stdout, stderr } = await postern([...args, '--json'], env, input)
  if (status !== 0) throw new Error(`postern ${args.join(' ')} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Runs the compiled `postern` in a process of its own until it ends; or another program in its place. */
export const posternProcess = (args: ReadonlyArray<string>, env: Env, input = '', program = compiled('apps/cli/main.js')): Promise<Ended> =>
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
