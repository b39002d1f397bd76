import * as E from 'fp-ts/lib/Either.js'
import { UUID, uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { machine } from '../../adapters/machine/machine.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { PlatformId } from '../../core/messages/message.js'
import { BUCKET_MS, bucketStart } from '../../core/messages/statistics.js'
import { priceBy, type RateCard } from '../../core/money/rate-card.js'
import { makeAdministration, makeSending } from '../../core/postern.js'
import type { Report } from '../../core/reports/receive.js'
import type { StatusReport } from '../../core/reports/status.js'
import type { SenderId } from '../../core/senders/sender.js'
import type { Platform } from '../../core/sending/dispatch.js'
import { unwrap } from './request.js'

/** Counts the messages of a day for the overview. The gateway counted these hours before the messages existed, and would count them again only tomorrow. */
export const countDay = async (
  { messageStatistics }: Pick<KnexStorage, 'messageStatistics'>, workspace: WorkspaceId, now: Instant,
): Promise<void> => {
  for (let start = bucketStart('1h', now - DAY_MS); start <= now; start += BUCKET_MS['5m']) {
    await unwrap(messageStatistics.recount(workspace, '5m', start))
  }
}

/** The dependencies of a day of traffic. */
export type TrafficDeps = {
  readonly storage: KnexStorage
  readonly card: RateCard
  readonly workspace: WorkspaceId
  readonly phoneNumberId: SenderId
  readonly now: Instant
  /** Called for each message of a customer, so that the simulator of the platform also knows the person and the window. */
  readonly onWrote: (customer: PhoneNumber, person: { readonly name: string; readonly wroteAt: Instant }) => void
}

const FUNDS = 40_000_000n
const HOURS = 24
const CUSTOMERS = 24
/** Few messages are sent at night. */
const BY_HOUR = [2, 1, 1, 1, 1, 2, 4, 7, 11, 13, 14, 12, 10, 12, 13, 12, 11, 12, 13, 11, 8, 6, 4, 3]
const NAMES = ['Ada', 'Basile', 'Chloé', 'Diego', 'Elif', 'Farid', 'Greta', 'Hugo', 'Inès', 'Jonas', 'Kaja', 'Lina']

/** An action at a time of the day. */
type Step = { readonly at: Instant; readonly run: () => Promise<unknown> }

/** Replays yesterday: the sends, the statuses and the customers' messages of a day. It runs the use cases with a simulated clock and a platform that accepts. */
export const fillDay = async ({ storage, card, workspace, phoneNumberId, now, onWrote }: TrafficDeps): Promise<void> => {
  let at = now - HOURS * HOUR_MS
  const random = randomOf(7)
  const upTo = (most: number): number => Math.floor(random() * most)
  const windowClock = { ...storage.windowClock, now: () => at }
  const platform: Platform = { send: async () => E.right({ platformId: `wamid.${uuidv7()}` as PlatformId }) }
  const ports = { ...storage, windowClock, platform, senderVerification: 'trusted' } as const
  const settings = {
    ...machine, newUuid: () => idAt(at), rateCard: () => card, priceOf: priceBy(() => card), retryLater: () => undefined,
    unconfirmedAfterMs: 2 * MINUTE_MS, releaseAfterMs: 7 * DAY_MS,
  }
  await unwrap(storage.ledger.topUp({ workspace, micros: FUNDS, reference: 'a day of traffic', at }))
  const { sendTemplate, sendText } = makeSending(ports, settings)
  const { upkeep: { receive } } = makeAdministration(ports, settings)
  const steps: Array<Step> = []
  const later = (moment: Instant, run: () => Promise<unknown>): void => {
    if (moment < now) steps.push({ at: moment, run })
  }
  const report = (moment: Instant, change: Report): void => later(moment, () => unwrap(receive([change])))

  const follow = (platformId: PlatformId, moment: Instant): void => {
    const status = (state: StatusReport['change']['state'], after: number, error?: StatusReport['change']['error']): void =>
      report(moment + after, {
        _tag: 'StatusReport', phoneNumberId, messageId: undefined, platformId,
        change: { state, at: moment + after, ...(error && { error }) },
      })
    status('sent', SECOND_MS)
    if (random() < 0.03) return status('failed', 4 * SECOND_MS, { code: 131026, title: 'Message undeliverable' })
    if (random() < 0.95) status('delivered', 3 * SECOND_MS)
    if (random() < 0.7) status('read', 30 * SECOND_MS + upTo(HOUR_MS))
  }
  const send = (moment: Instant, sending: () => Promise<{ readonly platformId: PlatformId }>): void =>
    later(moment, async () => follow((await sending()).platformId, moment))
  const order = (customer: number): void => {
    const [to, moment] = [numberOf(customer), momentOfDay(now, random)]
    send(moment, () => unwrap(sendTemplate({ workspace, to, name: 'order_update', components: orderOf(customer, random) })))
    if (random() < 0.6) return
    const asked = moment + 5 * MINUTE_MS + upTo(HOUR_MS)
    report(asked, { _tag: 'Inbound', phoneNumberId, customer: { phoneNumber: to, userId: undefined, name: nameOf(customer) }, at: asked })
    later(asked, async () => onWrote(to, { name: nameOf(customer), wroteAt: asked }))
    send(asked + MINUTE_MS, () => unwrap(sendText({ workspace, to, text: 'It is on its way.' })))
  }
  for (let made = 0; made < BY_HOUR.reduce((sum, count) => sum + count, 0); made += 1) order(upTo(CUSTOMERS))

  // A step can add later steps, so the earliest step is searched again each time.
  while (steps.length > 0) {
    const next = steps.reduce((first, step) => (step.at < first.at ? step : first))
    steps.splice(steps.indexOf(next), 1)
    at = next.at
    await next.run()
  }
}

/** A time within the last day, more often by day than by night. */
const momentOfDay = (now: Instant, random: () => number): Instant => {
  for (;;) {
    const moment = Math.floor(now - random() * HOURS * HOUR_MS)
    if (random() < (BY_HOUR[new Date(moment).getUTCHours()] ?? 0) / Math.max(...BY_HOUR)) return moment
  }
}

/** French numbers from the range that is reserved for fiction. */
const numberOf = (customer: number): PhoneNumber => String(33_639_980_100 + customer) as PhoneNumber
const nameOf = (customer: number): string => NAMES[customer % NAMES.length] ?? 'Ada'

const orderOf = (customer: number, random: () => number) => [{
  type: 'body', parameters: [{ type: 'text', text: nameOf(customer) }, { type: 'text', text: `A-${Math.floor(random() * 900) + 100}` }],
}]

const idAt = (at: Instant): string => {
  const bits = (count: number): number => Math.floor(Math.random() * 2 ** count)
  return UUID.fromFieldsV7(at, bits(12), bits(30), bits(32)).toString()
}

/** The same numbers at every start, so that the pictures stay the same (a linear congruential generator, modulus 2^31 - 1). */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
