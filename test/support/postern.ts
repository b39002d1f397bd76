import { spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import type { Shell } from '../../apps/cli/shell.js'
import { compiled } from './compiled.js'
import { RUN_VARIABLE, testRun } from './test-run.js'

/** The exit status and output of a command. */
export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

export type Env = Readonly<Record<string, string>>

/** An environment with only PATH, the name of the run, and the given variables. A gateway is one process on every machine, unless a test sets `WORKERS`. */
export const bareEnv = (env: Env): Env => ({ PATH: process.env['PATH'] ?? '', [RUN_VARIABLE]: testRun(), WORKERS: '1', ...env })

/** A shell without a process: it has an environment and perhaps input, and records the output of a command. */
export const makeShell = (env: Env, input = ''): { readonly shell: Shell; readonly written: () => Omit<Ended, 'status'> } => {
  let [stdout, stderr] = ['', '']
  return {
    shell: {
      env, stdin: Readable.from(input === '' ? [] : [input]), stdout: { write: (text) => { stdout += text } },
      stderr: { write: (text) => { stderr += text } },
    },
    written: () => ({ stdout, stderr }),
  }
}

/** Runs a command line in this process, with arguments, an environment and perhaps input, like `postern` in its own process. */
export const postern = async (args: ReadonlyArray<string>, env: Env, input = ''): Promise<Ended> => {
  // Loaded in the same way as the commands load their parts: mocha uses `require` for a test, and a test's imports would be another copy with other error classes.
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

/** Runs the compiled `postern`, or another program, in its own process until it ends. */
export const posternProcess = (args: ReadonlyArray<string>, env: Env, input = '', program = compiled('apps/cli/main.js')): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { env: bareEnv(env), stdio: 'pipe' })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.once('error', reject)
    // A command that does not read input may end before the input is written.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.once('close', (status) => resolve({ status, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }))
  })
