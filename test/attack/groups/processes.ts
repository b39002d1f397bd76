import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { eventually } from '../../support/eventually.js'
import type { Env } from '../../support/postern.js'
import { isGroupAlive, type LogLine, type SpawnedServer, spawnServer } from '../../support/server-process.js'
import { tally, type Attack, type AttackGroup, type AttackResult } from '../attack.js'
import type { AttackWorld } from '../attack-world.js'
import { customerOf, nameOf, send } from '../sends.js'

/** How long a stop may take at most, beyond the time that requests in flight are given, on a busy machine. */
const STOP_MS = 15_000
const START_MS = 60_000
const STOPPABLE = { SHUTDOWN_TIMEOUT_MS: '2000' }

/** Starts a gateway whose workers die with it. */
const spawnGateway = (env: Env): SpawnedServer => spawnServer({ ...env, ...STOPPABLE }, { ownGroup: true })

/** The lines of the processes that listen, once there are so many. */
const listens = (child: SpawnedServer, times: number): Promise<ReadonlyArray<LogLine>> =>
  eventually('the gateway listening', () => {
    const lines = child.log().filter(({ msg }) => msg === 'listening')
    return lines.length >= times ? lines : undefined
  }, START_MS)

/** Sends a signal at a moment and waits for the end; what is left after that is killed, and is a finding. */
const stopAt = async (child: SpawnedServer, moment: string): Promise<ReadonlyArray<string>> => {
  child.signal('SIGTERM')
  const hasEnded = await eventually('the end of all its processes', () => !isGroupAlive(child.pid) || undefined, STOP_MS).catch(() => false)
  await child.kill()
  return hasEnded ? [] : [`a gateway that got SIGTERM ${moment} still ran after ${STOP_MS / 1_000} s`]
}

const BOOT: Attack = {
  name: 'SIGTERM at every moment of the start of three workers',
  run: async (world, size) => {
    const whole = performance.now()
    const first = spawnGateway({ ...world.env, WORKERS: '3' })
    await listens(first, 3).catch(async (error: unknown) => {
      await first.kill()
      throw error
    })
    const bootMs = performance.now() - whole
    const findings = [...await stopAt(first, 'once all workers listened')]
    const moments = { short: [0.4, 0.7, 0.85, 0.95], long: Array.from({ length: 60 }, (_, n) => 1.2 * n / 60) }[size]
      .map((share) => Math.round(share * bootMs))
    const pairs = [0, 1].map(async (parity) => {
      for (const ms of moments.filter((_, n) => n % 2 === parity)) {
        const child = spawnGateway({ ...world.env, WORKERS: '3' })
        await delay(ms)
        findings.push(...await stopAt(child, `${ms} ms after its start`))
      }
    })
    await Promise.all(pairs)
    return { counts: { moments: moments.length, boot_ms: Math.round(bootMs) }, findings }
  },
}

const REPLACED: Attack = {
  name: 'SIGTERM while a worker is replaced',
  run: async (world, size) => {
    const findings: string[] = []
    const rounds = { short: 1, long: 15 }[size]
    for (let round = 0; round < rounds; round += 1) {
      const child = spawnGateway({ ...world.env, WORKERS: '2' })
      try {
        const [worker] = await listens(child, 2)
        process.kill(Number(worker?.['pid']), 'SIGKILL')
        const ms = 40 + 60 * round
        await delay(ms)
        findings.push(...await stopAt(child, `${ms} ms after a worker was killed`))
      } finally {
        await child.kill()
      }
    }
    return { counts: { rounds }, findings }
  },
}

/** The workers and the log level of gateways; a gateway with workers writes its log in another way. */
const LOGGING = [['1', 'debug'], ['2', 'info'], ['1', 'info']] as const

const CLOSED_LOG: Attack = {
  name: 'a log that is no longer read',
  run: async (world, size): Promise<AttackResult> => {
    const findings: string[] = []
    const gateways = LOGGING.slice(0, { short: 2, long: 3 }[size])
    for (const [workers, level] of gateways) {
      const child = spawnGateway({ ...world.env, WORKERS: workers, LOG_LEVEL: level })
      try {
        const [first] = await listens(child, Number(workers))
        child.closeLog()
        const statuses: number[] = []
        for (let n = 0; n < 20; n += 1) {
          statuses.push(await fetch(`${String(first?.['url'])}/health/live`).then(({ status }) => status, () => 0))
        }
        if (statuses.some((status) => status !== 200)) findings.push(`with WORKERS=${workers} and LOG_LEVEL=${level}, requests were answered ${JSON.stringify(tally(statuses.map(String)))} after the log was closed`)
        findings.push(...await stopAt(child, `after its log was closed, with WORKERS=${workers} and LOG_LEVEL=${level},`))
      } finally {
        await child.kill()
      }
    }
    return { counts: { gateways: gateways.length }, findings }
  },
}

/** How long one request may take while another process has locked the database, in milliseconds. */
const MAX_LOCKED_MS = { read: 2_000, send: 12_000, readiness: 4_000 }

const timed = async <A>(work: Promise<A>): Promise<{ readonly value: A; readonly ms: number }> => {
  const begun = performance.now()
  const value = await work
  return { value, ms: performance.now() - begun }
}

const LOCKED: Attack = {
  name: 'a SQLite file that another process has locked',
  run: async (world: AttackWorld) => {
    const tenant = await world.tenant()
    const file = (world.env['DATABASE_URL'] ?? '').replace(/^sqlite:/, '')
    const findings: string[] = []
    const lock = new Database(file)
    lock.exec('BEGIN EXCLUSIVE')
    try {
      const sending = timed(send(world.server.url, tenant.key, customerOf(60_000_000)))
      await delay(100)
      const reading = timed(tenant.ask('GET', '/v1/wallet'))
      await delay(1_200)
      const { value: ready, ms: readinessMs } = await timed(fetch(`${world.server.url}/health/ready`))
      const [read, sent] = await Promise.all([reading, sending])
      if (ready.status !== 503) findings.push(`readiness says ${ready.status}`)
      if (readinessMs > MAX_LOCKED_MS.readiness) findings.push(`readiness took ${Math.round(readinessMs)} ms`)
      if (read.value.status !== 200) findings.push(`a read was answered ${read.value.status}`)
      if (read.ms > MAX_LOCKED_MS.read) findings.push(`a read took ${Math.round(read.ms)} ms`)
      if (nameOf(sent.value) !== '503 storage_unavailable') findings.push(`a send was answered ${nameOf(sent.value)}`)
      if (sent.ms > MAX_LOCKED_MS.send) findings.push(`a send took ${Math.round(sent.ms)} ms`)
    } finally {
      lock.exec('ROLLBACK')
      lock.close()
    }
    await eventually('readiness once the lock is gone', async () => (await fetch(`${world.server.url}/health/ready`)).ok || undefined)
    const after = await send(world.server.url, tenant.key, customerOf(60_000_001))
    const { available, held } = await tenant.balance()
    if (nameOf(after) !== '200') findings.push(`a send after the lock was answered ${nameOf(after)}`)
    if (available !== 999_937_500n || held !== 0n) findings.push(`${available} micros are left and ${held} held`)
    return { counts: { sends: 2 }, findings }
  },
}

/** What is done to the gateway's processes, its log and its database file. */
export const PROCESSES: AttackGroup = {
  title: 'Hostile surroundings',
  databases: 'sqlite',
  env: {},
  attacks: [BOOT, REPLACED, CLOSED_LOG, LOCKED],
}
