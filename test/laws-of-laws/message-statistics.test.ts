import * as E from 'fp-ts/lib/Either.js'
import { BUCKET_MS, bucketStart, type MessageCount, type MessageStatistics, sumCounts } from '../../core/messages/statistics.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type MessageStatisticsFixture, messageStatisticsLaws } from '../laws/message-statistics.js'
import { andThen, noting } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken =
  (defect: (statistics: MessageStatistics, fixture: MessageStatisticsFixture) => Partial<MessageStatistics>) =>
  async (): Promise<MessageStatisticsFixture> => {
    const memory = await openMemoryFixture()
    return { ...memory, messageStatistics: { ...memory.messageStatistics, ...defect(memory.messageStatistics, memory) } }
  }

const reading = (change: (counts: ReadonlyArray<MessageCount>) => ReadonlyArray<MessageCount>) =>
  broken(({ counts }) => ({ counts: (workspace, width, span) => counts(workspace, width, span).then(E.map(change)) }))

const SAYS = 'a bucket has what a count of its messages says, by state and category, with what they cost'
const EDGES = 'a message counts in the bucket of the moment in its id, from the first millisecond to the last'
const AGAIN = 'counting again changes nothing while the messages stay as they are'
const MOVED = 'a message that has moved on counts in its new state alone once its bucket is counted again'
const SUMS = 'the hour and the day of a bucket become the sums of what is in them'
const HOURS = 'an hour can be counted without its parts, and its day becomes the sum of the hours'
const READ = 'counts are read of a span without its end, in the order of the buckets, and of one workspace alone'
const CONCURRENT = 'concurrent counts of one bucket leave every message counted once'
const SENDERS = 'the counts of a sender are those of its messages alone, in each width, and those of all senders add up to the counts'
const LISTED = 'the workspaces with messages in a span are listed in pages, each once, and no others'
const REMOVED = 'old buckets of a width are removed step by step, and no others'
const PROGRESS = 'progress is read as it was last noted, by its name'
const WINDOWS = 'open windows are counted by the id for which a message counts, up to a limit'

describeMutations('the statistics of messages', messageStatisticsLaws, [
  {
    defect: 'charges every message, in any state',
    open: reading((counts) => counts.map((count) => ({ ...count, micros: count.micros === 0n ? 62_500n : count.micros }))), breaks: [SAYS],
  },
  {
    defect: 'forgets the categories',
    open: reading((counts) => sumCounts(counts.map((count) => ({ ...count, category: 'marketing' })))),
    breaks: [SAYS, SUMS],
  },
  {
    defect: 'counts a bucket that is a millisecond late',
    open: broken(({ recount }) => ({ recount: (workspace, width, start) => recount(workspace, width, start + 1) })), breaks: [EDGES],
  },
  {
    defect: 'adds what it counts to what it had counted',
    open: broken(({ recount, counts }) => {
      const times = new Map<string, number>()
      return {
        recount: (workspace, width, start) => {
          times.set(workspace, (times.get(workspace) ?? 0) + 1)
          return recount(workspace, width, start)
        },
        counts: (workspace, width, span) =>
          counts(workspace, width, span).then(E.map((all: ReadonlyArray<MessageCount>) =>
            all.map((count) => ({ ...count, messages: count.messages * (times.get(workspace) ?? 1) })))),
      }
    }),
    breaks: [AGAIN, CONCURRENT],
  },
  {
    defect: 'keeps the state in which it first counted a message',
    open: broken(({ counts }) => {
      const first = new Map<string, ReadonlyArray<MessageCount>>()
      return {
        counts: (workspace, width, span) => counts(workspace, width, span).then(E.map((all: ReadonlyArray<MessageCount>) => {
          const name = `${workspace} ${width}`
          if (!first.has(name) && all.length > 0) first.set(name, all)
          return first.get(name) ?? all
        })),
      }
    }),
    breaks: [MOVED],
  },
  {
    defect: 'counts when it is asked',
    open: broken(({ counts, recount }) => ({
      counts: async (workspace, width, span) => {
        await recount(workspace, '5m', bucketStart('5m', span.from + (span.to - span.from) / 2))
        return counts(workspace, width, span)
      },
    })),
    breaks: [MOVED],
  },
  {
    defect: 'has no days',
    open: broken(({ counts }) => ({
      counts: async (workspace, width, span) => (width === '1d' ? E.right([]) : counts(workspace, width, span)),
    })),
    breaks: [SUMS, HOURS, READ],
  },
  {
    defect: 'counts only the first part of an hour',
    open: broken(({ recount }) => ({ recount: (workspace, _width, start) => recount(workspace, '5m', start) })), breaks: [HOURS],
  },
  {
    defect: 'reads the end of a span, too',
    open: broken(({ counts }) => ({ counts: (workspace, width, { from, to }) => counts(workspace, width, { from, to: to + 1 }) })),
    breaks: [READ],
  },
  { defect: 'gives the latest bucket first', open: reading((counts) => [...counts].reverse()), breaks: [READ] },
  {
    defect: 'has the counts of all workspaces in one',
    open: broken(({ counts, recount }) => {
      const all = new Set<Parameters<typeof recount>[0]>()
      return {
        recount: (workspace, width, start) => {
          all.add(workspace)
          return recount(workspace, width, start)
        },
        counts: (_workspace, width, span) =>
          Promise.all(([...all]).map((workspace: Parameters<typeof recount>[0]) => counts(workspace, width, span)))
            .then(E.sequenceArray).then(E.map((lists: ReadonlyArray<ReadonlyArray<MessageCount>>) => lists.flat())),
      }
    }),
    breaks: [READ],
  },
  {
    defect: 'has the counts of all senders for one',
    open: broken(({ counts }) => ({ counts: (workspace, width, span) => counts(workspace, width, span) })), breaks: [SENDERS],
  },
  {
    defect: 'leaves out messages without a sender',
    open: broken(({ counts }) => ({
      counts: (workspace, width, span, sender) => counts(workspace, width, span, sender && { ...sender, orNone: false }),
    })),
    breaks: [SENDERS, REMOVED],
  },
  { defect: 'lists one page of workspaces', open: broken(({ workspacesWith }) => ({
    workspacesWith: (span, query) =>
      workspacesWith(span, query).then(
        E.map(({ items }: { readonly items: ReadonlyArray<Parameters<MessageStatistics['counts']>[0]> }) => ({ items, next: undefined })),
      ),
  })), breaks: [LISTED] },
  { defect: 'removes all widths', open: broken(({ removeOld }) => ({
    removeOld: (width, before) => andThen(removeOld('5m', before), () => removeOld(width, before)),
  })), breaks: [REMOVED] },
  { defect: 'removes the bucket of the moment, too', open: broken(({ removeOld }) => ({
    removeOld: (width, before) => removeOld(width, before + BUCKET_MS[width]),
  })), breaks: [REMOVED] },
  { defect: 'keeps the first progress of a name', open: broken(({ noteProgress }) => {
    const noted = new Set<string>()
    return {
      noteProgress: async (name, at) => (noted.has(name) ? E.right(undefined) : noting(noteProgress(name, at), () => noted.add(name))),
    }
  }), breaks: [PROGRESS] },
  { defect: 'has a window open at its last moment', open: broken(({ openWindows }) => ({
    openWindows: (workspace, after, limit) => openWindows(workspace, after - 1, limit),
  })), breaks: [WINDOWS] },
  { defect: 'counts windows without a limit', open: broken(({ openWindows }) => ({
    openWindows: (workspace, after) => openWindows(workspace, after, Infinity),
  })), breaks: [WINDOWS] },
])
