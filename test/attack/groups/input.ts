import { tally, type Attack, type AttackGroup } from '../attack.js'
import type { AttackTenant, AttackWorld } from '../attack-world.js'
import { exchange, requestBytes } from '../raw-socket.js'
import { customerOf } from '../sends.js'
import { cpuSeconds } from '../../support/process-usage.js'
import { LONG_LISTS, MULTIPART_BOMBS, PARSER_BOMBS, type HostileBody } from './bodies.js'
import { ambiguousRequests, OTHER_PATHS } from './raw-requests.js'

/** How much processor time one request may cost at most, in milliseconds; a good one costs less than one. */
const MAX_CPU_MS = 100

const post = async (
  world: AttackWorld, { key }: AttackTenant, { path, type, body }: HostileBody,
): Promise<{ readonly status: number; readonly text: string }> => {
  const response = await fetch(`${world.server.url}/v1/messages/${path}`, {
    method: 'POST', body: Buffer.from(body), headers: { Authorization: `Bearer ${key}`, ...(type !== '' && { 'Content-Type': type }) },
  })
  return { status: response.status, text: await response.text() }
}

const bombs = (name: string, bodies: ReadonlyArray<HostileBody>): Attack => ({
  name,
  run: async (world, size) => {
    const tenant = await world.tenant()
    const findings: string[] = []
    const statuses: string[] = []
    const repeats = { short: 3, long: 20 }[size]
    let dearestMs = 0
    for (const body of bodies) {
      const costs: number[] = []
      for (let times = 0; times < repeats; times += 1) {
        const before = await cpuSeconds(world.server.pid)
        const { status, text } = await post(world, tenant, body).catch(() => ({ status: 0, text: '' }))
        statuses.push(String(status))
        if (status >= 500) findings.push(`${body.name}: ${status} ${text.slice(0, 200)}`)
        costs.push(((await cpuSeconds(world.server.pid)) - before) * 1_000)
      }
      // What the gateway's jobs do meanwhile, and what a busy machine adds, is no cost of the body.
      const cpuMs = Math.min(...costs)
      dearestMs = Math.max(dearestMs, cpuMs)
      if (cpuMs > MAX_CPU_MS) findings.push(`${body.name} to ${body.path} costs ${Math.round(cpuMs)} ms of processor time`)
    }
    return { counts: { ...tally(statuses), dearest_cpu_ms: Math.round(dearestMs) }, findings }
  },
})

const AMBIGUOUS: Attack = {
  name: 'requests that could be read in two ways',
  run: async (world) => {
    const tenant = await world.tenant()
    let customers = 0
    const requests = ambiguousRequests(tenant, () => customerOf(90_000_000 + customers++))
    const sentSoFar = async (): Promise<number> => (await world.platform.accepted(tenant.phoneNumberId)).length
    const findings: string[] = []
    for (const { name, bytes, statuses, sends } of requests) {
      const before = await sentSoFar()
      const { statuses: got } = await exchange(world.server.url, bytes)
      const sent = await sentSoFar() - before
      if (sent > sends) findings.push(`${name}: ${sent} messages went, ${sends} at most may`)
      const isAnswered = (got.length > 0 || statuses.length === 0) && got.every((status) => statuses.includes(status))
        && got.length <= Math.max(1, sends)
      if (!isAnswered) findings.push(`${name}: answered ${got.join(', ') || 'nothing'}, wanted ${statuses.join(' or ')}`)
    }
    return { counts: { requests: requests.length }, findings }
  },
}

const PATHS: Attack = {
  name: 'other spellings of a path',
  run: async (world) => {
    const { key } = await world.tenant()
    const findings: string[] = []
    for (const path of OTHER_PATHS) {
      const { statuses: [status] } = await exchange(
        world.server.url, requestBytes('GET', path, [['Host', 'gateway'], ['Authorization', `Bearer ${key}`], ['Connection', 'close']]),
      )
      if (status !== 404 && status !== 400) findings.push(`GET ${path} was answered ${status ?? 'nothing'}`)
    }
    return { counts: { paths: OTHER_PATHS.length }, findings }
  },
}

/** What is sent to the gateway's own operations, without any haste. */
export const INPUT: AttackGroup = {
  title: 'Hostile input',
  databases: 'sqlite',
  env: { RATE_LIMIT_PER_SECOND: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off' },
  attacks: [
    bombs('multipart forms that are dear to read', MULTIPART_BOMBS), bombs('bodies that are deep, long or odd', PARSER_BOMBS),
    bombs('lists of thousands of items', LONG_LISTS), AMBIGUOUS, PATHS,
  ],
}
