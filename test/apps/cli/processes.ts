import { posternProcess, type Ended, type Env } from '../../support/postern.js'

/** A command that is started: how a test names it, its arguments and its input. */
export type Start = { readonly name: string; readonly args: ReadonlyArray<string>; readonly input?: string }

/** What the processes of commands end with, by the commands' names, and the end of all of them. */
export type Processes = { readonly ended: ReadonlyMap<string, Promise<Ended>>; readonly finished: Promise<unknown> }

const AT_ONCE = 2

/** Starts a process of the compiled `postern` for each command, two at a time, which is what two cores can do; each test waits for its own. */
export const startProcesses = (commands: ReadonlyArray<Start>, env: Env): Processes => {
  const ended = new Map<string, Promise<Ended>>()
  const last = Array.from({ length: AT_ONCE }, (): Promise<unknown> => Promise.resolve())
  for (const [n, { name, args, input }] of commands.entries()) {
    const next = (last[n % AT_ONCE] ?? Promise.resolve()).then(() => posternProcess(args, env, input))
    last[n % AT_ONCE] = next
    ended.set(name, next)
  }
  return { ended, finished: Promise.all(last) }
}
