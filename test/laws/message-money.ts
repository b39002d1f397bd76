import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Page } from '../../core/kernel/page.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { StateChange } from '../../core/messages/message.js'
import type { Entry, MessageMoney, MoneyMismatch, Resolution } from '../../core/money/ledger.js'
import { type HoldState, stepHold } from '../../core/money/wallet.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { allEvents, newEvent } from './event-fixture.js'
import { done, holds, refused, same } from './expect.js'
import { GARBAGE_CURSORS, LONG_NUMBERS, newMessageId, newName, times } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, openLedgerWorkspace } from './ledger-fixture.js'
import { type MessageLogFixture, NOON, openMessageWorkspace } from './message-fixture.js'

/** The messages with their holds, the ports that write the same records, and the outbox that stores the entries of a resolution. */
export type MessageMoneyFixture = LedgerFixture & MessageLogFixture & {
  readonly messageMoney: MessageMoney
  readonly eventOutbox: Pick<EventOutbox, 'append' | 'after'>
  /** The same storage as another node opens it, if there are several nodes. */
  readonly elsewhere?: { readonly messageMoney: MessageMoney }
}

const PRICE = 30n
const FUNDS = 1_000n

/** A workspace with money, and the repeated actions of these laws. */
const openMoney = async (fixture: MessageMoneyFixture) => {
  const ledger = await openLedgerWorkspace(fixture)
  const { workspace, currency, has } = ledger
  const log = await openMessageWorkspace({ ...fixture, openWorkspace: () => Promise.resolve({ workspace, currency }) })
  await ledger.topUp(FUNDS)
  const hold = async ({ id: message, at }: Pick<Draft, 'id' | 'at'>): Promise<void> =>
    done('a hold', fixture.wallet.hold({ workspace, message, amount: { micros: PRICE, currency }, at }))
  const resolution = ({ id: message }: Pick<Draft, 'id'>, more: Partial<Resolution> = {}): Resolution =>
    ({ workspace, message, outcome: 'sent', note: 'looked it up', at: NOON + 9_000, pendingBefore: NOON, ...more })
  return {
    ...log, workspace, statement: ledger.statement, hold, resolution,
    /** A message of unknown outcome whose price is reserved. */
    unconfirmed: async (more: Partial<Draft> = {}): Promise<Draft> => {
      const draft = await log.opened(more)
      await hold(draft)
      await log.apply(draft.id, { state: 'unconfirmed', at: NOON + 1_000 })
      return draft
    },
    resolve: (draft: Pick<Draft, 'id'>, more: Partial<Resolution> = {}) => fixture.messageMoney.resolve(resolution(draft, more)),
    stateOf: async ({ id }: Pick<Draft, 'id'>) => (await log.found(id))?.state,
    holdOf: ({ id: message }: Pick<Draft, 'id'>) => done('the state of a hold', fixture.wallet.holdOf({ workspace, message })),
    /** Checks how many of the messages are charged and how many are held. */
    hasPaid: (charged: bigint, held = 0n) => has(`the wallet after ${charged} charges`, FUNDS - (charged + held) * PRICE, held * PRICE),
  }
}

/** Every mismatch of a workspace, read in pages of a given size. */
const mismatchesOf = async (
  { messageMoney }: MessageMoneyFixture, workspace: WorkspaceId, limit = 1_000,
): Promise<ReadonlyArray<MoneyMismatch>> => {
  const found: MoneyMismatch[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const page: Page<MoneyMismatch> = await done(
      'the mismatches', messageMoney.mismatches({ limit, ...(cursor !== undefined && { cursor }) }),
    )
    holds(`a page has at most ${limit} mismatches`, page.items.length <= limit, page.items.length)
    found.push(...page.items)
    cursor = page.next
    holds('no page leads back', cursor === undefined || !cursors.has(cursor), cursor)
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined)
  return found.filter((one) => one.workspace === workspace)
}

/** The promises of every `MessageMoney`. */
export const messageMoneyLaws: ReadonlyArray<Law<MessageMoneyFixture>> = [
  {
    name: 'a message resolved as sent is accepted and charged, with the note in the statement',
    check: async (fixture) => {
      const { unconfirmed, resolve, found, hasPaid, statement, holdOf } = await openMoney(fixture)
      const draft = await unconfirmed()
      await unconfirmed()
      const after = await done('a resolution', resolve(draft))
      same('the stored message', await found(draft.id), after)
      same('its state and when it came into it', [after.state, after.history.at(-1)], ['accepted', { state: 'accepted', at: NOON + 9_000 }])
      same('its hold', await holdOf(draft), 'captured')
      await hasPaid(1n, 1n)
      const [latest] = await statement()
      same('the newest entry', latest && [latest.kind, latest.message, latest.note, latest.at], [
        'capture', draft.id, 'looked it up', NOON + 9_000,
      ])
    },
  },
  {
    name: 'a message resolved as not sent is released with its price and its key, with the note in the statement',
    check: async (fixture) => {
      const { unconfirmed, resolve, stateOf, hasPaid, statement, holdOf, draft: newDraft, open } = await openMoney(fixture)
      const claim = { key: newName() as NonNullable<Draft['claim']>['key'], request: 'a request' }
      const draft = await unconfirmed({ claim })
      same('the state', (await done('a resolution', resolve(draft, { outcome: 'not_sent' }))).state, 'released')
      same('what is stored', [await stateOf(draft), await holdOf(draft)], ['released', 'released'])
      await hasPaid(0n)
      const [latest] = await statement()
      same('the newest entry', latest && [latest.kind, latest.message, latest.note], ['release', draft.id, 'looked it up'])
      same('its key is free', await open(newDraft({ claim })), { _tag: 'Opened' })
    },
  },
  {
    name: 'a statement has the error of the message with the release and the refund of its price, and with no other entry',
    check: async (fixture) => {
      const { workspace, opened, hold, apply, statement } = await openMoney(fixture)
      const settle = async (kind: 'capture' | 'release' | 'refund', { id: message }: Pick<Draft, 'id'>): Promise<void> => {
        await done(kind, fixture.wallet[kind]({ workspace, message, at: NOON + 2_000 }))
      }
      const [refused, failed, unexplained, accepted] = [await opened(), await opened(), await opened(), await opened()]
      for (const draft of [refused, failed, unexplained, accepted]) await hold(draft)
      const [why, whyLater] = [
        { code: 100, message: '(#100) Invalid parameter: ünï', ...LONG_NUMBERS },
        { code: 131026, title: 'Message undeliverable' },
      ]
      await apply(refused.id, { state: 'refused', at: NOON + 1_000, error: why })
      await settle('release', refused)
      await settle('capture', failed)
      await apply(failed.id, { state: 'failed', at: NOON + 1_000, error: whyLater })
      await settle('refund', failed)
      await apply(unexplained.id, { state: 'released', at: NOON + 1_000 })
      await settle('release', unexplained)
      const errors = async () => new Map((await statement()).map(({ kind, message, error }) => [`${kind} ${message}`, error]))
      const expected = new Map<string, StateChange['error']>([
        ...[refused, failed, unexplained, accepted].map(({ id }) => [`hold ${id}`, undefined] as const), ['top_up undefined', undefined],
        [`release ${refused.id}`, why], [`capture ${failed.id}`, undefined], [`refund ${failed.id}`, whyLater],
        [`release ${unexplained.id}`, undefined],
      ])
      same('the errors', await errors(), expected)
      await apply(refused.id, { state: 'accepted', at: NOON + 3_000 })
      same('a message that was accepted after all', (await errors()).get(`release ${refused.id}`), undefined)
    },
  },
  {
    name: 'each entry of a message has the sender of the message, and no other entry has a sender',
    check: async (fixture) => {
      const { workspace, opened, hold, statement } = await openMoney(fixture)
      const [one, other] = [senderIdOf('106540352242922'), senderIdOf('106540352242923')]
      const drafts = [await opened({ sender: one }), await opened({ sender: other }), await opened()]
      for (const draft of drafts) await hold(draft)
      const [first, second, third] = drafts.map(({ id: message }) => ({ workspace, message, at: NOON + 2_000 }))
      if (first === undefined || second === undefined || third === undefined) throw new Error('three messages were opened')
      await done('capture', fixture.wallet.capture(first))
      await done('refund', fixture.wallet.refund(first))
      await done('release', fixture.wallet.release(second))
      await done('capture', fixture.wallet.capture(third))
      const senders = (entries: ReadonlyArray<Entry>) => new Map(entries.map(({ kind, message, sender }) => [`${kind} ${message}`, sender]))
      const [charged, released, unnamed] = [first.message, second.message, third.message]
      same('the senders in the statement', senders(await statement()), new Map([
        ['top_up undefined', undefined], [`hold ${charged}`, one], [`hold ${released}`, other], [`hold ${unnamed}`, undefined],
        [`capture ${charged}`, one], [`refund ${charged}`, one], [`release ${released}`, other], [`capture ${unnamed}`, undefined],
      ]))
      const { items } = await done('the movements', fixture.ledger.movements(workspace, { from: '0', to: 'g', withFree: true, limit: 100 }))
      same('the senders of the movements', senders(items), new Map([
        ['top_up undefined', undefined], [`capture ${charged}`, one], [`refund ${charged}`, one], [`capture ${unnamed}`, undefined],
      ]))
    },
  },
  {
    name: 'a message that has the outcome already is answered as it is, and changes nothing',
    check: async (fixture) => {
      const { unconfirmed, resolve, statement } = await openMoney(fixture)
      for (const outcome of ['sent', 'not_sent'] as const) {
        const draft = await unconfirmed()
        const first = await done('a resolution', resolve(draft, { outcome }))
        const before = await statement()
        same('the second answer', await done('a second resolution', resolve(draft, { outcome, note: 'another', at: NOON + 20_000 })), first)
        same('the statement', await statement(), before)
      }
    },
  },
  {
    name: 'a message whose outcome is known or may still come is not resolved, and the refusal has its state',
    check: async (fixture) => {
      const { opened, hold, apply, resolve, hasPaid, stateOf, draft: newDraft } = await openMoney(fixture)
      const failed = await opened()
      await hold(failed)
      await done('a refund', fixture.wallet.refund({ workspace: failed.workspace, message: failed.id, at: NOON }))
      await apply(failed.id, { state: 'failed', at: NOON })
      for (const outcome of ['sent', 'not_sent'] as const) {
        same('what stands', (await refused('a resolution', 'NotUnconfirmed', resolve(failed, { outcome }))).state, 'failed')
      }
      const pending = await opened({ at: NOON })
      await hold(pending)
      same('what stands', (await refused('a resolution', 'NotUnconfirmed', resolve(pending, { pendingBefore: NOON }))).state, 'pending')
      same('its state', await stateOf(pending), 'pending')
      await hasPaid(0n, 1n)
      same(
        'a pending message that is old enough', (await done('a resolution', resolve(pending, { pendingBefore: NOON + 1 }))).state,
        'accepted',
      )
      await hasPaid(1n)
      await refused('a message that does not exist', 'NoSuchMessage', resolve(newDraft()))
    },
  },
  {
    name: 'a price that was captured or refunded stands against a resolution that says otherwise, and nothing is changed',
    check: async (fixture) => {
      const { unconfirmed, workspace, resolve, stateOf, hasPaid } = await openMoney(fixture)
      const [captured, refunded] = [await unconfirmed(), await unconfirmed()]
      await done('a capture', fixture.wallet.capture({ workspace, message: captured.id, at: NOON }))
      await done('a refund', fixture.wallet.refund({ workspace, message: refunded.id, at: NOON }))
      same('what stands', (await refused('not sent', 'NotUnconfirmed', resolve(captured, { outcome: 'not_sent' }))).state, 'accepted')
      for (const outcome of ['sent', 'not_sent'] as const) {
        same('what stands', (await refused(outcome, 'NotUnconfirmed', resolve(refunded, { outcome }))).state, 'failed')
      }
      same('the states', [await stateOf(captured), await stateOf(refunded)], ['unconfirmed', 'unconfirmed'])
      same('the other half of an answer', (await done('sent', resolve(captured))).state, 'accepted')
      await hasPaid(1n)
    },
  },
  {
    name: 'a message whose price was never set aside is not resolved as sent, since it never was',
    check: async (fixture) => {
      const { opened, resolve, stateOf, hasPaid } = await openMoney(fixture)
      const unpaid = await opened({ at: NOON - 1 })
      same('what stands', (await refused('sent', 'NotUnconfirmed', resolve(unpaid))).state, 'refused')
      same('its state', await stateOf(unpaid), 'pending')
      same('not sent', (await done('not sent', resolve(unpaid, { outcome: 'not_sent' }))).state, 'released')
      await hasPaid(0n)
    },
  },
  {
    name: 'of concurrent resolutions that contradict each other one is done, and the others get what stands',
    check: async (fixture) => {
      const { unconfirmed, resolution, stateOf, holdOf, hasPaid, workspace } = await openMoney(fixture)
      const nodes = [fixture.messageMoney, (fixture.elsewhere ?? fixture).messageMoney] as const
      const drafts: Draft[] = []
      for (const _ of times(5, (index) => index)) drafts.push(await unconfirmed())
      let charged = 0n
      await Promise.all(drafts.map(async (draft) => {
        const outcomes = await Promise.all(times(6, (index) =>
          nodes[index % 2 === 0 ? 0 : 1].resolve(resolution(draft, { outcome: index % 3 === 0 ? 'sent' : 'not_sent' }))))
        const state = (await stateOf(draft)) === 'accepted' ? 'accepted' : 'released'
        if (state === 'accepted') charged += 1n
        same('the state', await stateOf(draft), state)
        same('its money', await holdOf(draft), state === 'accepted' ? 'captured' : 'released')
        outcomes.forEach((outcome, index) => {
          const asked = index % 3 === 0 ? 'accepted' : 'released'
          same(
            `an answer to ${asked}`, E.isRight(outcome) ? outcome.right.state : outcome.left,
            asked === state ? state : { _tag: 'NotUnconfirmed', id: draft.id, state },
          )
        })
      }))
      await hasPaid(charged)
      same('the mismatches', await mismatchesOf(fixture, workspace), [])
    },
  },
  {
    name: 'a message is never resolved from another workspace',
    check: async (fixture) => {
      const [one, other] = [await openMoney(fixture), await openMoney(fixture)]
      const draft = await one.unconfirmed()
      await refused('from another workspace', 'NoSuchMessage', other.resolve(draft, { workspace: other.workspace }))
      same('its state', await one.stateOf(draft), 'unconfirmed')
      await one.hasPaid(0n, 1n)
    },
  },
  {
    name: 'what a resolution takes along is stored with it, and only with it',
    check: async (fixture) => {
      const { workspace, unconfirmed, resolution } = await openMoney(fixture)
      const [draft, other] = [await unconfirmed(), await unconfirmed()]
      const resolve = (of: Draft, more: Partial<Resolution> = {}) => fixture.messageMoney.resolve(
        resolution(of, more), ({ from, message }) =>
          [newEvent(workspace, { subject: message.id, data: { from, state: message.state } })],
      )
      await done('a resolution', resolve(draft))
      await done('the same again', resolve(draft))
      await refused('another outcome', 'NotUnconfirmed', resolve(draft, { outcome: 'not_sent' }))
      await done('a resolution', resolve(other, { outcome: 'not_sent' }))
      same('the events', (await allEvents(fixture, workspace)).map(({ subject, data }) => [subject, data]), [
        [draft.id, { from: 'unconfirmed', state: 'accepted' }], [other.id, { from: 'unconfirmed', state: 'released' }],
      ])
    },
  },
  {
    name: 'every hold that does not agree with its message is found, however many are looked at in a page',
    check: async (fixture) => {
      const { workspace, opened, hold, apply } = await openMoney(fixture)
      const CHANGES: ReadonlyArray<StateChange['state'] | 'pending'> = [
        'pending', 'unconfirmed', 'refused', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read', 'played',
      ]
      const HOLDS: ReadonlyArray<HoldState> = ['held', 'released', 'captured', 'refunded']
      const RIGHT: Readonly<Record<string, HoldState>> = {
        unconfirmed: 'held', refused: 'released', released: 'released', accepted: 'captured', sent: 'captured', failed: 'refunded',
        delivered: 'captured', read: 'captured', played: 'captured',
      }
      const expected: MoneyMismatch[] = []
      for (const held of HOLDS) {
        for (const state of [...CHANGES, undefined]) {
          const { id: message } = state === undefined ? { id: newMessageId(NOON) } : await opened()
          await hold({ id: message, at: NOON })
          const move = { released: 'release', captured: 'capture', refunded: 'refund', held: undefined } as const
          const moved = move[held]
          if (moved !== undefined && stepHold('held', moved) !== undefined) {
            await done(moved, fixture.wallet[moved]({ workspace, message, at: NOON }))
          }
          if (state !== undefined && state !== 'pending') await apply(message, { state, at: NOON })
          if (state === undefined ? held !== 'released' : state !== 'pending' && RIGHT[state] !== held) {
            expected.push({ workspace, message, hold: held, state })
          }
        }
      }
      const sorted = (of: ReadonlyArray<MoneyMismatch>) => of.toSorted((a, b) => (a.message < b.message ? -1 : 1))
      for (const limit of [7, 1_000]) same(`looked at ${limit}`, sorted(await mismatchesOf(fixture, workspace, limit)), sorted(expected))
    },
  },
  {
    name: 'a look from an unknown cursor never fails',
    check: async ({ messageMoney }) => {
      for (const cursor of GARBAGE_CURSORS) await done(`a look from ${cursor.slice(0, 10)}`, messageMoney.mismatches({ limit: 1, cursor }))
    },
  },
]
