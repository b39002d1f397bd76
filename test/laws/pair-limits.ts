import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { PairLimit, PairLimits, PairTaking } from '../../core/customers/pair-limit.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { FreeOffer, Reserved } from '../../core/money/ledger.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { done, refused, same } from './expect.js'
import { newDigits, newPhoneNumber, newUserId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { openLedgerWorkspace } from './ledger-fixture.js'
import { newKey, openMessageWorkspace } from './message-fixture.js'
import type { ReservingFixture } from './reserving.js'

/** The limits of pairs. */
export type PairLimitsFixture = {
  readonly pairLimits: PairLimits
  /** The same slots as another node sees them, if there are several nodes. */
  readonly elsewhere?: PairLimits
}

const NOON: Instant = Date.UTC(2026, 10, 28, 12)
const SECOND_MS = 1_000
/** Three messages at once, then one every six seconds. */
const LIMIT: PairLimit = { intervalMs: 6 * SECOND_MS, burst: 3 }

/** A slot of a new customer of a new sender; `more` replaces parts of it. */
const newTaking = (more: Partial<PairTaking> = {}): PairTaking => {
  const workspace = newWorkspaceId()
  return { workspace, inbox: workspace, customer: newPhoneNumber(), at: NOON, limit: LIMIT, ...more }
}

const take = ({ pairLimits }: Pick<PairLimitsFixture, 'pairLimits'>, taking: PairTaking): Promise<void> =>
  done('a slot within the limit is taken', pairLimits.take(taking))

const takeAll = async (fixture: PairLimitsFixture, taking: PairTaking): Promise<void> => {
  for (const _ of times(taking.limit.burst, () => undefined)) await take(fixture, taking)
}

const isReached = async ({ pairLimits }: PairLimitsFixture, taking: PairTaking, retryAt: Instant): Promise<void> => {
  const { retryAt: seen } = await refused('a slot above the limit', 'PairLimitReached', pairLimits.take(taking))
  same('when the next one is allowed', seen, retryAt)
}

/** The nodes alternately, so that half of the calls come from another one. */
const nodeOf = ({ pairLimits, elsewhere = pairLimits }: PairLimitsFixture, index: number): PairLimits =>
  (index % 2 === 0 ? pairLimits : elsewhere)

/** The promises of every `PairLimits`. */
export const pairLimitsLaws: ReadonlyArray<Law<PairLimitsFixture>> = [
  {
    name: 'a pair has the burst of its limit, then one slot each interval, and a refusal names the next',
    check: async (fixture) => {
      const taking = newTaking()
      await takeAll(fixture, taking)
      await isReached(fixture, taking, NOON + 6 * SECOND_MS)
      await isReached(fixture, { ...taking, at: NOON + 6 * SECOND_MS - 1 }, NOON + 6 * SECOND_MS)
      await take(fixture, { ...taking, at: NOON + 6 * SECOND_MS })
      await isReached(fixture, { ...taking, at: NOON + 6 * SECOND_MS }, NOON + 12 * SECOND_MS)
    },
  },
  {
    name: 'a refusal takes nothing, however often it is repeated',
    check: async (fixture) => {
      const taking = newTaking()
      await takeAll(fixture, taking)
      for (const _ of times(5, () => undefined)) await isReached(fixture, taking, NOON + 6 * SECOND_MS)
      await take(fixture, { ...taking, at: NOON + 6 * SECOND_MS })
    },
  },
  {
    name: 'the whole burst is there again after as many intervals, and no more than that however long the pause',
    check: async (fixture) => {
      const taking = newTaking()
      await takeAll(fixture, taking)
      for (const at of [NOON + 18 * SECOND_MS, NOON + 3_600 * SECOND_MS]) {
        await takeAll(fixture, { ...taking, at })
        await isReached(fixture, { ...taking, at }, at + 6 * SECOND_MS)
      }
    },
  },
  {
    name: 'each customer of a sender, each sender and each workspace has slots of its own, and variants of a number share them',
    check: async (fixture) => {
      const taking = newTaking({ customer: `52199${newDigits(8)}` as PhoneNumber })
      await takeAll(fixture, taking)
      for (const other of [
        { ...taking, customer: newPhoneNumber() }, { ...taking, customer: newUserId() }, { ...taking, inbox: newWorkspaceId() },
        newTaking({ customer: taking.customer }),
      ]) await take(fixture, other)
      await isReached(fixture, { ...taking, customer: taking.customer.replace(/^521/, '52') as PhoneNumber }, NOON + 6 * SECOND_MS)
    },
  },
  {
    name: 'a clock that goes back gives no slots',
    check: async (fixture) => {
      const taking = newTaking()
      await takeAll(fixture, taking)
      await isReached(fixture, { ...taking, at: NOON - 60 * SECOND_MS }, NOON + 6 * SECOND_MS)
    },
  },
  {
    name: 'of 64 concurrent messages of a pair exactly as many are within the limit as it allows',
    check: async (fixture) => {
      const taking = newTaking({ limit: { ...LIMIT, burst: 20 } })
      const answers = await Promise.all(times(64, (index) => nodeOf(fixture, index).take(taking)))
      same('how many are within the limit', answers.filter(E.isRight).length, 20)
      await isReached(fixture, taking, NOON + 6 * SECOND_MS)
    },
  },
  {
    name: 'of two messages at the same time one takes the last slot',
    check: async (fixture) => {
      for (const _ of times(8, () => undefined)) {
        const taking = newTaking()
        await take(fixture, taking)
        await take(fixture, taking)
        const answers = await Promise.all(times(2, (index) => nodeOf(fixture, index).take(taking)))
        same('how many are within the limit', answers.filter(E.isRight).length, 1)
      }
    },
  },
  {
    name: 'concurrent messages of many pairs cost each other no slots',
    check: async (fixture) => {
      const pairs = times(16, () => newTaking())
      const answers = await Promise.all(times(64, (index) => nodeOf(fixture, index >> 4).take(pairs[index % 16] ?? newTaking())))
      same('how many are within their limits', answers.filter(E.isRight).length, 48)
    },
  },
]

/** The step that opens and pays for a message, and the limits of pairs of the same storage. */
export type PairReservingFixture = ReservingFixture & { readonly pairLimits: PairLimits }

const PRICE = 1n

const openPaired = async (fixture: PairReservingFixture) => {
  const ledger = await openLedgerWorkspace(fixture)
  const { workspace, currency } = ledger
  const log = await openMessageWorkspace({ ...fixture, openWorkspace: () => Promise.resolve({ workspace, currency }) })
  await ledger.topUp(100n)
  const price = { micros: PRICE, currency, category: 'service' } as const
  return {
    ...log, workspace, pair: newTaking({ workspace, inbox: workspace }),
    priced: (more: Parameters<typeof log.draft>[0] = {}) => log.draft({ price, ...more }),
    /** Opens and pays for a message that takes a slot of a pair; the second node is another one, if there are several. */
    reserve: (draft: Draft, pair: PairTaking, { free, node = 0 }: { readonly free?: FreeOffer; readonly node?: number } = {}) =>
      (node % 2 === 0 ? fixture.reserving : fixture.reservingElsewhere ?? fixture.reserving)(draft, undefined, undefined, free, { pair }),
    numberStored: async (drafts: ReadonlyArray<Draft>) =>
      (await Promise.all(drafts.map(({ id }) => log.found(id)))).filter((record) => record !== undefined).length,
    hasHeld: (messages: bigint) => ledger.has(`the wallet after ${messages} messages`, 100n - messages * PRICE, messages * PRICE),
  }
}

const isOpened = (answer: E.Either<unknown, Reserved>): boolean => E.isRight(answer) && answer.right._tag === 'Opened'

/** The promises of every step that opens a message, reserves its price and takes the slot of its pair. */
export const pairReservingLaws: ReadonlyArray<Law<PairReservingFixture>> = [
  {
    name: 'a message takes the slot of its pair, which is the one that the port counts',
    check: async (fixture) => {
      const { priced, pair, reserve, hasHeld } = await openPaired(fixture)
      for (const _ of times(2, () => undefined)) await done('a reservation', reserve(priced(), pair))
      await take(fixture, pair)
      await isReached(fixture, pair, NOON + 6 * SECOND_MS)
      await hasHeld(2n)
    },
  },
  {
    name: 'a message above the limit of its pair is not opened, nothing is set aside, no free message is taken, and its key stays free',
    check: async (fixture) => {
      const { priced, pair, reserve, found, hasHeld } = await openPaired(fixture)
      await takeAll(fixture, pair)
      const claim = { key: newKey(), request: 'a' }
      const offer = { phoneNumberId: senderIdOf(newDigits(15)), month: '2026-11', limit: 2 }
      for (const draft of [priced(), priced({ claim })]) {
        const { retryAt } = await refused('a message above the limit', 'PairLimitReached', reserve(draft, pair, { free: offer }))
        same('when the next one is allowed', retryAt, NOON + 6 * SECOND_MS)
        same('the message', await found(draft.id), undefined)
      }
      same('the free messages that are taken', await done('the count', fixture.freeMessages.taken(offer.phoneNumberId, offer.month)), 0)
      await hasHeld(0n)
      const later = { ...pair, at: NOON + 6 * SECOND_MS }
      same('the same key', await done('a reservation', reserve(priced({ claim }), later)), { _tag: 'Opened' })
      await hasHeld(1n)
    },
  },
  {
    name: 'a key that guards another message is answered with it even above the limit, and takes no slot',
    check: async (fixture) => {
      const { priced, pair, reserve } = await openPaired(fixture)
      const claim = { key: newKey(), request: 'a' }
      const repeat = () => done('a reservation', reserve(priced({ claim }), pair))
      same('the first one', (await repeat())._tag, 'Opened')
      for (const _ of times(3, () => undefined)) same('a repetition', (await repeat())._tag, 'Claimed')
      await take(fixture, pair)
      await take(fixture, pair)
      await isReached(fixture, pair, NOON + 6 * SECOND_MS)
      same('a repetition above the limit', (await repeat())._tag, 'Claimed')
    },
  },
  {
    name: 'of concurrent messages of a pair exactly as many are opened as its limit allows, with keys and without, and the others cost their neighbours nothing',
    check: async (fixture) => {
      const { priced, pair, reserve, numberStored, hasHeld } = await openPaired(fixture)
      const drafts = times(24, (index) => priced(index % 3 === 0 ? {} : { claim: { key: newKey(), request: 'a' } }))
      const others = times(8, () => priced())
      const [answers, neighbours] = await Promise.all([
        Promise.all(drafts.map((draft, node) => reserve(draft, pair, { node }))),
        Promise.all(others.map((draft, node) => reserve(draft, { ...pair, customer: newPhoneNumber() }, { node }))),
      ])
      same('how many are opened', answers.filter(isOpened).length, LIMIT.burst)
      same('the neighbours', neighbours.filter(isOpened).length, others.length)
      same('how many are stored', await numberStored(drafts), LIMIT.burst)
      await hasHeld(BigInt(LIMIT.burst + others.length))
    },
  },
  {
    name: 'the step is for the limits of this storage alone',
    check: ({ messageMoney, messageLog, wallet, freeMessages, pairLimits }) => {
      same(
        'the step for the limits of another',
        messageMoney.reservingOver?.({ messageLog, wallet, freeMessages, pairLimits: { ...pairLimits } }), undefined,
      )
      return Promise.resolve()
    },
  },
]
