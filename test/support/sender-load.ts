import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Simulator } from '../../apps/simulator/simulator.js'
import { sendTemplate } from './load.js'

/** How a sender is used up to its limit. */
export type SenderLoad = {
  /** The addresses of the gateways, and the key of the workspace. */
  readonly urls: ReadonlyArray<string>
  readonly key: string
  readonly simulator: Simulator
  readonly phoneNumberId: string
  readonly seconds: number
  /** How many messages customers write in a second, evenly or at random times. */
  readonly inbound: { readonly perSecond: number; readonly isRandom: boolean }
  /** The number of customers to whom each third message goes. */
  readonly hot: number
}

/** What happened. */
export type SenderUse = {
  /** The number of messages that the platform received, and the codes of those that it refused. */
  readonly received: number
  readonly refused: Readonly<Record<string, number>>
  readonly inbound: number
  /** How many messages were sent and received in a second, after the first seconds. */
  readonly perSecond: number
  /** The answers of the gateways by their statuses. */
  readonly answers: Readonly<Record<string, number>>
  /** The most messages, sent and received, in any second of the clock, and in any period of a second. */
  readonly mostInClockSecond: number
  readonly mostInSecond: number
  /** The longest time for which the platform, which runs in this process, stood still: it then counts late what the gateways have sent in time. */
  readonly longestStallMs: number
}

/** More sends at the same time than a sender has slots in a second, so that each slot is taken; few of them may wait for a slot. */
const CLIENTS = 120
/** How long a client waits after a refusal: shorter than the response demands, so that the next slot is not missed, and long enough that refusals do not fill the machine. */
const PAUSE_MS = 250
/** How long the gateways warm up before anything counts. */
const WARM_UP_MS = 3_000

/** Sends through one sender as fast as the gateways allow it, while customers write to it. */
export const useSender = async (
  { urls, key, simulator, phoneNumberId, seconds, inbound: { perSecond, isRandom }, hot }: SenderLoad,
): Promise<SenderUse> => {
  let [isOver, customers, writers] = [false, 0, 0]
  const answers: Record<string, number> = {}
  const stalls = monitorEventLoopDelay({ resolution: 10 })
  stalls.enable()
  const writing = (async () => {
    for (let due = performance.now(); !isOver && perSecond > 0;) {
      due += (isRandom ? -Math.log(1 - Math.random()) : 1) * 1_000 / perSecond
      await delay(Math.max(0, due - performance.now()))
      writers += 1
      simulator.writeAs(`1555040${String(writers % 1_000_000).padStart(6, '0')}`, { text: 'Hello' }, phoneNumberId)
    }
  })()
  const clients = Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    while (!isOver) {
      customers += 1
      const isHot = hot > 0 && customers % 3 === 0
      const to = isHot ? `1555020${String(customers / 3 % hot).padStart(6, '0')}` : `1555030${String(customers % 1_000_000).padStart(6, '0')}`
      const { status } = await sendTemplate(urls[client % urls.length] ?? '', key, to)
      answers[status] = (answers[status] ?? 0) + 1
      if (status !== 200) await delay(PAUSE_MS)
    }
  }))
  await delay(WARM_UP_MS)
  const from = Date.now()
  await delay(seconds * 1_000)
  isOver = true
  const until = Date.now()
  await Promise.all([clients, writing])
  stalls.disable()
  const received = simulator.received()
  const refused: Record<string, number> = {}
  for (const { code } of received) if (code !== undefined) refused[code] = (refused[code] ?? 0) + 1
  const wrote = simulator.inbound().map(({ at }) => at)
  const times = [...received.map(({ at }) => at), ...wrote].sort((a, b) => a - b)
  return {
    received: received.length, refused, inbound: wrote.length, answers,
    perSecond: times.filter((at) => at >= from && at < until).length * 1_000 / (until - from),
    mostInClockSecond: mostInClockSecond(times),
    mostInSecond: mostWithin(times, 1_000), longestStallMs: Math.round(stalls.max / 1e6),
  }
}

const mostInClockSecond = (times: ReadonlyArray<number>): number => {
  const counts = new Map<number, number>()
  for (const second of times.map((at) => Math.floor(at / 1_000))) counts.set(second, (counts.get(second) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

/** The most of some sorted times in any period of a length. */
const mostWithin = (times: ReadonlyArray<number>, length: number): number => {
  let [first, found] = [0, 0]
  for (const [index, at] of times.entries()) {
    while ((times[first] ?? at) <= at - length) first += 1
    found = Math.max(found, index + 1 - first)
  }
  return found
}
