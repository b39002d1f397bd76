import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from './access/access.js'
import { type ActDeps, type Auditing, type Described, perform } from './access/acting.js'
import type { ErasedIds } from './consent/asking.js'
import type { CustomerDigest, CustomerId } from './customers/customer.js'
import { findEverywhere, type FindEverywhereDeps } from './customers/learn.js'
import { type Actor, auditActorOf, SYSTEM } from './kernel/actor.js'
import type { PortFailure } from './kernel/failure.js'
import type { WorkspaceId } from './kernel/ids.js'
import type { Json } from './kernel/json.js'
import type { MakeOutboxEntries, Event } from './kernel/outbox.js'
import type { Instant } from './kernel/time.js'

/** It is not known yet whether `count` messages to the customer were sent, so the customer cannot be erased. */
export type MessagesUnderWay = { readonly _tag: 'MessagesUnderWay'; readonly count: number }

/** Whether an event is about one of some ids: its subject is one, or a text in its data or content is, for example the customer whom another customer quotes. */
export const isEventAbout = (
  ids: ReadonlySet<string>, { subject, data, content = null }: Pick<Event, 'subject' | 'data'> & { readonly content?: Json | undefined },
): boolean =>
  ids.has(subject) || hasText(ids, data) || hasText(ids, content)

const hasText = (texts: ReadonlySet<string>, json: Json): boolean =>
  typeof json === 'string'
    ? texts.has(json)
    : typeof json === 'object' && json !== null && Object.values(json).some((value: Json) => hasText(texts, value))

/**
 * Removes people from the stored data. Money stays: no hold, entry, price or state changes.
 *
 * When a message is forgotten, its recipient is replaced by a digest and the platform's id by `FORGOTTEN_PLATFORM_ID`, and only the code of its error is
 * kept. A later report on it still changes its state and its money, and restores nothing of the person. Its idempotency key, if any,
 * stays reserved, but no later request can match it.
 */
export interface PersonalData {
  /**
   * The digest that replaces an id: the same for every variant of one number, and a different one in each workspace.
   *
   * Without the adapter's secret, an id cannot be found by trying all ids. Left, among other reasons, if the adapter has no secret.
   */
  readonly digestOf: (workspace: WorkspaceId, id: CustomerId) => Promise<E.Either<PortFailure, CustomerDigest>>
  /**
   * Forgets messages that were opened before a given time, the recipients of batches that ended and drafts that were created before it, customers without any report or message since then, and windows without any message
   * since then, in all workspaces. It looks at no more than `limit` of them and is atomic; `next` continues with the others.
   *
   * A message whose outcome is unknown is left as it is. If a customer stopped marketing messages, that choice is kept, with the ids. Data that is
   * already forgotten is not counted, so an interrupted pass can be started again without harm. An unknown cursor starts at the beginning.
   */
  readonly forgetBefore: (query: ForgetQuery) => Promise<E.Either<PortFailure, ForgetStep>>
  /**
   * Forgets one person in a workspace, under the ids that any inbox knows: forgets messages under every id and variant, deletes the data about the ids and their
   * windows in every inbox of the workspace, and deletes events about
   * the person with their pending deliveries and delivery log. A repetition finishes an incomplete earlier call.
   *
   * Left `MessagesUnderWay`: the outcome of a message to the person is unknown. If that is the case at the start, nothing was changed.
   *
   * `outboxEntries` is called in any case, and its entries are stored in the last step, so they exist only if no data of the person is
   * left.
   */
  readonly erase: (
    workspace: WorkspaceId, person: ReadonlyArray<ErasedIds>, outboxEntries?: MakeOutboxEntries<Erased>,
  ) => Promise<E.Either<MessagesUnderWay | PortFailure, Erased>>
}

/** The records to forget: everything before a given time, starting at a cursor, at most `limit` records in one step. */
export type ForgetQuery = { readonly before: Instant; readonly limit: number; readonly cursor?: string }

/** The number of forgotten records. */
export type Forgotten = { readonly messages: number; readonly customers: number; readonly windows: number }

/** The result of a step; without `next` it was the last one. */
export type ForgetStep = { readonly forgotten: Forgotten; readonly next: string | undefined }

/** The number of records found for a person; a repetition finds none. `events` counts deleted events. */
export type Erased = Forgotten & { readonly events: number }

/**
 * Erases one person from a workspace, under every known id of the person; money stays in the books. Repeating it is harmless.
 *
 * The audit entry contains only the digest of the person's id.
 */
export type EraseCustomer = (command: EraseCustomerCommand) => Promise<E.Either<EraseCustomerError, Erased>>

/** The person to erase, by a number or a user id, and the actor. */
export type EraseCustomerCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly customer: CustomerId }

/** How erasing a customer can fail. `MessagesUnderWay`: once these messages have an outcome, it can be repeated. */
export type EraseCustomerError = Forbidden | MessagesUnderWay | PortFailure

/** The dependencies of erasing a customer. */
export type EraseCustomerDeps = ActDeps & FindEverywhereDeps & { readonly personalData: Pick<PersonalData, 'digestOf' | 'erase'> }

export const makeEraseCustomer =
  (deps: EraseCustomerDeps): EraseCustomer =>
  async ({ by, workspace, customer }) => {
    const subject = await deps.personalData.digestOf(workspace, customer)
    if (E.isLeft(subject)) return subject
    return perform(
      deps, { by, act: 'customer.erase', workspace, subject: subject.right }, { describe: describeErased, describeAnswer: describeErased },
      async (outboxEntries): Promise<E.Either<EraseCustomerError, Erased>> => {
        const found = await findEverywhere(deps, workspace, customer)
        return E.isLeft(found) ? found : deps.personalData.erase(workspace, found.right, outboxEntries)
      },
    )
  }

const describeErased = (erased: Erased): Described => ({ details: { ...erased } })

/**
 * Forgets all people in records older than a given time, step by step, until everything is done or it is asked to stop.
 *
 * It may be ended at any time, even by a kill: forgotten data stays forgotten, and the next run starts from the beginning and skips it. A run that forgot something
 * adds one audit entry with the counts, even if it stopped early or failed.
 */
export type RunRetention = (command: RunRetentionCommand) => Promise<E.Either<PortFailure, RetentionRun>>

/** The time before which everything is forgotten. */
export type RunRetentionCommand = {
  readonly before: Instant
  /** Called after each step with the counts so far; the run ends early if it returns `false`. */
  readonly goOn?: (soFar: Forgotten) => Promise<boolean>
}

/** The records that a run has forgotten, and whether it reached the end. */
export type RetentionRun = { readonly forgotten: Forgotten; readonly finished: boolean }

/** What a run of retention needs. Without `audit` it records nothing. */
export type RunRetentionDeps = { readonly personalData: Pick<PersonalData, 'forgetBefore'>; readonly audit?: Auditing }

/** The number of records in a step, small enough to keep its transactions short. */
const STEP = 500

export const makeRunRetention =
  (deps: RunRetentionDeps): RunRetention =>
  async ({ before, goOn = () => Promise.resolve(true) }) => {
    let forgotten: Forgotten = { messages: 0, customers: 0, windows: 0 }
    let cursor: string | undefined
    do {
      const step = await deps.personalData.forgetBefore({ before, limit: STEP, ...(cursor !== undefined && { cursor }) })
      if (E.isLeft(step)) {
        await noteRun(deps, before, forgotten)
        return step
      }
      forgotten = sumOf(forgotten, step.right.forgotten)
      cursor = step.right.next
    } while (cursor !== undefined && (await goOn(forgotten)))
    const noted = await noteRun(deps, before, forgotten)
    return E.isLeft(noted) ? noted : E.right({ forgotten, finished: cursor === undefined })
  }

const sumOf = (a: Forgotten, b: Forgotten): Forgotten =>
  ({ messages: a.messages + b.messages, customers: a.customers + b.customers, windows: a.windows + b.windows })

const noteRun = async ({ audit }: RunRetentionDeps, before: Instant, forgotten: Forgotten): Promise<E.Either<PortFailure, void>> => {
  if (audit === undefined || Object.values(forgotten).every((count) => count === 0)) return E.right(undefined)
  return audit.auditLog.append([{
    id: audit.newAuditId(), at: audit.now(), by: auditActorOf(SYSTEM), act: 'retention.run', outcome: 'done',
    details: { ...forgotten, before: new Date(before).toISOString() },
  }])
}
