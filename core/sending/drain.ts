import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { recordKeyOf } from '../customers/customer.js'
import { type PortFailure, portFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Instant } from '../kernel/time.js'
import type { Workspace } from '../kernel/workspace.js'
import type { Draft } from '../messages/message-log.js'
import type { MessageRecord } from '../messages/message.js'
import { ownError, type OwnErrorSentence } from '../messages/own-errors.js'
import type { MessageQueue, QueuedMessage } from '../messages/queue.js'
import { holdOfDraft } from '../money/ledger.js'
import { type SenderLimitReached, waitFor } from '../senders/sender-budget.js'
import { BEGINS_WITHIN_MS, entriesOfAlert, pairTaking, slotTaking, WHY_NOT_PAID } from './accept.js'
import { dispatch, moveMoney, recordChange, withPermit } from './dispatch.js'
import { prepare, type Prepared } from './prepare.js'
import type { QueueDeps } from './queue.js'

/** One pass over the messages that are due. Right: what was done. Left: what is due could not be read. */
export type DrainQueue = (hasEnded?: () => boolean) => Promise<E.Either<PortFailure, Drained>>

/**
 * How many messages a pass dispatched, how many it refused, how many the limits of their customers and senders postponed, how many it left for a later pass because
 * something failed, and whether more may be due now.
 */
export type Drained = {
  readonly sent: number
  readonly refused: number
  readonly postponed: number
  readonly left: number
  readonly isMoreDue: boolean
}

/** The maximum number of messages of a pass. */
const BATCH = 100

/**
 * What a pass did with a message: a number is the time until which a limit postpones it, and `gone` is a message that was canceled, or that another pass claimed, in the
 * meantime.
 */
type Step = 'sent' | 'refused' | 'gone' | 'left' | Instant

/**
 * Makes the passes that send the messages that are due.
 *
 * A pass checks each message again, reserves its price, claims it, and sends it only after the claim has committed. So a crash after the claim leaves a message of unknown
 * outcome, as the crash of a send does, and never a second send. Simultaneous passes of several gateways are safe, because one claim succeeds.
 * The messages to one customer through one sender are sent in their order, and none overtakes one that was left.
 */
export const makeDrainQueue = (deps: QueueDeps & { readonly messageQueue: MessageQueue }): DrainQueue => async (hasEnded = () => false) => {
  const due = await deps.messageQueue.due({ at: deps.windowClock.now(), limit: BATCH })
  if (E.isLeft(due)) return due
  const chains = new Map<string, Array<QueuedMessage>>()
  for (const queued of due.right) {
    const { workspace, sender } = queued.record
    const key = `${workspace} ${sender ?? ''} ${recordKeyOf(queued.message.to)}`
    chains.set(key, [...chains.get(key) ?? [], queued])
  }
  const steps = (await Promise.all(Array.from(chains.values(), (chain) => drainChain(deps, chain, hasEnded)))).flat()
  const count = (step: Step): number => steps.filter((one) => one === step).length
  const postponed = steps.filter((step) => typeof step === 'number').length
  const left = due.right.length - postponed - count('sent') - count('refused') - count('gone')
  return E.right({ sent: count('sent'), refused: count('refused'), postponed, left, isMoreDue: due.right.length === BATCH && left < BATCH })
}

const drainChain = async (
  deps: QueueDeps & { readonly messageQueue: MessageQueue }, chain: ReadonlyArray<QueuedMessage>, hasEnded: () => boolean,
): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  for (const queued of chain) {
    if (hasEnded()) break
    const step = await sendDue(deps, queued)
    if (typeof step === 'number') {
      // The later messages to the customer wait too, so that none overtakes this one.
      const rest = chain.slice(steps.length)
      const refs = rest.map(({ record: { workspace, id: message } }) => ({ workspace, message }))
      const postponed = await deps.messageQueue.postpone(refs, step)
      return [...steps, ...rest.map((): Step => (E.isLeft(postponed) ? 'left' : step))]
    }
    steps.push(step)
    if (step === 'left') break
  }
  return steps
}

const TOO_LATE = 'Its time to be sent had passed'

const sendDue = async (deps: QueueDeps & { readonly messageQueue: MessageQueue }, queued: QueuedMessage): Promise<Step> => {
  const { record, message, place } = queued
  const { workspace, sender } = record
  if (deps.windowClock.now() >= place.endsAt) return refuse(deps, record, TOO_LATE)
  const archived = await isArchived(deps, workspace)
  if (E.isLeft(archived)) return 'left'
  if (archived.right) return refuse(deps, record, 'It could not be sent when it was due')
  const prepared = await prepare(deps, { workspace, sender, message })
  if (E.isLeft(prepared)) {
    if (prepared.left._tag === 'PortFailure') return 'left'
    return refuse(deps, record, prepared.left._tag === 'WindowClosed'
      ? 'The customer service window was closed when it was due' : 'It could not be sent when it was due')
  }
  const sent = await withPermit(deps, { workspace, claim: undefined })(async (): Promise<E.Either<PortFailure, Step>> => {
    const at = deps.windowClock.now()
    const draft = draftOf(queued, at)
    const pair = pairTaking(deps, draft, prepared.right)
    const taken = pair && await deps.pairLimits?.take(pair)
    if (taken !== undefined && E.isLeft(taken)) return taken.left._tag === 'PortFailure' ? E.left(taken.left) : E.right(taken.left.retryAt)
    const slot = await takeSlot(deps, draft, prepared.right)
    if (E.isLeft(slot)) return slot.left._tag === 'PortFailure' ? E.left(slot.left) : E.right(at + slot.left.retryAfterMs)
    const held = await deps.wallet.hold(holdOfDraft(draft, place.spending), entriesOfAlert(deps))
    if (E.isLeft(held)) {
      return held.left._tag === 'PortFailure' ? E.left(held.left) : E.right(await refuse(deps, record, WHY_NOT_PAID[held.left._tag]))
    }
    const claimed = await deps.messageQueue.claim({ workspace, message: record.id }, at)
    if (E.isLeft(claimed)) return claimed
    if (!claimed.right) return releaseUnclaimed(deps, record)
    // This process may have slept since, and then another one may have decided that the outcome is unknown. Nothing is sent so late.
    const isTooLate = deps.windowClock.now() >= Math.min(at + BEGINS_WITHIN_MS, place.endsAt)
    if (isTooLate) return E.right(await refuse(deps, record, TOO_LATE, 'claimed'))
    await dispatch(deps, { _tag: 'Accepted', draft, prepared: prepared.right }, undefined)
    return E.right('sent')
  })
  return E.isLeft(sent) || typeof sent.right === 'object' ? 'left' : sent.right
}

/** An archived workspace sends nothing, so what it had queued is not sent either. */
const isArchived = async ({ workspaces }: QueueDeps, id: WorkspaceId): Promise<E.Either<PortFailure, boolean>> =>
  workspaces === undefined
    ? E.right(false)
    : E.map(O.exists(({ archivedAt }: Workspace) => archivedAt !== undefined))(await workspaces.find(id))

/** Takes the next slot of the sender, and waits for it. */
const takeSlot = async (
  deps: QueueDeps, draft: Draft, { sender }: Pick<Prepared, 'sender'>,
): Promise<E.Either<SenderLimitReached | PortFailure, void>> => {
  const taking = await slotTaking(deps, draft, { sender })
  const taken = taking && await deps.senderBudget?.take(taking)
  if (taken === undefined) return E.right(undefined)
  if (E.isLeft(taken)) return taken
  const ms = waitFor(taken.right)
  if (ms > 0) await deps.senderLimit?.wait(ms)
  return E.right(undefined)
}

/** The draft of a queued message, whose price was fixed when it was queued. Its hold counts from now. */
const draftOf = ({ record, message }: QueuedMessage, at: Instant): Draft => {
  const { id, workspace, price, sender, cost, market, trace, keyId } = record
  return {
    id, workspace, message, price, at, ...(sender !== undefined && { sender }), ...(cost !== undefined && { cost }),
    ...(market !== undefined && { market }), ...(trace && { trace }), ...(keyId !== undefined && { keyId }),
  }
}

/** Refuses a message that is queued, or that this pass has claimed and not sent. */
const refuse = async (
  deps: QueueDeps, { workspace, id }: MessageRecord, why: OwnErrorSentence, from: 'queued' | 'claimed' = 'queued',
): Promise<Step> => {
  const { now } = deps.windowClock
  const refused = await recordChange(deps, now)(workspace, id, {
    state: 'refused', at: now(), error: ownError(why), ...(from === 'queued' && { onlyFrom: from }),
  })
  return E.isLeft(refused) ? 'left' : 'refused'
}

/** A message that could not be claimed was canceled, refused, or claimed by another pass. Its money follows its state, so that none stays reserved for nothing. */
const releaseUnclaimed = async (deps: QueueDeps, { workspace, id }: MessageRecord): Promise<E.Either<PortFailure, Step>> => {
  const found = await deps.messageLog.find(workspace, { id })
  if (E.isLeft(found)) return found
  if (O.isNone(found.right)) return E.left(portFailure('MessageLog')('the message is gone'))
  const moved = await moveMoney(deps, found.right.value.state, { workspace, message: id, at: deps.windowClock.now() })
  return E.isLeft(moved) ? moved : E.right('gone')
}

/** Makes the passes over the queue, if the storage has one. */
export const drainingOf = ({ messageQueue, ...deps }: QueueDeps): { readonly drainQueue?: DrainQueue } =>
  (messageQueue === undefined ? {} : { drainQueue: makeDrainQueue({ ...deps, messageQueue }) })
