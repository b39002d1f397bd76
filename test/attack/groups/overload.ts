import { setTimeout as delay } from 'node:timers/promises'
import { tally, type Attack, type AttackGroup, type AttackResult, type Size } from '../attack.js'
import type { AttackTenant, AttackWorld } from '../attack-world.js'
import { customerOf, nameOf, PRICE, send, sentBy, type SendReply } from '../sends.js'
import { percentile } from '../../bench/load-result.js'

/** The timeout of the short form makes the platform's times shorter in the same proportion. */
const TIMEOUT_MS: Readonly<Record<Size, number>> = { short: 1_500, long: 10_000 }

let customers = 0

const nextCustomer = (): string => customerOf(customers++)

/** What an overload must not have done: lost a send, left one unknown, charged another price than that of what went. */
const checkSends = async (
  world: AttackWorld, tenant: AttackTenant, funds: bigint, replies: ReadonlyArray<SendReply>,
): Promise<AttackResult> => {
  const sent = sentBy(replies)
  const accepted = await world.platform.accepted(tenant.phoneNumberId)
  const { slowestMs } = await world.platform.report()
  const { available, held } = await tenant.balance()
  const byName = tally(replies.map(nameOf))
  const bare = replies.filter((reply) =>
    reply !== 'lost' && (reply.status === 503 || reply.status === 429) && reply.retryAfter === undefined)
  const unknown = byName['504 outcome_unknown'] ?? 0
  return {
    counts: { ...byName, platform_slowest_ms: Math.round(slowestMs) },
    findings: [
      ...(unknown === 0 ? [] : [`${unknown} of ${replies.length} sends ended as outcome_unknown`]),
      ...((byName['lost'] ?? 0) === 0 ? [] : [`${byName['lost'] ?? 0} of ${replies.length} sends had no answer`]),
      ...(sent.length > 0 ? [] : ['not one message went']),
      ...(accepted.length === sent.length ? [] : [`the platform accepted ${accepted.length} messages, callers know of ${sent.length}`]),
      ...(new Set(accepted.map(({ to }) => to)).size === accepted.length ? [] : ['a message was sent twice']),
      ...(held === 0n ? [] : [`${held} micros are still held`]),
      ...(available === funds - BigInt(sent.length) * PRICE ? [] : [`${available} micros are left of ${funds} after ${sent.length} messages`]),
      ...(bare.length === 0 ? [] : [`${bare.length} refusals have no Retry-After`]),
    ],
  }
}

/** How long the platform takes to answer, by its timeout: so long that those who wait for a connection come too late. */
const SHARE: Readonly<Record<Size, number>> = { short: 0.4, long: 0.2 }

/** So many sends at the same moment on a slow platform. */
const atOnce = (number: number): Attack => ({
  name: `${number} sends at once on a slow platform`,
  run: async (world, size) => {
    const tenant = await world.tenant('10000')
    await world.platform.answerAfter(TIMEOUT_MS[size] * SHARE[size])
    const replies = await Promise.all(Array.from({ length: number }, () => send(world.server.url, tenant.key, nextCustomer())))
    return checkSends(world, tenant, 10_000_000_000n, replies)
  },
})

/** From a two-hundredth of the timeout to half of it, under many senders. */
const SLOWING: Attack = {
  name: 'a platform that slows down',
  run: async (world, size) => {
    const tenant = await world.tenant('10000')
    const begun = performance.now()
    const lasts = { short: 3_000, long: 30_000 }[size]
    const progress = (): number => Math.min(1, (performance.now() - begun) / lasts)
    await world.platform.answerAfter({ kind: 'rising', fromMs: TIMEOUT_MS[size] * 0.005, toMs: TIMEOUT_MS[size] * 0.5, overMs: lasts })
    const replies: SendReply[] = []
    const client = async (): Promise<void> => {
      while (progress() < 1) {
        const reply = await send(world.server.url, tenant.key, nextCustomer())
        replies.push(reply)
        if (reply === 'lost' || reply.status !== 200) await delay(50)
      }
    }
    await Promise.all(Array.from({ length: { short: 1_000, long: 2_000 }[size] }, client))
    return checkSends(world, tenant, 10_000_000_000n, replies)
  },
}

const FAIRNESS: Attack = {
  name: 'one workspace floods, another one sends now and then',
  run: async (world, size) => {
    const [loud, quiet] = [await world.tenant('10000'), await world.tenant('10')]
    await world.platform.answerAfter(TIMEOUT_MS[size] * SHARE[size])
    let over = false
    let flooded = 0
    const flood = async (): Promise<void> => {
      while (!over) {
        const reply = await send(world.server.url, loud.key, nextCustomer())
        flooded += 1
        if (reply === 'lost' || reply.status !== 200) await delay(100)
      }
    }
    const flooding = Array.from({ length: { short: 600, long: 4_000 }[size] }, flood)
    const quietSends: Array<Promise<SendReply>> = []
    for (let sends = 0; sends < { short: 10, long: 100 }[size]; sends += 1) {
      await delay(TIMEOUT_MS[size] / 10)
      quietSends.push(send(world.server.url, quiet.key, nextCustomer()))
    }
    const replies = await Promise.all(quietSends)
    over = true
    await Promise.all(flooding)
    const sent = sentBy(replies)
    const { counts, findings } = await checkSends(world, quiet, 10_000_000n, replies)
    const refused = replies.length - sent.length
    return {
      counts: {
        ...counts, flooded, quiet_p50_ms: Math.round(percentile(sent.map(({ ms }) => ms), 0.5)),
        quiet_max_ms: Math.round(percentile(sent.map(({ ms }) => ms), 1)),
      },
      findings: [...findings, ...(refused === 0 ? [] : [`${refused} of ${replies.length} sends of the quiet workspace were refused`])],
    }
  },
}

const AT_ONCE: Readonly<Record<Size, ReadonlyArray<number>>> = { short: [2_000], long: [5_000, 10_000] }

/** What many sends at once must not do; each transport, since each queues by itself. */
export const overload = (transport: 'got' | 'undici', size: Size): AttackGroup => ({
  title: `Overload with ${transport}`,
  databases: 'sqlite',
  env: {
    PLATFORM_TRANSPORT: transport, PLATFORM_TIMEOUT_MS: String(TIMEOUT_MS[size]), RATE_LIMIT_PER_SECOND: '0', PAIR_LIMIT: 'off',
    SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off',
  },
  attacks: [...AT_ONCE[size].map(atOnce), SLOWING, FAIRNESS],
})
