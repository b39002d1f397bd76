import { HOUR_MS } from '../../../core/kernel/time.js'
import { changeOf, inboundOf, notificationOf, statusOf } from '../../apps/server/notifications.js'
import type { AttackTenant, AttackWorld } from '../attack-world.js'
import type { Attack, AttackGroup } from '../attack.js'
import type { AcceptedSend } from '../platform-server.js'
import { customerOf, nameOf, PRICE, send } from '../sends.js'

let customers = 50_000_000

/** Sends a message and answers what the platform has of it. */
const acceptedMessage = async (world: AttackWorld, { key, phoneNumberId }: AttackTenant): Promise<AcceptedSend> => {
  const to = customerOf(customers++)
  const reply = await send(world.server.url, key, to)
  const accepted = (await world.platform.accepted(phoneNumberId)).find((one) => one.to === to)
  if (accepted === undefined) throw new Error(`a send did not reach the platform: ${nameOf(reply)}`)
  return accepted
}

const report = (
  world: AttackWorld, phoneNumberId: string, callback: string | undefined, status: string, wamid: string,
): Promise<{ readonly status: number }> =>
  world.notify(notificationOf([changeOf(phoneNumberId, { statuses: [statusOf(callback, status, { id: wamid })] })]))

const FUNDS = 1_000_000_000n

/** What is left of the money when one message has been paid. */
const AFTER_ONE = FUNDS - PRICE

/** A signed status, and what must be left of a wallet of which one message was paid once it has been reported. */
type StatusCase = {
  readonly name: string
  readonly report: (world: AttackWorld, own: AttackTenant, other: AttackTenant, message: AcceptedSend) => Promise<unknown>
  readonly left: bigint
}

const STATUSES: ReadonlyArray<StatusCase> = [
  {
    name: 'failed with our mark and another wamid',
    report: (world, { phoneNumberId }, _, { callback }) => report(world, phoneNumberId, callback, 'failed', 'wamid.foreign'),
    left: AFTER_ONE,
  },
  {
    name: 'failed with our mark and wamid through the number of another workspace',
    report: (world, _, other, { callback, wamid }) => report(world, other.phoneNumberId, callback, 'failed', wamid),
    left: AFTER_ONE,
  },
  {
    name: 'failed with our wamid alone through the number of another workspace',
    report: (world, _, other, { wamid }) => report(world, other.phoneNumberId, undefined, 'failed', wamid),
    left: AFTER_ONE,
  },
  {
    name: 'failed with a mark that is nothing of ours and another wamid',
    report: (world, { phoneNumberId }) => report(world, phoneNumberId, 'msg_0', 'failed', 'wamid.foreign'),
    left: AFTER_ONE,
  },
  {
    name: 'failed with our wamid and an unknown mark',
    report: (world, { phoneNumberId }, _, { wamid }) => report(world, phoneNumberId, 'order-17', 'failed', wamid),
    left: FUNDS,
  },
  {
    name: 'failed with our wamid and no mark',
    report: (world, { phoneNumberId }, _, { wamid }) => report(world, phoneNumberId, undefined, 'failed', wamid),
    left: FUNDS,
  },
  { name: 'failed as it should be, twice', left: FUNDS, report: async (world, { phoneNumberId }, _, { callback, wamid }) => {
    await report(world, phoneNumberId, callback, 'failed', wamid)
    await report(world, phoneNumberId, callback, 'failed', wamid)
  } },
]

const FOREIGN_STATUSES: Attack = {
  name: 'signed statuses that are about another message',
  run: async (world) => {
    const findings: string[] = []
    for (const one of STATUSES) {
      const [own, other] = [await world.tenant(), await world.tenant()]
      const message = await acceptedMessage(world, own)
      await one.report(world, own, other, message)
      const { available, held } = await own.balance()
      if (available !== one.left || held !== 0n) findings.push(`${one.name}: ${available} micros are left and ${held} held, wanted ${one.left} and 0`)
      if (one.left !== AFTER_ONE) continue
      await report(world, own.phoneNumberId, message.callback, 'delivered', message.wamid)
      const { available: delivered } = await own.balance()
      if (delivered !== AFTER_ONE) findings.push(`${one.name}, then delivered: ${delivered} micros are left, wanted ${AFTER_ONE}`)
    }
    return { counts: { statuses: STATUSES.length }, findings }
  },
}

const MORE_THAN_PAID: Attack = {
  name: 'foreign failures, to send more than was paid for',
  run: async (world, size) => {
    const own = await world.tenant('0.6875')
    let sent = 0
    for (let tries = 0; tries < { short: 20, long: 200 }[size]; tries += 1) {
      const to = customerOf(customers++)
      const reply = await send(world.server.url, own.key, to)
      if (reply === 'lost' || reply.status !== 200) continue
      sent += 1
      const { callback } = (await world.platform.accepted()).find((one) => one.to === to)!
      await report(world, own.phoneNumberId, callback, 'failed', `wamid.foreign${tries}`)
    }
    return { counts: { sent }, findings: sent === 11 ? [] : [`a wallet for 11 messages sent ${sent}`] }
  },
}

/** How far ahead of the gateway's clock a platform's may be. */
const SKEW_MS = 10 * 60_000

const DATES: Attack = {
  name: 'inbound messages that are replayed, or dated in the future',
  run: async (world) => {
    const own = await world.tenant()
    const findings: string[] = []
    const closesAt = async (customer: string): Promise<number> => {
      const { closes_at: closes } = (await own.ask('GET', `/v1/windows/${customer}`)).json
      return typeof closes === 'string' ? Date.parse(closes) : 0
    }
    for (const hours of [-30, -1, 0, 1, 48, 24 * 365]) {
      const customer = customerOf(customers++)
      const at = Date.now() + hours * HOUR_MS
      const body = notificationOf([
        changeOf(own.phoneNumberId, { messages: [inboundOf(customer, { timestamp: String(Math.floor(at / 1_000)) })] }),
      ])
      await world.notify(body)
      const arrived = Date.now()
      const first = await closesAt(customer)
      if (first > arrived + 24 * HOUR_MS + SKEW_MS) findings.push(`a message dated ${hours} hours from now keeps the window open for ${Math.round((first - arrived) / HOUR_MS)} hours`)
      if (hours <= 0 && Math.abs(first - at - 24 * HOUR_MS) > 2_000) findings.push(`a message dated ${hours} hours from now closes the window ${Math.round((first - at) / HOUR_MS)} hours after its date`)
      await new Promise((resolve) => setTimeout(resolve, 30))
      for (let times = 0; times < 3; times += 1) await world.notify(body)
      const replayed = await closesAt(customer)
      if (replayed !== first) findings.push(`a message dated ${hours} hours from now moves the end of the window by ${replayed - first} ms where it is replayed`)
    }
    return { counts: { dates: 6 }, findings }
  },
}

const LARGE: Attack = {
  name: 'a notification of 25,000 items',
  run: async (world, size) => {
    const own = await world.tenant()
    const items = 25_000
    const customer = (n: number): string => `4${String(9_000_000_000 + n)}`
    const at = String(Math.floor(Date.now() / 1_000))
    const messages = Array.from({ length: items }, (_, n) => ({ from: customer(n), id: `w${n}`, timestamp: at, type: 'text' }))
    const body = notificationOf([changeOf(own.phoneNumberId, { messages })])
    const { status } = await world.notify(body)
    let open = 0
    const step = { short: 500, long: 25 }[size]
    for (let n = 0; n < items; n += step) open += (await own.ask('GET', `/v1/windows/${customer(n)}`)).json['open'] === true ? 1 : 0
    const looked = items / step
    return {
      counts: { items, kib: Math.round(body.length / 1_024), status, looked_at: looked, open },
      findings: [
        ...(status === 200 ? [] : [`it was answered ${status}`]),
        ...(status !== 200 || open === looked ? [] : [`${looked - open} of ${looked} windows are not open though it was acknowledged`]),
      ],
    }
  },
}

/** What comes to the platform's side, signed rightly or not. */
export const WEBHOOKS: AttackGroup = {
  title: 'Hostile notifications',
  databases: 'sqlite',
  env: { RATE_LIMIT_PER_SECOND: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off' },
  attacks: [FOREIGN_STATUSES, MORE_THAN_PAID, DATES, LARGE],
}
