import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { createServer } from 'node:net'
import createKnex from 'knex'
import { eventually } from './eventually.js'
import { IS_ROOT, MARIADB, POSTGRES, type Command, type Kind } from './own-server-kinds.js'
import { makeScratch } from './scratch.js'

/** A database server of a test's own, with an empty database in it, that the test may do violence to. */
export type OwnServer = {
  /** The empty database. */
  readonly url: string
  /** Starts it again on the same data and port, and waits until it answers. */
  readonly start: () => Promise<void>
  /** Tells it to end with care, and waits for that. */
  readonly stop: () => Promise<void>
  /** Ends it as a crash would, and waits for that. */
  readonly kill: () => Promise<void>
  /** Stops it in its tracks: connections stay open, and nothing is answered on any of them. */
  readonly freeze: () => void
  /** Lets it go on. */
  readonly thaw: () => void
  /** Ends it whatever it is doing, and removes its data. */
  readonly remove: () => Promise<void>
}

/** How long a server may take to start or to end, in milliseconds. */
const PATIENCE_MS = 30_000

const DATABASE = 'postern'

/** While a server starts, knex would print each refusal. */
const SILENT = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }

/** Runs a suite once for each kind of server that is installed; one that is not costs a plain line, and fails where `CI` is set. */
export const describeEachOwnServer = (title: string, suite: (start: () => Promise<OwnServer>) => void): void => {
  for (const kind of [MARIADB, POSTGRES]) {
    if (kind.home !== undefined) {
      describe(`${title} on ${kind.name}`, () => { suite(() => startOwn(kind)) })
    } else if (process.env['CI'] === undefined) {
      process.stdout.write(`Not run: ${title} on ${kind.name}. To run it, ${kind.remedy}.\n`)
    } else {
      it(`${title} on ${kind.name}`, () => { throw new Error(`${kind.name} is not installed: ${kind.remedy}`) })
    }
  }
}

/** Starts a server of a kind that is installed, with an empty database in it. */
export const startOwn = async (kind: Kind): Promise<OwnServer> => {
  const scratch = await makeScratch()
  const folder = scratch.path('')
  const port = await freePort()
  let child: ChildProcess | undefined
  let crashed = false

  const start = async (): Promise<void> => {
    await eventually(`the start of ${kind.name}`, async () => {
      // One that crashed may have left processes that it waits for by ending at once.
      if (child === undefined || hasEnded(child)) child = launch(kind.serve(folder, port))
      return (await answers(kind, port)) || undefined
    }, PATIENCE_MS)
    crashed = false
  }
  const end = async (signal: (child: ChildProcess) => void): Promise<void> => {
    if (child === undefined || hasEnded(child)) return
    const ended = once(child, 'exit')
    signal(child)
    await ended
  }
  const killAll = (): void => { for (const pid of family(child)) sendTo(pid, 'SIGKILL') }
  const kill = (): Promise<void> => {
    crashed = true
    return end(killAll)
  }
  const own: OwnServer = {
    url: kind.urlOf(port, DATABASE),
    start,
    stop: () => end((running) => void running.kill(kind.endsOn)),
    kill,
    freeze: () => { for (const pid of family(child)) sendTo(pid, 'SIGSTOP') },
    thaw: () => { for (const pid of family(child)) sendTo(pid, 'SIGCONT') },
    remove: async () => {
      own.thaw()
      // A crash leaves what only its successor clears away, such as shared memory.
      if (crashed) await start().catch(() => undefined)
      const late = setTimeout(killAll, PATIENCE_MS)
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
    await ask(kind, port, `CREATE DATABASE ${DATABASE}`)
    return own
  } catch (error) {
    await own.remove()
    throw error
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const launch = ({ program, args }: Command): ChildProcess => spawn(program, args, { stdio: 'ignore' })

const run = ({ program, args }: Command): Promise<void> =>
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

/** A process that runs and its descendants, the eldest first, so that it makes no more while they are dealt with. */
const family = (child: ChildProcess | undefined): ReadonlyArray<number> =>
  child?.pid === undefined || hasEnded(child) ? [] : [child.pid, ...childrenOf(child.pid)]

const childrenOf = (pid: number): ReadonlyArray<number> => {
  const children = listed(pid).split(' ').filter((text) => text !== '').map(Number)
  return children.flatMap((child) => [child, ...childrenOf(child)])
}

const listed = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  } catch {
    // It has ended since its parent told of it, as PostgreSQL's helpers do at any moment.
    return ''
  }
}

const sendTo = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

const answers = (kind: Kind, port: number): Promise<boolean> => ask(kind, port, 'SELECT 1').then(() => true, () => false)

const ask = async ({ client, urlOf, first }: Kind, port: number, sql: string): Promise<void> => {
  const knex = createKnex({ client, connection: urlOf(port, first), pool: { min: 0, max: 1 }, acquireConnectionTimeout: 5_000, log: SILENT })
  try {
    await knex.raw(sql)
  } finally {
    await knex.destroy()
  }
}

/**
 * A port that nobody listens on, below those that outgoing connections are given: one of these could otherwise take the
 * port while the server is down, or even find itself at the other end.
 */
const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(15_000, 30_000)
    const probe = createServer()
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => { resolve(false) })
      probe.listen(port, '127.0.0.1', () => { resolve(true) })
    })
    if (!free) continue
    await new Promise((resolve) => { probe.close(resolve) })
    return port
  }
}
