import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Act, type Actor, auditActorOf, type AuditEntry, isView } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { AuditId, WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { type MakeOutboxEntries, entriesAlways, type EventDeps, hasListener, type NewEvent } from '../kernel/outbox.js'
import type { Clock, Instant } from '../kernel/time.js'
import type { Workspaces } from '../kernel/workspace.js'
import { checkAccess, type Forbidden } from './access.js'

/**
 * The audit log. Entries are only ever added; only entries of unauthenticated people are deleted. Most are stored with the write that they describe
 * (`MakeOutboxEntries`). Entries of acts that wrote nothing, such as a refusal, are appended here.
 */
export interface AuditLog {
  /** Stores entries, all or none. An entry whose id is already stored changes nothing. */
  readonly append: (entries: ReadonlyArray<AuditEntry>) => Promise<E.Either<PortFailure, void>>
  /**
   * Entries, newest first, by the order of their ids. A cursor continues where its page ended, even if entries were added since. The last page has no
   * next, even if it is full. An unknown cursor never fails.
   */
  readonly list: (query: AuditQuery) => Promise<E.Either<PortFailure, Page<AuditEntry>>>
  /** Deletes entries of people who could not sign in (`unknown`) from before a given time; at most `limit`. Right: how many. */
  readonly removeAnonymous: (before: Instant, limit: number) => Promise<E.Either<PortFailure, number>>
}

/** The entries to list: with a workspace only those that concern it, from `since` on, before `until`; all if nothing is given. */
export type AuditQuery = PageQuery & {
  readonly workspace?: WorkspaceId
  readonly since?: Instant
  readonly until?: Instant
}

/**
 * What a use case needs to check and record acts. Without `audit` it records nothing and otherwise works the same. Without `workspaces`, as in an app
 * without any, no workspace counts as archived.
 */
export type ActDeps = EventDeps & { readonly audit?: Auditing; readonly workspaces?: Pick<Workspaces, 'find'> }

/** Where audit entries are stored, and the common fields of every entry. */
export type Auditing = {
  readonly auditLog: Pick<AuditLog, 'append'>
  /** A new id of an audit entry. */
  readonly newAuditId: () => AuditId
  readonly now: Clock
}

/** An act about to be done: the actor, the act, and its object. */
export type Acting = {
  readonly by: Actor
  readonly act: Act
  /** The workspace that it concerns; undefined for an act that concerns none, or all of them. */
  readonly workspace: WorkspaceId | undefined
} & Partial<Pick<AuditEntry, 'subject' | 'details'>>

/** The fields of an audit entry that are known only from the outcome of a write. */
export type Described = Partial<Pick<AuditEntry, 'subject' | 'details' | 'workspace'>>

/** The entries that are stored with the write of an act. */
export type Consequences<Outcome, Done = unknown> = {
  /** The events of the outcome. */
  readonly events?: (outcome: Outcome) => ReadonlyArray<NewEvent>
  /** The fields of the audit entry that depend on the outcome. */
  readonly describe?: (outcome: Outcome) => Described
  /** The fields of the audit entry for the result of a write that stored no entries. */
  readonly describeAnswer?: (answer: Done) => Described
}

/**
 * Does an act if its principal may do it, and stores an audit entry in the same transaction as its effect.
 *
 * `write` gets the entries that it must store. An act that changes nothing never requests them, nor does an adapter that stores no entries; then the entry is appended
 * after the write. A refusal is appended too, unless storage has failed. An entry that cannot be stored is a `PortFailure`.
 */
export const perform = async <Failure extends { readonly _tag: string }, Done, Outcome>(
  deps: ActDeps, acting: Acting, { events: eventsOf, describe, describeAnswer }: Consequences<Outcome, Done>,
  write: (outboxEntries: MakeOutboxEntries<Outcome>) => Promise<E.Either<Failure, Done>>,
): Promise<E.Either<Failure | Forbidden | PortFailure, Done>> => {
  const allowed = await checkAct(deps, acting)
  if (E.isLeft(allowed)) return allowed.left._tag === 'PortFailure' ? E.left(allowed.left) : refused(deps, acting, allowed.left)
  const makeEvents = deps.events !== undefined && eventsOf !== undefined
    && (acting.workspace === undefined || (await hasListener(deps.events, acting.workspace)))
    ? entriesAlways(deps.events, eventsOf) : undefined
  const taken: Array<Outcome> = []
  const done = await write((outcome) => {
    taken.push(outcome)
    return [...entryOf(deps, { ...acting, ...describe?.(outcome) }, 'done'), ...(makeEvents?.(outcome) ?? [])]
  })
  if (E.isLeft(done)) return done.left._tag === 'PortFailure' ? done : refused(deps, acting, done.left)
  if (taken.length > 0) return done
  const appended = await append(deps, entryOf(deps, { ...acting, ...describeAnswer?.(done.right) }, 'done'))
  return E.isLeft(appended) ? appended : done
}

/** Checks that a principal may see something. Only a refusal is recorded, because viewing changes nothing. */
export const checkView = async (deps: ActDeps, acting: Acting): Promise<E.Either<Forbidden | PortFailure, void>> => {
  const allowed = await checkAct(deps, acting)
  return E.isRight(allowed) || allowed.left._tag === 'PortFailure' ? allowed : refused(deps, acting, allowed.left)
}

/** Checks that the principal may do an act according to the access table and the current state of its workspace. Only acts that change something check whether it is archived. */
export const checkAct = async (
  { workspaces }: Pick<ActDeps, 'workspaces'>, { by: { principal }, act, workspace: id }: Pick<Acting, 'by' | 'act' | 'workspace'>,
): Promise<E.Either<Forbidden | PortFailure, void>> => {
  if (id === undefined || workspaces === undefined || isView(act)) return checkAccess(principal, act, id && { id })
  const found = await workspaces.find(id)
  return E.isLeft(found) ? found : checkAccess(principal, act, O.isSome(found.right) ? found.right.value : { id })
}

const refused = async <Failure extends { readonly _tag: string }>(
  deps: ActDeps, acting: Acting, failure: Failure,
): Promise<E.Either<Failure | PortFailure, never>> => {
  const appended = await append(deps, entryOf(deps, { ...acting, details: { ...acting.details, reason: failure._tag } }, 'refused'))
  return E.isLeft(appended) ? appended : E.left(failure)
}

const append = async ({ audit }: ActDeps, entries: ReadonlyArray<AuditEntry>): Promise<E.Either<PortFailure, void>> =>
  (audit === undefined || entries.length === 0 ? E.right(undefined) : audit.auditLog.append(entries))

const entryOf = (
  { audit }: ActDeps, { by, act, workspace, subject, details }: Acting, outcome: AuditEntry['outcome'],
): ReadonlyArray<AuditEntry> =>
  (audit === undefined || (isView(act) && outcome === 'done')
    ? []
    : [{
        id: audit.newAuditId(), at: audit.now(), by: auditActorOf(by), act, outcome,
        ...(by.address !== undefined && { address: by.address }),
        ...(workspace !== undefined && { workspace }),
        ...(subject !== undefined && { subject }),
        ...(details !== undefined && { details }),
      }])
