import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import type { ActDeps } from '../access/acting.js'
import { type Consents, CONSENT_TOPICS, type CustomerConsent } from '../consent/consent.js'
import { type CustomerId, parseCustomerId } from '../customers/customer.js'
import { lastInboundOf, type WindowClock } from '../customers/window.js'
import type { PortFailure } from '../kernel/failure.js'
import type { Instant } from '../kernel/time.js'
import type { MessageLog } from '../messages/message-log.js'
import { MESSAGE_STATES, type MessageRecord, type MessageState, moneyMove } from '../messages/message.js'
import { errorCodeOf } from '../messages/own-errors.js'
import { chosenSender, inboxOf, type SenderDirectory } from '../senders/sender.js'
import type { Batch, Batches, LineProblemCode, NoSuchBatch, StoredLine } from './batch.js'
import { type BatchCommand, viewed } from './use-cases.js'

/** The status of a line: the state of its message, or `waiting` if it has none yet, or `left_out` if it is not sent because of its problem. */
export const RESULT_STATES = ['left_out', 'waiting', ...MESSAGE_STATES] as const

/** The status of a line. */
export type ResultState = (typeof RESULT_STATES)[number]

/** The result of a line. */
export type BatchResult = {
  readonly line: number
  /** As given; a digest once the person is forgotten. */
  readonly to: string
  readonly state: ResultState
  /** Why it is left out, or why its message was refused or failed. */
  readonly code?: LineProblemCode | number
  /** What was charged, in micros. */
  readonly price: bigint
  readonly message?: MessageRecord
  /** When the customer last wrote to the sender, if that was after the message. */
  readonly repliedAt?: Instant
  /** Since when the customer has stopped messages, if that was after the message. */
  readonly optedOutAt?: Instant
}

/** Reads the results of all lines, or of those in some states, in the order of the file. A failure ends them. */
export type ReadResults = (
  command: BatchCommand & { readonly states?: ReadonlyArray<ResultState> | undefined },
) => Promise<E.Either<NoSuchBatch | Forbidden | PortFailure, BatchResults>>

/** A batch, and the results of its lines as they are read. */
export type BatchResults = { readonly batch: Batch; readonly results: AsyncIterable<E.Either<PortFailure, BatchResult>> }

/** What reading results needs. */
export type ResultsDeps = ActDeps & {
  readonly batches: Pick<Batches, 'find' | 'lines'>
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly windowClock: Pick<WindowClock, 'lastInbound'>
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  /** Without it, it is not known who stopped messages. */
  readonly consents?: Pick<Consents, 'find'>
}

/** How many lines are read at the same time. */
const PAGE = 500

export const makeReadResults = (deps: ResultsDeps): ReadResults => async ({ states, ...command }) => {
  const found = await viewed(deps, command)
  if (E.isLeft(found)) return found
  const wanted = states && new Set<ResultState>(states)
  return E.right({ batch: found.right, results: resultsOf(deps, found.right, (state) => wanted?.has(state) ?? true) })
}

/** The results of all lines of a batch that was found. */
export const readBatchResults = (deps: ResultsDeps, batch: Batch): BatchResults['results'] => resultsOf(deps, batch, () => true)

async function* resultsOf(
  deps: ResultsDeps, batch: Batch, isWanted: (state: ResultState) => boolean,
): AsyncGenerator<E.Either<PortFailure, BatchResult>> {
  for await (const outcome of outcomesOf(deps, batch, isWanted)) yield E.map(({ result }: Outcome) => result)(outcome)
}

/** A line, and its result. */
export type Outcome = { readonly line: StoredLine; readonly result: BatchResult }

/** Reads the lines in some states with their results, in the order of the file. A failure ends them. */
export async function* outcomesOf(
  deps: ResultsDeps, batch: Batch, isWanted: (state: ResultState) => boolean,
): AsyncGenerator<E.Either<PortFailure, Outcome>> {
  const of = { workspace: batch.workspace, batch: batch.id }
  for (let after = 0; ;) {
    const lines = await deps.batches.lines(of, batch.upload, { after, limit: PAGE })
    if (E.isLeft(lines)) {
      yield lines
      return
    }
    const last = lines.right.at(-1)
    if (last === undefined) return
    const results = await Promise.all(lines.right.map((line) => resultOf(deps, batch, line, isWanted)))
    for (const [index, line] of lines.right.entries()) {
      const result = results[index]
      if (result === undefined) continue
      yield E.map((one: BatchResult): Outcome => ({ line, result: one }))(result)
      if (E.isLeft(result)) return
    }
    after = last.line
  }
}

const resultOf = async (
  deps: ResultsDeps, batch: Batch, line: StoredLine, isWanted: (state: ResultState) => boolean,
): Promise<E.Either<PortFailure, BatchResult> | undefined> => {
  const { line: number, to, problem, message: id } = line
  const found = id === undefined ? E.right(O.none) : await deps.messageLog.find(batch.workspace, { id })
  if (E.isLeft(found)) return found
  const message = O.toUndefined(found.right)
  const state: ResultState = message?.state ?? (problem === undefined ? 'waiting' : 'left_out')
  if (!isWanted(state)) return undefined
  const code = message === undefined ? problem : errorCodeOf(message.error)
  const result: BatchResult = {
    line: number, to, state, price: chargedFor(message), ...(code !== undefined && { code }), ...(message && { message }),
  }
  const sent = message !== undefined && wasSent(message.state) ? message : undefined
  return sent === undefined ? E.right(result) : withReactions(deps, batch, result, sent)
}

const chargedFor = (message: MessageRecord | undefined): bigint =>
  (message !== undefined && moneyMove(message.state) === 'capture' ? message.price.micros : 0n)

const wasSent = (state: MessageState): boolean => moneyMove(state) === 'capture'

const withReactions = async (
  deps: ResultsDeps, { workspace, sender }: Batch, result: BatchResult, message: MessageRecord,
): Promise<E.Either<PortFailure, BatchResult>> => {
  const to = parseCustomerId(result.to)
  // The id of a forgotten person is a digest.
  if (E.isLeft(to)) return E.right(result)
  const at = message.history.find(({ state }) => state === 'accepted')?.at ?? message.createdAt
  const [wrote, stopped] = await Promise.all([wroteAt(deps, { workspace, sender }, to.right), stoppedAt(deps, workspace, to.right)])
  if (E.isLeft(wrote)) return wrote
  if (E.isLeft(stopped)) return stopped
  const [repliedAt, optedOutAt] = [wrote.right, stopped.right]
  return E.right({
    ...result, ...(repliedAt !== undefined && repliedAt > at && { repliedAt }),
    ...(optedOutAt !== undefined && optedOutAt > at && { optedOutAt }),
  })
}

const wroteAt = async (
  deps: ResultsDeps, of: Pick<Batch, 'workspace' | 'sender'>, to: CustomerId,
): Promise<E.Either<PortFailure, Instant | undefined>> => {
  const sender = await chosenSender(deps.senders, of)
  // A sender that was removed has no inbox any more.
  if (E.isLeft(sender)) return sender.left._tag === 'PortFailure' ? E.left(sender.left) : E.right(undefined)
  if (sender.right === undefined) return E.right(undefined)
  return E.map(O.toUndefined<Instant>)(await lastInboundOf(deps, inboxOf(of.workspace, sender.right), to))
}

const stoppedAt = async (
  { consents }: ResultsDeps, workspace: Batch['workspace'], to: CustomerId,
): Promise<E.Either<PortFailure, Instant | undefined>> => {
  const found = await consents?.find(workspace, [to])
  if (found === undefined) return E.right(undefined)
  return E.map(([consent = {}]: ReadonlyArray<CustomerConsent>) => {
    const times = CONSENT_TOPICS.flatMap((topic) => (consent[topic]?.status === 'withdrawn' ? [consent[topic].since] : []))
    return times.length === 0 ? undefined : Math.min(...times)
  })(found)
}
