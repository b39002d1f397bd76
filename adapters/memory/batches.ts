import * as O from 'fp-ts/lib/Option.js'
import {
  type Batch, type BatchChange, type BatchCounts, type Batches, type BatchRef, type CheckedLine, type Count, CUSTOMER_ERASED,
  customerOfLine, type FailureCode, failureCodeOf, type LineProblemCode, type LinesQuery, movedBatch, needsSender, type StoredLine,
} from '../../core/batches/batch.js'
import { CUSTOMER_DIGEST_FORM, type CustomerId } from '../../core/customers/customer.js'
import type { BatchId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MessageId, MessageRecord, MessageState } from '../../core/messages/message.js'
import type { SenderId, SenderOf } from '../../core/senders/sender.js'
import type { DigestOfId } from './consents.js'
import { type EventState, storeEvents } from './events.js'
import { infallible, pageById } from './kernel.js'

/** The batches of all workspaces, and the lines of each of their uploads by number. */
export type BatchState = {
  readonly batches: Map<BatchId, Batch>
  readonly uploads: Map<BatchId, Map<number, Map<number, StoredLine>>>
}

/** The empty state. */
export const openBatchState = (): BatchState => ({ batches: new Map(), uploads: new Map() })

/** The state of a message; `undefined` if the workspace does not have it. */
export type StateOf = (workspace: WorkspaceId, message: MessageId) => MessageState | undefined

/** The record of a message; `undefined` if the workspace does not have it. */
export type RecordOf = (workspace: WorkspaceId, message: MessageId) => MessageRecord | undefined

/** The batches in memory. */
export const makeMemoryBatches = (state: BatchState, events: EventState, recordOf: RecordOf): Batches => {
  const { batches, uploads } = state
  const stateOf: StateOf = (workspace, message) => recordOf(workspace, message)?.state
  const known = ({ workspace, batch }: BatchRef): Batch | undefined => {
    const one = batches.get(batch)
    return one?.workspace === workspace ? one : undefined
  }
  const requested = (workspace: WorkspaceId, key: string): Batch | undefined =>
    [...batches.values()].find((one) => one.workspace === workspace && one.request?.key === key)
  const linesOf = (of: BatchRef, upload: number): Map<number, StoredLine> =>
    (known(of) === undefined ? undefined : uploads.get(of.batch)?.get(upload)) ?? new Map<number, StoredLine>()
  return {
    create: (batch, outboxEntries) => infallible(() => {
      const earlier = batches.get(batch.id) ?? (batch.request && requested(batch.workspace, batch.request.key))
      if (earlier !== undefined) return earlier
      batches.set(batch.id, batch)
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(batch))
      return batch
    }),
    findByRequest: (workspace, key) => infallible(() => O.fromNullable(requested(workspace, key))),
    find: (of) => infallible(() => O.fromNullable(known(of))),
    ownerOf: (batch) => infallible(() => O.fromNullable(batches.get(batch)?.workspace)),
    list: (workspace, query) => infallible(() =>
      pageById([...batches.values()].filter((one) => one.workspace === workspace), query, ({ id }) => id)),
    open: ({ after, limit }) => infallible(() => [...batches.values()]
      .filter((one) => isOpen(one) && (after === undefined || one.id > after))
      .sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)),
    change: (change, outboxEntries) => infallible(() => {
      const before = known(change)
      if (before === undefined || !applies(before, change)) return O.none
      const after = changed(before, change)
      batches.set(after.id, after)
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(after))
      return O.some(after)
    }),
    append: (of, upload, lines) => infallible(() => {
      if (known(of)?.state !== 'draft') return
      const all = uploads.get(of.batch) ?? new Map<number, Map<number, StoredLine>>()
      const stored = all.get(upload) ?? new Map<number, StoredLine>()
      for (const line of lines) if (!stored.has(line.line)) stored.set(line.line, line)
      uploads.set(of.batch, all.set(upload, stored))
    }),
    removeOthers: (of, upload, limit) => infallible(() => {
      const others = known(of) === undefined ? [] : [...uploads.get(of.batch) ?? []].filter(([other]) => other !== upload)
      const removed = others.flatMap(([, lines]) => [...lines.keys()].map((line) => ({ lines, line }))).slice(0, limit)
      for (const { lines, line } of removed) lines.delete(line)
      return removed.length
    }),
    lines: (of, upload, query) => infallible(() => inOrder(linesOf(of, upload), query)),
    noteChecked: (of, upload, checked) => infallible(() => {
      if (known(of)?.state !== 'draft') return false
      const lines = linesOf(of, upload)
      for (const one of checked) changeLine(lines, one.line, (line) => (line.message === undefined ? withFound(line, one) : line))
      return true
    }),
    assign: (of, upload, assigned) => infallible(() => {
      const lines = linesOf(of, upload)
      return assigned.flatMap(({ line, message }) => {
        const one = lines.get(line)
        if (one === undefined || one.message !== undefined || one.rate === undefined) return []
        lines.set(line, { ...one, message })
        return [line]
      })
    }),
    noteOpened: (of, upload, opened) => infallible(() => {
      const lines = linesOf(of, upload)
      for (const line of opened) changeLine(lines, line, (one) => (one.message === undefined ? one : { ...one, isOpened: true }))
    }),
    endUnsent: (of, upload, problem) => infallible(() => {
      const lines = linesOf(of, upload)
      for (const one of [...lines.values()]) {
        if (one.message === undefined && one.problem === undefined) lines.set(one.line, withFound(one, { line: one.line, problem }))
      }
    }),
    lastSent: (of, upload, limit) => infallible(() => [...linesOf(of, upload).values()].sort((a, b) => b.line - a.line)
      .flatMap(({ message }) => {
        const state = message === undefined ? undefined : stateOf(of.workspace, message)
        return message === undefined || state === undefined || state === 'queued' || state === 'pending' ? [] : [message]
      }).slice(0, limit)),
    counts: (of, upload) => infallible(() => countsOf([...linesOf(of, upload).values()], (message) => recordOf(of.workspace, message))),
    forgetContents: (endedBefore, limit) => infallible(() => {
      const ended = [...batches.values()].filter(({ endedAt }) => endedAt !== undefined && endedAt < endedBefore)
      const full = ended.flatMap((batch) => [...uploads.get(batch.id)?.values() ?? []].flatMap((lines) =>
        [...lines.values()].flatMap((line) => (line.content === undefined ? [] : [{ batch, lines, line }]))))
      for (const { batch, lines, line: { content: _, ...line } } of full.slice(0, limit)) {
        lines.set(line.line, line)
        batches.set(batch.id, { ...batch, contentsDeleted: true })
      }
      return Math.min(full.length, limit)
    }),
  }
}

const isOpen = ({ state, settledAt }: Batch): boolean => state !== 'draft' && settledAt === undefined

const applies = (batch: Batch, { from, upload, isHeld, total }: BatchChange): boolean =>
  from.includes(batch.state) && (upload === undefined || upload === batch.upload)
  && (isHeld === undefined || isHeld === (batch.confirmed?.heldAt !== undefined))
  && (total === undefined || total === batch.confirmed?.total)

const changed = (batch: Batch, { set }: BatchChange): Batch =>
  Object.fromEntries(Object.entries({ ...batch, ...set }).filter(([, value]) => value !== undefined)) as Batch

const inOrder = (lines: ReadonlyMap<number, StoredLine>, { after, limit, only }: LinesQuery): ReadonlyArray<StoredLine> =>
  [...lines.values()]
    .filter(({ line, rate, message, isOpened, problem }) => line > after
      && (only !== 'sendable' || (rate !== undefined && message === undefined))
      && (only !== 'assigned' || (message !== undefined && isOpened !== true && problem === undefined)))
    .sort((a, b) => a.line - b.line).slice(0, limit)

const changeLine = (lines: Map<number, StoredLine>, number: number, change: (line: StoredLine) => StoredLine): void => {
  const line = lines.get(number)
  if (line !== undefined) lines.set(number, change(line))
}

const withFound = ({ problem: _problem, rate: _rate, ...line }: StoredLine, { problem, rate }: CheckedLine): StoredLine =>
  (problem === undefined ? { ...line, rate } : { ...line, problem })

const countsOf = (lines: ReadonlyArray<StoredLine>, recordOf: (message: MessageId) => MessageRecord | undefined): BatchCounts => {
  const problems = new Map<LineProblemCode, number>()
  const states = new Map<MessageState, Count>()
  const failures = new Map<FailureCode, number>()
  let unsent: Count = { lines: 0, micros: 0n }
  const plus = (count: Count | undefined, micros: bigint): Count =>
    ({ lines: (count?.lines ?? 0) + 1, micros: (count?.micros ?? 0n) + micros })
  for (const { problem, rate, message } of lines) {
    if (problem !== undefined) problems.set(problem, (problems.get(problem) ?? 0) + 1)
    if (rate === undefined) continue
    const record = message === undefined ? undefined : recordOf(message)
    if (record === undefined) {
      unsent = plus(unsent, rate.micros)
      continue
    }
    const { state, error } = record
    states.set(state, plus(states.get(state), rate.micros))
    if (state === 'failed' || state === 'refused') failures.set(failureCodeOf(error), (failures.get(failureCodeOf(error)) ?? 0) + 1)
  }
  return { lines: lines.length, problems, unsent, states, failures }
}

/** How many batches of a sender are neither done nor canceled. */
export const countBatchesOf = ({ batches }: BatchState, { workspace, sender }: SenderOf): number =>
  [...batches.values()].filter((batch) => batch.workspace === workspace && batch.sender === sender && needsSender(batch)).length

/** Gives the batches of a sender its new id. */
export const moveBatches = ({ batches }: BatchState, { workspace, sender }: SenderOf, to: SenderId): void => {
  for (const batch of batches.values()) {
    const moved = batch.workspace === workspace ? movedBatch(batch, sender, to) : undefined
    if (moved !== undefined) batches.set(moved.id, moved)
  }
}

/** A line, and where it is stored. */
type PlacedLine = { readonly batch: Batch; readonly upload: number; readonly lines: Map<number, StoredLine>; readonly line: StoredLine }

const allLines = ({ batches, uploads }: BatchState): ReadonlyArray<PlacedLine> => [...batches.values()].flatMap((batch) =>
  [...uploads.get(batch.id) ?? []].flatMap(([upload, lines]) => [...lines.values()].map((line) => ({ batch, upload, lines, line }))))

/** The lines of a workspace to some customers. */
const linesTo = (state: BatchState, workspace: WorkspaceId, keys: ReadonlySet<CustomerId>): ReadonlyArray<PlacedLine> =>
  allLines(state).filter(({ batch, line }) => {
    const key = customerOfLine(line.to)
    return batch.workspace === workspace && key !== undefined && keys.has(key)
  })

/** How many lines to some customers have a message that may be opened at any time, and does not exist yet. */
export const countLinesUnderWay = (state: BatchState, workspace: WorkspaceId, keys: ReadonlySet<CustomerId>, stateOf: StateOf): number =>
  linesTo(state, workspace, keys).filter(({ batch, line: { message, isOpened, problem } }) => isOpen(batch)
    && message !== undefined && isOpened !== true && problem === undefined && stateOf(workspace, message) === undefined).length

/** Erases a person's lines. */
export const eraseLines = (state: BatchState, workspace: WorkspaceId, keys: ReadonlySet<CustomerId>, digestOf: DigestOfId): void => {
  for (const line of linesTo(state, workspace, keys)) eraseLine(line, digestOf)
}

/** Erases a line: the id is replaced by a digest, the content is deleted, and a line without a message is not sent. */
const eraseLine = ({ batch, lines, line }: PlacedLine, digestOf: DigestOfId): void => {
  const { content: _, ...rest } = line
  // Even a text that is not the id of a customer may name a person.
  const erased = { ...rest, to: digestOf(batch.workspace, customerOfLine(line.to) ?? line.to as CustomerId) }
  const isSent = line.message !== undefined || line.problem !== undefined
  lines.set(line.line, isSent ? erased : withFound(erased, { line: line.line, problem: CUSTOMER_ERASED }))
}

/** The lines of batches that ended before a time and of drafts that were created before it, and how to forget them; only lines without a message are counted. */
export const oldLines = (
  state: BatchState, before: Instant, isUnderWay: (workspace: WorkspaceId, message: MessageId) => boolean, digestOf: DigestOfId,
): ReadonlyArray<{ readonly name: string; readonly forget: () => boolean }> =>
  allLines(state).filter(({ batch: { state, createdAt, endedAt } }) => (endedAt ?? (state === 'draft' ? createdAt : before)) < before)
    .map((placed) => ({
      name: [
        placed.batch.workspace, placed.batch.id, ...[placed.upload, placed.line.line].map((one) => String(one).padStart(16, '0')),
      ].join(' '),
      forget: () => {
        const { batch: { workspace }, line: { to, message } } = placed
        if (CUSTOMER_DIGEST_FORM.test(to) || (message !== undefined && isUnderWay(workspace, message))) return false
        eraseLine(placed, digestOf)
        return message === undefined
      },
    }))
