import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { BatchId } from '../../core/kernel/ids.js'
import { DAY_MS, type Instant } from '../../core/kernel/time.js'
import type { MessageId } from '../../core/messages/message.js'
import { auditWallet, type MessageMoney } from '../../core/money/ledger.js'
import type { HoldPart, NewSharedHold, SharedHold, SharedHolds } from '../../core/money/shared-holds.js'
import { NO_ALERTS, type Wallet, type WalletAlerts } from '../../core/money/wallet.js'
import { allPages, done, holds, lookDuring, refused, same } from './expect.js'
import { longAgo, newBatchId, newMessageId, newName, newWorkspaceId, nextMoment, otherCurrency, times } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, type LedgerWorkspace, linesOf, NOON, openLedgerWorkspace } from './ledger-fixture.js'

/** The ports of shared holds, over one storage. */
export type SharedHoldsPorts = { readonly sharedHolds: SharedHolds; readonly wallet: Wallet }

/** Shared holds, and the ports over the same storage that see them. */
export type SharedHoldsFixture = LedgerFixture & SharedHoldsPorts & {
  readonly walletAlerts: WalletAlerts
  readonly messageMoney: Pick<MessageMoney, 'mismatches'>
  /** The same storage as another node opens it, if there are several nodes. */
  readonly elsewhere?: SharedHoldsPorts
}

type SharingWorkspace = LedgerWorkspace & {
  /** A new shared hold that is not reserved yet. */
  readonly shared: (micros: bigint, at?: Instant) => NewSharedHold
  /** Reserves a new shared hold, and returns its id. */
  readonly reserved: (micros: bigint, at?: Instant) => Promise<BatchId>
  /** The part of a new message, or of the given one. */
  readonly part: (hold: BatchId, micros: bigint, message?: MessageId, at?: Instant) => HoldPart
  /** Takes the part of a new message. */
  readonly taken: (hold: BatchId, micros: bigint, at?: Instant) => Promise<HoldPart>
  readonly release: (hold: BatchId, node?: number) => Promise<SharedHold | undefined>
  /** Checks a shared hold. */
  readonly isNow: (promise: string, hold: BatchId, expected: SharedHold | undefined) => Promise<void>
}

const FUNDS = 1_000n

/** The nodes alternately, so that half of the calls come from another one. */
const nodeOf = (fixture: SharedHoldsFixture, index: number): SharedHoldsPorts => (index % 2 === 0 ? fixture : fixture.elsewhere ?? fixture)

const openSharing = async (fixture: SharedHoldsFixture, money = FUNDS): Promise<SharingWorkspace> => {
  const opened = await openLedgerWorkspace(fixture)
  const { workspace, currency, topUp } = opened
  if (money > 0n) await topUp(money)
  const shared: SharingWorkspace['shared'] = (micros, at = NOON) =>
    ({ workspace, hold: newBatchId(at), amount: { micros, currency }, at })
  const part: SharingWorkspace['part'] = (hold, micros, message, at = NOON) =>
    ({ workspace, hold, message: message ?? newMessageId(at), micros, at })
  return {
    ...opened, shared, part,
    reserved: async (micros, at) => {
      const hold = shared(micros, at)
      await done('a shared hold that the balance covers is set aside', fixture.sharedHolds.hold(hold))
      return hold.hold
    },
    taken: async (hold, micros, at) => {
      const one = part(hold, micros, undefined, at)
      await done('a part that is left is taken', fixture.sharedHolds.split(one))
      return one
    },
    release: (hold, node = 0) => done('a release', nodeOf(fixture, node).sharedHolds.release({ workspace, hold, at: NOON })),
    isNow: async (promise, hold, expected) =>
      same(promise, await done('a shared hold is read', fixture.sharedHolds.find({ workspace, hold })), expected),
  }
}

const open = (reserved: bigint, left: bigint): SharedHold => ({ state: 'held', reserved, left })
const ended = (reserved: bigint, left: bigint): SharedHold => ({ state: 'released', reserved, left })

/** The promises of every `SharedHolds`. */
export const sharedHoldsLaws: ReadonlyArray<Law<SharedHoldsFixture>> = [
  {
    name: 'a shared hold sets its money aside, and holding again under its id changes nothing',
    check: async (fixture) => {
      const { shared, has, isNow, currency } = await openSharing(fixture)
      const hold = shared(300n)
      await isNow('before it is held', hold.hold, undefined)
      await done('a shared hold', fixture.sharedHolds.hold(hold))
      await has('the money is on hold', 700n, 300n)
      await isNow('nothing is taken', hold.hold, open(300n, 300n))
      for (const micros of [300n, 1n, 5_000n]) {
        await done('a repetition', fixture.sharedHolds.hold({ ...hold, amount: { micros, currency } }))
      }
      await done('in another currency', fixture.sharedHolds.hold({ ...hold, amount: { micros: 1n, currency: otherCurrency(currency) } }))
      await done('a release', fixture.sharedHolds.release(hold))
      await done('after the release', fixture.sharedHolds.hold(hold))
      await has('nothing is set aside again', 1_000n, 0n)
    },
  },
  {
    name: 'concurrent holds of messages and batches never overdraw, and one of the same id is set aside once',
    check: async (fixture) => {
      const { shared, price, has } = await openSharing(fixture, 7n * 19n)
      const outcomes = await Promise.all(times(24, (index) => {
        const { sharedHolds, wallet } = nodeOf(fixture, index)
        return index % 3 === 0 ? wallet.hold(price(7n)) : sharedHolds.hold(shared(7n))
      }))
      same('how many succeed', outcomes.filter(E.isRight).length, 19)
      await has('all is on hold', 0n, 7n * 19n)
      const other = await openSharing(fixture)
      const hold = other.shared(600n)
      const repeated = await Promise.all(times(8, (index) => nodeOf(fixture, index).sharedHolds.hold(hold)))
      same('each repetition succeeds', repeated.filter(E.isLeft), [])
      await other.has('it is set aside once', 400n, 600n)
    },
  },
  {
    name: 'a shared hold that cannot be set aside is refused like the hold of a message, and there is none',
    check: async (fixture) => {
      const { shared, reserved, has, isNow, currency } = await openSharing(fixture, 100n)
      await reserved(70n)
      const dear = shared(31n)
      same('too dear', await refused('too dear', 'InsufficientBalance', fixture.sharedHolds.hold(dear)), {
        _tag: 'InsufficientBalance', required: 31n, available: 30n, held: 70n, currency,
      })
      const foreign = { ...shared(1n), amount: { micros: 1n, currency: otherCurrency(currency) } }
      await refused('another currency', 'PortFailure', fixture.sharedHolds.hold(foreign))
      await refused('no wallet', 'PortFailure', fixture.sharedHolds.hold({ ...shared(1n), workspace: newWorkspaceId() }))
      for (const { hold } of [dear, foreign]) await isNow('what was refused', hold, undefined)
      await has('the balance', 30n, 70n)
    },
  },
  {
    name: 'a shared hold counts for the limit of its key, and what it or a part gives back counts for its day',
    check: async (fixture) => {
      const { shared, part, release, workspace, currency } = await openSharing(fixture)
      const key = newName()
      const [hold, later] = [{ ...shared(80n), spending: { key, limit: 100n } }, NOON + DAY_MS]
      const hasSpent = async (promise: string, today: bigint, tomorrow = 0n): Promise<void> => {
        const spent = (at: Instant) => done('the spending', fixture.ledger.keySpending(workspace, [key], at))
        same(promise, [(await spent(NOON)).get(key), (await spent(later)).get(key)], [today, tomorrow])
      }
      await done('within the limit', fixture.sharedHolds.hold(hold))
      const more = { ...shared(21n), spending: { key, limit: 100n } }
      const { required, limit, spent, currency: of } = await refused('beyond it', 'SpendingLimitReached', fixture.sharedHolds.hold(more))
      same('the refusal', [required, limit, spent, of], [21n, 100n, 80n, currency])
      const [released, refunded, kept, smaller] = times(4, () => part(hold.hold, 15n, undefined, later))
      for (const one of [released, refunded, kept, smaller]) if (one) await done('a part', fixture.sharedHolds.split(one))
      await hasSpent('parts are not spent again', 80n)
      if (released) await done('a release', fixture.wallet.release(released))
      if (refunded) await done('a capture', fixture.wallet.capture(refunded))
      if (refunded) await done('a refund', fixture.wallet.refund(refunded))
      if (kept) await done('a capture', fixture.wallet.capture(kept))
      await hasSpent('what was given back is not spent', 50n)
      if (smaller) await done('a capture of a part', fixture.wallet.capturePart({ ...smaller, micros: 5n }))
      await hasSpent('nor is the rest of a part', 40n)
      if (released) await done('a late capture', fixture.wallet.capture(released))
      await hasSpent('what is captured late is', 55n)
      await release(hold.hold)
      await hasSpent('what no message took is not', 35n)
    },
  },
  {
    name: 'a shared hold raises the alerts of a wallet like the hold of a message, and a part raises none',
    check: async (fixture) => {
      const { shared, taken, workspace } = await openSharing(fixture)
      const alerts = async () => {
        const found = await done('the alerts', fixture.walletAlerts.alertsOf(workspace))
        const { lowSince, exhaustedSince } = O.isSome(found) ? found.value : NO_ALERTS
        return [lowSince, exhaustedSince]
      }
      await done('a threshold', fixture.walletAlerts.setThreshold(workspace, 500n))
      const first = shared(500n)
      await done('down to the threshold', fixture.sharedHolds.hold(first))
      await taken(first.hold, 400n)
      same('no alert', await alerts(), [undefined, undefined])
      await done('below it', fixture.sharedHolds.hold({ ...shared(1n), at: NOON + 5 }))
      same('low', await alerts(), [NOON + 5, undefined])
      await refused('too dear', 'InsufficientBalance', fixture.sharedHolds.hold({ ...shared(500n), at: NOON + 9 }))
      same('exhausted', await alerts(), [NOON + 5, NOON + 9])
    },
  },
  {
    name: 'a part becomes the hold of its message, and the balance stays as it is',
    check: async (fixture) => {
      const { reserved, taken, has, isNow } = await openSharing(fixture)
      const hold = await reserved(100n)
      const [first, free, last] = [await taken(hold, 60n), await taken(hold, 0n), await taken(hold, 40n)]
      await has('the balance', 900n, 100n)
      await isNow('all is taken', hold, open(100n, 0n))
      for (const one of [first, free, last]) same('a hold', await done('holdOf', fixture.wallet.holdOf(one)), 'held')
    },
  },
  {
    name: 'a part is captured, released and refunded like every hold, and nothing returns to the shared hold',
    check: async (fixture) => {
      const { reserved, taken, has, isNow } = await openSharing(fixture)
      const hold = await reserved(100n)
      const [captured, released, refunded, smaller] = [
        await taken(hold, 20n), await taken(hold, 20n), await taken(hold, 20n), await taken(hold, 20n),
      ]
      for (const again of [0, 1]) {
        const { wallet } = nodeOf(fixture, again)
        same('captured', await done('a capture', wallet.capture(captured)), 'captured')
        same('released', await done('a release', wallet.release(released)), 'released')
        await done('a capture', wallet.capture(refunded))
        same('refunded', await done('a refund', wallet.refund(refunded)), 'refunded')
        same('a part of the part', await done('a capture of a part', wallet.capturePart({ ...smaller, micros: 5n })), 'captured')
      }
      await has('20 and 5 are spent', 955n, 20n)
      same('captured late', await done('a late capture', fixture.wallet.capture(released)), 'captured')
      await has('it is spent from what is available', 935n, 20n)
      await isNow('the shared hold', hold, open(100n, 20n))
      const more = { ...captured, message: newMessageId(NOON), micros: 21n }
      await refused('more than what is left', 'ExceedsHold', fixture.sharedHolds.split(more))
    },
  },
  {
    name: 'a message takes a part once, whatever is asked for it again',
    check: async (fixture) => {
      const { reserved, part, price, release, has, isNow, workspace } = await openSharing(fixture)
      const [hold, other] = [await reserved(100n), await reserved(100n)]
      const one = part(hold, 30n)
      const repeated = await Promise.all(times(8, (index) => nodeOf(fixture, index).sharedHolds.split(one)))
      same('each repetition succeeds', repeated.filter(E.isLeft), [])
      for (const micros of [30n, 5n, 500n, -1n]) await done('at another amount', fixture.sharedHolds.split({ ...one, micros }))
      for (const from of [other, newBatchId(NOON)]) await done('from another', fixture.sharedHolds.split({ ...one, hold: from }))
      await done('as a hold of its own', fixture.wallet.hold({ ...price(10n), message: one.message }))
      await isNow('the part is taken once', hold, open(100n, 70n))
      await isNow('nothing is taken from the other', other, open(100n, 100n))
      const own = price(50n)
      await done('a hold of its own', fixture.wallet.hold(own))
      await done('a part for it', fixture.sharedHolds.split(part(hold, 20n, own.message)))
      await done('it is settled', fixture.wallet.release(own))
      await done('a part for it', fixture.sharedHolds.split(part(hold, 20n, own.message)))
      await isNow('a message that has a hold takes no part', hold, open(100n, 70n))
      await release(hold)
      await done('after the release', fixture.sharedHolds.split(one))
      same('it has its part', await done('holdOf', fixture.wallet.holdOf({ workspace, message: one.message })), 'held')
      await has('the balance', 870n, 130n)
    },
  },
  {
    name: 'concurrent splits never take more than is left, and all of it if enough is asked for',
    check: async (fixture) => {
      const { reserved, part, has, isNow } = await openSharing(fixture)
      for (const round of times(3, (index) => index)) {
        const hold = await reserved(7n * 19n)
        const outcomes = await Promise.all(times(40, (index) => nodeOf(fixture, index).sharedHolds.split(part(hold, 7n))))
        same(`how many succeed in round ${round}`, outcomes.filter(E.isRight).length, 19)
        same('how the others fail', new Set(outcomes.flatMap((one) => (E.isLeft(one) ? [one.left._tag] : []))), new Set(['ExceedsHold']))
        await isNow('nothing is left', hold, open(133n, 0n))
      }
      await has('the balance', FUNDS - 3n * 133n, 3n * 133n)
    },
  },
  {
    name: 'a part of more than is left, or of less than nothing, is ExceedsHold, and changes nothing',
    check: async (fixture) => {
      const { reserved, taken, part, has, isNow } = await openSharing(fixture)
      const hold = await reserved(100n)
      await taken(hold, 60n)
      const one = part(hold, 41n)
      for (const micros of [41n, 2n ** 60n, -1n]) {
        same(
          `a part of ${micros}`, await refused(`a part of ${micros}`, 'ExceedsHold', fixture.sharedHolds.split({ ...one, micros })),
          { _tag: 'ExceedsHold', requested: micros, held: 40n },
        )
      }
      same('the message has no hold', await done('holdOf', fixture.wallet.holdOf(one)), undefined)
      await isNow('the shared hold', hold, open(100n, 40n))
      await has('the balance', 900n, 100n)
      await done('a smaller part', fixture.sharedHolds.split({ ...one, micros: 40n }))
      await isNow('all is taken', hold, open(100n, 0n))
    },
  },
  {
    name: 'a shared hold that the workspace does not have is NoSuchSharedHold',
    check: async (fixture) => {
      const [ours, theirs] = [await openSharing(fixture), await openSharing(fixture)]
      const [hold, unknown] = [await ours.reserved(100n), newBatchId(NOON)]
      for (const [one, name] of [[ours.part(unknown, 1n), unknown], [theirs.part(hold, 1n), hold]] as const) {
        same(
          'the refusal', await refused('no shared hold', 'NoSuchSharedHold', fixture.sharedHolds.split(one)),
          { _tag: 'NoSuchSharedHold', hold: name },
        )
        same('the message has no hold', await done('holdOf', fixture.wallet.holdOf(one)), undefined)
      }
      same('a release of none', await ours.release(unknown), undefined)
      same('a release from another workspace', await theirs.release(hold), undefined)
      await theirs.isNow('in another workspace', hold, undefined)
      await ours.isNow('its own', hold, open(100n, 100n))
      await ours.has('the balance', 900n, 100n)
    },
  },
  {
    name: 'a release gives back what no message has taken, once, and then no message takes a part',
    check: async (fixture) => {
      const { reserved, taken, part, release, has, isNow } = await openSharing(fixture)
      const hold = await reserved(100n)
      const one = await taken(hold, 30n)
      const answers = await Promise.all(times(6, (index) => release(hold, index)))
      same('the answers', answers, times<SharedHold | undefined>(6, () => ended(100n, 70n)))
      same('again', await release(hold), ended(100n, 70n))
      await isNow('it has ended', hold, ended(100n, 70n))
      await has('the rest is back', 970n, 30n)
      for (const micros of [1n, 70n, 500n]) {
        same(
          'the refusal', await refused('after the release', 'SharedHoldReleased', fixture.sharedHolds.split(part(hold, micros))),
          { _tag: 'SharedHoldReleased', hold },
        )
      }
      same('the part is captured', await done('a capture', fixture.wallet.capture(one)), 'captured')
      await has('the part is spent', 970n, 0n)
      const whole = await reserved(50n)
      same('nothing was taken', await release(whole), ended(50n, 50n))
      const used = await reserved(50n)
      await taken(used, 50n)
      same('all was taken', await release(used), ended(50n, 0n))
      await has('the balance', 920n, 50n)
    },
  },
  {
    name: 'concurrent splits and releases leave every micro with one message or with the wallet',
    check: async (fixture) => {
      for (const round of times(4, (index) => index)) {
        const { reserved, part, release, has, isNow, workspace } = await openSharing(fixture)
        const hold = await reserved(100n)
        const parts = times(16, () => part(hold, 5n))
        const isExact = async (): Promise<void> => {
          const books = await done('the books are read', fixture.ledger.books(workspace))
          same(`the books in round ${round}`, O.isSome(books) ? auditWallet(books.value) : ['there are none'], [])
        }
        // The releases are called before, between and after the splits.
        const splits: Array<ReturnType<SharedHolds['split']>> = []
        const calls = times(18, (index): Promise<unknown> => {
          const place = index - 5 * round
          const one = parts[splits.length]
          if (place === 0 || place === 1 || one === undefined) return release(hold, place)
          splits.push(nodeOf(fixture, index).sharedHolds.split(one))
          return splits.at(-1) ?? Promise.resolve()
        })
        await lookDuring(calls, isExact)
        const outcomes = await Promise.all(splits)
        const taken = 5n * BigInt(outcomes.filter(E.isRight).length)
        const areLate = outcomes.every((one) => E.isRight(one) || one.left._tag === 'SharedHoldReleased')
        holds('the others come after the release', areLate, outcomes)
        await isNow('the shared hold', hold, ended(100n, 100n - taken))
        await has('the balance', FUNDS - taken, taken)
      }
    },
  },
  {
    name: 'a statement has a shared hold under its batch, its parts as the holds of their messages, and its release with the note',
    check: async (fixture) => {
      const { workspace, shared, part, statement } = await openSharing(fixture, 0n)
      const at = await nextMoment()
      await done('money is added', fixture.ledger.topUp({ workspace, micros: FUNDS, reference: 'an invoice', at }))
      const hold = shared(100n, await nextMoment())
      await done('a shared hold', fixture.sharedHolds.hold(hold))
      const [spent, spare] = [part(hold.hold, 30n, undefined, await nextMoment()), part(hold.hold, 20n, undefined, await nextMoment())]
      for (const one of [spent, spare]) await done('a part', fixture.sharedHolds.split(one))
      const [captured, released, over] = [await nextMoment(), await nextMoment(), await nextMoment()]
      await done('a capture', fixture.wallet.capture({ ...spent, at: captured }))
      await done('a release', fixture.wallet.release({ ...spare, at: released }))
      for (const note of ['the batch is over', 'again']) await done('a release', fixture.sharedHolds.release({ ...hold, at: over, note }))
      const batch = hold.hold
      const entries = await statement()
      same('the movements, newest first', linesOf(entries), [
        { kind: 'release', micros: 50n, message: undefined, reference: batch, at: over },
        { kind: 'release', micros: 20n, message: spare.message, reference: undefined, at: released },
        { kind: 'capture', micros: 30n, message: spent.message, reference: undefined, at: captured },
        { kind: 'hold', micros: 20n, message: spare.message, reference: batch, at: spare.at },
        { kind: 'hold', micros: 30n, message: spent.message, reference: batch, at: spent.at },
        { kind: 'hold', micros: 100n, message: undefined, reference: batch, at: hold.at },
        { kind: 'top_up', micros: FUNDS, message: undefined, reference: 'an invoice', at },
      ])
      same('the note', entries[0]?.note, 'the batch is over')
      for (const limit of [1, 2, 3]) {
        const paged = await allPages('a statement', (query) => fixture.ledger.statement(workspace, query), limit)
        same(`pages of ${limit}`, paged, entries)
      }
    },
  },
  {
    name: 'the books are exact after each step of a shared hold, and contain what is left of it',
    check: async (fixture) => {
      const { workspace, reserved, taken, release } = await openSharing(fixture)
      const areExact = async (promise: string, held: bigint, captured: bigint): Promise<void> => {
        const books = await done('the books are read', fixture.ledger.books(workspace))
        if (O.isNone(books)) throw new Error('the workspace has books')
        same(`${promise}: what differs`, auditWallet(books.value), [])
        same(`${promise}: what is held and captured`, [books.value.holds.held ?? 0n, books.value.holds.captured ?? 0n], [held, captured])
      }
      const hold = await reserved(100n)
      await areExact('after the hold', 100n, 0n)
      const [one, other, third] = [await taken(hold, 30n), await taken(hold, 20n), await taken(hold, 10n)]
      await areExact('after the parts', 100n, 0n)
      await done('a capture', fixture.wallet.capture(one))
      await areExact('after a capture', 70n, 30n)
      await done('a capture of a part', fixture.wallet.capturePart({ ...other, micros: 5n }))
      await areExact('after a capture of a part', 50n, 35n)
      await done('a refund', fixture.wallet.refund(other))
      await done('a release', fixture.wallet.release(third))
      await areExact('after a refund and a release', 40n, 30n)
      await release(hold)
      await areExact('after the release', 0n, 30n)
    },
  },
  {
    name: 'a shared hold is never stale and never compared with a message, and a part is, from the moment it was taken',
    check: async (fixture) => {
      const moment = longAgo()
      const { workspace, reserved, taken } = await openSharing(fixture)
      const hold = await reserved(100n, moment - 10_000)
      const [stale, recent] = [await taken(hold, 30n, moment - 1), await taken(hold, 20n, moment)]
      const listed = (await allPages('stale', (query) => fixture.wallet.stale({ ...query, before: moment }), 50))
        .filter((one) => one.workspace === workspace)
      same('the stale holds', listed, [{ workspace, message: stale.message, batch: hold }])
      const found: Array<string> = []
      let cursor: string | undefined
      do {
        const page = await done('mismatches', fixture.messageMoney.mismatches({ limit: 1_000, ...(cursor !== undefined && { cursor }) }))
        found.push(...page.items.filter((one) => one.workspace === workspace).map(({ message }) => message))
        cursor = page.next
      } while (cursor !== undefined)
      same('the holds without a message', found.toSorted(), [stale.message, recent.message].toSorted())
    },
  },
  {
    name: 'the open holds of a workspace include what is left of its shared holds, oldest first',
    check: async (fixture) => {
      const { workspace, currency, reserved, taken, price, release } = await openSharing(fixture)
      const first = await reserved(100n, await nextMoment())
      const own = { ...price(5n), at: await nextMoment(), amount: { micros: 5n, currency } }
      await done('a hold', fixture.wallet.hold(own))
      const second = await reserved(50n, await nextMoment())
      const one = await taken(second, 20n, await nextMoment())
      const read = (limit: number) => done('open holds', fixture.ledger.openHolds(workspace, limit))
      const open = (await read(10)).map(({ message, batch, micros }) => [message ?? batch, micros])
      const expected = [[first, 100n], [own.message, 5n], [second, 30n], [one.message, 20n]]
      same('all of them', open, expected)
      same('the two oldest', (await read(2)).map(({ message, batch, micros }) => [message ?? batch, micros]), expected.slice(0, 2))
      await release(second)
      same('those that are still held', (await read(10)).map(({ message, batch }) => message ?? batch), [first, own.message, one.message])
    },
  },
]
