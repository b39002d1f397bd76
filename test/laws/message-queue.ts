import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { Draft, MessageLog } from '../../core/messages/message-log.js'
import type { Message, MessageId, MessageRecord } from '../../core/messages/message.js'
import type { BacklogQuery, MessageQueue, QueuedCount, QueuedMessage, QueuePosition } from '../../core/messages/queue.js'
import { type SenderId, senderIdOf } from '../../core/senders/sender.js'
import { type AtRest, longWordsIn } from './at-rest.js'
import { done, holds, same } from './expect.js'
import { LONG_NUMBERS, longAgo, newBatchId, newMessageId, newName, newPhoneNumber, newPlatformId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, type MessageWorkspace, newKey, newText, NOON, openMessageWorkspace } from './message-fixture.js'

/** The queue and the message log of one storage. */
export type MessageQueuePorts = { readonly messageQueue: MessageQueue; readonly messageLog: MessageLog }

/** The queue, and the same storage as another node opens it, if there are several nodes. */
export type MessageQueueFixture = MessageLogFixture & MessageQueuePorts & { readonly elsewhere?: MessageQueuePorts }

type QueueWorkspace = MessageWorkspace & {
  /** Queues a new message, by default one that is due at `NOON`. */
  readonly queued: (dueAt?: Instant, more?: Partial<Draft>) => Promise<Draft>
  /** The messages of the workspace that are due at a time, sender by sender, and those of batches last. */
  readonly due: (at: Instant) => Promise<ReadonlyArray<QueuedMessage>>
  readonly claim: (id: MessageId, at?: Instant, of?: WorkspaceId) => Promise<boolean>
}

const MANY = 10_000

/** The nodes alternately, so that half of the calls come from another one. */
const nodeOf = (fixture: MessageQueueFixture, index: number): MessageQueuePorts =>
  (index % 2 === 0 ? fixture : fixture.elsewhere ?? fixture)

const openQueue = async (fixture: MessageQueueFixture): Promise<QueueWorkspace> => {
  const { messageQueue } = fixture
  const opened = await openMessageWorkspace(fixture)
  const { workspace } = opened
  const senders = new Set<string>()
  return {
    ...opened,
    queued: (dueAt = NOON, more = {}) => {
      senders.add(more.sender ?? '')
      return opened.opened({ queue: { dueAt, endsAt: dueAt + DAY_MS }, ...more })
    },
    due: async (at) => (await Promise.all([...senders].flatMap((sender) => [false, true].map((isBatch) =>
      done('what is due is read', messageQueue.due({ workspace, sender, at, limit: MANY, isBatch })))))).flat(),
    claim: (id, at = NOON, of = workspace) => done('a claim', messageQueue.claim({ workspace: of, message: id }, at)),
  }
}

const idsOf = (queued: ReadonlyArray<QueuedMessage>): ReadonlyArray<MessageId> => queued.map(({ record }) => record.id)

const historyOf = (record: MessageRecord | undefined): ReadonlyArray<string> | undefined =>
  record?.history.map(({ state, at }) => `${state} ${at - NOON}`)

/** The promises of every `MessageQueue`. */
export const messageQueueLaws: ReadonlyArray<Law<MessageQueueFixture>> = [
  {
    name: 'a queued message is due from its time on, with its record, its content and its place',
    check: async (fixture) => {
      const { queued, due, found } = await openQueue(fixture)
      const spending = { key: 'k1', limit: 10n ** 18n + 1n }
      const messages: ReadonlyArray<Message> = [
        newText(),
        {
          _tag: 'Template', to: newPhoneNumber(), name: 'order', language: 'pt_BR',
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana "👍"\n' }] }],
        },
        {
          _tag: 'Content', to: newPhoneNumber(), type: 'contacts', content: [{ name: { formatted_name: 'Ann' }, ...LONG_NUMBERS }],
          context: { message_id: newPlatformId() }, metadata: { order: '1' },
        },
      ]
      for (const message of messages) {
        const place = { dueAt: NOON + HOUR_MS, endsAt: NOON + 2 * HOUR_MS, ...(message._tag === 'Text' && { spending }) }
        const { id } = await queued(undefined, { message, queue: place, sender: senderIdOf('106540352242922'), keyId: 'k1' })
        const record = await found(id)
        same('its state', record?.state, 'queued')
        same('its history', historyOf(record), ['queued 0'])
        same('before its time', idsOf(await due(NOON + HOUR_MS - 1)).includes(id), false)
        const one = (await due(NOON + HOUR_MS)).find((each) => each.record.id === id)
        same('at its time', one, record && { record, message, place })
      }
    },
  },
  {
    name: 'a message that is sent immediately is never due',
    check: async (fixture) => {
      const { opened, due, claim } = await openQueue(fixture)
      const { id } = await opened()
      same('what is due', await due(NOON + DAY_MS), [])
      same('its claim', await claim(id), false)
    },
  },
  {
    name: 'what is due is read in the order of its time, then of the ids, up to a limit',
    check: async (fixture) => {
      const { queued, workspace } = await openQueue(fixture)
      const at = longAgo()
      const [second, third] = [newMessageId(at), newMessageId(at + 1)]
      await queued(at + 2, { id: third, at })
      await queued(at + 2, { id: second, at })
      const { id: first } = await queued(at + 1, { at })
      const read = (limit: number, after?: QueuePosition) =>
        done('what is due is read', fixture.messageQueue.due({ workspace, sender: '', at: at + 2, limit, after }))
      same('all of them', idsOf(await read(MANY)), [first, second, third])
      same('the first two', idsOf(await read(2)), [first, second])
      same('after the first one', idsOf(await read(1, { dueAt: at + 1, id: first })), [second])
      same('after the second one', idsOf(await read(MANY, { dueAt: at + 2, id: second })), [third])
      same('after a time', idsOf(await read(MANY, { dueAt: at, id: third })), [first, second, third])
      same('after the last one', idsOf(await read(MANY, { dueAt: at + 2, id: third })), [])
    },
  },
  {
    name: 'what is due of a sender is read without what other senders have, and what belongs to a batch only if it is asked for',
    check: async (fixture) => {
      const { queued, workspace } = await openQueue(fixture)
      const other = await openQueue(fixture)
      const [one, two] = [senderIdOf(newName()), senderIdOf(newName())]
      const { id: own } = await queued(NOON, { sender: one })
      await queued(NOON, { sender: two })
      await other.queued(NOON, { sender: one })
      const queue = { dueAt: NOON, endsAt: NOON + DAY_MS, isBatch: true, batch: newBatchId(NOON) }
      const { id: line } = await queued(NOON, { sender: one, queue })
      const read = (isBatch?: boolean) => done(
        'what is due is read',
        fixture.messageQueue.due({ workspace, sender: one, at: NOON, limit: MANY, ...(isBatch !== undefined && { isBatch }) }),
      )
      same('what belongs to no batch', idsOf(await read()), [own])
      same('the same, asked for', idsOf(await read(false)), [own])
      const [inBatch, ...more] = await read(true)
      same('what belongs to a batch', [inBatch?.record.id, inBatch?.place, more], [line, queue, []])
    },
  },
  {
    name: 'the senders with messages that are due are read once, those that have waited for the longest time first, up to a limit',
    check: async (fixture) => {
      const { queued, claim, workspace } = await openQueue(fixture)
      const other = await openQueue(fixture)
      const at = longAgo()
      const [one, two, three, four] = [senderIdOf('1'), senderIdOf('2'), senderIdOf('3'), senderIdOf('4')]
      const early = await queued(at, { sender: three })
      await queued(at + 3, { sender: three })
      await queued(at + 1, { sender: one, queue: { dueAt: at + 1, endsAt: NOON, isBatch: true } })
      await queued(at + 9, { sender: one })
      await queued(at + 2, { sender: two })
      await other.queued(at + 2, { sender: two })
      await queued(at + 10, { sender: four })
      const read = (limit = MANY, until = at + 9) =>
        done('the senders are read', fixture.messageQueue.sendersDue({ at: until, limit }))
      const own = async (until?: Instant) => (await read(MANY, until)).filter((of) => of.workspace === workspace)
      const due = (sender: string, oldestDueAt: Instant) => ({ workspace, sender, oldestDueAt })
      same('all of them', await own(), [due(three, at), due(one, at + 1), due(two, at + 2)])
      same('earlier', await own(at + 1), [due(three, at), due(one, at + 1)])
      same('of another workspace', (await read()).filter((of) => of.workspace === other.workspace).length, 1)
      const query = { at: at + 9, limit: MANY, except: new Set([workspace]) }
      const without = (await done('the senders are read', fixture.messageQueue.sendersDue(query))).map((of) => of.workspace)
      same('without the workspace', without.filter((of) => of === workspace || of === other.workspace), [other.workspace])
      same('the first ones', await read(2), (await read()).slice(0, 2))
      await claim(early.id)
      same('after a claim', await own(), [due(one, at + 1), due(two, at + 2), due(three, at + 3)])
    },
  },
  {
    name: 'a claimed message is pending from then on, and is claimed once',
    check: async (fixture) => {
      const { queued, claim, due, found } = await openQueue(fixture)
      const { id } = await queued()
      same('the claim', await claim(id, NOON + SECOND_MS), true)
      const record = await found(id)
      same('its state', record?.state, 'pending')
      same('its history', historyOf(record), ['queued 0', `pending ${SECOND_MS}`])
      same('what is due', await due(NOON + DAY_MS), [])
      same('another claim', await claim(id, NOON + 2 * SECOND_MS), false)
      same('its history after that', historyOf(await found(id)), ['queued 0', `pending ${SECOND_MS}`])
    },
  },
  {
    name: 'a claim in a workspace that does not have the message changes nothing',
    check: async (fixture) => {
      const [{ queued, claim, due }, other] = [await openQueue(fixture), await openQueue(fixture)]
      const { id } = await queued()
      same('from another workspace', await claim(id, NOON, other.workspace), false)
      same('of an unknown message', await claim(newMessageId(NOON)), false)
      same('what is due', idsOf(await due(NOON)), [id])
    },
  },
  {
    name: 'of concurrent claims of a message exactly one succeeds',
    check: async (fixture) => {
      const { queued, workspace } = await openQueue(fixture)
      const ids: Array<MessageId> = []
      for (const _ of times(3, () => 0)) ids.push((await queued()).id)
      const answers = await Promise.all(times(12, (index) =>
        nodeOf(fixture, index).messageQueue.claim({ workspace, message: ids[index % 3] ?? newMessageId(NOON) }, NOON + index)))
      for (const [index] of ids.entries()) {
        const claims = answers.filter((_, at) => at % 3 === index)
        holds('one claim succeeded', claims.filter((answer) => E.isRight(answer) && answer.right).length === 1, claims)
      }
    },
  },
  {
    name: 'a canceled message is never claimed, and a claimed one is never canceled',
    check: async (fixture) => {
      const { queued, claim, apply, found, due, workspace } = await openQueue(fixture)
      const cancel = (id: MessageId) => apply(id, { state: 'canceled', at: NOON + 1, onlyFrom: 'queued' })
      const [canceled, claimed] = [(await queued()).id, (await queued()).id]
      same('the state of the canceled one', await cancel(canceled), 'canceled')
      same('its history', historyOf(await found(canceled)), ['queued 0', 'canceled 1'])
      same('its claim', await claim(canceled), false)
      await claim(claimed)
      same('the state of the claimed one', await cancel(claimed), 'pending')
      same('what is due', await due(NOON + DAY_MS), [])
      const raced = (await queued()).id
      const [state, isClaimed] = await Promise.all([
        fixture.messageLog.apply(workspace, raced, { state: 'canceled', at: NOON + 1, onlyFrom: 'queued' }),
        nodeOf(fixture, 1).messageQueue.claim({ workspace, message: raced }, NOON),
      ])
      const after = (await found(raced))?.state
      const hasClaimed = E.isRight(isClaimed) && isClaimed.right
      const isCanceled = E.isRight(state) && O.isSome(state.right) && state.right.value.state === 'canceled'
      holds('at most one of them succeeded', !(hasClaimed && isCanceled), { state, isClaimed })
      same('the state', after, hasClaimed ? 'pending' : isCanceled ? 'canceled' : after)
    },
  },
  {
    name: 'a change that is meant for a queued message leaves a claimed one as it is',
    check: async (fixture) => {
      const { queued, claim, apply, due } = await openQueue(fixture)
      const [refused, claimed] = [(await queued()).id, (await queued()).id]
      const refuse = (id: MessageId) => apply(id, { state: 'refused', at: NOON + 1, error: { code: 'queue_expired' }, onlyFrom: 'queued' })
      same('the state of the queued one', await refuse(refused), 'refused')
      await claim(claimed)
      same('the state of the claimed one', await refuse(claimed), 'pending')
      const accepted = await apply(claimed, { state: 'accepted', at: NOON + 2, platformId: newPlatformId() })
      same('the state after the platform accepted it', accepted, 'accepted')
      same('what is due', await due(NOON + DAY_MS), [])
    },
  },
  {
    name: 'the key of a queued or canceled message guards it, and a queued one for longer than a day',
    check: async (fixture) => {
      const { queued, apply, workspace } = await openQueue(fixture)
      const claim = { key: newKey(), request: 'a request' }
      const { id } = await queued(NOON + 30 * DAY_MS, { claim })
      const guarded = async (at: Instant) =>
        O.toUndefined(await done('a key is looked up', fixture.messageLog.claimed(workspace, claim, at)))?.by.state
      same('after a week', await guarded(NOON + 7 * DAY_MS), 'queued')
      await apply(id, { state: 'canceled', at: NOON + 1, onlyFrom: 'queued' })
      same('after it was canceled', await guarded(NOON + HOUR_MS), 'canceled')
    },
  },
  {
    name: 'a postponed message has the time at which it was first due, however often it is postponed, and another one has none',
    check: async (fixture) => {
      const { workspace, queued, due } = await openQueue(fixture)
      const [one, other] = [await queued(NOON), await queued(NOON + 1)]
      const seen = async () => (await due(NOON + DAY_MS)).map(({ record: { id }, place: { dueAt, firstDueAt } }) => [id, dueAt, firstDueAt])
      for (const dueAt of [NOON + HOUR_MS, NOON + 2 * HOUR_MS]) {
        await done('it is postponed', fixture.messageQueue.postpone([{ workspace, message: one.id, dueAt }]))
        same('both', await seen(), [[other.id, NOON + 1, undefined], [one.id, dueAt, NOON]])
      }
    },
  },
  {
    name: 'postponed messages are due at their new time, and one that left the queue stays as it is',
    check: async (fixture) => {
      const { queued, claim, due, found, workspace } = await openQueue(fixture)
      const [one, two, claimed] = [(await queued()).id, (await queued()).id, (await queued()).id]
      await claim(claimed)
      const three = (await queued()).id
      const refs = [{ message: one, dueAt: NOON + 5 }, { message: claimed, dueAt: NOON + 5 }, { message: three, dueAt: NOON + 7 }]
      await done('messages are postponed', fixture.messageQueue.postpone(refs.map((of) => ({ workspace, ...of }))))
      await done('no message is postponed', fixture.messageQueue.postpone([]))
      same('before the new time', idsOf(await due(NOON + 4)), [two])
      same('at the new time', idsOf(await due(NOON + 5)), [two, one])
      same('at the other one', idsOf(await due(NOON + 7)), [two, one, three])
      same('the end of its time', (await due(NOON + 5))[1]?.place.endsAt, NOON + DAY_MS)
      same('the state of the one that was claimed', (await found(claimed))?.state, 'pending')
    },
  },
  {
    name: 'a queued message is not stale, and a claimed one is from its claim on',
    check: async (fixture) => {
      const { queued, claim, workspace } = await openQueue(fixture)
      const at = longAgo()
      const { id } = await queued(at, { at, id: newMessageId(at) })
      const isStale = async (before: Instant): Promise<boolean> =>
        (await done('stale messages are listed', fixture.messageLog.stale({ state: 'pending', before, limit: MANY })))
          .some((one) => one.workspace === workspace && one.id === id)
      same('while it is queued', await isStale(NOON), false)
      await claim(id, at + DAY_MS)
      same('before its claim', await isStale(at + DAY_MS), false)
      same('after its claim', await isStale(at + DAY_MS + 1), true)
    },
  },
  {
    name: 'what waits is counted by sender: what is due or held, since when it is due, and what is scheduled',
    check: async (fixture) => {
      const { queued, claim, workspace } = await openQueue(fixture)
      const [one, two] = [senderIdOf(newName()), senderIdOf(newName())]
      const first = await queued(NOON + 1, { sender: one })
      const { id } = await queued(NOON, { sender: one })
      await queued(NOON + HOUR_MS, { sender: one })
      await queued(NOON + HOUR_MS, { sender: two })
      const place = { dueAt: NOON + HOUR_MS, endsAt: NOON + DAY_MS }
      const held = await queued(place.dueAt, { sender: one, queue: { ...place, isHeld: true } })
      const other = await openQueue(fixture)
      await other.queued(NOON, { sender: senderIdOf(newName()) })
      const waiting = async () => (await done('what waits is counted', fixture.messageQueue.waiting({ at: NOON + 1, workspace })))
        .toSorted((a) => (a.sender === one ? -1 : 1))
      const scheduled = { workspace, sender: two, waiting: 0, oldestDueAt: undefined, scheduled: 1 }
      same('before a claim', await waiting(), [{ workspace, sender: one, waiting: 3, oldestDueAt: NOON, scheduled: 1 }, scheduled])
      await claim(id)
      same('after it', await waiting(), [{ workspace, sender: one, waiting: 2, oldestDueAt: NOON + 1, scheduled: 1 }, scheduled])
      const later = [{ workspace, message: held.id, dueAt: NOON + 2 * HOUR_MS }, { workspace, message: first.id, dueAt: NOON + HOUR_MS }]
      await done('two are postponed', fixture.messageQueue.postpone(later))
      const postponed = { workspace, sender: one, waiting: 1, oldestDueAt: undefined, scheduled: 2 }
      same('after they are postponed', await waiting(), [postponed, scheduled])
      const all = await done('what waits is counted', fixture.messageQueue.waiting({ at: NOON + 1 }))
      same('in all workspaces', all.filter((each) => each.workspace === workspace || each.workspace === other.workspace).length, 3)
    },
  },
  {
    name: 'what is queued is counted up to a limit, due ones first, in total and of the senders whose first message is due the earliest',
    check: async (fixture) => {
      const { queued, claim, workspace } = await openQueue(fixture)
      const other = await openQueue(fixture)
      const at = longAgo()
      const [one, two, three] = [senderIdOf(newName()), senderIdOf(newName()), senderIdOf(newName())]
      const place = { dueAt: at - 1, endsAt: NOON }
      const { id: first } = await queued(at - 3, { sender: two })
      await queued(at - 2, { sender: one })
      await queued(at - 1, { sender: one, queue: { ...place, isBatch: true } })
      await queued(at + 1, { sender: one })
      await queued(at + 2, { sender: one, queue: { ...place, dueAt: at + 2, isBatch: true, isHeld: true } })
      await queued(at, { sender: two })
      await queued(at + 1, { sender: three })
      await other.queued(at + 2, { sender: one })
      const read = (more: Partial<BacklogQuery> = {}, node = 0) => done(
        'what is queued is counted',
        nodeOf(fixture, node).messageQueue.backlog({ at, senders: MANY, mostOfSender: MANY, mostOfAll: MANY, ...more }),
      )
      const own = async (more: Partial<BacklogQuery> = {}) =>
        (await read(more, 1)).senders.filter((of) => of.workspace === workspace || of.workspace === other.workspace)
      const count = (sender: SenderId, due: number, later: number, oldestDueAt?: Instant, of = workspace) =>
        ({ workspace: of, sender, due, later, oldestDueAt })
      const others = [count(three, 0, 1), count(one, 0, 1, undefined, other.workspace)]
      same('all of them', await own(), [count(two, 2, 0, at - 3), count(one, 2, 2, at - 2), ...others])
      same('the first ones', (await read({ senders: 1 })).senders, (await read()).senders.slice(0, 1))
      same('none', (await read({ senders: 0 })).senders, [])
      same('up to three', (await own({ mostOfSender: 3 }))[1], count(one, 2, 1, at - 2))
      same('up to one', (await own({ mostOfSender: 1 })).slice(0, 2), [count(two, 1, 0, at - 3), count(one, 1, 0, at - 2)])
      const { senders, ...all } = await read()
      const sum = (part: (of: QueuedCount) => number): number => senders.reduce((total, of) => total + part(of), 0)
      same('in total', [all.due, all.later], [sum(({ due }) => due), sum(({ later }) => later)])
      same('since when', all.oldestDueAt, senders[0]?.oldestDueAt)
      const { due, later } = await read({ mostOfAll: all.due + 1 })
      same('up to one more than are due', [due, later], [all.due, 1])
      await claim(first)
      same('after a claim', await own(), [count(one, 2, 2, at - 2), count(two, 1, 0, at), ...others])
    },
  },
  {
    name: 'the prices that are not reserved yet are summed for a workspace: those of messages due soon, and all',
    check: async (fixture) => {
      const { queued, claim, apply, workspace, draft } = await openQueue(fixture)
      const { price } = draft()
      const costing = (micros: bigint, dueAt: Instant, isHeld?: boolean) =>
        queued(dueAt, { price: { ...price, micros }, queue: { dueAt, endsAt: dueAt + DAY_MS, ...(isHeld !== undefined && { isHeld }) } })
      const sums = (at: Instant, node = 0) => done(
        'the prices are summed', nodeOf(fixture, node).messageQueue.scheduled({ workspace, soonBefore: at }),
      )
      same('an empty queue', await sums(NOON), { soon: 0n, all: 0n })
      const { id: first } = await costing(1n, NOON)
      const { id: second } = await costing(20n, NOON + HOUR_MS)
      await costing(300n, NOON + 2 * HOUR_MS, false)
      const { id: held } = await costing(4_000n, NOON, true)
      const other = await openQueue(fixture)
      await other.queued(NOON)
      same('before the first', await sums(NOON), { soon: 0n, all: 321n })
      same('the first', await sums(NOON + 1, 1), { soon: 1n, all: 321n })
      same('the first two', await sums(NOON + 2 * HOUR_MS), { soon: 21n, all: 321n })
      await done('it is postponed', fixture.messageQueue.postpone([{ workspace, message: second, dueAt: NOON + 3 * HOUR_MS }]))
      same('one is postponed', await sums(NOON + 2 * HOUR_MS, 1), { soon: 1n, all: 321n })
      for (const id of [first, held]) await claim(id)
      same('two are claimed', await sums(NOON + 4 * HOUR_MS), { soon: 320n, all: 320n })
      await apply(second, { state: 'canceled', at: NOON, onlyFrom: 'queued' })
      same('one is canceled', await sums(NOON + 4 * HOUR_MS), { soon: 300n, all: 300n })
    },
  },
  {
    name: 'the next messages of a sender are read with their times, those of batches among them, in the order in which they are due, up to a limit',
    check: async (fixture) => {
      const { queued, claim, found, workspace } = await openQueue(fixture)
      const other = await openQueue(fixture)
      const sender = senderIdOf(newName())
      const [at, end] = [longAgo(), NOON]
      const [second, third] = [newMessageId(at), newMessageId(at + 1)]
      await queued(at + HOUR_MS, { id: third, at, sender })
      await queued(at + HOUR_MS, { id: second, at, sender })
      const { id: last } = await queued(end, { sender, queue: { dueAt: end, endsAt: end + 1 } })
      const { id: line } = await queued(at, { sender, queue: { dueAt: at + 1, endsAt: end, isBatch: true } })
      const { id: claimed } = await queued(at, { sender })
      await queued(at, { sender: senderIdOf(newName()) })
      await other.queued(at, { sender })
      await claim(claimed)
      const read = (limit: number, node = 0) =>
        done('the next messages are read', nodeOf(fixture, node).messageQueue.next({ workspace, sender, limit }))
      const all = await read(MANY)
      same('all of them', all.map(({ record, dueAt, endsAt }) => [record.id, dueAt, endsAt]), [
        [line, at + 1, end], [second, at + HOUR_MS, at + HOUR_MS + DAY_MS], [third, at + HOUR_MS, at + HOUR_MS + DAY_MS],
        [last, end, end + 1],
      ])
      same('the record of the last one', all.at(-1)?.record, await found(last))
      same('the first two', await read(2, 1), all.slice(0, 2))
    },
  },
  {
    name: 'the times of messages are read while they are queued, and those of no other workspace',
    check: async (fixture) => {
      const { queued, claim, apply, opened, workspace } = await openQueue(fixture)
      const other = await openQueue(fixture)
      const [one, two, claimed, canceled] = [
        (await queued()).id, (await queued(NOON + HOUR_MS, { sender: senderIdOf(newName()) })).id, (await queued()).id, (await queued()).id,
      ]
      await claim(claimed)
      await apply(canceled, { state: 'canceled', at: NOON, onlyFrom: 'queued' })
      await done('a message is postponed', fixture.messageQueue.postpone([{ workspace, message: one, dueAt: NOON + 7 }]))
      const ids = [one, two, claimed, canceled, (await opened()).id, newMessageId(NOON), (await other.queued()).id]
      const times = (of: ReadonlyArray<MessageId>, node = 0) =>
        done('the times are read', nodeOf(fixture, node).messageQueue.timesOf(workspace, of))
      const all = await times(ids)
      same('whose times are known', [one, two, all.size], [...ids.filter((id) => all.has(id)), 2])
      same('those of the first', all.get(one), { dueAt: NOON + 7, endsAt: NOON + DAY_MS })
      same('those of the second', all.get(two), { dueAt: NOON + HOUR_MS, endsAt: NOON + HOUR_MS + DAY_MS })
      same('those of one alone', [...await times([two], 1)], [[two, all.get(two)]])
      same('those of none', [...await times([])], [])
    },
  },
]

/** The promises of a queue that stores its contents outside the memory of the process. */
export const messageQueueAtRestLaws: ReadonlyArray<Law<MessageQueueFixture & AtRest>> = [
  {
    name: 'the content of a queued message cannot be read where it is stored, and its encrypted form is gone once the message leaves the queue',
    check: async (fixture) => {
      const { queued, claim, apply, due } = await openQueue(fixture)
      const [text, reason, last] = [newName(), newName(), newName()]
      const before = new Set(longWordsIn(await fixture.atRest()))
      const { id } = await queued(undefined, { message: { _tag: 'Text', to: newPhoneNumber(), text } })
      const other = await queued(undefined, { message: { _tag: 'Text', to: newPhoneNumber(), text: reason } })
      const third = await queued(undefined, { message: { _tag: 'Text', to: newPhoneNumber(), text: last } })
      const stored = await fixture.atRest()
      const contents = longWordsIn(stored).filter((word) => !before.has(word))
      holds('the id can be read', stored.includes(id), id)
      same('a text can be read', [text, reason, last].filter((one) => stored.includes(one)), [])
      await claim(id)
      await apply(other.id, { state: 'canceled', at: NOON, onlyFrom: 'queued' })
      await apply(third.id, { state: 'refused', at: NOON, error: { code: 'queue_expired' }, onlyFrom: 'queued' })
      const after = await fixture.atRest()
      same('what is left of the contents', contents.filter((word) => after.includes(word)), [])
      same(
        'what is left of them', (await due(NOON + DAY_MS))
          .filter(({ record }) => [id, other.id, third.id].includes(record.id)), [],
      )
    },
  },
]
