import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from './access/access.js'
import { type ActDeps, type Auditing, type Described, perform } from './access/acting.js'
import type { CustomerDigest, CustomerId, CustomerIds, DialledNumbers } from './customers/customer.js'
import { type Customers, findCustomer } from './customers/learn.js'
import { type Actor, auditActorOf, SYSTEM } from './kernel/actor.js'
import type { PortFailure } from './kernel/failure.js'
import type { WorkspaceId } from './kernel/ids.js'
import type { Json } from './kernel/json.js'
import type { EntriesOf, Event } from './kernel/outbox.js'
import type { Instant } from './kernel/time.js'

/** It is not known yet whether `count` messages to the customer went out, so the customer cannot be erased. */
export type MessagesUnderWay = { readonly _tag: 'MessagesUnderWay'; readonly count: number }

/** Whether an event is about one of some ids: its subject is one, or a text of its data or of its content is, such as whom a customer quotes. */
export const isEventAbout = (
  ids: ReadonlySet<string>, { subject, data, content = null }: Pick<Event, 'subject' | 'data'> & { readonly content?: Json | undefined },
): boolean =>
  ids.has(subject) || hasText(ids, data) || hasText(ids, content)

const hasText = (texts: ReadonlySet<string>, json: Json): boolean =>
  typeof json === 'string' ? texts.has(json) : typeof json === 'object' && json !== null && Object.values(json).some((value: Json) => hasText(texts, value))

/**
 * Takes people out of what is stored. Money stays: no hold, entry, price or state changes.
 *
 * Of a message that is forgotten, the recipient becomes a digest, the platform's id becomes `FORGOTTEN_PLATFORM_ID`, and of its error only the code is
 * kept. A later report on it moves its state and its money, and brings nothing of the person back. The idempotency key that guards it, if there is one,
 * goes on guarding it, but no request is the same any more.
 */
export interface PersonalData {
  /**
   * What takes the place of an id: the same for every variant of one number, and another one in each workspace.
   *
   * Without the adapter's secret, an id cannot be found by trying all. Left: among others, where the adapter has no secret.
   */
  readonly digestOf: (workspace: WorkspaceId, id: CustomerId) => Promise<E.Either<PortFailure, CustomerDigest>>
  /**
   * Forgets messages that were opened before a moment, customers of whom nothing was reported and no message received since, and windows in which no
   * message was received since, of all workspaces. It looks at no more than `limit` of them and is atomic; `next` leads to the others.
   *
   * A message whose outcome is unknown is left as it is. Of a customer who stopped marketing messages, that choice is kept, with the ids. What is
   * forgotten already is not counted, so a pass that ended half way is begun again without harm. An unknown cursor begins at the beginning.
   */
  readonly forgetBefore: (query: ForgetQuery) => Promise<E.Either<PortFailure, ForgetStep>>
  /**
   * Forgets one person in a workspace: messages under every id and variant, deletes what is known of the ids and their windows, and deletes events about
   * the person with what waits to be delivered of them and the log of their deliveries. A repetition finishes what an earlier call left behind.
   *
   * Left `MessagesUnderWay`: the outcome of a message to the person is unknown. If that is so from the beginning, nothing was changed.
   *
   * `entriesOf` is called in any case, and its entries are stored in the last step, so they are there only if nothing of the person is left.
   */
  readonly erase: (workspace: WorkspaceId, ids: CustomerIds & DialledNumbers, entriesOf?: EntriesOf<Erased>) => Promise<E.Either<MessagesUnderWay | PortFailure, Erased>>
}

/** What to forget: everything before a moment, from a cursor on, at most `limit` records in one step. */
export type ForgetQuery = { readonly before: Instant; readonly limit: number; readonly cursor?: string }

/** How many records were forgotten. */
export type Forgotten = { readonly messages: number; readonly customers: number; readonly windows: number }

/** What came of a step; without `next` it was the last one. */
export type ForgetStep = { readonly forgotten: Forgotten; readonly next: string | undefined }

/** What was found of a person; a repetition finds nothing. `events` counts those that were deleted. */
export type Erased = Forgotten & { readonly events: number }

/**
 * Erases one person from a workspace, under every id that is known of the person; money stays in the books. Repeating it is harmless.
 *
 * The audit entry names the person by the digest alone.
 */
export type EraseCustomer = (command: EraseCustomerCommand) => Promise<E.Either<EraseCustomerError, Erased>>

/** Whom to erase, by a number or a user id, and who does it. */
export type EraseCustomerCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly customer: CustomerId }

/** How erasing a customer fails. `MessagesUnderWay`: once these messages have an outcome, it can be repeated. */
export type EraseCustomerError = Forbidden | MessagesUnderWay | PortFailure

/** What erasing a customer needs. */
export type EraseCustomerDeps = ActDeps & {
  readonly personalData: Pick<PersonalData, 'digestOf' | 'erase'>
  readonly customers?: Pick<Customers, 'find'>
}

export const makeEraseCustomer =
  (deps: EraseCustomerDeps): EraseCustomer =>
  async ({ by, workspace, customer }) => {
    const subject = await deps.personalData.digestOf(workspace, customer)
    if (E.isLeft(subject)) return subject
    return perform(
      deps, { by, act: 'customer.erase', workspace, subject: subject.right }, { describe: describeErased, describeAnswer: describeErased },
      async (entriesOf): Promise<E.Either<EraseCustomerError, Erased>> => {
        const found = await findCustomer(deps.customers, workspace, customer)
        return E.isLeft(found) ? found : deps.personalData.erase(workspace, found.right, entriesOf)
      },
    )
  }

const describeErased = (erased: Erased): Described => ({ details: { ...erased } })

/**
 * Forgets everyone in what is older than a moment, step by step, until all is done or it is asked to stop.
 *
 * It may be ended at any point, even by a kill: what is forgotten stays so, and the next run begins again and passes over it. A run that forgot something
 * leaves one audit entry with the counts, also where it stopped early or failed.
 */
export type RunRetention = (command: RunRetentionCommand) => Promise<E.Either<PortFailure, RetentionRun>>

/** Before which moment everything is forgotten. */
export type RunRetentionCommand = {
  readonly before: Instant
  /** Asked after each step, with what was forgotten so far; a run ends early where it answers `false`. */
  readonly goOn?: (soFar: Forgotten) => Promise<boolean>
}

/** What a run has forgotten, and whether it came to the end. */
export type RetentionRun = { readonly forgotten: Forgotten; readonly finished: boolean }

/** What a run of retention needs. Without `audit` it notes nothing. */
export type RunRetentionDeps = { readonly personalData: Pick<PersonalData, 'forgetBefore'>; readonly audit?: Auditing }

/** How many records a step looks at, so that none of its transactions takes long. */
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
