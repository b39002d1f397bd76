import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compiled } from '../support/compiled.js'
import { bareEnv, type Env } from '../support/postern.js'
import { cpuSeconds, forgetPeak, peakMib, memoryMib } from '../support/process-usage.js'
import type { Cores, CoreGroup } from './cores.js'

/** A child process of the bench that serves an address. */
export type Child = {
  readonly url: string
  /** Sends it a request over IPC; rejects if it fails or has ended. */
  readonly ask: (request: unknown) => Promise<unknown>
  /** The processor time it has used so far, in seconds; `undefined` if the system does not provide it. */
  readonly cpuSeconds: () => Promise<number | undefined>
  /** Resets the peak of its memory. */
  readonly forgetPeak: () => Promise<void>
  /** The peak of its memory since the reset, in MiB; `undefined` if the system does not provide it. */
  readonly peakMib: () => Promise<number | undefined>
  /** Its memory now, in MiB; `undefined` if the system does not provide it. */
  readonly memoryMib: () => Promise<number | undefined>
  /** Stops it with SIGTERM, and after 10 s with SIGKILL. */
  readonly stop: () => Promise<void>
}

/** The program to run: the compiled gateway, a compiled file of this folder, or a file that tsx compiles, which makes it slower. */
export type Program = 'gateway' | { readonly compiled: string } | { readonly file: string }

/** `node` is the path of another release of Node.js. */
export type Start = {
  readonly node?: string | undefined
  readonly program: Program
  readonly args?: ReadonlyArray<string>
  readonly nodeArgs?: ReadonlyArray<string>
  readonly env?: Env
}

/** For programs that are not measured: the system chooses their processor. */
export const UNPINNED: Cores = { sentence: '', pin: async () => undefined }

type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string }

const START_MS = 60_000
const STOP_MS = 10_000

const entryOf = (program: Program): ReadonlyArray<string> => {
  if (program === 'gateway') return [compiled('apps/cli/main.js'), 'serve']
  if ('compiled' in program) return [compiled(`test/bench/${program.compiled}`)]
  return ['--import=tsx', fileURLToPath(new URL(program.file, import.meta.url))]
}

/** Starts a process, waits until it writes its address and pins it to its cores, unless it may use all of them. */
export const startChild = async (
  cores: Cores, group: CoreGroup, { node = process.execPath, program, args = [], nodeArgs = [], env = {} }: Start,
): Promise<Child> => {
  const child = spawn(node, [...nodeArgs, ...entryOf(program), ...args], { env: bareEnv(env), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const errorLines: string[] = []
  const ended = once(child, 'close')
  // A child ends with the bench, even if the bench ends early.
  const onExit = (): void => void child.kill('SIGKILL')
  process.once('exit', onExit)
  void ended.then(() => process.off('exit', onExit))
  createInterface(child.stderr!).on('line', (line) => errorLines.push(line))
  const { pid } = child
  if (pid === undefined) throw new Error('a process could not be started')

  const pending = new Map<number, { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>()
  let requests = 0
  child.on('message', (message) => {
    const { id, value, error } = message as Answer
    const caller = pending.get(id)
    pending.delete(id)
    if (error === undefined) caller?.resolve(value)
    else caller?.reject(new Error(error))
  })
  child.once('exit', () => {
    for (const { reject } of pending.values()) reject(new Error(`a process of the bench has ended: ${errorLines.slice(-5).join('\n')}`))
  })

  const listening = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('a process of the bench did not listen in time')), START_MS)
    createInterface(child.stdout!).on('line', (line) => {
      const { msg, url, level } = JSON.parse(line) as { readonly msg: string; readonly url: string; readonly level: string }
      if (level === 'error' || level === 'fatal') errorLines.push(line)
      if (msg !== 'listening') return
      clearTimeout(timer)
      resolve(url)
    })
    void ended.then(() => {
      clearTimeout(timer)
      reject(new Error(`a process of the bench ended: ${errorLines.slice(-5).join('\n')}`))
    })
  })
  const url = await listening.catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  if (group !== 'all') await cores.pin(pid, group)

  return {
    url,
    ask: (request) =>
      new Promise((resolve, reject) => {
        requests += 1
        pending.set(requests, { resolve, reject })
        child.send({ id: requests, request }, (error) => { if (error) reject(error) })
      }),
    cpuSeconds: () => cpuSeconds(pid).catch(() => undefined),
    forgetPeak: () => forgetPeak(pid),
    peakMib: () => peakMib(pid).catch(() => undefined),
    memoryMib: () => memoryMib(pid).catch(() => undefined),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
