import * as O from 'fp-ts/lib/Option.js'
import { FORGOTTEN_PLATFORM_ID } from '../../core/messages/message.js'
import { auditWallet } from '../../core/money/ledger.js'
import { type LostMessage, lostReference, type LostStatus } from '../../core/reports/status.js'
import { allEvents, newEvent } from './event-fixture.js'
import { done, holds, refused, same } from './expect.js'
import { GARBAGE_CURSORS, newMessageId, newPlatformId, newUserId, ordersOf, times } from './ids.js'
import type { Law } from './law.js'
import { NOON } from './ledger-fixture.js'
import { after, listedOf, type LostMessagesFixture, newStatus, openLossy, toldBy } from './lost-messages-fixture.js'
import { openMessageWorkspace } from './message-fixture.js'

export type { LostMessagesFixture } from './lost-messages-fixture.js'

const idsOf = (messages: ReadonlyArray<Pick<LostMessage, 'message'>>): ReadonlyArray<string> => messages.map(({ message }) => message)

const countOf = async ({ lostMessages }: LostMessagesFixture, workspace: string): Promise<number | undefined> =>
  (await done('the lost messages are counted', lostMessages.counts())).find((count) => count.workspace === workspace)?.messages

/** The promises of every `LostMessages`. */
export const lostMessagesLaws: ReadonlyArray<Law<LostMessagesFixture>> = [
  {
    name: 'a lost message is noted with what its status says, and a repetition changes nothing',
    check: async (fixture) => {
      const { workspace, note, listed } = await openLossy(fixture)
      same('how many are lost at first', await countOf(fixture, workspace), undefined)
      const full = newStatus(workspace, { category: 'utility', billable: true, to: newUserId(), at: after(1) })
      const bare = newStatus(workspace, { to: undefined, state: 'read', at: after(2) })
      const free = newStatus(workspace, { category: 'service', billable: false, state: 'delivered', at: after(3) })
      for (const _ of [1, 2]) await note(full, bare, free)
      same('the lost messages', await listed(), [full, bare, free].map(toldBy))
      same('how many are lost', await countOf(fixture, workspace), 3)
    },
  },
  {
    name: 'the statuses of a message are one record, in whatever order they come',
    check: async (fixture) => {
      const { workspace, note, listed } = await openLossy(fixture)
      const sent = newStatus(workspace)
      const statuses: ReadonlyArray<LostStatus> = [
        sent, { ...sent, state: 'delivered', at: after(2_000), category: 'marketing', billable: true },
        { ...sent, state: 'read', at: after(5_000) },
      ]
      for (const order of ordersOf(statuses)) {
        const message = newMessageId(NOON)
        await note(...order.map((status) => ({ ...status, message })))
        const found = (await listed()).find((one) => one.message === message)
        same(`after ${order.map(({ state }) => state).join(', ')}`, found, {
          ...toldBy({ ...sent, message }), state: 'read', category: 'marketing', billable: true, lastAt: after(5_000),
        })
      }
    },
  },
  {
    name: 'a message that failed is not listed, whichever of its statuses came first',
    check: async (fixture) => {
      const { workspace, note, listed } = await openLossy(fixture)
      const sent = newStatus(workspace)
      for (const order of ordersOf([sent, { ...sent, state: 'failed', at: after(1_000) } as const])) {
        const message = newMessageId(NOON)
        await note(...order.map((status) => ({ ...status, message })))
      }
      same('the lost messages', await listed(), [])
      same('how many are lost', await countOf(fixture, workspace), undefined)
    },
  },
  {
    name: 'concurrent statuses of a message are one record',
    check: async (fixture) => {
      const { workspace, listed } = await openLossy(fixture)
      const nodes = [fixture.lostMessages, (fixture.elsewhere ?? fixture).lostMessages] as const
      const sent = newStatus(workspace)
      await Promise.all(times(24, (index) => done('a status is noted', nodes[index % 2 === 0 ? 0 : 1].note({
        ...sent, state: (['sent', 'delivered', 'read'] as const)[index % 3] ?? 'sent', at: after(index),
      }))))
      same('the lost messages', await listed(), [{ ...toldBy(sent), state: 'read', lastAt: after(23) }])
    },
  },
  {
    name: 'a status that has our id and another id of the platform changes nothing',
    check: async (fixture) => {
      const { note, noted, listed } = await openLossy(fixture)
      const status = await noted()
      await note({ ...status, platformId: newPlatformId(), state: 'read', at: after(1) })
      same('the lost message', await listed(), [toldBy(status)])
    },
  },
  {
    name: 'workspaces are kept apart, even with the same ids',
    check: async (fixture) => {
      const [one, two] = [await openLossy(fixture), await openLossy(fixture)]
      const status = await one.noted()
      await two.note({ ...status, workspace: two.workspace, state: 'read' })
      await one.settle(status)
      same('the lost messages of the first workspace', await one.listed(), [])
      same('the lost messages of the second one', await two.listed(), [toldBy({ ...status, workspace: two.workspace, state: 'read' })])
      same('how many are lost', [await countOf(fixture, one.workspace), await countOf(fixture, two.workspace)], [undefined, 1])
      await refused(
        'a message of another workspace', 'NoSuchLostMessage',
        fixture.lostMessages.settle(one.settlement({ message: (await two.noted()).message })),
      )
      await two.has('the second wallet has', 1_000n)
    },
  },
  {
    name: 'a message that the log of any workspace has is not lost',
    check: async (fixture) => {
      const { workspace, note, noted, listed } = await openLossy(fixture)
      const [own, other] = [await openMessageWorkspace(fixture), await openMessageWorkspace(fixture)]
      for (const { opened } of [own, other]) await note(newStatus(workspace, { message: (await opened({ at: NOON })).id }))
      const status = await noted()
      same('the lost messages', await listed(), [toldBy(status)])
    },
  },
  {
    name: 'a workspace keeps its oldest messages, and a further one is not noted',
    check: async (fixture) => {
      const { workspace, note, listed } = await openLossy(fixture)
      const statuses = times(fixture.lostMessagesKept, (index) => newStatus(workspace, { at: after(index) }))
      await note(...statuses, ...times(2, () => newStatus(workspace, { at: after(1_000_000) })))
      same('the lost messages', idsOf(await listed()), idsOf(statuses))
      const [first] = statuses as readonly [LostStatus, ...LostStatus[]]
      await note({ ...first, state: 'read', at: after(2) })
      same('the first one after another status', (await listed())[0]?.state, 'read')
      const other = await openLossy(fixture)
      await other.noted()
      same('the lost messages of another workspace', (await other.listed()).length, 1)
    },
  },
  {
    name: 'the list is read page by page, oldest first, and an unknown cursor never fails',
    check: async (fixture) => {
      const { workspace, note } = await openLossy(fixture)
      const statuses = times(4, (index) => newStatus(workspace, { at: after(index) }))
      await note(...statuses.toReversed())
      for (const limit of [1, 3, 1_000]) same(`pages of ${limit}`, idsOf(await listedOf(fixture, workspace, limit)), idsOf(statuses))
      for (const cursor of GARBAGE_CURSORS) {
        await done(`a page after ${cursor.slice(0, 10)}`, fixture.lostMessages.list({ limit: 1, cursor }))
      }
    },
  },
  {
    name: 'settling charges the wallet, says why in its statement, and takes the message from the list',
    check: async (fixture) => {
      const { workspace, noted, settle, listed, statement, has, balanceOf } = await openLossy(fixture)
      const [first, second, left] = [await noted(), await noted({ at: after(1) }), await noted({ at: after(2) })]
      same('what settling answers', await settle(first), { message: toldBy(first), balance: balanceOf(930n) })
      await settle(second, { id: second.platformId, micros: 30n, note: 'a second one', at: after(7) })
      same('the lost messages', idsOf(await listed()), idsOf([left]))
      await has('the wallet has', 900n)
      same(
        'the entries of the charges', (await statement()).filter(({ kind }) => kind === 'adjustment').map(({ id: _id, ...entry }) => entry)
          .sort((a, b) => a.at - b.at), [
          {
            kind: 'adjustment', micros: -70n, message: undefined, reference: lostReference(first.message), note: 'after the failover',
            at: NOON,
          },
          {
            kind: 'adjustment', micros: -30n, message: undefined, reference: lostReference(second.message), note: 'a second one',
            at: after(7),
          },
        ],
      )
      const books = await done('the books are read', fixture.ledger.books(workspace))
      same('the faults of the books', O.isSome(books) ? auditWallet(books.value) : 'no books', [])
    },
  },
  {
    name: 'an amount of zero charges nothing and leaves no entry',
    check: async (fixture) => {
      const { noted, settle, listed, statement, balanceOf } = await openLossy(fixture)
      const status = await noted()
      same('the balance', (await settle(status, { micros: 0n })).balance, balanceOf(1_000n))
      same('the lost messages', await listed(), [])
      same('the entries', (await statement()).map(({ kind }) => kind), ['top_up'])
    },
  },
  {
    name: 'of concurrent calls one settles, and a message is never charged twice',
    check: async (fixture) => {
      const { noted, settlement, has } = await openLossy(fixture)
      const nodes = [fixture.lostMessages, (fixture.elsewhere ?? fixture).lostMessages] as const
      const status = await noted()
      const outcomes = await Promise.all(
        times(16, (index) => nodes[index % 2 === 0 ? 0 : 1].settle(settlement(status, { micros: BigInt(index % 4) * 10n + 10n }))),
      )
      same('how many settled', outcomes.filter(({ _tag }) => _tag === 'Right').length, 1)
      same(
        'the others', new Set(outcomes.flatMap((outcome) => (outcome._tag === 'Left' ? [outcome.left._tag] : []))),
        new Set(['LostMessageSettled'] as const),
      )
      const [settled] = outcomes.flatMap((outcome) => (outcome._tag === 'Right' ? [outcome.right] : []))
      await has('the wallet has', settled?.balance.available ?? -1n)
      await refused(
        'settling it once more', 'LostMessageSettled', fixture.lostMessages.settle(settlement(status, { id: status.platformId })),
      )
      await refused('waiving it', 'LostMessageSettled', fixture.lostMessages.settle(settlement(status, { micros: 0n })))
    },
  },
  {
    name: 'what is not noted, or has failed, is not settled',
    check: async (fixture) => {
      const { noted, settlement, has } = await openLossy(fixture)
      const status = await noted({ state: 'failed' })
      for (const id of [status.message, status.platformId, newMessageId(NOON), newPlatformId(), FORGOTTEN_PLATFORM_ID]) {
        const failure = await refused('settling it', 'NoSuchLostMessage', fixture.lostMessages.settle(settlement(status, { id })))
        same('the id of the failure', failure.id, id)
      }
      await has('the wallet has', 1_000n)
    },
  },
  {
    name: 'a charge of more than is available changes nothing',
    check: async (fixture) => {
      const { noted, settlement, settle, listed, has } = await openLossy(fixture, 69n)
      const status = await noted()
      await refused('such a charge', 'BalanceOutOfRange', fixture.lostMessages.settle(settlement(status)))
      same('the lost messages', await listed(), [toldBy(status)])
      await has('the wallet has', 69n)
      await settle(status, { micros: 69n })
      await has('the wallet has after a smaller charge', 0n)
    },
  },
  {
    name: 'a later status does not bring a settled message back',
    check: async (fixture) => {
      const { note, noted, settle, settlement, listed } = await openLossy(fixture)
      for (const micros of [0n, 70n]) {
        const status = await noted()
        await settle(status, { micros })
        await note(status, { ...status, state: 'read', at: after(60_000) }, { ...status, state: 'failed', at: after(60_000) })
        same('the lost messages', await listed(), [])
        await refused('settling it again', 'LostMessageSettled', fixture.lostMessages.settle(settlement(status)))
      }
    },
  },
  {
    name: 'what settling takes along is stored with it, and only with it',
    check: async (fixture) => {
      const { workspace, noted, settlement } = await openLossy(fixture)
      const status = await noted()
      const settle = (micros: bigint, of: LostStatus = status) => fixture.lostMessages.settle(
        settlement(of, { micros }), ({ message, balance }) =>
          [newEvent(workspace, { subject: message.message, data: { available: String(balance.available) } })],
      )
      await refused('a charge of too much', 'BalanceOutOfRange', settle(1_001n))
      same('the events after a refusal', await allEvents(fixture, workspace), [])
      await done('it is settled', settle(70n))
      await refused('settling it again', 'LostMessageSettled', settle(70n))
      const other = await noted()
      await done('another one is waived', settle(0n, other))
      const events = await allEvents(fixture, workspace)
      same('the events', events.map(({ subject, data }) => [subject, data]), [
        [status.message, { available: '930' }], [other.message, { available: '930' }],
      ])
      holds('each is stored once', events.length === 2, events.length)
    },
  },
]
