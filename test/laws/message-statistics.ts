import type { CustomerIds } from '../../core/customers/customer.js'
import type { WindowClock } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Category } from '../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import { type Draft, isThrough, type MessageLog, type SenderFilter } from '../../core/messages/message-log.js'
import type { MessageRecord, MessageState, StateChange } from '../../core/messages/message.js'
import {
  BUCKET_MS, bucketSpan, bucketStart, type BucketWidth, countMessages, type MessageCount, type MessageStatistics, sumCounts, type TimeSpan,
} from '../../core/messages/statistics.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { allPages, done, holds, same } from './expect.js'
import { longAgo, newDigits, newMessageId, newName, newPhoneNumber, newUserId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, type MessageWorkspace, NOON, openMessageWorkspace } from './message-fixture.js'

/** Statistics over a message log and a window clock, and the control over the environment that the laws need. */
export type MessageStatisticsFixture = MessageLogFixture & {
  readonly messageStatistics: MessageStatistics
  readonly messageLog: MessageLog
  readonly windowClock: WindowClock
  /** The same storage as another node opens it, if there are several nodes. */
  readonly elsewhere?: { readonly messageStatistics: MessageStatistics }
}

const WIDTHS: ReadonlyArray<BucketWidth> = ['5m', '1h', '1d']

/** The day of the laws' messages, and the bucket of five minutes in its middle. */
const DAY: TimeSpan = bucketSpan('1d', bucketStart('1d', NOON))
const BUCKET = bucketStart('5m', NOON)

const STATES: ReadonlyArray<MessageState> = [
  'pending', 'unconfirmed', 'refused', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read', 'played',
]
const CATEGORIES: ReadonlyArray<Category> = ['marketing', 'utility', 'service']

/** Opens a message at the time of its id, and moves it into a state. */
const send = async (
  { draft, opened, apply }: MessageWorkspace, at: Instant, state: MessageState = 'pending', category: Category = 'marketing',
  micros = 62_500n,
): Promise<Draft> => {
  const one = await opened({ id: newMessageId(at), at: NOON, price: { ...draft().price, micros, category } })
  if (state !== 'pending' && state !== 'queued') await apply(one.id, { state, at: NOON + 1 } satisfies StateChange)
  return one
}

const recount = (
  { messageStatistics }: Pick<MessageStatisticsFixture, 'messageStatistics'>, workspace: WorkspaceId, width: '5m' | '1h', start: Instant,
): Promise<number> =>
  done('a bucket is counted', messageStatistics.recount(workspace, width, start))

const counts = async (
  { messageStatistics }: MessageStatisticsFixture, workspace: WorkspaceId, width: BucketWidth, span = DAY, sender?: SenderFilter,
): Promise<ReadonlyArray<MessageCount>> =>
  inOrder(await done('counts are read', messageStatistics.counts(workspace, width, span, sender)))

const inOrder = (all: ReadonlyArray<MessageCount>): ReadonlyArray<MessageCount> => {
  const nameOf = ({ start, state, category }: MessageCount): string => `${String(start).padStart(16)} ${state} ${category}`
  return [...all].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

const countsOf = async (
  { found }: MessageWorkspace, start: Instant, drafts: ReadonlyArray<Draft>,
): Promise<ReadonlyArray<MessageCount>> => {
  const records: Array<MessageRecord> = []
  for (const { id } of drafts) records.push(await found(id) as MessageRecord)
  return inOrder(countMessages(start, records))
}

const at = (all: ReadonlyArray<MessageCount>, start: Instant): ReadonlyArray<MessageCount> =>
  inOrder(sumCounts(all.map((count) => ({ ...count, start }))))

/** The promises of every `MessageStatistics`. */
export const messageStatisticsLaws: ReadonlyArray<Law<MessageStatisticsFixture>> = [
  {
    name: 'a bucket has what a count of its messages says, by state and category, with what they cost',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const drafts: Array<Draft> = []
      for (const [index, state] of STATES.entries()) {
        for (const category of CATEGORIES) {
          drafts.push(await send(messages, BUCKET + index, state, category, BigInt(index) + 1_000_000_007n))
        }
      }
      drafts.push(await send(messages, BUCKET, 'read', 'service', 0n))
      same('all messages are counted', await recount(fixture, messages.workspace, '5m', BUCKET), drafts.length)
      same('the counts', await counts(fixture, messages.workspace, '5m'), await countsOf(messages, BUCKET, drafts))
    },
  },
  {
    name: 'a message counts in the bucket of the moment in its id, from the first millisecond to the last',
    check: async (fixture) => {
      for (const width of ['5m', '1h'] as const) {
        const messages = await openMessageWorkspace(fixture)
        const { from, to } = bucketSpan(width, bucketStart(width, BUCKET))
        await send(messages, from - 1)
        const within = [await send(messages, from), await send(messages, to - 1)]
        await send(messages, to)
        same('the messages of the bucket', await recount(fixture, messages.workspace, width, from), 2)
        same('the counts', await counts(fixture, messages.workspace, width), await countsOf(messages, from, within))
      }
    },
  },
  {
    name: 'counting again changes nothing while the messages stay as they are',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      for (const state of STATES) await send(messages, BUCKET, state)
      for (const width of ['5m', '1h'] as const) {
        const start = bucketStart(width, BUCKET)
        await recount(fixture, messages.workspace, width, start)
        const before = await Promise.all(WIDTHS.map((each) => counts(fixture, messages.workspace, each)))
        for (const _ of times(2, (index) => index)) await recount(fixture, messages.workspace, width, start)
        same('the counts', await Promise.all(WIDTHS.map((each) => counts(fixture, messages.workspace, each))), before)
      }
    },
  },
  {
    name: 'a message that has moved on counts in its new state alone once its bucket is counted again',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const { workspace, apply } = messages
      const one = await send(messages, BUCKET, 'accepted')
      await recount(fixture, workspace, '5m', BUCKET)
      for (const state of ['sent', 'delivered', 'read', 'played'] as const) {
        const before = await counts(fixture, workspace, '5m')
        await apply(one.id, { state, at: NOON + 2 })
        same('until then the counts stay', await counts(fixture, workspace, '5m'), before)
        await recount(fixture, workspace, '5m', BUCKET)
        for (const width of WIDTHS) {
          same(
            state, (await counts(fixture, workspace, width)).map((count) => [count.state, count.messages]),
            [[state === 'played' ? 'read' : state, 1]],
          )
        }
      }
    },
  },
  {
    name: 'the hour and the day of a bucket become the sums of what is in them',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const { workspace } = messages
      const hour = bucketStart('1h', BUCKET)
      const drafts: Array<Draft> = []
      for (const minutes of [0, 4, 5, 59, 60, -300]) {
        drafts.push(
          await send(messages, hour + minutes * MINUTE_MS, 'delivered'),
          await send(messages, hour + minutes * MINUTE_MS, 'failed', 'utility'),
        )
        await recount(fixture, workspace, '5m', bucketStart('5m', hour + minutes * MINUTE_MS))
      }
      same('the hours', await counts(fixture, workspace, '1h'), inOrder([
        ...await countsOf(messages, hour - 5 * HOUR_MS, drafts.slice(10)), ...await countsOf(messages, hour, drafts.slice(0, 8)),
        ...await countsOf(messages, hour + HOUR_MS, drafts.slice(8, 10)),
      ]))
      same('the day', await counts(fixture, workspace, '1d'), await countsOf(messages, DAY.from, drafts))
    },
  },
  {
    name: 'an hour can be counted without its parts, and its day becomes the sum of the hours',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const { workspace } = messages
      const drafts = [
        await send(messages, DAY.from, 'read'), await send(messages, DAY.from + 30 * MINUTE_MS, 'read'),
        await send(messages, DAY.to - 1, 'failed'),
      ]
      for (const start of [DAY.from, DAY.to - HOUR_MS, NOON - (NOON % HOUR_MS)]) await recount(fixture, workspace, '1h', start)
      same('the hours', await counts(fixture, workspace, '1h'), [
        ...await countsOf(messages, DAY.from, drafts.slice(0, 2)), ...await countsOf(messages, DAY.to - HOUR_MS, drafts.slice(2)),
      ])
      same('the day', await counts(fixture, workspace, '1d'), await countsOf(messages, DAY.from, drafts))
      same('no parts', await counts(fixture, workspace, '5m'), [])
    },
  },
  {
    name: 'counts are read of a span without its end, in the order of the buckets, and of one workspace alone',
    check: async (fixture) => {
      const [messages, others] = [await openMessageWorkspace(fixture), await openMessageWorkspace(fixture)]
      const starts = [3, 0, 2, 1].map((index) => BUCKET + index * BUCKET_MS['5m'])
      for (const start of starts) {
        await send(messages, start)
        await recount(fixture, messages.workspace, '5m', start)
      }
      const read = await done(
        'counts are read',
        fixture.messageStatistics.counts(messages.workspace, '5m', { from: BUCKET + 1, to: BUCKET + 3 * BUCKET_MS['5m'] }),
      )
      same('the buckets', read.map(({ start }) => start), [BUCKET + BUCKET_MS['5m'], BUCKET + 2 * BUCKET_MS['5m']])
      await recount(fixture, others.workspace, '5m', BUCKET)
      same('another workspace', await counts(fixture, others.workspace, '1d'), [])
      same('the own one', (await counts(fixture, messages.workspace, '1d')).map((count) => count.messages), [4])
    },
  },
  {
    name: 'concurrent counts of one bucket leave every message counted once',
    check: async (fixture) => {
      const nodes = [fixture, fixture.elsewhere ?? fixture]
      const messages = await openMessageWorkspace(fixture)
      const { workspace, apply } = messages
      const sum = (all: ReadonlyArray<MessageCount>): number => all.reduce((total, count) => total + count.messages, 0)
      const all: Array<Draft> = []
      // The first counts of a bucket find no rows that could lock each other out.
      for (const bucket of times(8, (index) => BUCKET + index * BUCKET_MS['5m'])) {
        const drafts: Array<Draft> = []
        for (const index of times(6, (each) => each)) drafts.push(await send(messages, bucket + index, 'accepted'))
        all.push(...drafts)
        await Promise.all(drafts.flatMap(({ id }, index) => [
          apply(id, { state: index % 2 === 0 ? 'sent' : 'read', at: NOON + 2 }),
          ...nodes.map((node) => recount(node, workspace, '5m', bucket)),
        ]))
        same('each message once', sum(await counts(fixture, workspace, '5m', bucketSpan('5m', bucket))), drafts.length)
        for (const width of ['1h', '1d'] as const) same('each message once', sum(await counts(fixture, workspace, width)), all.length)
        await recount(fixture, workspace, '5m', bucket)
        same(
          'the counts at last', await counts(fixture, workspace, '5m', bucketSpan('5m', bucket)), await countsOf(messages, bucket, drafts),
        )
      }
      const expected = await countsOf(messages, BUCKET, all)
      for (const width of ['1h', '1d'] as const) {
        same('the counts at last', await counts(fixture, workspace, width), at(expected, bucketStart(width, BUCKET)))
      }
    },
  },
  {
    name: 'the counts of a sender are those of its messages alone, in each width, and those of all senders add up to the counts',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const { workspace } = messages
      const [first, former, second] = times(3, () => senderIdOf(newDigits(15)))
      if (first === undefined || former === undefined || second === undefined) throw new Error('three senders')
      const drafts: Array<Draft> = []
      for (const [index, sender] of [first, first, former, second, undefined, second].entries()) {
        const one = await messages.opened({ id: newMessageId(BUCKET + index), at: NOON, ...(sender !== undefined && { sender }) })
        if (index % 2 === 0) await messages.apply(one.id, { state: 'sent', at: NOON + 1 })
        drafts.push(one)
      }
      await recount(fixture, workspace, '5m', BUCKET)
      const filters = [
        { ids: [first], orNone: false }, { ids: [first, former], orNone: true }, { ids: [second], orNone: false },
        { ids: [senderIdOf(newDigits(15))], orNone: false },
      ]
      for (const width of WIDTHS) {
        for (const filter of filters) {
          const expected = await countsOf(messages, bucketStart(width, BUCKET), drafts.filter((draft) => isThrough(filter, draft)))
          same(`of a sender, ${width}`, await counts(fixture, workspace, width, DAY, filter), expected)
        }
        same(`of all, ${width}`, await counts(fixture, workspace, width), await countsOf(messages, bucketStart(width, BUCKET), drafts))
      }
      await recount(fixture, workspace, '1h', bucketStart('1h', BUCKET))
      for (const width of ['1h', '1d'] as const) {
        const expected = await countsOf(messages, bucketStart(width, BUCKET), drafts.filter(({ sender }) => sender === second))
        same(`of a sender, counted by the hour, ${width}`, await counts(fixture, workspace, width, DAY, filters[2]), expected)
      }
    },
  },
  {
    name: 'the workspaces with messages in a span are listed in pages, each once, and no others',
    check: async (fixture) => {
      const moment = longAgo()
      const span = { from: moment, to: moment + 100 }
      const [before, after, ...within] = await Promise.all(times(7, () => openMessageWorkspace(fixture)))
      if (before === undefined || after === undefined) throw new Error('two workspaces outside')
      await send(before, span.from - 1)
      await send(after, span.to)
      for (const messages of within) for (const moments of [span.from, span.to - 1]) await send(messages, moments)
      const listed = await allPages('the workspaces are listed', (query) => fixture.messageStatistics.workspacesWith(span, query), 2)
      const ours = new Set([before, after, ...within].map(({ workspace }) => workspace))
      same('the workspaces', listed.filter((id) => ours.has(id)), within.map(({ workspace }) => workspace).sort())
      same('the order', [...listed], [...listed].sort())
    },
  },
  {
    name: 'old buckets of a width are removed step by step, and no others',
    check: async (fixture) => {
      const messages = await openMessageWorkspace(fixture)
      const { workspace } = messages
      const day = bucketStart('1d', longAgo())
      const span = { from: day, to: day + 2 * DAY_MS }
      for (const hours of [0, 1, 2, 30]) {
        await send(messages, day + hours * HOUR_MS)
        await recount(fixture, workspace, '5m', day + hours * HOUR_MS)
      }
      const before = day + 2 * HOUR_MS
      let steps = 0
      while ((await done('old buckets are removed', fixture.messageStatistics.removeOld('1h', before))) > 0) steps += 1
      holds('it takes a step for each of two hours at least', steps >= 2, steps)
      const starts = async (width: BucketWidth) =>
        (await counts(fixture, workspace, width, span)).map(({ start }) => (start - day) / HOUR_MS)
      same('the hours that stay', await starts('1h'), [2, 30])
      same('the parts stay', await starts('5m'), [0, 1, 2, 30])
      same('the days stay', await starts('1d'), [0, 24])
      const ofNone = await counts(fixture, workspace, '1h', span, { ids: [senderIdOf('0')], orNone: true })
      same('the hours of senders that stay', ofNone.map(({ start }) => (start - day) / HOUR_MS), [2, 30])
    },
  },
  {
    name: 'progress is read as it was last noted, by its name',
    check: async ({ messageStatistics, elsewhere }) => {
      const [one, other] = [newName(), newName()]
      for (const [name, moment] of [[one, NOON], [other, 5], [one, NOON + DAY_MS], [other, 0]] as const) {
        await done('progress is noted', messageStatistics.noteProgress(name, moment))
      }
      const read = await done('progress is read', (elsewhere?.messageStatistics ?? messageStatistics).progress())
      same('the progress', [read.get(one), read.get(other), read.get(newName())], [NOON + DAY_MS, 0, undefined])
    },
  },
  {
    name: 'open windows are counted by the id for which a message counts, up to a limit',
    check: async ({ messageStatistics, windowClock, openWorkspace }) => {
      const [{ workspace }, { workspace: other }] = [await openWorkspace(), await openWorkspace()]
      const writes = (to: WorkspaceId, ids: CustomerIds, moment: Instant): Promise<void> =>
        done('an inbound message is recorded', windowClock.recordInbound(to, ids, moment))
      const open = (limit: number): Promise<number> =>
        done('open windows are counted', messageStatistics.openWindows(workspace, NOON, limit))
      same('no customer wrote', await open(10), 0)
      await writes(workspace, { phoneNumber: newPhoneNumber() }, NOON)
      await writes(other, { phoneNumber: newPhoneNumber() }, NOON + 1)
      same('a window that has just closed, and one of another workspace', await open(10), 0)
      await writes(workspace, { phoneNumber: newPhoneNumber() }, NOON + 1)
      await writes(workspace, { phoneNumber: newPhoneNumber(), userId: newUserId() }, NOON + 1)
      await writes(workspace, { userId: newUserId() }, NOON + 2)
      same('one for each customer', await open(10), 3)
      same('up to the limit', await open(2), 2)
    },
  },
]
