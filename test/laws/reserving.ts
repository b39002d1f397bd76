import * as E from 'fp-ts/lib/Either.js'
import type { Reserved, Reserving } from '../../core/money/ledger.js'
import type { FreeMessages } from '../../core/money/wallet.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { done, holds, refused, same } from './expect.js'
import { newDigits, times } from './ids.js'
import type { Law } from './law.js'
import { openLedgerWorkspace } from './ledger-fixture.js'
import { newKey, openMessageWorkspace } from './message-fixture.js'
import type { MessageMoneyFixture } from './message-money.js'

/** The messages with their holds of a storage that opens and pays for a message in one step: the result of `MessageMoney.reservingOver` for its own ports. */
export type ReservingFixture = Omit<MessageMoneyFixture, 'elsewhere'> & {
  readonly reserving: Reserving
  readonly freeMessages: FreeMessages
  /** The same step of another node of the storage, if there are several nodes. */
  readonly reservingElsewhere?: Reserving
}

const PRICE = 30n
const FUNDS = 100n

/** A workspace with money for three messages. */
const openReserving = async (fixture: ReservingFixture) => {
  const ledger = await openLedgerWorkspace(fixture)
  const { workspace, currency } = ledger
  const log = await openMessageWorkspace({ ...fixture, openWorkspace: () => Promise.resolve({ workspace, currency }) })
  await ledger.topUp(FUNDS)
  const priced = (more: Parameters<typeof log.draft>[0] = {}) =>
    log.draft({ price: { micros: PRICE, currency, category: 'service' }, ...more })
  const offer = { phoneNumberId: senderIdOf(newDigits(15)), month: '2026-11', limit: 2 }
  return {
    ...log, priced, workspace, offer,
    takenOf: () => done('the free messages that were taken are counted', fixture.freeMessages.taken(offer.phoneNumberId, offer.month)),
    find: ({ id }: ReturnType<typeof priced>) => log.found(id),
    stateOf: async ({ id }: ReturnType<typeof priced>) => (await log.found(id))?.state,
    holdOf: ({ id: message }: ReturnType<typeof priced>) => done('the state of a hold', fixture.wallet.holdOf({ workspace, message })),
    hasHeld: (messages: bigint) => ledger.has(`the wallet after ${messages} messages`, FUNDS - messages * PRICE, messages * PRICE),
  }
}

/** The promises of every step that opens a message and reserves its price. */
export const reservingLaws: ReadonlyArray<Law<ReservingFixture>> = [
  {
    name: 'a message is opened and its price set aside, with a key and without one',
    check: async (fixture) => {
      const { priced, stateOf, holdOf, hasHeld } = await openReserving(fixture)
      for (const [claim, count] of [[undefined, 1n], [{ key: newKey(), request: 'a' }, 2n]] as const) {
        const draft = priced(claim && { claim })
        same('the answer', await done('a reservation', fixture.reserving(draft, undefined)), { _tag: 'Opened' })
        same('the message and its money', [await stateOf(draft), await holdOf(draft)], ['pending', 'held'])
        await hasHeld(count)
      }
    },
  },
  {
    name: 'a key that guards another message is answered with it, and nothing is opened or set aside',
    check: async (fixture) => {
      const { priced, stateOf, holdOf, hasHeld } = await openReserving(fixture)
      const claim = { key: newKey(), request: 'a' }
      const [first, again, other] = [priced({ claim }), priced({ claim }), priced({ claim: { ...claim, request: 'b' } })]
      await done('a reservation', fixture.reserving(first, undefined))
      for (const [draft, sameRequest] of [[again, true], [other, false]] as const) {
        const claimed = await done('a repetition', fixture.reserving(draft, undefined))
        same('the answer', claimed._tag === 'Claimed' ? [claimed.by.id, claimed.sameRequest] : [], [first.id, sameRequest])
        same('what was written', [await stateOf(draft), await holdOf(draft)], [undefined, undefined])
      }
      await hasHeld(1n)
    },
  },
  {
    name: 'a price that cannot be set aside leaves the message open and the wallet as it was',
    check: async (fixture) => {
      const { priced, stateOf, holdOf, hasHeld } = await openReserving(fixture)
      for (const claim of [undefined, { key: newKey(), request: 'a' }]) {
        const [dear, limited] = [priced({ ...(claim && { claim }) }), priced()]
        const unpaid = await refused(
          'too dear', 'InsufficientBalance', fixture.reserving({ ...dear, price: { ...dear.price, micros: FUNDS + 1n } }, undefined),
        )
        same('what is missing', [unpaid.required, unpaid.available], [FUNDS + 1n, FUNDS])
        await refused('beyond the limit', 'SpendingLimitReached', fixture.reserving(limited, { key: 'a key', limit: PRICE - 1n }))
        for (const draft of [dear, limited]) {
          same('the message and its money', [await stateOf(draft), await holdOf(draft)], ['pending', undefined])
        }
      }
      await hasHeld(0n)
    },
  },
  {
    name: 'of concurrent messages with one key one is opened, and only that one is paid for',
    check: async (fixture) => {
      const { priced, stateOf, hasHeld } = await openReserving(fixture)
      const nodes = [fixture.reserving, fixture.reservingElsewhere ?? fixture.reserving] as const
      const claim = { key: newKey(), request: 'a' }
      const drafts = times(12, () => priced({ claim }))
      const answers = await Promise.all(drafts.map((draft, index) => nodes[index % 2 === 0 ? 0 : 1](draft, undefined)))
      const opened = drafts.filter((_, index) => isOpened(answers[index]))
      holds('one is opened', opened.length === 1, opened.length)
      same(
        'the others name it',
        answers.filter((answer) => E.isRight(answer) && answer.right._tag === 'Claimed' && answer.right.by.id === opened[0]?.id).length, 11,
      )
      same(
        'what was written', await Promise.all(drafts.map(async (draft) => (await stateOf(draft)) ?? 'nothing')),
        drafts.map((draft) => (draft === opened[0] ? 'pending' : 'nothing')),
      )
      await hasHeld(1n)
    },
  },
  {
    name: 'of concurrent messages exactly as many are paid for as the wallet can cover, with keys and without',
    check: async (fixture) => {
      const { priced, holdOf, hasHeld } = await openReserving(fixture)
      const nodes = [fixture.reserving, fixture.reservingElsewhere ?? fixture.reserving] as const
      const drafts = times(10, (index) => priced(index % 3 === 0 ? {} : { claim: { key: newKey(), request: 'a' } }))
      const answers = await Promise.all(drafts.map((draft, index) => nodes[index % 2 === 0 ? 0 : 1](draft, undefined)))
      same('how many are paid for', answers.filter(isOpened).length, 3)
      same('their money', await Promise.all(drafts.map(holdOf)), answers.map((answer) => (isOpened(answer) ? 'held' : undefined)))
      await hasHeld(3n)
    },
  },
  {
    name: 'a message that is offered a free one takes it and costs nothing, once, until none is left',
    check: async (fixture) => {
      const { priced, find, holdOf, hasHeld, takenOf, offer } = await openReserving(fixture)
      for (const claim of [undefined, { key: newKey(), request: 'a' }]) {
        const draft = priced(claim && { claim })
        same(
          'the answer', await done('a reservation', fixture.reserving(draft, undefined, undefined, offer)),
          { _tag: 'Opened', isFree: true },
        )
        same('the message and its money', [(await find(draft))?.price.micros, await holdOf(draft)], [0n, 'held'])
      }
      const late = priced()
      same(
        'the answer when none is left', await done('a reservation', fixture.reserving(late, undefined, undefined, offer)),
        { _tag: 'Opened' },
      )
      same('the message and its money', [(await find(late))?.price.micros, await holdOf(late)], [PRICE, 'held'])
      same('how many were taken', await takenOf(), offer.limit)
      await hasHeld(1n)
    },
  },
  {
    name: 'the hold of a free message is spent and given back like any other, and moves nothing',
    check: async (fixture) => {
      const { priced, workspace, holdOf, hasHeld, offer } = await openReserving(fixture)
      for (const move of ['capture', 'release'] as const) {
        const draft = priced()
        await done('a reservation', fixture.reserving(draft, undefined, undefined, offer))
        await done('a move', fixture.wallet[move]({ workspace, message: draft.id, at: draft.at }))
        same('its hold', await holdOf(draft), move === 'capture' ? 'captured' : 'released')
      }
      await hasHeld(0n)
    },
  },
  {
    name: 'a key that guards another message takes no free one',
    check: async (fixture) => {
      const { priced, takenOf, hasHeld, offer } = await openReserving(fixture)
      const claim = { key: newKey(), request: 'a' }
      const answers = await Promise.all(times(4, () => fixture.reserving(priced({ claim }), undefined, undefined, offer)))
      same('how many are opened', answers.filter(isOpened).length, 1)
      same('how many were taken', await takenOf(), 1)
      await hasHeld(0n)
    },
  },
  {
    name: 'of concurrent messages exactly as many are free as are left',
    check: async (fixture) => {
      const { priced, find, takenOf, hasHeld, offer } = await openReserving(fixture)
      const nodes = [fixture.reserving, fixture.reservingElsewhere ?? fixture.reserving] as const
      const drafts = times(5, (index) => priced(index % 2 === 0 ? {} : { claim: { key: newKey(), request: 'a' } }))
      const answers = await Promise.all(drafts.map((draft, index) => nodes[index % 2 === 0 ? 0 : 1](draft, undefined, undefined, offer)))
      same('how many are opened', answers.filter(isOpened).length, 5)
      same(
        'how many are free',
        answers.filter((answer) => E.isRight(answer) && answer.right._tag === 'Opened' && answer.right.isFree === true).length, offer.limit,
      )
      same(
        'how many cost nothing', (await Promise.all(drafts.map(find))).filter((record) => record?.price.micros === 0n).length, offer.limit,
      )
      same('how many were taken', await takenOf(), offer.limit)
      await hasHeld(3n)
    },
  },
  {
    name: 'the step is for the ports of this storage alone',
    check: ({ messageMoney, messageLog, wallet, freeMessages }) => {
      for (const ports of [
        { messageLog: { ...messageLog }, wallet },
        { messageLog, wallet: { ...wallet } },
        { messageLog, wallet, freeMessages: { ...freeMessages } },
      ]) {
        same('the step for a port of another', messageMoney.reservingOver?.(ports), undefined)
      }
      return Promise.resolve()
    },
  },
]

const isOpened = (answer: E.Either<unknown, Reserved> | undefined): boolean =>
  answer !== undefined && E.isRight(answer) && answer.right._tag === 'Opened'
