import * as E from 'fp-ts/lib/Either.js'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import { DAY_MS } from '../../core/kernel/time.js'
import type { MessageId } from '../../core/messages/message.js'
import {
  type Backlog, type DueSender, inDueOrder, type MessageQueue, type PlacedMessage, type QueuedMessage,
} from '../../core/messages/queue.js'
import type { MessageQueueFixture } from '../laws/message-queue.js'
import { andThen, brokenMemory, withResult } from './broken-memory.js'
import type { Mutation } from './mutation.js'

export const ORDER = 'what is due is read in the order of its time, then of the ids, up to a limit'
const OF_SENDER = 'what is due of a sender is read without what other senders have, and what belongs to a batch only if it is asked for'
const SENDERS = 'the senders with messages that are due are read once, those that have waited for the longest time first, up to a limit'

const NEXT = 'the next messages of a sender are read with their times, those of batches among them, in the order in which they are due, up to a limit'
const BACKLOG = 'what is queued is counted up to a limit, due ones first, in total and of the senders whose first message is due the earliest'
const TIMES = 'the times of messages are read while they are queued, and those of no other workspace'

export const ALL = { at: Number.MAX_SAFE_INTEGER, limit: 10_000 }

/** Everything that is queued, in all workspaces. */
export const allOf = ({ sendersDue, due }: Pick<MessageQueue, 'sendersDue' | 'due'>): ReturnType<MessageQueue['due']> =>
  andThen(sendersDue(ALL), async (senders) => {
    const lists = await Promise.all(senders.flatMap(({ workspace, sender }) => [false, true].map((isBatch) =>
      due({ ...ALL, workspace, sender, isBatch }))))
    return E.right(lists.flatMap((list) => (E.isRight(list) ? list.right : [])))
  })

export const broken = (
  defect: (queue: MessageQueue, storage: MemoryStorage) => Partial<MessageQueue>,
): (() => Promise<MessageQueueFixture>) =>
  brokenMemory('messageQueue', defect)

/** A queue that reads each message that is due other than it is. */
export const reading = (change: (queued: QueuedMessage) => QueuedMessage) =>
  broken(({ due }) => ({ due: (query) => withResult(due(query), (found) => found.map(change)) }))

/** A queue that reads the senders other than they are. */
const readingSenders = (change: (senders: ReadonlyArray<DueSender>) => ReadonlyArray<DueSender>) =>
  broken(({ sendersDue }) => ({ sendersDue: (query) => withResult(sendersDue(query), change) }))

/** Defects of how the senders with messages are found, and of which of their messages are read. */
export const SENDER_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  {
    defect: 'reads what all senders of a workspace have',
    open: broken((queue) => ({
      due: ({ workspace, isBatch = false, at }) => withResult(allOf(queue), (all) => all.filter(({ record, place }) =>
        record.workspace === workspace && (place.isBatch ?? false) === isBatch && place.dueAt <= at)),
    })),
    breaks: [OF_SENDER],
  },
  {
    defect: 'reads what a sender has in all workspaces',
    open: broken((queue) => ({
      due: ({ sender, isBatch = false, at }) => withResult(allOf(queue), (all) => all.filter(({ record, place }) =>
        (record.sender ?? '') === sender && (place.isBatch ?? false) === isBatch && place.dueAt <= at)),
    })),
    breaks: [OF_SENDER],
  },
  {
    defect: 'reads messages of batches with the others',
    open: broken(({ due }) => ({
      due: (query) => andThen(due({ ...query, isBatch: false }), (own) =>
        withResult(due({ ...query, isBatch: true }), (batch) => [...own, ...batch])),
    })),
    breaks: [OF_SENDER],
  },
  {
    defect: 'never reads messages of batches',
    open: broken(({ due }) => ({ due: (query) => due({ ...query, isBatch: false }) })), breaks: [OF_SENDER],
  },
  {
    defect: 'forgets that a message belongs to a batch',
    open: reading(({ place: { isBatch: _lost, ...place }, ...queued }) => ({ ...queued, place })), breaks: [OF_SENDER],
  },
  {
    defect: 'ignores the position after which it reads',
    open: broken(({ due }) => ({ due: ({ after: _after, ...query }) => due(query) })), breaks: [ORDER],
  },
  {
    defect: 'skips the messages of the same time as a position',
    open: broken(({ due }) => ({
      due: ({ after, ...query }) => due({ ...query, after: after && { ...after, id: '~' as MessageId } }),
    })),
    breaks: [ORDER],
  },
  {
    defect: 'reads the message at a position again',
    open: broken(({ due }) => ({ due: ({ after, ...query }) => due({ ...query, after: after && { ...after, id: '' as MessageId } }) })),
    breaks: [ORDER],
  },
  { defect: 'finds no senders', open: readingSenders(() => []), breaks: [SENDERS] },
  { defect: 'finds the senders in another order', open: readingSenders((senders) => senders.toReversed()), breaks: [SENDERS] },
  {
    defect: 'finds a sender twice', open: readingSenders((senders) => senders.flatMap((one) => [one, one])), breaks: [SENDERS],
  },
  {
    defect: 'finds one workspace of a sender', breaks: [SENDERS],
    open: readingSenders((senders) => senders.filter(({ sender }, index) => senders.findIndex((one) => one.sender === sender) === index)),
  },
  {
    defect: 'finds senders before their time',
    open: broken(({ sendersDue }) => ({ sendersDue: ({ at, limit }) => sendersDue({ at: at + 1, limit }) })), breaks: [SENDERS],
  },
  {
    defect: 'finds senders too late',
    open: broken(({ sendersDue }) => ({ sendersDue: ({ at, limit }) => sendersDue({ at: at - 1, limit }) })), breaks: [SENDERS],
  },
  {
    defect: 'leaves no workspace out', breaks: [SENDERS],
    open: broken(({ sendersDue }) => ({ sendersDue: ({ at, limit }) => sendersDue({ at, limit }) })),
  },
  {
    defect: 'leaves every workspace out if one is left out', breaks: [SENDERS],
    open: broken(({ sendersDue }) => ({ sendersDue: async (query) => (query.except === undefined ? sendersDue(query) : E.right([])) })),
  },
  {
    defect: 'finds all senders, whatever the limit',
    open: broken(({ sendersDue }) => ({ sendersDue: ({ at }) => sendersDue({ ...ALL, at }) })), breaks: [SENDERS],
  },
  {
    defect: 'overlooks the messages of batches when it looks for senders',
    open: broken((queue) => ({
      sendersDue: (query) => andThen(queue.sendersDue(query), async (senders) => {
        const lists = await Promise.all(senders.map(({ workspace, sender }) => queue.due({ ...query, workspace, sender })))
        return E.right(senders.filter((_, index) => {
          const list = lists[index]
          return list !== undefined && E.isRight(list) && list.right.length > 0
        }))
      }),
    })),
    breaks: [SENDERS],
  },
]

/** A queue that counts what is queued other than it is. */
const countingBacklog = (change: (backlog: Backlog) => Backlog): Mutation<MessageQueueFixture>['open'] =>
  broken(({ backlog }) => ({ backlog: (query) => withResult(backlog(query), change) }))

const ofSenders = (change: (senders: Backlog['senders']) => Backlog['senders']): Mutation<MessageQueueFixture>['open'] =>
  countingBacklog(({ senders, ...all }) => ({ ...all, senders: change(senders) }))

/** Defects of how what is queued is counted up to a limit. */
export const BACKLOG_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  { defect: 'counts no senders', open: ofSenders(() => []), breaks: [BACKLOG] },
  { defect: 'counts the senders last first', open: ofSenders((senders) => senders.toReversed()), breaks: [BACKLOG] },
  {
    defect: 'counts what is due as later', breaks: [BACKLOG],
    open: ofSenders((senders) => senders.map((one) => ({ ...one, due: 0, later: one.due + one.later }))),
  },
  {
    defect: 'counts up to no limit', breaks: [BACKLOG],
    open: broken(({ backlog }) => ({ backlog: (query) => backlog({ ...query, mostOfSender: ALL.limit, mostOfAll: ALL.limit }) })),
  },
  {
    defect: 'counts all senders, whatever the limit', breaks: [BACKLOG],
    open: broken(({ backlog }) => ({ backlog: (query) => backlog({ ...query, senders: ALL.limit }) })),
  },
  {
    defect: 'counts what is due a millisecond late', breaks: [BACKLOG],
    open: broken(({ backlog }) => ({ backlog: (query) => backlog({ ...query, at: query.at - 1 }) })),
  },
  {
    defect: 'counts a message before its time as due', breaks: [BACKLOG],
    open: broken(({ backlog }) => ({ backlog: (query) => backlog({ ...query, at: query.at + 1 }) })),
  },
  {
    defect: 'counts the senders of all workspaces together', breaks: [BACKLOG],
    open: ofSenders((senders) => senders.filter(({ sender }, index) => senders.findIndex((one) => one.sender === sender) === index)),
  },
  {
    defect: 'knows in total only what is due', breaks: [BACKLOG],
    open: countingBacklog((all) => ({ ...all, later: 0 })),
  },
  {
    defect: 'does not know in total since when a message is due', breaks: [BACKLOG],
    open: countingBacklog((all) => ({ ...all, oldestDueAt: undefined })),
  },
]

/** A queue that reads the next messages other than they are. */
const readingNext = (change: (next: ReadonlyArray<PlacedMessage>) => ReadonlyArray<PlacedMessage>): Mutation<MessageQueueFixture>['open'] =>
  broken(({ next }) => ({ next: (query) => withResult(next(query), change) }))

/** Defects of how the next messages and the times of messages are read. */
export const NEXT_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  { defect: 'reads the next messages last first', open: readingNext((next) => next.toReversed()), breaks: [NEXT] },
  { defect: 'reads a next message less', open: readingNext((next) => next.slice(1)), breaks: [NEXT] },
  {
    defect: 'reads the end of a next message as its time',
    open: readingNext((next) => next.map((one) => ({ ...one, dueAt: one.endsAt }))), breaks: [NEXT],
  },
  {
    defect: 'reads more next messages than it may',
    open: broken(({ next }) => ({ next: (query) => next({ ...query, limit: query.limit + 1 }) })), breaks: [NEXT],
  },
  {
    defect: 'reads no message of a batch as a next one',
    open: broken(({ next, due }) => ({
      next: (query) => andThen(due({ ...query, ...ALL, isBatch: true }), (lines) =>
        withResult(next(query), (all) => all.filter(({ record }) => !lines.some((line) => line.record.id === record.id)))),
    })),
    breaks: [NEXT],
  },
  {
    defect: 'reads the next messages of all workspaces and senders',
    open: broken((queue) => ({
      next: ({ limit }) => withResult(allOf(queue), (all) =>
        all.map(({ record, place: { dueAt, endsAt } }) => ({ record, dueAt, endsAt })).sort(inDueOrder).slice(0, limit)),
    })),
    breaks: [NEXT],
  },
  {
    defect: 'knows no times', open: broken(() => ({ timesOf: async () => E.right(new Map()) })), breaks: [TIMES],
  },
  {
    defect: 'knows the times of all queued messages', breaks: [TIMES],
    open: broken((queue) => ({
      timesOf: () => withResult(allOf(queue), (all) =>
        new Map(all.map(({ record: { id }, place: { dueAt, endsAt } }) => [id, { dueAt, endsAt }]))),
    })),
  },
  {
    defect: 'knows the times of messages of other workspaces', breaks: [TIMES],
    open: broken((queue) => ({
      timesOf: (_, ids) => withResult(allOf(queue), (all) => new Map(all.filter(({ record: { id } }) => ids.includes(id))
        .map(({ record: { id }, place: { dueAt, endsAt } }) => [id, { dueAt, endsAt }]))),
    })),
  },
  {
    defect: 'forgets that a message was postponed', breaks: [TIMES],
    open: broken(({ timesOf }) => ({
      timesOf: (...of) => withResult(timesOf(...of), (times) =>
        new Map([...times].map(([id, { endsAt }]) => [id, { dueAt: endsAt - DAY_MS, endsAt }]))),
    })),
  },
]
