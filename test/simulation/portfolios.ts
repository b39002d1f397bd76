import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../../core/customers/customer.js'
import { HOUR_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { MessageId } from '../../core/messages/message.js'
import type { SenderId } from '../../core/senders/sender.js'
import type { Outbound } from '../../core/sending/dispatch.js'
import type { StorageCall } from './gateway.js'
import type { Taken } from './platform.js'
import { accountOf } from './senders.js'
import type { World } from './world.js'

/** The promises about the customers whom business accounts reach outside of windows; they share no rule with the core. */
export type PortfolioPromises = {
  /** A call has had its effect. */
  readonly onDone: (call: StorageCall, answer: unknown) => void
  /** A gateway starts to send a message. */
  readonly onLeaving: (outbound: Outbound) => void
}

/** The parts that the checker observes. */
export type PortfolioParts = {
  readonly world: World
  /** The limit of customers; absent if there is none. */
  readonly limit: number | undefined
  /** The messages that the platform accepted. */
  readonly taken: () => ReadonlyMap<MessageId, ReadonlyArray<Taken>>
  readonly isAtOnce: boolean
  readonly lastWritten: (sender: SenderId, to: string) => Instant | undefined
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** Written again here: the period of the platform, how long a customer counts by the clocks of the gateways, and the window. */
const PERIOD_MS = 24 * HOUR_MS
const COUNTS_MS = PERIOD_MS + MINUTE_MS
const WINDOW_MS = 24 * HOUR_MS

/** The results of calls that count no customer. */
const COUNTS_NONE = ['Claimed', 'PortFailure', 'PairLimitReached', 'SenderLimitReached']

/** A message that counts a customer, by the clock of its gateway. */
type Counted = { readonly portfolio: string; readonly customer: CustomerId; readonly at: Instant; readonly limit: number }

/** Makes the checker. */
export const makePortfolioPromises = (
  { world, limit, taken, isAtOnce, lastWritten, check }: PortfolioParts,
): PortfolioPromises => {
  const left = new Map<MessageId, { readonly account: string; readonly to: string; readonly at: Instant }>()
  const givenBack = new Set<MessageId>()
  const counted = new Map<MessageId, Counted>()
  let isErased = false

  /** A gateway may have seen the window open, or the customer may have written since. */
  const mayBeOpen = ({ sender, message: { to } }: Outbound): boolean => {
    const last = lastWritten(sender.phoneNumberId, to)
    return last !== undefined && last + WINDOW_MS + MINUTE_MS > world.now()
  }

  const onGivenBack = (id: MessageId): void => {
    counted.delete(id)
    if (!left.has(id)) return
    givenBack.add(id)
    world.reach('portfolio: a customer is given back')
    const all = taken().get(id) ?? []
    check(
      all.every(({ truth }) => truth.some((state) => state === 'failed')), 'only a customer who was not reached is given back',
      () => `${id} was accepted by the platform, and did not fail`,
    )
  }

  const onRefused = ({ portfolio, limit: most, at }: Counted): void => {
    world.reach('portfolio: a customer is refused')
    const counting = [...counted.values()].filter((one) => one.portfolio === portfolio && one.at + COUNTS_MS > at)
    const customers = new Set(counting.map(({ customer }) => customer)).size
    // An erased person counts under no name that is known here, and after a failure of a real connection it is not known what was counted.
    check(
      isErased || !isAtOnce || customers >= most, 'no customer within the limit is refused',
      () => `${portfolio} has reached ${customers} customers of ${most}`,
    )
  }

  return {
    onDone: (call, answer) => {
      if (limit === undefined) return
      if (call.port === 'personalData') isErased = true
      const { id, counting } = countingOf(call) ?? {}
      if (call.port === 'portfolioBudget' && call.method === 'giveBack') {
        onGivenBack((call.args[0] as { readonly message: MessageId }).message)
      }
      if (id === undefined || counting === undefined) return
      const tag = E.isLeft(answer as E.Either<{ readonly _tag: string }, unknown>)
        ? (answer as E.Left<{ readonly _tag: string }>).left._tag
        : (answer as E.Right<{ readonly _tag?: string } | undefined>).right?._tag
      if (tag === 'PortfolioLimitReached') onRefused(counting)
      else if (!COUNTS_NONE.some((one) => one === tag)) counted.set(id, counting)
    },
    onLeaving: (outbound) => {
      const { id, message, sender: { phoneNumberId } } = outbound
      if (limit === undefined || message._tag !== 'Template' || mayBeOpen(outbound)) return
      givenBack.delete(id)
      left.set(id, { account: accountOf(phoneNumberId), to: message.to, at: world.now() })
      const inPeriod = [...left].filter(([other, one]) =>
        one.account === accountOf(phoneNumberId) && one.at > world.now() - PERIOD_MS && !givenBack.has(other))
      const customers = new Set(inPeriod.map(([, { to }]) => to)).size
      if (customers === limit) world.reach('portfolio: a business account has reached its last customer')
      check(
        customers <= limit, 'a business account reaches no more customers than its limit',
        () => `${id} goes to customer number ${customers} of account ${accountOf(phoneNumberId)} in 24 hours`,
      )
    },
  }
}

/** The customer whom a call counts. */
const countingOf = ({ port, method, args }: StorageCall): { readonly id: MessageId; readonly counting: Counted } | undefined => {
  if (port === 'portfolioBudget' && method === 'take') {
    const counting = args[0] as Counted & { readonly message: MessageId }
    return { id: counting.message, counting }
  }
  const limits = port === 'messageMoney' && method === 'reserve' ? args[4] as { readonly portfolio?: Counted } | undefined : undefined
  return limits?.portfolio && { id: (args[0] as Draft).id, counting: limits.portfolio }
}
