import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { DAY_MS, type Instant, UTC_DAYS } from '../../core/kernel/time.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { FreeOffer } from '../../core/money/ledger.js'
import type { PersonalData } from '../../core/privacy.js'
import {
  CUSTOMER_COUNTS_MS, PORTFOLIO_DAYS_KEPT_MS, type PortfolioBudget, portfolioIdOf, type PortfolioTaking,
} from '../../core/messages/portfolio-budget.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { done, refused, same } from './expect.js'
import { newBatchId, newDigits, newMessageId, newPhoneNumber, newUserId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { openLedgerWorkspace } from './ledger-fixture.js'
import { newKey, openMessageWorkspace } from './message-fixture.js'
import type { ReservingFixture } from './reserving.js'

/** The customers of portfolios. */
export type PortfolioBudgetFixture = {
  readonly portfolioBudget: PortfolioBudget
  /** The same customers as another node sees them, if there are several nodes. */
  readonly elsewhere?: PortfolioBudget
  readonly personalData: PersonalData
}

const NOON: Instant = Date.UTC(2026, 10, 28, 12)
const HOUR_MS = 3_600_000
const LIMIT = 3

/** A message to a new customer of a new portfolio; `more` replaces parts of it. */
const newTaking = (more: Partial<PortfolioTaking> = {}): PortfolioTaking => ({
  workspace: newWorkspaceId(), message: newMessageId(NOON), portfolio: portfolioIdOf(`account ${newDigits(15)}`),
  customer: newPhoneNumber(), at: NOON, limit: LIMIT, ...more,
})

/** Another message of the same portfolio, to a new customer. */
const another = ({ workspace, portfolio, limit }: PortfolioTaking, more: Partial<PortfolioTaking> = {}): PortfolioTaking =>
  newTaking({ workspace, portfolio, limit, ...more })

type Budget = Pick<PortfolioBudgetFixture, 'portfolioBudget'>

const take = ({ portfolioBudget }: Budget, taking: PortfolioTaking): Promise<void> =>
  done('a customer within the limit is counted', portfolioBudget.take(taking))

const giveBack = ({ portfolioBudget }: Budget, taking: PortfolioTaking): Promise<void> =>
  done('a customer is given back', portfolioBudget.giveBack(taking))

const isReached = async (
  { portfolioBudget }: Budget, taking: PortfolioTaking, retryAt: Instant = NOON + CUSTOMER_COUNTS_MS,
): Promise<void> => {
  const { retryAt: seen } = await refused('a customer above the limit', 'PortfolioLimitReached', portfolioBudget.take(taking))
  same('when the next one is allowed', seen, retryAt)
}

/** Counts as many customers as the limit of a portfolio allows, each an hour after the one before, and returns their messages. */
const fill = async (fixture: Budget, of: PortfolioTaking, stepMs = HOUR_MS): Promise<ReadonlyArray<PortfolioTaking>> => {
  const takings = times(of.limit, (index) => another(of, { at: NOON + index * stepMs }))
  for (const taking of takings) await take(fixture, taking)
  return takings
}

/** The nodes alternately, so that half of the calls come from another one. */
const nodeOf = ({ portfolioBudget, elsewhere = portfolioBudget }: PortfolioBudgetFixture, index: number): PortfolioBudget =>
  (index % 2 === 0 ? portfolioBudget : elsewhere)

/** The promises of every `PortfolioBudget`. */
export const portfolioBudgetLaws: ReadonlyArray<Law<PortfolioBudgetFixture>> = [
  {
    name: 'a portfolio reaches as many customers as its limit, and a refusal says when the first of them no longer counts',
    check: async (fixture) => {
      const of = newTaking()
      await fill(fixture, of)
      const at = NOON + 5 * HOUR_MS
      for (const _ of times(3, () => undefined)) await isReached(fixture, another(of, { at }))
      await isReached(fixture, another(of, { at: NOON + CUSTOMER_COUNTS_MS - 1 }))
      await take(fixture, another(of, { at: NOON + CUSTOMER_COUNTS_MS }))
      await isReached(fixture, another(of, { at: NOON + CUSTOMER_COUNTS_MS }), NOON + HOUR_MS + CUSTOMER_COUNTS_MS)
    },
  },
  {
    name: 'a customer who counts takes no further place, in any variant of the number, and counts for a whole period since the last message',
    check: async (fixture) => {
      const number = `52199${newDigits(8)}` as PhoneNumber
      const of = newTaking({ customer: number, limit: 1 })
      await take(fixture, of)
      const at = NOON + 20 * HOUR_MS
      await take(fixture, another(of, { customer: number.replace(/^521/, '52') as PhoneNumber, at }))
      await isReached(fixture, another(of, { at: NOON + CUSTOMER_COUNTS_MS }), at + CUSTOMER_COUNTS_MS)
      await take(fixture, another(of, { at: at + CUSTOMER_COUNTS_MS }))
    },
  },
  {
    name: 'the customers who count at a time are counted, each once, in their own portfolio',
    check: async (fixture) => {
      const of = newTaking({ limit: 5 })
      const [first = of, second = of] = await fill(fixture, { ...of, limit: LIMIT })
      await take(fixture, another(of, { customer: second.customer, at: NOON + 2 * HOUR_MS }))
      await take(fixture, newTaking())
      const counted = (at: Instant) => done('the customers are counted', fixture.portfolioBudget.counted(of.portfolio, at))
      const left = NOON + CUSTOMER_COUNTS_MS
      const times = [NOON + 3 * HOUR_MS, left - 1, left, left + 2 * HOUR_MS]
      same('how many count', await Promise.all(times.map(counted)), [3, 3, 2, 0])
      await giveBack(fixture, first)
      same('how many count once one is given back', await counted(NOON + 3 * HOUR_MS), 2)
    },
  },
  {
    name: 'customers who count only because of batches are counted by the last batch of each, as long as its message counts',
    check: async (fixture) => {
      const of = newTaking({ limit: 5 })
      const [first, last] = [newBatchId(NOON), newBatchId(NOON + 1)]
      const [both, mixed] = [newPhoneNumber(), newPhoneNumber()]
      const [ofLast, alone] = [another(of, { customer: both, batch: last }), another(of, { customer: mixed })]
      await take(fixture, another(of, { customer: both, batch: first, at: NOON + 2 * HOUR_MS }))
      await take(fixture, ofLast)
      await take(fixture, another(of, { batch: first, at: NOON + HOUR_MS }))
      await take(fixture, another(of, { customer: mixed, batch: first, at: NOON + HOUR_MS }))
      await take(fixture, alone)
      await take(fixture, another(of))
      await take(fixture, newTaking({ batch: first }))
      const byBatch = (at: Instant) => done('the customers are counted', fixture.portfolioBudget.countedByBatch(of.portfolio, at))
      const [left, ofFirst] = [NOON + CUSTOMER_COUNTS_MS, (customers: number) => ({ batch: first, customers })]
      same('by batch', await byBatch(left - 1), [ofFirst(1), { batch: last, customers: 1 }])
      same('by batch, once messages of noon do not count', await byBatch(left), [ofFirst(3)])
      same('by batch, once none counts', await byBatch(left + 2 * HOUR_MS), [])
      await giveBack(fixture, ofLast)
      await giveBack(fixture, alone)
      same('by batch, once two were given back', await byBatch(left - 1), [ofFirst(3)])
    },
  },
  {
    name: 'a day keeps the most customers of a portfolio that counted at a time, and how many of them only because of batches, for a month',
    check: async (fixture) => {
      const of = newTaking({ limit: 9 })
      const other = newTaking({ limit: 9 })
      const last = another(of, { at: NOON + 2 * HOUR_MS, batch: newBatchId(NOON) })
      for (const taking of [of, another(of, { at: NOON + HOUR_MS }), last, other]) await take(fixture, taking)
      const note = (at: Instant) => done('a day is noted', fixture.portfolioBudget.noteDay(at))
      const days = ({ portfolio }: PortfolioTaking, since: Instant) => done('the days', fixture.portfolioBudget.days(portfolio, since))
      const [first, second] = [UTC_DAYS.startOf(NOON), UTC_DAYS.startOf(NOON) + DAY_MS]
      await Promise.all(times(6, (index) => done('a day is noted', nodeOf(fixture, index).noteDay(NOON + 3 * HOUR_MS))))
      await giveBack(fixture, last)
      await note(NOON + 4 * HOUR_MS)
      same('the first day', await days(of, first), [{ day: first, customers: 3, ofBatches: 1 }])
      await take(fixture, another(of, { at: NOON + DAY_MS, batch: newBatchId(NOON) }))
      await note(NOON + HOUR_MS + CUSTOMER_COUNTS_MS)
      const ofSecond = { day: second, customers: 1, ofBatches: 1 }
      same('both days', await days(of, first), [{ day: first, customers: 3, ofBatches: 1 }, ofSecond])
      same('the days since the second one', await days(of, second), [ofSecond])
      same('the days of another portfolio', await days(other, first), [{ day: first, customers: 1, ofBatches: 0 }])
      await note(first + PORTFOLIO_DAYS_KEPT_MS)
      same('how many days are left after a month', (await days(of, first)).length, 2)
      await note(first + PORTFOLIO_DAYS_KEPT_MS + 1)
      same('the days that are left later', await days(of, first), [ofSecond])
    },
  },
  {
    name: 'an earlier message does not shorten the time for which a customer counts',
    check: async (fixture) => {
      const of = newTaking({ limit: 1 })
      await take(fixture, of)
      await take(fixture, another(of, { customer: of.customer, at: NOON - HOUR_MS }))
      await isReached(fixture, another(of))
    },
  },
  {
    name: 'each portfolio has its own customers, whichever workspaces send through it',
    check: async (fixture) => {
      const of = newTaking({ limit: 1 })
      await take(fixture, of)
      await take(fixture, newTaking({ limit: 1, workspace: of.workspace }))
      await take(fixture, another(of, { workspace: newWorkspaceId(), customer: of.customer }))
      await isReached(fixture, another(of, { workspace: newWorkspaceId() }))
      await isReached(fixture, another(of, { customer: newUserId() }))
    },
  },
  {
    name: 'a message that is counted again takes no further place, and gives back all of it',
    check: async (fixture) => {
      const of = newTaking({ limit: 2 })
      for (const hour of [0, 1, 2]) await take(fixture, { ...of, at: NOON + hour * HOUR_MS })
      await take(fixture, another(of))
      await isReached(fixture, another(of))
      await giveBack(fixture, of)
      await take(fixture, another(of))
    },
  },
  {
    name: 'a customer who is given back no longer counts, once, even if it is repeated',
    check: async (fixture) => {
      const of = newTaking()
      const [first = of] = await fill(fixture, of)
      for (const _ of times(3, () => undefined)) await giveBack(fixture, first)
      await giveBack(fixture, another(of))
      await take(fixture, another(of))
      await isReached(fixture, another(of))
    },
  },
  {
    name: 'a customer who is given back counts for as long as another message counts them',
    check: async (fixture) => {
      const of = newTaking({ limit: 1 })
      const [first, second] = [of, another(of, { customer: of.customer, at: NOON + HOUR_MS })]
      for (const taking of [first, second]) await take(fixture, taking)
      await giveBack(fixture, second)
      await isReached(fixture, another(of), NOON + CUSTOMER_COUNTS_MS)
      await giveBack(fixture, first)
      await take(fixture, another(of))
    },
  },
  {
    name: 'a lower limit refuses new customers until fewer count, and none of those who count',
    check: async (fixture) => {
      const of = newTaking()
      const [first = of] = await fill(fixture, of)
      const at = NOON + 3 * HOUR_MS
      await isReached(fixture, another(of, { limit: 1, at }), NOON + 2 * HOUR_MS + CUSTOMER_COUNTS_MS)
      await take(fixture, another(of, { limit: 1, at, customer: first.customer }))
      await take(fixture, another(of, { limit: LIMIT + 1, at }))
    },
  },
  {
    name: 'the answer for a message that waits behind others is the time of a later free place',
    check: async (fixture) => {
      const of = newTaking()
      await fill(fixture, of)
      for (const behind of [0, 1, 2]) await isReached(fixture, another(of, { behind }), NOON + behind * HOUR_MS + CUSTOMER_COUNTS_MS)
    },
  },
  {
    name: 'of concurrent messages to many customers exactly as many are counted as the limit allows, again after they no longer count',
    check: async (fixture) => {
      const of = newTaking({ limit: 20 })
      for (const at of [NOON, NOON + CUSTOMER_COUNTS_MS]) {
        const answers = await Promise.all(times(64, (index) => nodeOf(fixture, index).take(another(of, { at }))))
        same('how many are counted', answers.filter(E.isRight).length, 20)
      }
    },
  },
  {
    name: 'concurrent messages to few customers count each of them once',
    check: async (fixture) => {
      const of = newTaking({ limit: 4 })
      const customers = times(4, () => newPhoneNumber())
      const answers = await Promise.all(times(64, (index) =>
        nodeOf(fixture, index >> 2).take(another(of, { customer: customers[index % 4] ?? newPhoneNumber() }))))
      same('how many are counted', answers.filter(E.isRight).length, 64)
      await isReached(fixture, another(of))
    },
  },
  {
    name: 'of concurrent calls that give back one message one does, and none costs a customer who is counted at the same time',
    check: async (fixture) => {
      for (const _ of times(8, () => undefined)) {
        const of = newTaking({ limit: 2 })
        await take(fixture, of)
        const again = another(of, { customer: of.customer })
        const [taken] = await Promise.all([
          nodeOf(fixture, 0).take(again), ...times(4, (index) => nodeOf(fixture, index).giveBack(of)),
        ])
        same('the message that counts the customer again', taken, E.right(undefined))
        await take(fixture, another(of))
        await isReached(fixture, another(of))
      }
    },
  },
  {
    name: 'a person who was erased is not recognised any more, and the place stays taken until it would have been free',
    check: async (fixture) => {
      const of = newTaking({ limit: 1 })
      await take(fixture, of)
      await done('a person is erased', fixture.personalData.erase(of.workspace, [{ phoneNumber: of.customer as PhoneNumber }]))
      await isReached(fixture, another(of, { customer: of.customer }))
      await take(fixture, another(of, { customer: of.customer, at: NOON + CUSTOMER_COUNTS_MS }))
    },
  },
]

/** The step that opens and pays for a message, and the customers of portfolios of the same storage. */
export type PortfolioReservingFixture = ReservingFixture & PortfolioBudgetFixture

const PRICE = 1n

const openCounting = async (fixture: PortfolioReservingFixture) => {
  const ledger = await openLedgerWorkspace(fixture)
  const { workspace, currency } = ledger
  const log = await openMessageWorkspace({ ...fixture, openWorkspace: () => Promise.resolve({ workspace, currency }) })
  await ledger.topUp(100n)
  const price = { micros: PRICE, currency, category: 'marketing' } as const
  const of = newTaking({ workspace })
  return {
    ...log, of,
    priced: (more: Parameters<typeof log.draft>[0] = {}) => log.draft({ price, ...more }),
    /** Opens and pays for a message to a new customer, or to the given one; the second node is another one, if there are several. */
    reserve: (
      draft: Draft, more: Partial<PortfolioTaking> = {}, { free, node = 0 }: { readonly free?: FreeOffer; readonly node?: number } = {},
    ) => (node % 2 === 0 ? fixture.reserving : fixture.reservingElsewhere ?? fixture.reserving)(
      draft, undefined, undefined, free, { portfolio: another(of, { message: draft.id, ...more }) },
    ),
    hasHeld: (messages: bigint) => ledger.has(`the wallet after ${messages} messages`, 100n - messages * PRICE, messages * PRICE),
  }
}

/** The promises of every step that opens a message, reserves its price and counts its customer. */
export const portfolioReservingLaws: ReadonlyArray<Law<PortfolioReservingFixture>> = [
  {
    name: 'a message counts its customer, which is the one that the port counts and gives back',
    check: async (fixture) => {
      const { priced, of, reserve, hasHeld } = await openCounting(fixture)
      const drafts = times(LIMIT, () => priced())
      for (const draft of drafts) await done('a reservation', reserve(draft))
      await isReached(fixture, another(of))
      await giveBack(fixture, { ...of, message: drafts[0]?.id ?? of.message })
      await take(fixture, another(of))
      await hasHeld(BigInt(LIMIT))
    },
  },
  {
    name: 'a message above the limit is not opened, nothing is set aside or taken of its free messages, and its key stays free',
    check: async (fixture) => {
      const { priced, of, reserve, found, hasHeld } = await openCounting(fixture)
      const [first = of] = await fill(fixture, of, 0)
      const claim = { key: newKey(), request: 'a' }
      const offer = { phoneNumberId: senderIdOf(newDigits(15)), month: '2026-11', limit: 2 }
      for (const draft of [priced(), priced({ claim })]) {
        const { retryAt } = await refused('a message above the limit', 'PortfolioLimitReached', reserve(draft, {}, { free: offer }))
        same('when the next one is allowed', retryAt, NOON + CUSTOMER_COUNTS_MS)
        same('the message', await found(draft.id), undefined)
      }
      same('the free messages that are taken', await done('the count', fixture.freeMessages.taken(offer.phoneNumberId, offer.month)), 0)
      await hasHeld(0n)
      same('the same key', await done('a reservation', reserve(priced({ claim }), { customer: first.customer })), { _tag: 'Opened' })
      await hasHeld(1n)
    },
  },
  {
    name: 'a key that guards another message is answered with it even above the limit, and counts no customer',
    check: async (fixture) => {
      const { priced, of, reserve } = await openCounting(fixture)
      const claim = { key: newKey(), request: 'a' }
      const repeat = () => done('a reservation', reserve(priced({ claim })))
      same('the first one', (await repeat())._tag, 'Opened')
      for (const _ of times(3, () => undefined)) same('a repetition', (await repeat())._tag, 'Claimed')
      for (const _ of times(LIMIT - 1, () => undefined)) await take(fixture, another(of))
      await isReached(fixture, another(of))
      same('a repetition above the limit', (await repeat())._tag, 'Claimed')
    },
  },
  {
    name: 'of concurrent messages to many customers exactly as many are opened as the limit allows, and the others cost their neighbours nothing',
    check: async (fixture) => {
      const { priced, reserve, found, hasHeld } = await openCounting(fixture)
      const drafts = times(24, (index) => priced(index % 3 === 0 ? {} : { claim: { key: newKey(), request: 'a' } }))
      const others = times(8, () => priced())
      const elsewhere = portfolioIdOf(`account ${newDigits(15)}`)
      const [answers, neighbours] = await Promise.all([
        Promise.all(drafts.map((draft, node) => reserve(draft, {}, { node }))),
        Promise.all(others.map((draft, node) => reserve(draft, { portfolio: elsewhere, limit: others.length }, { node }))),
      ])
      same('how many are opened', answers.filter(E.isRight).length, LIMIT)
      same('the neighbours', neighbours.filter(E.isRight).length, others.length)
      const stored = await Promise.all(drafts.map(({ id }) => found(id)))
      same('how many are stored', stored.filter((record) => record !== undefined).length, LIMIT)
      await hasHeld(BigInt(LIMIT + others.length))
    },
  },
  {
    name: 'the step is for the customers of this storage alone',
    check: ({ messageMoney, messageLog, wallet, freeMessages, portfolioBudget }) => {
      same(
        'the step for the customers of another',
        messageMoney.reservingOver?.({ messageLog, wallet, freeMessages, portfolioBudget: { ...portfolioBudget } }), undefined,
      )
      return Promise.resolve()
    },
  },
]
