import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually } from './eventually.js'
import { freePort } from './free-port.js'
import { makeScratch, type Scratch } from './scratch.js'

/** A broker that a test started; the test may kill it and start it again on the same data and port. */
export type BrokerServer = {
  readonly port: number
  readonly start: () => Promise<void>
  /** Kills it with SIGKILL and waits for its end. */
  readonly kill: () => Promise<void>
} & AsyncDisposable

/** A kind of broker that tests can start if its program is installed. */
export type BrokerKind = {
  readonly name: string
  readonly remedy: string
  /** The path of its program; `undefined` if it is not installed. */
  readonly program: string | undefined
  readonly launch: (program: string, scratch: Scratch, ports: readonly [port: number, other: number]) => ChildProcess
  /** The bytes that a client sends first, and the beginning of the server's response. */
  readonly greeting: { readonly send: string; readonly expect: string }
}

const TIME_LIMIT_MS = 60_000

const FOLDERS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/usr/local/bin']
const pathOf = (...programs: ReadonlyArray<string>): string | undefined =>
  programs.flatMap((program) => FOLDERS.map((folder) => join(folder, program))).find((path) => existsSync(path))

export const NATS: BrokerKind = {
  name: 'NATS', remedy: 'install nats-server', program: pathOf('nats-server'), greeting: { send: '', expect: 'INFO ' },
  launch: (program, scratch, [port]) =>
    spawn(program, ['-js', '-sd', scratch.path('data'), '-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore', cwd: scratch.path('') }),
}

/** `bin/rabbitmq-server` runs as the user who starts it; the script in `sbin` tries to switch to the service user. */
const RABBITMQ_PROGRAMS = ['/usr/lib/rabbitmq/bin/rabbitmq-server']

export const RABBITMQ: BrokerKind = {
  name: 'RabbitMQ', remedy: 'install rabbitmq-server', program: RABBITMQ_PROGRAMS.find((path) => existsSync(path)),
  greeting: { send: 'AMQP\0\0\x09\x01', expect: '\x01\0\0' },
  launch: (program, scratch, [port, distribution]) => spawn(program, [], {
    stdio: 'ignore',
    detached: true,
    // It writes its crash dumps into its working directory.
    cwd: scratch.path(''),
    env: {
      PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`, LANG: 'C.UTF-8', HOME: scratch.path(''),
      RABBITMQ_NODENAME: `postern-${randomName(scratch)}@localhost`, RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(port), RABBITMQ_DIST_PORT: String(distribution), RABBITMQ_MNESIA_BASE: scratch.path('data'),
      RABBITMQ_LOG_BASE: scratch.path('log'), RABBITMQ_PID_FILE: scratch.path('pid'),
      RABBITMQ_ENABLED_PLUGINS_FILE: scratch.path('plugins'), RABBITMQ_CONFIG_FILE: scratch.path('none'),
      RABBITMQ_CONF_ENV_FILE: scratch.path('none.conf'),
    },
  }),
}

/** The same name for each start of one server, because the node's name is part of its data. */
const names = new WeakMap<Scratch, string>()
function randomName(scratch: Scratch): string {
  const name = names.get(scratch) ?? randomBytes(6).toString('hex')
  names.set(scratch, name)
  return name
}

/** Runs a suite with a kind of broker if it is installed; otherwise prints a line, or fails if `CI` is set. */
export const describeBroker = (title: string, kind: BrokerKind, suite: (start: () => Promise<BrokerServer>) => void): void => {
  const { name, remedy, program } = kind
  if (program !== undefined) {
    describe(title, () => { suite(() => startBroker(kind, program)) })
  } else if (process.env['CI'] === undefined) {
    process.stdout.write(`Not run: ${title}. To run it, ${remedy}.\n`)
  } else {
    it(title, () => { throw new Error(`${name} is not installed: ${remedy}`) })
  }
}

const startBroker = async (kind: BrokerKind, program: string): Promise<BrokerServer> => {
  const scratch = await makeScratch()
  const ports = [await freePort(), await freePort()] as const
  let child: ChildProcess | undefined
  const killAll = (): void => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      // RabbitMQ's script starts other processes, which are in its process group.
      process.kill(kind === RABBITMQ ? -child.pid : child.pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    killAll()
    await ended
  }
  const start = async (): Promise<void> => {
    await eventually(`the start of ${kind.name}`, async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) child = kind.launch(program, scratch, ports)
      return (await greets(ports[0], kind)) || undefined
    }, TIME_LIMIT_MS)
  }
  process.once('exit', killAll)
  const dispose = async (): Promise<void> => {
    await kill()
    process.removeListener('exit', killAll)
    await scratch.remove()
  }
  try {
    await start()
  } catch (error) {
    await dispose()
    throw error
  }
  return { port: ports[0], start, kill, [Symbol.asyncDispose]: dispose }
}

/** Whether the server responds like a server of its kind. */
const greets = (port: number, { greeting: { send, expect } }: BrokerKind): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(send, 'latin1')))
    socket.setTimeout(1_000, () => socket.destroy())
    socket.once('data', (data: Buffer) => {
      resolve(data.toString('latin1').startsWith(expect))
      socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(false))
  })
