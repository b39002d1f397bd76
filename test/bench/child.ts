import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compiled } from '../support/compiled.js'
import { bareEnv, type Env } from '../support/postern.js'
import type { Cores, Place } from './cores.js'

/** A process of the bench that takes requests at an address. */
export type Child = {
  readonly url: string
  /** Asks it something over its own channel; rejects where it fails or is gone. */
  readonly ask: (question: unknown) => Promise<unknown>
  /** Processor time it has used so far, in seconds; `undefined` where the system does not tell. */
  readonly cpuSeconds: () => Promise<number | undefined>
  /** Forgets the peak of its memory so far. */
  readonly forgetPeak: () => Promise<void>
  /** The peak of its memory since then, in MiB; `undefined` where the system does not tell. */
  readonly peakMib: () => Promise<number | undefined>
  /** Stops it with care, then without. */
  readonly stop: () => Promise<void>
}

/** What to run: a file of this folder, or the gateway as compiled. */
export type Program = { readonly file: string } | 'gateway'

export type Start = { readonly program: Program; readonly args?: ReadonlyArray<string>; readonly nodeArgs?: ReadonlyArray<string>; readonly env?: Env }

type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string }

const START_MS = 60_000
const STOP_MS = 10_000
const TICKS_PER_SECOND = 100

/** Starts a process, puts it in its place and waits until it says where it listens. */
export const startChild = async (cores: Cores, place: Place, { program, args = [], nodeArgs = [], env = {} }: Start): Promise<Child> => {
  const entry = program === 'gateway' ? [compiled('apps/cli/main.js'), 'serve'] : ['--import=tsx', fileURLToPath(new URL(program.file, import.meta.url))]
  const child = spawn(process.execPath, [...nodeArgs, ...entry, ...args], { env: bareEnv(env), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const said: string[] = []
  const ended = once(child, 'close')
  // A bench that is killed outright cannot stop its children, so it never leaves one behind on purpose.
  const onExit = (): void => void child.kill('SIGKILL')
  process.once('exit', onExit)
  void ended.then(() => process.off('exit', onExit))
  createInterface(child.stderr!).on('line', (line) => said.push(line))
  const { pid } = child
  if (pid === undefined) throw new Error('a process could not be started')

  const asked = new Map<number, { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>()
  let questions = 0
  child.on('message', (message) => {
    const { id, value, error } = message as Answer
    const asker = asked.get(id)
    asked.delete(id)
    if (error === undefined) asker?.resolve(value)
    else asker?.reject(new Error(error))
  })
  child.once('exit', () => {
    for (const { reject } of asked.values()) reject(new Error(`a process of the bench is gone: ${said.slice(-5).join('\n')}`))
  })

  const listening = new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('a process of the bench did not listen in time')), START_MS)
    createInterface(child.stdout!).on('line', (line) => {
      const { msg, url, level } = JSON.parse(line) as { readonly msg: string; readonly url: string; readonly level: string }
      if (level === 'error' || level === 'fatal') said.push(line)
      if (msg !== 'listening') return
      clearTimeout(late)
      resolve(url)
    })
    void ended.then(() => {
      clearTimeout(late)
      reject(new Error(`a process of the bench ended: ${said.slice(-5).join('\n')}`))
    })
  })
  const url = await listening.catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  await cores.pin(pid, place)

  return {
    url,
    ask: (question) =>
      new Promise((resolve, reject) => {
        questions += 1
        asked.set(questions, { resolve, reject })
        child.send({ id: questions, question }, (error) => { if (error) reject(error) })
      }),
    cpuSeconds: () => cpuSeconds(pid).catch(() => undefined),
    forgetPeak: () => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined),
    peakMib: () => peakMib(pid).catch(() => undefined),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(late)
    },
  }
}

/** Fields 14 and 15 of `/proc/PID/stat`, counted from behind the name, which may hold spaces. */
const cpuSeconds = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const peakMib = async (pid: number): Promise<number> =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
