import { eventually } from '../../support/eventually.js'
import { posternJson } from '../../support/postern.js'
import { readBooks } from '../../torture/books.js'
import { changeOf, notificationOf, statusOf } from '../../apps/server/notifications.js'
import { tally, type Attack, type AttackGroup } from '../attack.js'
import type { AttackTenant, AttackWorld } from '../attack-world.js'
import { customerOf, nameOf, PRICE, send, type SendReply } from '../sends.js'

/** More than the long form can spend: a fast machine sends some hundred messages while the second gateway starts, and it starts forty times. */
const FUNDS = 10_000_000_000n

/** How many sends are repeated at the same time after the race. */
const REPEATED_AT_ONCE = 100

/** How many callers ask for the same message under the same key at the same moment. */
const CALLERS = 6
const KEYS_AT_ONCE = 20

/** How long the second gateway may take to answer on a busy machine, in milliseconds. */
const PATIENCE_MS = 30_000

let customers = 30_000_000

/** Callers that race for one key after another over two gateways, while the second one is killed and started again. */
const race = async (
  world: AttackWorld, tenant: AttackTenant, kills: number,
): Promise<{ readonly keys: ReadonlyArray<string>; readonly replies: ReadonlyArray<SendReply> }> => {
  let second = await world.start()
  let bySecond = 0
  let over = false
  const keys: string[] = []
  const replies: SendReply[] = []
  const racing = Array.from({ length: KEYS_AT_ONCE }, async () => {
    while (!over) {
      const to = customerOf(customers++)
      keys.push(to)
      const ask = async (url: string): Promise<void> => {
        const reply = await send(url, tenant.key, to, `key-${to}`)
        replies.push(reply)
        if (url === second.url && reply !== 'lost') bySecond += 1
      }
      await Promise.all(Array.from({ length: CALLERS }, (_, caller) => ask(caller % 2 === 0 ? world.server.url : second.url)))
    }
  })
  for (let killed = 0; killed < kills; killed += 1) {
    // While it answers, so that the kill meets sends at every step.
    const enough = bySecond + 30 + 17 * (killed % 5)
    await eventually('answers of the second gateway', () => bySecond >= enough || undefined, PATIENCE_MS)
    await second.kill()
    second = await world.start()
  }
  over = true
  await Promise.all(racing)
  return { keys, replies }
}

const repeated = async (keys: ReadonlyArray<string>, ask: (key: string) => Promise<SendReply>): Promise<ReadonlyArray<SendReply>> => {
  const replies: SendReply[] = []
  for (let at = 0; at < keys.length; at += REPEATED_AT_ONCE) {
    replies.push(...await Promise.all(keys.slice(at, at + REPEATED_AT_ONCE).map(ask)))
  }
  return replies
}

/** Reports every message that the platform accepted as delivered. */
const reportAll = async (world: AttackWorld, { phoneNumberId }: AttackTenant): Promise<void> => {
  const accepted = await world.platform.accepted(phoneNumberId)
  for (let at = 0; at < accepted.length; at += 500) {
    const statuses = accepted.slice(at, at + 500).map(({ callback, wamid }) => statusOf(callback, 'delivered', { id: wamid }))
    await world.notify(notificationOf([changeOf(phoneNumberId, { statuses })]))
  }
}

const RACES: Attack = {
  name: 'callers that race for a key over two gateways, one of which is killed',
  run: async (world, size) => {
    const tenant = await world.tenant('10000')
    await world.platform.answerAfter({ kind: 'random', fromMs: 0, toMs: 30 })
    const { keys, replies } = await race(world, tenant, { short: 1, long: 40 }[size])
    await reportAll(world, tenant)
    await posternJson(['reconcile'], { ...world.env, PLATFORM_TIMEOUT_MS: '1', UNCONFIRMED_AFTER_MS: '2' })

    const { messages } = await readBooks(world.storage, [tenant.id])
    const open = messages.filter(({ state }) => state === 'pending' || state === 'unconfirmed')
    const { held } = await tenant.balance()
    await world.reconcileAtOnce()
    const again = await repeated(keys, (to) => send(world.server.url, tenant.key, to, `key-${to}`))
    const accepted = await world.platform.accepted(tenant.phoneNumberId)
    const { available, held: heldAtLast } = await tenant.balance()
    const unanswered = again.filter((reply) => reply === 'lost' || reply.status !== 200)
    return {
      counts: { keys: keys.length, ...tally(replies.map(nameOf)), open_after_kills: open.length, accepted: accepted.length },
      findings: [
        ...(new Set(accepted.map(({ to }) => to)).size === accepted.length ? [] : ['a message was sent twice under one key']),
        ...(held === BigInt(open.length) * PRICE ? [] : [`${open.length} messages are open after reconciliation, but ${held} micros are held: some of them never had a hold`]),
        ...(unanswered.length === 0 ? [] : [`${unanswered.length} keys are stuck: ${[...new Set(unanswered.map(nameOf))].join(', ')}`]),
        ...(accepted.length === keys.length ? [] : [`${keys.length} messages were wanted, ${accepted.length} went`]),
        ...(heldAtLast === 0n && available === FUNDS - BigInt(accepted.length) * PRICE ? [] : [`${available} micros are left and ${heldAtLast} held after ${accepted.length} messages`]),
      ],
    }
  },
}

/** Races for idempotency keys, on every database, since each guards a key in its own way. */
export const IDEMPOTENCY: AttackGroup = {
  title: 'Raced idempotency keys',
  databases: 'each',
  env: { RATE_LIMIT_PER_SECOND: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off', RECONCILE_EVERY_MS: '86400000' },
  attacks: [RACES],
}
