import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type AskDeps, askConsents } from '../consent/asking.js'
import { CONSENT_TOPICS, type CustomerConsent } from '../consent/consent.js'
import { parseCustomerId } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId } from '../kernel/ids.js'
import type { Instant } from '../kernel/time.js'
import type { MessageState } from '../messages/message.js'
import { inboxOf } from '../senders/sender.js'
import type { Batch, FailureCode, NoSuchBatch } from './batch.js'
import type { BatchLine } from './lines.js'
import { type BatchResult, type Outcome, outcomesOf, type ResultsDeps, type ResultState } from './results.js'
import type { MayHelpAgain, ShownBatch } from './show.js'
import { findBatch } from './change.js'
import {
  type Added, addLines, type AddRecipientsError, type BatchCommand, type BatchDeps,  type LinesCommand, viewed,
} from './use-cases.js'

/**
 * Which recipients of an earlier batch get another one. `failed`: those whose message failed or was refused, if it can help to send it again. `unread`: those who received it and have not
 * read it. `no_reply`: those who received it and have not written since. `unsent`: those to whom nothing was sent, because the batch was canceled or its time had passed.
 */
export const AGAIN_STATES = ['failed', 'unread', 'no_reply', 'unsent'] as const

/** A group of recipients of an earlier batch. */
export type AgainState = (typeof AGAIN_STATES)[number]

/** Some recipients of an earlier batch. */
export type FromBatch = { readonly batch: BatchId; readonly states: ReadonlyArray<AgainState> }

/** What the lines of the earlier batch said is not kept any more. */
export type ContentGone = { readonly _tag: 'ContentGone'; readonly id: BatchId }

/**
 * Replaces the lines of a draft with those of an earlier batch, with what they said and with their numbers, while they are read. Customers who have stopped messages since, and people who were
 * erased, are left out.
 */
export type AddFromBatch = (command: LinesCommand & { readonly from: FromBatch }) => Promise<E.Either<AddFromError, Added>>

/** Why the lines stay as they were. `NoSuchBatch` may be about the earlier batch. */
export type AddFromError = AddRecipientsError | ContentGone

/** What it needs. */
export type AgainDeps = BatchDeps & ResultsDeps & AskDeps & { readonly mayHelpAgain: MayHelpAgain }

/** How many lines are asked for at the same time. */
const BLOCK = 500

/** Makes it. */
export const makeAddFromBatch = (deps: AgainDeps): AddFromBatch => async ({ from, ...command }) => {
  const earlier = await findEarlier(deps, { ...command, batch: from.batch })
  return E.isLeft(earlier) ? earlier : addLines(deps, command, linesFrom(deps, earlier.right, from.states))
}

/** The earlier batch, if what its lines said is kept. */
export const findEarlier = async (
  deps: Parameters<typeof viewed>[0], command: BatchCommand,
): Promise<E.Either<NoSuchBatch | ContentGone | Forbidden | PortFailure, Batch>> => {
  const found = await viewed(deps, command)
  return E.isRight(found) && found.right.contentsDeleted === true ? gone(found.right) : found
}

const gone = ({ id }: Batch): E.Either<ContentGone, never> => E.left({ _tag: 'ContentGone', id })

/** The states of the lines of each group. */
const STATES: Readonly<Record<AgainState, ReadonlyArray<ResultState>>> = {
  failed: ['failed', 'refused'], unread: ['delivered'], no_reply: ['delivered', 'read', 'played'],
  unsent: ['left_out', 'canceled', 'released', 'refused'],
}

/** The codes of lines whose batch ended before they were sent. */
const ENDED: ReadonlySet<unknown> = new Set(['queue_expired', 'canceled'])

/** Whether a line, whose state is one of the group, belongs to a group. */
const belongsTo = ({ state, code, repliedAt }: BatchResult, group: AgainState, mayHelpAgain: MayHelpAgain): boolean => {
  switch (group) {
    case 'failed': return mayHelpAgain((code ?? 'unknown') as FailureCode)
    case 'unread': return true
    case 'no_reply': return repliedAt === undefined
    case 'unsent': return state === 'canceled' || state === 'released' || ENDED.has(code)
  }
}

/** How many recipients are in each group. Those who have stopped messages since are counted, and in `no_reply` those who have written, too, because counts do not know them. */
export const againCounts = (
  { counts: { problems, states }, failures }: Pick<ShownBatch, 'counts' | 'failures'>,
): Readonly<Record<AgainState, number>> => {
  const inStates = (...names: ReadonlyArray<MessageState>): number => names.reduce((sum, name) => sum + (states.get(name)?.lines ?? 0), 0)
  const ended = [...problems, ...failures.map(({ code, count }) => [code, count] as const)]
    .reduce((sum, [code, count]) => (ENDED.has(code) ? sum + count : sum), 0)
  return {
    failed: failures.reduce((sum, one) => (one.mayHelpAgain ? sum + one.count : sum), 0),
    unread: inStates('delivered'), no_reply: inStates('delivered', 'read', 'played'), unsent: ended + inStates('canceled', 'released'),
  }
}

/** The lines of some groups of an earlier batch, as lines of another one. */
async function* linesFrom(
  deps: AgainDeps, batch: Batch, groups: ReadonlyArray<AgainState>,
): AsyncGenerator<E.Either<ContentGone | NoSuchBatch | PortFailure, BatchLine>> {
  const states = new Set(groups.flatMap((group) => STATES[group]))
  let block: Array<Outcome> = []
  for await (const read of outcomesOf(deps, batch, (state) => states.has(state))) {
    if (E.isLeft(read)) {
      yield read
      return
    }
    const { result } = read.right
    if (groups.some((group) => STATES[group].includes(result.state) && belongsTo(result, group, deps.mayHelpAgain))) block.push(read.right)
    if (block.length < BLOCK) continue
    yield* linesIn(deps, batch, block)
    block = []
  }
  yield* linesIn(deps, batch, block)
  // What the lines said may have been deleted while they were read.
  const after = await findBatch(deps, batch.workspace, batch.id)
  if (E.isLeft(after)) yield after
  else if (after.right.contentsDeleted === true) yield gone(after.right)
}

/** The lines of those who have not stopped messages since. */
async function* linesIn(
  deps: AgainDeps, batch: Batch, outcomes: ReadonlyArray<Outcome>,
): AsyncGenerator<E.Either<PortFailure, BatchLine>> {
  const people = outcomes.flatMap((outcome) => {
    const to = parseCustomerId(outcome.result.to)
    // The id of a forgotten person is a digest.
    return E.isLeft(to) ? [] : [{ ...outcome, to: to.right }]
  })
  if (people.length === 0) return
  const sender = await deps.senders.senderOf(batch.workspace, batch.sender)
  if (E.isLeft(sender)) {
    yield sender
    return
  }
  const inbox = inboxOf(batch.workspace, O.toUndefined(sender.right))
  const asked = await askConsents(
    deps, { workspace: batch.workspace, inbox }, { recipients: people.map(({ to }) => ({ to })), mayBeMarketing: true },
  )
  if (E.isLeft(asked)) {
    yield asked
    return
  }
  for (const [index, { to, line, result }] of people.entries()) {
    const since = result.message?.createdAt ?? batch.confirmed?.at ?? batch.createdAt
    if (!hasStopped(asked.right[index]?.consent ?? {}, since)) yield E.right({ line: line.line, to, ...line.content })
  }
}

/** Whether a customer has stopped messages since a time. */
const hasStopped = (consent: CustomerConsent, since: Instant): boolean => CONSENT_TOPICS.some((topic) => {
  const known = consent[topic]
  return known?.status === 'withdrawn' && known.since >= since
})
