import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { catalogueFault } from '../catalogue-fault.js'
import type { BusinessAccountNotConfigured, PortFailure, SenderNotConfigured } from '../errors.js'
import type { Senders } from '../ports/senders.js'
import type { TemplateCatalogue } from '../ports/template-catalogue.js'
import type { ListReading, TemplateAccount, TemplateSource, TemplateSourceError } from '../ports/template-source.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Template } from '../template.js'
import type { WorkspaceId } from '../workspace.js'
import { answerOf, noteReaders } from './note-readers.js'
import { alongTemplates, type TemplateEventsDeps } from './template-events.js'

/**
 * Reads the platform's list of templates into the catalogue, for the business account of a workspace's sender.
 *
 * If the list cannot be read, the catalogue stays as it is, with a note of the fault. If the reading is stopped, it stays as it is. Where other workspaces
 * send through the account, that one sender may not read it is no fault of the list, and is not noted as one. Before a list is stored it is noted which of
 * their tokens may read it (`noteReaders`); the others do not see it.
 */
export type SyncTemplates = (command: SyncTemplatesCommand) => TE.TaskEither<SyncTemplatesError, SyncedTemplates>

/** The workspace whose sender reads the list. Others may send through the same account. */
export type SyncTemplatesCommand = {
  readonly workspace: WorkspaceId
  /** Where the platform does not let this sender read the list, the senders of the others read it, oldest first. A person reads only with her own. */
  readonly orOthers?: boolean
  readonly reading?: ListReading
}

/** The account whose list was read, and how many templates it has. */
export type SyncedTemplates = { readonly accountId: string; readonly templates: number }

/** The caller stopped the reading before the list was stored. */
export type SyncStopped = { readonly _tag: 'SyncStopped' }

/** How reading the list can fail. */
export type SyncTemplatesError = SyncStopped | SenderNotConfigured | BusinessAccountNotConfigured | TemplateSourceError | PortFailure

/** What reading the list needs. */
export type SyncTemplatesDeps = TemplateEventsDeps & {
  readonly senders: Pick<Senders, 'senderOf' | 'sharing' | 'notSharing' | 'noteAccount'>
  readonly templateSource: TemplateSource
  readonly templateCatalogue: Pick<TemplateCatalogue, 'replaceAll' | 'noteFault'>
  readonly windowClock: Pick<WindowClock, 'now'>
}

/** Makes the use case of what it needs. */
export const makeSyncTemplates =
  (deps: SyncTemplatesDeps): SyncTemplates =>
  ({ workspace, orOthers = false, reading }) =>
  async () => {
    const { templateCatalogue, windowClock } = deps
    const account = await accountOf(deps, workspace)
    if (E.isLeft(account)) return account
    const accountId = account.right.businessAccountId
    const using = await usersOf(deps, accountId)
    if (E.isLeft(using)) return using
    const others = using.right.filter((other) => other !== workspace)
    // The moment at which the reading begins: what the platform reports meanwhile is later than the list.
    const at = windowClock.now()
    const known = new Map<string, boolean>()
    const listed = await listFor(deps, account.right, orOthers ? others.slice(0, MOST_OTHERS) : [], known, reading)
    if (reading?.isStopped() === true) return E.left({ _tag: 'SyncStopped' })
    if (E.isLeft(listed)) {
      if (orOthers || others.length === 0 || answerOf(listed) !== false) await templateCatalogue.noteFault(accountId, catalogueFault(listed.left), at)()
      return listed
    }
    const noted = await noteReaders(deps, { accountId, workspaces: [workspace, ...others], known, at })
    if (E.isLeft(noted)) return noted
    if (reading?.isStopped() === true) return E.left({ _tag: 'SyncStopped' })
    const along = await alongTemplates(deps, accountId)
    if (E.isLeft(along)) return along
    const kept = await templateCatalogue.replaceAll(accountId, listed.right, at, along.right)()
    return E.isLeft(kept) ? kept : E.right({ accountId, templates: listed.right.length })
  }

/** How many other senders read a list that the first may not read. */
const MOST_OTHERS = 8

const accountOf = async (
  { senders }: Pick<SyncTemplatesDeps, 'senders'>, workspace: WorkspaceId,
): Promise<E.Either<SenderNotConfigured | BusinessAccountNotConfigured | PortFailure, TemplateAccount>> => {
  const sender = await senders.senderOf(workspace)()
  if (E.isLeft(sender)) return sender
  if (O.isNone(sender.right)) return E.left({ _tag: 'SenderNotConfigured' })
  const { businessAccountId, accessToken } = sender.right.value
  return businessAccountId === undefined ? E.left({ _tag: 'BusinessAccountNotConfigured' }) : E.right({ businessAccountId, accessToken })
}

/** The workspaces that send through an account: first those that share it, oldest first, then the others. */
const usersOf = async (
  { senders }: Pick<SyncTemplatesDeps, 'senders'>, accountId: string,
): Promise<E.Either<PortFailure, ReadonlyArray<WorkspaceId>>> => {
  const sharing = await senders.sharing(accountId)()
  if (E.isLeft(sharing)) return sharing
  const others = await senders.notSharing(accountId)()
  return E.isLeft(others) ? others : E.right([...sharing.right, ...others.right])
}

/**
 * Reads the list with the first token that may, and keeps in `known` what each token was answered. Where none may, the answer is the one to the first; a
 * sender that cannot be read counts as one that may not.
 */
const listFor = async (
  deps: SyncTemplatesDeps, account: TemplateAccount, others: ReadonlyArray<WorkspaceId>, known: Map<string, boolean>, reading: ListReading | undefined,
): Promise<E.Either<TemplateSourceError, ReadonlyArray<Template>>> => {
  const listWith = async (asked: TemplateAccount) => {
    const listed = await deps.templateSource.list(asked, undefined, reading)()
    const mayRead = answerOf(listed)
    if (mayRead !== undefined) known.set(asked.accessToken, mayRead)
    return listed
  }
  const first = await listWith(account)
  if (answerOf(first) !== false) return first
  for (const other of others) {
    const next = await accountOf(deps, other)
    if (E.isLeft(next) || next.right.businessAccountId !== account.businessAccountId || known.has(next.right.accessToken)) continue
    const listed = await listWith(next.right)
    if (answerOf(listed) !== false) return listed
  }
  return first
}
