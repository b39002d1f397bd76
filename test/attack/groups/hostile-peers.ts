import { setTimeout as delay } from 'node:timers/promises'
import { startChild, UNPINNED, type Child } from '../../bench/child.js'
import type { Load, LoadResult } from '../../bench/load-result.js'
import { cpuSeconds, forgetPeak, peakMib } from '../../support/process-usage.js'
import type { Attack, AttackGroup, AttackResult, Size } from '../attack.js'
import type { AttackTenant, AttackWorld } from '../attack-world.js'
import { HOSTILE_KINDS, startHostilePeers, type HostileKind } from '../hostile-peers.js'
import { customerOf } from '../sends.js'

/** How much slower the slowest hundredth of a good client's sends may be under attack than without. */
const MAX_TIMES_SLOWER = 4

/** The memory that the attacked gateway has for bodies. */
const BODY_MEMORY_MIB = 64

/** What one process may take under attack, in MiB: 384 plus twice the memory for bodies, as docs/operations/run.md says. */
const MEMORY_MIB = 384 + 2 * BODY_MEMORY_MIB

const CONNECTIONS: Readonly<Record<Size, number>> = { short: 40, long: 1_000 }
const SECONDS: Readonly<Record<Size, number>> = { short: 1, long: 10 }

/** A good client that sends at an even rate from a process of its own, so that it is not slowed down by the peers' work. */
const goodClient = (load: Child, url: string, { key }: AttackTenant, seconds: number): Promise<LoadResult> => {
  const asked: Load = {
    url, seconds, connections: 8, perSecond: 50,
    requests: Array.from({ length: 500 }, (_, n) => ({
      method: 'POST', path: '/v1/messages/send-template',
      body: JSON.stringify({ to: customerOf(80_000_000 + n), template_name: 'hello_world' }),
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    })),
  }
  return load.ask(asked) as Promise<LoadResult>
}

/** Peers of some kinds at once, and what a good client has of the gateway meanwhile. */
const attackWith =
  (kinds: ReadonlyArray<HostileKind>, bound: 'latency' | 'memory alone' = 'latency', together = false) =>
  async (world: AttackWorld, size: Size): Promise<AttackResult> => {
    const stub = await startChild(UNPINNED, 'rest', { program: { file: 'platform-stub.ts' } })
    const load = await startChild(UNPINNED, 'rest', { program: { file: 'load.ts' } })
    const gateway = await world.start({ PLATFORM_URL: stub.url, BODY_MEMORY_MIB: String(BODY_MEMORY_MIB) })
    try {
      const tenant = await world.tenant()
      const wanted = SECONDS[size] * 50
      await goodClient(load, gateway.url, tenant, SECONDS[size])
      const calm = await goodClient(load, gateway.url, tenant, SECONDS[size])
      await forgetPeak(gateway.pid)
      const peers = kinds.map((kind) => startHostilePeers(gateway.url, tenant.key, kind, CONNECTIONS[size] / (together ? kinds.length : 1)))
      await delay(size === 'long' ? 2_000 : 300)
      const [begun, cpu] = [performance.now(), await cpuSeconds(gateway.pid)]
      const attacked = await goodClient(load, gateway.url, tenant, SECONDS[size]).finally(() => { for (const { stop } of peers) stop() })
      const busy = ((await cpuSeconds(gateway.pid)) - cpu) / (performance.now() - begun) * 1_000
      const mib = Math.round(await peakMib(gateway.pid))
      const ratio = attacked.p99Ms / calm.p99Ms
      const { opened, ended } = peers.map(({ counts }) => counts()).reduce((sum, one) => ({
        opened: sum.opened + one.opened, ended: sum.ended + one.ended,
      }))
      return {
        counts: {
          opened, ended, calm_p50_ms: round(calm.p50Ms), calm_p99_ms: round(calm.p99Ms),
          attacked_p50_ms: round(attacked.p50Ms), attacked_p99_ms: round(attacked.p99Ms), failed: attacked.failed, memory_mib: mib,
          busy_percent: Math.round(busy * 100),
        },
        findings: [
          ...(attacked.failed === 0 && calm.failed === 0 ? [] : [`${attacked.failed} of ${wanted} sends of the good client failed, ${calm.failed} without the attack`]),
          ...(mib <= MEMORY_MIB ? [] : [`the gateway took ${mib} MiB, ${MEMORY_MIB} are allowed`]),
          // Times of a second or less on a machine that is busy with other tests say nothing.
          ...(size === 'short' || bound === 'memory alone' || ratio <= MAX_TIMES_SLOWER ? [] : [`the good client's p99 was ${round(ratio)} times its calm value`]),
        ],
      }
    } finally {
      await Promise.all([gateway.kill(), stub.stop(), load.stop()])
    }
  }

const round = (value: number): number => Math.round(value * 10) / 10

const EACH: ReadonlyArray<Attack> = HOSTILE_KINDS.map((kind) => ({
  name: `peers of one kind: ${kind.name}`, run: attackWith([kind], kind.isBusy ? 'memory alone' : 'latency'),
}))

/** Peers that hold connections and ask for no work: they must hardly be felt. */
const HOLDING: Attack = {
  name: 'peers that hold connections, of every kind at once', run: attackWith(HOSTILE_KINDS.filter(({ holds }) => holds)),
}

/** With peers that also keep a processor busy, the good client waits; it still gets every answer. The connections are shared between the kinds. */
const ALL: Attack = { name: 'peers of every kind at once', run: attackWith(HOSTILE_KINDS, 'memory alone', true) }

/** Peers that occupy connections, memory and time. */
export const hostilePeers = (size: Size): AttackGroup => ({
  title: 'Hostile peers',
  databases: 'sqlite',
  env: { RATE_LIMIT_PER_SECOND: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off' },
  attacks: size === 'long' ? [...EACH, HOLDING, ALL] : [ALL],
})
