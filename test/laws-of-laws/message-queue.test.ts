import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import { DAY_MS } from '../../core/kernel/time.js'
import type { Draft, MessageLog } from '../../core/messages/message-log.js'
import { KEY_KEPT_MS, type MessageState } from '../../core/messages/message.js'
import { type MessageQueue, type QueuedMessage, type QueuedRef, writeQueued } from '../../core/messages/queue.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import type { AtRest } from '../laws/at-rest.js'
import { messageQueueAtRestLaws, type MessageQueueFixture, messageQueueLaws } from '../laws/message-queue.js'
import { andThen, brokenMemory, noting, rounded, withResult } from './broken-memory.js'
import { ALL, allOf, BACKLOG_DEFECTS, broken, NEXT_DEFECTS, ORDER, reading, SENDER_DEFECTS } from './broken-message-queue.js'
import { changingRecords, opening } from './broken-message-log.js'
import { describeMutations, type Mutation, namesOf } from './mutation.js'

const DUE = 'a queued message is due from its time on, with its record, its content and its place'
const IMMEDIATE = 'a message that is sent immediately is never due'
const CLAIMED = 'a claimed message is pending from then on, and is claimed once'
const WORKSPACE = 'a claim in a workspace that does not have the message changes nothing'
const CONCURRENT = 'of concurrent claims of a message exactly one succeeds'
const CANCELED = 'a canceled message is never claimed, and a claimed one is never canceled'
const ONLY_QUEUED = 'a change that is meant for a queued message leaves a claimed one as it is'
const KEY = 'the key of a queued or canceled message guards it, and a queued one for longer than a day'
const FIRST_DUE = 'a postponed message has the time at which it was first due, however often it is postponed, and another one has none'
const POSTPONED = 'postponed messages are due at their new time, and one that left the queue stays as it is'
const STALE = 'a queued message is not stale, and a claimed one is from its claim on'
const WAITING = 'what waits is counted by sender: what is due or held, since when it is due, and what is scheduled'
const SCHEDULED = 'the prices that are not reserved yet are summed for a workspace: those of messages due soon, and all'

const brokenLog = (defect: (log: MessageLog, storage: MemoryStorage) => Partial<MessageLog>): (() => Promise<MessageQueueFixture>) =>
  brokenMemory('messageLog', defect)

/** A queue that counts what waits other than it is. */
const counting = (change: (waiting: Counted, at: number) => Counted) =>
  broken(({ waiting }) => ({ waiting: (query) => withResult(waiting(query), (counted) => change(counted, query.at)) }))

type Counted = Extract<Awaited<ReturnType<MessageQueue['waiting']>>, { readonly _tag: 'Right' }>['right']

/** A message log that leaves a state out of each history. */
const withoutInHistory = (left: MessageState) =>
  brokenLog(changingRecords(({ history, ...record }) => ({ ...record, history: history.filter(({ state }) => state !== left) })))

const isOneOf = (refs: ReadonlyArray<QueuedRef>, { record }: QueuedMessage): boolean => refs.some(({ message }) => message === record.id)

/** A queue that keeps the messages that are claimed, and has a defect that uses them. */
const keepingClaimed = (defect: (claimed: ReadonlyArray<QueuedMessage>, queue: MessageQueue) => Partial<MessageQueue>) =>
  (queue: MessageQueue): Partial<MessageQueue> => {
    const claimed: QueuedMessage[] = []
    return {
      claim: (ref, at) => andThen(allOf(queue), (found) => {
        claimed.push(...found.filter((one) => isOneOf([ref], one)))
        return queue.claim(ref, at)
      }),
      ...defect(claimed, queue),
    }
  }

/** A queue in which claimed messages are still due. */
const claimedStayDue = keepingClaimed((claimed, { due }) => ({ due: (query) => withResult(due(query), (found) => [...found, ...claimed]) }))

const DUE_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  { defect: 'has nothing due', open: broken(() => ({ due: async () => E.right([]) })), breaks: [DUE, ORDER, WORKSPACE, POSTPONED] },
  {
    defect: 'reads a message before its time', open: broken(({ due }) => ({ due: ({ at, ...query }) => due({ ...query, at: at + 1 }) })),
    breaks: [DUE, POSTPONED],
  },
  {
    defect: 'reads a message after its time', open: broken(({ due }) => ({ due: ({ at, ...query }) => due({ ...query, at: at - 1 }) })),
    breaks: [DUE, ORDER, POSTPONED],
  },
  {
    defect: 'loses the spending limit',
    open: reading(({ place: { spending: _lost, ...place }, ...queued }) => ({ ...queued, place })), breaks: [DUE],
  },
  {
    defect: 'rounds the spending limit',
    open: reading(({ place, ...queued }) => ({
      ...queued,
      place: { ...place, ...(place.spending && { spending: { ...place.spending, limit: BigInt(Number(place.spending.limit)) } }) },
    })),
    breaks: [DUE],
  },
  {
    defect: 'ends each message a day after it is due',
    open: reading(({ place, ...queued }) => ({ ...queued, place: { ...place, endsAt: place.dueAt + DAY_MS } })), breaks: [DUE, POSTPONED],
  },
  { defect: 'rounds long numbers', open: reading(({ message, ...queued }) => ({ ...queued, message: rounded(message) })), breaks: [DUE] },
  {
    defect: 'loses the content of templates',
    open: reading(({ message, ...queued }) => ({
      ...queued, message: message._tag === 'Template' ? { ...message, components: [] } : message,
    })),
    breaks: [DUE],
  },
  {
    defect: 'loses the key of a message',
    open: reading(({ record: { keyId: _lost, ...record }, ...queued }) => ({ ...queued, record })), breaks: [DUE],
  },
  {
    defect: 'queues every message',
    open: brokenLog(opening((draft) => ({ queue: { dueAt: draft.at, endsAt: draft.at + DAY_MS }, ...draft }))), breaks: [IMMEDIATE],
  },
  {
    defect: 'reads the last message first',
    open: broken(({ due }) => ({ due: (query) => withResult(due(query), (all) => all.toReversed()) })),
    breaks: [ORDER, POSTPONED],
  },
  {
    defect: 'reads messages of the same time in the reverse order of their ids',
    open: broken(({ due }) => ({
      due: (query) => withResult(due(query), (found) =>
        found.toReversed().toSorted((a, b) => a.place.dueAt - b.place.dueAt)),
    })),
    breaks: [ORDER],
  },
  {
    defect: 'ignores the limit', open: broken(({ due }) => ({ due: (query) => due({ ...query, limit: ALL.limit }) })), breaks: [ORDER],
  },
  {
    defect: 'reads the last messages up to the limit',
    open: broken(({ due }) => ({
      due: (query) => withResult(due({ ...query, limit: ALL.limit }), (all) => all.slice(-query.limit)),
    })),
    breaks: [ORDER],
  },
]

const CLAIM_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  {
    defect: 'answers every claim with success', open: broken(() => ({ claim: async () => E.right(true) })),
    breaks: [IMMEDIATE, CLAIMED, WORKSPACE, CONCURRENT, CANCELED, ONLY_QUEUED, STALE, WAITING],
  },
  {
    defect: 'claims a message twice',
    open: broken(({ claim }) => {
      const seen = new Set<string>()
      return {
        claim: async (ref, at) => {
          if (seen.has(ref.message)) return E.right(true)
          seen.add(ref.message)
          return claim(ref, at)
        },
      }
    }),
    breaks: [CLAIMED, CONCURRENT],
  },
  {
    defect: 'reads a message before it claims it',
    open: broken((queue) => ({
      claim: (ref, at) => andThen(allOf(queue), async (found) => {
        await new Promise(setImmediate)
        await queue.claim(ref, at)
        return E.right(found.some((one) => isOneOf([ref], one)))
      }),
    })),
    breaks: [WORKSPACE, CONCURRENT],
  },
  {
    defect: 'answers concurrent claims with false',
    open: broken(({ claim }) => {
      let underWay = 0
      return {
        claim: async (ref, at) => {
          underWay += 1
          await new Promise(setImmediate)
          const isAlone = underWay === 1
          await new Promise(setImmediate)
          underWay -= 1
          return isAlone ? claim(ref, at) : E.right(false)
        },
      }
    }),
    breaks: [CONCURRENT],
  },
  {
    defect: 'claims a message of another workspace',
    open: broken((queue) => ({
      claim: ({ workspace, message }, at) => andThen(allOf(queue), (found) => {
        const owner = found.find(({ record }) => record.id === message)?.record.workspace
        return queue.claim({ workspace: owner ?? workspace, message }, at)
      }),
    })),
    breaks: [WORKSPACE],
  },
  {
    defect: 'keeps a claimed message in the queue',
    open: broken(claimedStayDue), breaks: [CLAIMED, CANCELED, ONLY_QUEUED],
  },
  {
    defect: 'dates a claim before its time', open: broken(({ claim }) => ({ claim: (ref, at) => claim(ref, at - 1) })),
    breaks: [CLAIMED, STALE],
  },
  {
    defect: 'leaves a claim out of the history',
    open: withoutInHistory('pending'),
    breaks: [CLAIMED],
  },
  {
    defect: 'leaves the time of its queueing out of the history',
    open: withoutInHistory('queued'),
    breaks: [DUE, CLAIMED, CANCELED],
  },
]

const CHANGE_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  {
    defect: 'applies a change that is meant for a queued message to any message',
    open: brokenLog(({ apply }) => ({
      apply: (workspace, id, { onlyFrom: _ignored, ...change }, ...more) => apply(workspace, id, change, ...more),
    })),
    breaks: [ONLY_QUEUED],
  },
  {
    defect: 'answers that a claimed message is canceled',
    open: brokenLog(({ apply }) => ({
      apply: (workspace, id, change, ...more) => withResult(apply(workspace, id, change, ...more), O.map((applied) =>
        (change.state === 'canceled' ? { ...applied, state: 'canceled' as const } : applied))),
    })),
    breaks: [CANCELED],
  },
  {
    defect: 'reads a message before it cancels it',
    open: brokenLog(({ apply, find }) => ({
      apply: (workspace, id, change, ...more) => andThen(find(workspace, { id }), async (before) => {
        await new Promise(setImmediate)
        const wasQueued = O.isSome(before) && before.value.state === 'queued'
        return withResult(apply(workspace, id, change, ...more), O.map((applied) =>
          (wasQueued ? { ...applied, state: change.state } : applied)))
      }),
    })),
    breaks: [CANCELED],
  },
  {
    defect: 'keeps a canceled message in the queue',
    open: brokenLog(({ apply, find }) => ({
      apply: (workspace, id, change, ...more) => (change.state === 'canceled'
        ? withResult(find(workspace, { id }), O.map(({ state }) => ({
            state: state === 'queued' ? 'canceled' as const : state, platformId: undefined,
          })))
        : apply(workspace, id, change, ...more)),
    })),
    breaks: [CANCELED, KEY],
  },
  {
    defect: 'frees the key of a canceled message',
    open: brokenLog(({ claimed }) => ({ claimed: (...of) => withResult(claimed(...of), O.filter(({ by }) => by.state !== 'canceled')) })),
    breaks: [KEY],
  },
  {
    defect: 'frees the key of a queued message after a day',
    open: brokenLog(({ claimed }) => ({
      claimed: (workspace, claim, at) =>
        withResult(claimed(workspace, claim, at), O.filter(({ by }) => by.state !== 'queued' || at < by.createdAt + KEY_KEPT_MS)),
    })),
    breaks: [KEY],
  },
  {
    defect: 'takes a queued message for a stale one',
    open: brokenLog(({ stale }, { messageQueue }) => ({
      stale: (query) => andThen(stale(query), (found) =>
        withResult(allOf(messageQueue), (queued) => [...found, ...queued.map(({ record }) => record)])),
    })),
    breaks: [STALE],
  },
  {
    defect: 'never takes a claimed message for a stale one',
    open: brokenLog(({ stale, find }) => ({
      stale: (query) => andThen(stale(query), async (found) => {
        const states = await Promise.all(found.map(({ workspace, id }) => find(workspace, { id })))
        return E.right(found.filter((_, index) => !hasBeenQueued(states[index])))
      }),
    })),
    breaks: [STALE],
  },
  {
    defect: 'takes a claimed message for a stale one from its opening on',
    open: brokenLog(({ stale }) => ({ stale: ({ before: _before, ...query }) => stale({ ...query, before: ALL.at }) })), breaks: [STALE],
  },
]

const POSTPONE_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  { defect: 'postpones nothing', open: broken(() => ({ postpone: async () => E.right(undefined) })), breaks: [POSTPONED, FIRST_DUE] },
  {
    defect: 'forgets when a postponed message was first due',
    open: broken(({ due }) => ({
      due: (query) => withResult(due(query), (found) =>
        found.map(({ place: { firstDueAt: _, ...place }, ...rest }) => ({ ...rest, place }))),
    })),
    breaks: [FIRST_DUE],
  },
  {
    defect: 'postpones the first of the given messages alone',
    open: broken(({ postpone }) => ({ postpone: (refs) => postpone(refs.slice(0, 1)) })), breaks: [POSTPONED],
  },
  {
    defect: 'postpones every message',
    open: broken((queue) => ({
      postpone: ([first]) => andThen(allOf(queue), (found) =>
        queue.postpone(found.map(({ record: { workspace, id: message } }) => ({ workspace, message, dueAt: first?.dueAt ?? 0 })))),
    })),
    breaks: [POSTPONED],
  },
  {
    defect: 'loses a message that it postpones',
    open: broken(({ claim }) => ({
      postpone: async (refs) => {
        for (const ref of refs) await claim(ref, ref.dueAt)
        return E.right(undefined)
      },
    })),
    breaks: [POSTPONED],
  },
  {
    defect: 'gives a postponed message more time',
    open: broken(({ due, postpone }) => {
      const postponed: QueuedRef[] = []
      return {
        postpone: (refs) => noting(postpone(refs), () => postponed.push(...refs)),
        due: (query) => withResult(due(query), (found) => found.map(({ place, ...queued }) => ({
          ...queued, place: isOneOf(postponed, { ...queued, place }) ? { ...place, endsAt: place.endsAt + 5 } : place,
        }))),
      }
    }),
    breaks: [POSTPONED],
  },
  {
    defect: 'queues a claimed message again if it is postponed',
    open: broken(keepingClaimed((claimed, { due, postpone }) => {
      const again: QueuedMessage[] = []
      return {
        postpone: (refs) => noting(postpone(refs), () => again.push(...claimed.filter((one) => isOneOf(refs, one)))),
        due: (query) => withResult(due(query), (found) => [...found, ...again]),
      }
    })),
    breaks: [POSTPONED],
  },
]

const WAITING_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  { defect: 'counts nothing', open: counting(() => []), breaks: [WAITING] },
  {
    defect: 'counts what waits in all workspaces',
    open: broken(({ waiting }) => ({ waiting: ({ at }) => waiting({ at }) })), breaks: [WAITING],
  },
  {
    defect: 'counts what waits in one workspace alone',
    open: counting((counted) => counted.filter(({ workspace }) => workspace === counted[0]?.workspace)), breaks: [WAITING],
  },
  {
    defect: 'counts a message before its time as due',
    open: broken(({ waiting }) => ({ waiting: ({ at, ...of }) => waiting({ ...of, at: at + DAY_MS }) })), breaks: [WAITING],
  },
  {
    defect: 'counts a message that is due as scheduled',
    open: broken(({ waiting }) => ({ waiting: ({ at, ...of }) => waiting({ ...of, at: at - 1 }) })), breaks: [WAITING],
  },
  {
    defect: 'counts a message whose price is held before its time as scheduled',
    open: brokenLog(opening(({ queue, ...draft }) => ({
      ...draft, ...(queue && { queue: queue.isHeld === true && queue.dueAt > draft.at ? { ...queue, isHeld: false } : queue }),
    }))),
    breaks: [WAITING],
  },
  {
    defect: 'forgets since when a message is due',
    open: counting((counted) => counted.map((each) => ({ ...each, oldestDueAt: undefined }))), breaks: [WAITING],
  },
  {
    defect: 'takes what is scheduled for due since now',
    open: counting((counted, at) => counted.map((each) => ({ ...each, oldestDueAt: each.oldestDueAt ?? at }))), breaks: [WAITING],
  },
  {
    defect: 'counts the messages of all senders together',
    open: counting((counted) => counted.slice(0, 1).map((first) => ({
      ...first, waiting: counted.reduce((sum, { waiting }) => sum + waiting, 0),
      scheduled: counted.reduce((sum, { scheduled }) => sum + scheduled, 0),
    }))),
    breaks: [WAITING],
  },
  {
    defect: 'counts a claimed message',
    open: broken(({ waiting }) => {
      const first = new Map<string, ReturnType<typeof waiting>>()
      return {
        waiting: (query) => {
          const key = JSON.stringify(query)
          const answer = first.get(key) ?? waiting(query)
          first.set(key, answer)
          return answer
        },
      }
    }),
    breaks: [WAITING],
  },
]

const SCHEDULED_DEFECTS: ReadonlyArray<Mutation<MessageQueueFixture>> = [
  { defect: 'schedules no money', open: broken(() => ({ scheduled: async () => E.right({ soon: 0n, all: 0n }) })), breaks: [SCHEDULED] },
  {
    defect: 'counts a price that is due at the end of the time',
    open: broken(({ scheduled }) => ({ scheduled: (query) => scheduled({ ...query, soonBefore: query.soonBefore + 1 }) })),
    breaks: [SCHEDULED],
  },
  {
    defect: 'counts the prices that are due soon alone',
    open: broken(({ scheduled }) => ({ scheduled: (query) => withResult(scheduled(query), ({ soon }) => ({ soon, all: soon })) })),
    breaks: [SCHEDULED],
  },
  {
    defect: 'counts a price that is reserved',
    open: broken((_, { messageQueue }) => ({
      scheduled: ({ workspace, soonBefore }) => withResult(allOf(messageQueue), (queued) => {
        const own = queued.filter(({ record }) => record.workspace === workspace)
        const sumOf = (some: ReadonlyArray<QueuedMessage>) => some.reduce((sum, { record }) => sum + record.price.micros, 0n)
        return { soon: sumOf(own.filter(({ place }) => place.dueAt < soonBefore)), all: sumOf(own) }
      }),
    })),
    breaks: [SCHEDULED],
  },
  {
    defect: 'counts the prices of all workspaces',
    open: broken((_, { messageQueue }) => ({
      scheduled: ({ soonBefore }) => withResult(allOf(messageQueue), (queued) => {
        const sumOf = (some: ReadonlyArray<QueuedMessage>) =>
          some.reduce((sum, { record, place }) => sum + (place.isHeld === true ? 0n : record.price.micros), 0n)
        return { soon: sumOf(queued.filter(({ place }) => place.dueAt < soonBefore)), all: sumOf(queued) }
      }),
    })),
    breaks: [SCHEDULED],
  },
]

/** Whether a record that was looked for was queued before. */
const hasBeenQueued = (found: Awaited<ReturnType<MessageLog['find']>> | undefined): boolean =>
  found !== undefined && E.isRight(found) && O.isSome(found.right) && found.right.value.history.some(({ state }) => state === 'queued')

describeMutations('the queue of messages', messageQueueLaws, [
  ...DUE_DEFECTS, ...SENDER_DEFECTS, ...CLAIM_DEFECTS, ...CHANGE_DEFECTS, ...POSTPONE_DEFECTS, ...WAITING_DEFECTS,
  ...SCHEDULED_DEFECTS, ...NEXT_DEFECTS, ...BACKLOG_DEFECTS,
])

/** Memory that writes queued drafts to its storage as `encode` says, and has other defects. */
const atRest = (encode: (draft: Draft) => unknown, defect: (queue: MessageQueue) => Partial<MessageQueue> = () => ({})) =>
  async (): Promise<MessageQueueFixture & AtRest> => {
    const stored: string[] = []
    const { messageLog, messageQueue, openWorkspace } = await openMemoryFixture()
    return {
      openWorkspace,
      messageQueue: { ...messageQueue, ...defect(messageQueue) },
      messageLog: {
        ...messageLog,
        open: (draft) => {
          stored.push(JSON.stringify([draft.id, encode(draft)]))
          return messageLog.open(draft)
        },
      },
      atRest: async () => stored.join('\n'),
    }
  }

const AT_REST = namesOf(messageQueueAtRestLaws)

describeMutations('the queue of messages at rest', messageQueueAtRestLaws, [
  {
    defect: 'stores the content of a queued message unencrypted',
    open: atRest(({ message, queue }) => queue && writeQueued(message, queue)), breaks: AT_REST,
  },
  { defect: 'keeps the encrypted content of a message that has left the queue', open: atRest(({ id }) => id.repeat(8)), breaks: AT_REST },
  { defect: 'keeps the content of a claimed message', open: atRest(() => '', claimedStayDue), breaks: AT_REST },
])
