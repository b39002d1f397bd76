import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { type Category, reportedCategory } from '../../core/kernel/money.js'
import { type Billed, billedAs, type Draft, isBilledOtherwise, reportedType, sumBilled } from '../../core/messages/message-log.js'
import type { MessageId, MessageRecord, MessageState } from '../../core/messages/message.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { allPages, done, same } from './expect.js'
import { newDigits, newPlatformId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, type MessageWorkspace, NOON, openMessageWorkspace } from './message-fixture.js'

/** A message as it is charged, and the platform's report on it. */
type Case = { readonly charged?: Category; readonly micros?: bigint; readonly state?: MessageState; readonly pricing?: JsonObject }

const send = async (
  { draft, opened, apply }: MessageWorkspace, { charged = 'marketing', micros = 62_500n, state = 'delivered', pricing }: Case,
): Promise<Draft> => {
  const one = await opened({ price: { ...draft().price, micros, category: charged } })
  if (pricing !== undefined) await apply(one.id, { state: 'sent', at: NOON + 1, platformId: newPlatformId(), pricing })
  if (state !== 'pending' && state !== 'queued') await apply(one.id, { state, at: NOON + 2 })
  return one
}

const regular = (category: string): JsonObject => ({ billable: true, type: 'regular', category })

const CASES: ReadonlyArray<Case> = [
  ...times(3, () => ({ pricing: regular('marketing') })),
  { pricing: regular('MARKETING'), state: 'read' },
  { pricing: regular('utility') },
  { pricing: { category: 'marketing', type: 'Free_Entry_Point' } },
  { pricing: { category: 'marketing', type: 'free_entry_point' }, micros: 0n },
  { pricing: { category: 'marketing' } },
  { pricing: { type: 'regular' } },
  { pricing: { billable: true, category: 1, type: null } },
  { pricing: regular('authentication-international'), charged: 'authentication_international', micros: 1n },
  { pricing: regular('a category of the future') },
  { pricing: regular('service'), charged: 'service', micros: 0n },
  { pricing: { category: 'service', type: 'a type of the future' }, charged: 'service', micros: 0n },
  { state: 'accepted' }, { state: 'accepted', charged: 'utility' },
  { state: 'pending' }, { state: 'unconfirmed' }, { state: 'refused' }, { state: 'released' }, { state: 'failed' },
  { state: 'failed', pricing: regular('utility') },
]

const billedIn = async ({ messageLog }: MessageLogFixture, workspace: WorkspaceId): Promise<ReadonlyArray<Billed>> =>
  inOrder((await done('the charged messages are summed', messageLog.billed())).filter((one) => one.workspace === workspace))

const inOrder = (entries: ReadonlyArray<Billed>): ReadonlyArray<Billed> => {
  const nameOf = ({ charged, reported, type }: Billed): string => [charged, reported ?? '-', type ?? '-'].join(' ')
  return entries.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

const recordsOf = async ({ found }: MessageWorkspace, ids: ReadonlyArray<MessageId>): Promise<ReadonlyArray<MessageRecord>> => {
  const records: MessageRecord[] = []
  for (const id of ids) records.push(await found(id) as MessageRecord)
  return records
}

/** The promises of a `MessageLog` about charged amounts and the platform's bills. */
export const billedLaws: ReadonlyArray<Law<MessageLogFixture>> = [
  {
    name: 'charged messages are summed by how they were charged and what the platform reported, and no others',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const ids: MessageId[] = []
      for (const one of CASES) ids.push((await send(messages, one)).id)
      const { workspace } = messages
      const { currency } = messages.draft().price
      const found = await billedIn(fixture, workspace)
      const entry = (
        charged: Category, reported: string | undefined, type: string | undefined, count: number, micros: bigint, free = 0,
      ): Billed =>
        ({ workspace, currency, charged, reported, type, messages: count, free, micros, cost: micros })
      same('the sums', found, inOrder([
        entry('marketing', 'marketing', 'regular', 4, 250_000n), entry('marketing', 'utility', 'regular', 1, 62_500n),
        entry('marketing', 'marketing', 'free_entry_point', 2, 62_500n, 1), entry('marketing', 'marketing', undefined, 1, 62_500n),
        entry('marketing', undefined, 'regular', 1, 62_500n), entry('marketing', undefined, undefined, 2, 125_000n),
        entry('authentication_international', 'authentication_international', 'regular', 1, 1n),
        entry('marketing', 'a category of the future', 'regular', 1, 62_500n), entry('utility', undefined, undefined, 1, 62_500n),
        entry('service', 'service', 'regular', 1, 0n, 1), entry('service', 'service', 'a type of the future', 1, 0n, 1),
      ]))
      same('by the rule', found, inOrder(sumBilled((await recordsOf(messages, ids)).flatMap((record) => billedAs(record) ?? []))))
    },
  },
  {
    name: 'what was charged is summed to the micro, and workspaces are apart',
    check: async (fixture) => {
      const [ours, theirs] = [await openMessageWorkspace(fixture), await openMessageWorkspace(fixture)]
      const micros = 9_007_199_254_740_993n
      for (const one of times(3, () => ({ micros, pricing: regular('marketing') }))) await send(ours, one)
      await send(theirs, { micros: 1n, pricing: regular('marketing') })
      same('ours', (await billedIn(fixture, ours.workspace)).map((one) => [one.messages, one.micros]), [[3, 3n * micros]])
      same('theirs', (await billedIn(fixture, theirs.workspace)).map((one) => [one.messages, one.micros]), [[1, 1n]])
      same('a workspace without messages', await billedIn(fixture, (await openMessageWorkspace(fixture)).workspace), [])
    },
  },
  {
    name: 'what the platform charges is summed beside the prices, by market, and of a period alone',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const { price } = messages.draft()
      const sold = { price: { ...price, micros: 75_000n, category: 'marketing' as const } }
      const opened = [
        await messages.opened({ ...sold, cost: 62_500n, market: '55', at: NOON }),
        await messages.opened({ ...sold, cost: 62_500n, market: '55', at: NOON + 1 }),
        await messages.opened({ ...sold, cost: 0n, market: '33', at: NOON + 1 }), await messages.opened({ ...sold, at: NOON + 2 }),
      ]
      for (const { id } of opened) await messages.apply(id, { state: 'delivered', at: NOON + 3 })
      const read = async (period?: { readonly from: number; readonly until: number }) =>
        (await done('the charged messages are summed', fixture.messageLog.billed(period)))
          .filter(({ workspace }) => workspace === messages.workspace)
          .map(({ market = '', messages: count, free, micros, cost }) => [market, count, free, micros, cost])
          .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
      same('of all time', await read(), [['', 1, 0, 75_000n, 75_000n], ['33', 1, 1, 75_000n, 0n], ['55', 2, 0, 150_000n, 125_000n]])
      same('of a period', await read({ from: NOON + 1, until: NOON + 2 }), [['33', 1, 1, 75_000n, 0n], ['55', 1, 0, 75_000n, 62_500n]])
      const record = await messages.found(opened[0]?.id as MessageId)
      same('a message is read as it was opened', [record?.cost, record?.market], [62_500n, '55'])
      same('one without its own cost', (await messages.found(opened[3]?.id as MessageId))?.cost, undefined)
    },
  },
  {
    name: 'charged messages are summed by their senders, and those without one apart',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const [one, other] = [senderIdOf(newDigits(15)), senderIdOf(newDigits(15))]
      for (const sender of [one, other, one, undefined]) {
        const { id } = await messages.opened(sender === undefined ? {} : { sender })
        await messages.apply(id, { state: 'delivered', at: NOON + 1 })
      }
      const found = (await billedIn(fixture, messages.workspace)).map(({ sender, messages: count }) => [sender, count])
      same('each sender', new Map(found as Array<[string | undefined, number]>), new Map([[one, 2], [other, 1], [undefined, 1]]))
      same('the lines', found.length, 3)
    },
  },
  {
    name: 'the messages that the platform bills differently from what was charged are listed, page by page, and no others',
    check: async (fixture) => {
      const [messages, others] = [await openMessageWorkspace(fixture), await openMessageWorkspace(fixture)]
      await send(others, { pricing: regular('utility') })
      const ids: MessageId[] = []
      for (const one of [...CASES, ...CASES.slice(4, 6)]) ids.push((await send(messages, one)).id)
      const expected = (await recordsOf(messages, ids)).filter(isBilledOtherwise).toSorted((a, b) => (a.id < b.id ? 1 : -1))
      const described = expected.map(({ price, pricing }) => `${price.category} ${price.micros} ${reportedCategory(pricing)} ${reportedType(pricing)}`)
      same('there are some to be found', described.toSorted(), [
        'marketing 62500 a category of the future regular', 'marketing 62500 marketing free_entry_point', 'marketing 62500 marketing free_entry_point',
        'marketing 62500 utility regular', 'marketing 62500 utility regular', 'service 0 service regular',
      ])
      for (const limit of [1, 4, 6, 100]) {
        const { messageLog } = fixture
        const listed = await allPages(
          'a list of what differs', (page) => messageLog.list(messages.workspace, { ...page, billedOtherwise: true }), limit,
        )
        same(`pages of ${limit}`, listed, expected)
      }
      const read = await done(
        'with another filter', fixture.messageLog.list(messages.workspace, { limit: 100, billedOtherwise: true, state: 'read' }),
      )
      same('the messages that match both', read.items, [])
    },
  },
  {
    name: 'no word of the platform on billing makes a change fail',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      for (const word of ['a\u0000b', '\ud800', 'x'.repeat(1_000), '日本 🔑', '']) {
        await send(messages, { pricing: { category: word, type: word } })
      }
      const found = await billedIn(fixture, messages.workspace)
      same('every message is charged', found.reduce((sum, one) => sum + one.messages, 0), 5)
    },
  },
]
