import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import createKnex from 'knex'
import { eventually } from './eventually.js'
import { IS_ROOT, MARIADB, POSTGRES, type Command, type ServerKind } from './database-server-kinds.js'
import { freePort } from './free-port.js'
import { makeScratch } from './scratch.js'

/** A database server that a test started, with an empty database; the test may stop, kill or freeze it. */
export type DatabaseServer = {
  /** The empty database. */
  readonly url: string
  /** Starts it again on the same data and port, and waits until it answers. */
  readonly start: () => Promise<void>
  /** Stops it cleanly and waits for its end. */
  readonly stop: () => Promise<void>
  /** Kills it with SIGKILL and waits for its end. */
  readonly kill: () => Promise<void>
  /** Suspends it with SIGSTOP: connections stay open and nothing is answered. */
  readonly freeze: () => void
  /** Resumes it with SIGCONT. */
  readonly thaw: () => void
  /** The ids of its processes. */
  readonly pids: () => ReadonlyArray<number>
  /** Stops it in any state and removes its data. */
  readonly remove: () => Promise<void>
}

/** The time limit of a server's start and end, in milliseconds. */
const TIME_LIMIT_MS = 30_000

const DATABASE = 'postern'

/** Otherwise knex logs every refused connection while a server starts. */
const SILENT = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }

/** Runs a suite once for each kind of server that is installed; for other kinds, prints a line, or fails if `CI` is set. */
export const describeEachDatabaseServer = (title: string, suite: (start: () => Promise<DatabaseServer>) => void): void => {
  for (const kind of [MARIADB, POSTGRES]) {
    if (kind.programFolder !== undefined) {
      describe(`${title} on ${kind.name}`, () => { suite(() => startDatabaseServer(kind)) })
    } else if (process.env['CI'] === undefined) {
      process.stdout.write(`Not run: ${title} on ${kind.name}. To run it, ${kind.remedy}.\n`)
    } else {
      it(`${title} on ${kind.name}`, () => { throw new Error(`${kind.name} is not installed: ${kind.remedy}`) })
    }
  }
}

/** Starts a server of an installed kind, with an empty database, or with the databases that it copies from another server. */
export const startDatabaseServer = async (kind: ServerKind, { isCopy = false } = {}): Promise<DatabaseServer> => {
  const scratch = await makeScratch()
  const folder = scratch.path('')
  const port = await freePort()
  let child: ChildProcess | undefined
  let crashed = false

  const start = async (): Promise<void> => {
    const started = eventually(`the start of ${kind.name}`, async () => {
      // After a crash, a new process ends immediately while processes of the old one still run.
      if (child === undefined || hasEnded(child)) {
        await kind.beforeStart?.(folder)
        child = launch(kind.serve(folder, port))
      }
      return (await answers(kind, port)) || undefined
    }, kind.startMs ?? TIME_LIMIT_MS)
    await started.catch(async (error: unknown) => {
      throw new Error(`${kind.name} did not start\n${await kind.log?.(folder) ?? ''}`, { cause: error })
    })
    crashed = false
  }
  const end = async (signal: (child: ChildProcess) => void): Promise<void> => {
    if (child === undefined || hasEnded(child)) return
    const ended = once(child, 'exit')
    signal(child)
    await ended
  }
  const killAll = (): void => { for (const pid of processTree(child)) sendTo(pid, 'SIGKILL') }
  const kill = (): Promise<void> => {
    crashed = true
    return end(killAll)
  }
  const own: DatabaseServer = {
    url: kind.urlOf(port, DATABASE),
    start,
    stop: () => end((running) => void running.kill(kind.stopSignal)),
    kill,
    freeze: () => { for (const pid of processTree(child)) sendTo(pid, 'SIGSTOP') },
    thaw: () => { for (const pid of processTree(child)) sendTo(pid, 'SIGCONT') },
    pids: () => processTree(child),
    remove: async () => {
      own.thaw()
      // After a crash of PostgreSQL, only another start removes what the old process left behind, such as shared memory.
      if (crashed && kind.client === 'pg') await start().catch(() => undefined)
      const late = setTimeout(killAll, TIME_LIMIT_MS)
      await own.stop()
      clearTimeout(late)
      process.removeListener('exit', killAll)
      await scratch.remove()
    },
  }

  process.once('exit', killAll)
  try {
    await chmod(folder, 0o755)
    if (IS_ROOT) await run({ program: 'chown', args: [kind.user, folder] })
    await run(kind.initialise(folder))
    await start()
    if (!isCopy) await ask(kind, port, `CREATE DATABASE ${DATABASE}`)
    return own
  } catch (error) {
    await own.remove()
    throw error
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const launch = ({ program, args }: Command): ChildProcess => spawn(program, args, { stdio: 'ignore' })

/** Runs a program to its end; rejects with its output if it fails. */
export const run = ({ program, args }: Command): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const said: Buffer[] = []
    for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => said.push(chunk))
    child.once('error', reject)
    child.once('close', (status) => {
      if (status === 0) resolve()
      else reject(new Error(`${program} ended with ${status}: ${Buffer.concat(said).toString()}`))
    })
  })

/** A running process and its descendants, parents first, so that a parent starts no new child in between. */
const processTree = (child: ChildProcess | undefined): ReadonlyArray<number> =>
  child?.pid === undefined || hasEnded(child) ? [] : [child.pid, ...childrenOf(child.pid)]

const childrenOf = (pid: number): ReadonlyArray<number> => {
  const children = childPids(pid).split(' ').filter((text) => text !== '').map(Number)
  return children.flatMap((child) => [child, ...childrenOf(child)])
}

const childPids = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  } catch {
    // It has ended in the meantime; PostgreSQL's background processes may end at any time.
    return ''
  }
}

const sendTo = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}

const answers = (kind: ServerKind, port: number): Promise<boolean> => ask(kind, port, 'SELECT 1').then(() => true, () => false)

const ask = async ({ client, urlOf, initialDatabase: first }: ServerKind, port: number, sql: string): Promise<void> => {
  const knex = createKnex({
    client, connection: urlOf(port, first), pool: { min: 0, max: 1 }, acquireConnectionTimeout: 5_000, log: SILENT,
  })
  try {
    await knex.raw(sql)
  } finally {
    await knex.destroy()
  }
}
