import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import type { WindowClock } from '../customers/window.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import { type Instant, MINUTE_MS } from '../kernel/time.js'
import {
  type BusinessAccountNotConfigured, chosenSender, type NoSender, requiredSender, type SenderAccounts, type SenderChoice,
  type SenderDirectory,
  type SenderOf, type TemplateAccount,
} from '../senders/sender.js'
import {
  ANY_TEMPLATE, catalogueFault, type ListReading, type TemplateCatalogue, type TemplateSource, type TemplateSourceError,
} from './catalogue.js'
import type { Template } from './template.js'
import { alongTemplates, type TemplateEventsDeps } from './use-cases.js'

/** The dependencies of recording the readers of an account. */
export type NoteReadersDeps = {
  readonly senders: Pick<SenderDirectory & SenderAccounts, 'senderOf' | 'noteAccount'>
  readonly templateSource: Pick<TemplateSource, 'list'>
}

/** An account whose list was read at a given time, the senders that belong to it, and the known results for their tokens: whether each may read it. */
export type ReadAccount = {
  readonly accountId: string
  readonly senders: ReadonlyArray<SenderOf>
  readonly known: ReadonlyMap<string, boolean>
  readonly at: Instant
}

/** The number of tokens that are checked after one reading, and how many of them simultaneously. The platform allows 5,000 calls an hour for an account. */
const MAX_ASKED = 40
const AT_ONCE = 4
const SENDERS_AT_ONCE = 200

/**
 * Records, for the senders of an account, whose token may read it and whose may not, so that a sender whose token lost the account does not see
 * templates that other tokens read. Those of archived workspaces are included, because their members may still read.
 *
 * It is called once a token has read the account, so that a refusal is about another token and not about the account or the request. An answer that is not a
 * refusal, such as a timeout, changes nothing. Each token is checked once, with a small request. If there are more than `MAX_ASKED`, each
 * reading starts at a different one.
 */
export const noteReaders = async (
  deps: NoteReadersDeps, { accountId, senders, known, at }: ReadAccount,
): Promise<E.Either<PortFailure, void>> => {
  const readers = await readersOf(deps, accountId, senders)
  const unknown = [...new Set(readers.map(({ asked }) => asked.accessToken))].filter((token) => !known.has(token))
  const first = unknown.length > MAX_ASKED ? Math.floor(at / MINUTE_MS) % unknown.length : 0
  const tokens = [...unknown.slice(first), ...unknown.slice(0, first)].slice(0, MAX_ASKED)
  const answers = new Map(known)
  for (const some of RA.chunksOf(AT_ONCE)(tokens)) {
    await Promise.all(some.map(async (accessToken) => {
      const mayRead = answerOf(await deps.templateSource.list({ businessAccountId: accountId, accessToken }, ANY_TEMPLATE))
      if (mayRead !== undefined) answers.set(accessToken, mayRead)
    }))
  }
  for (const { of, asked, isRefused } of readers) {
    const mayRead = answers.get(asked.accessToken)
    if (mayRead === undefined || mayRead !== isRefused) continue
    const noted = await deps.senders.noteAccount(of, asked, !mayRead, at)
    if (E.isLeft(noted)) return noted
  }
  return E.right(undefined)
}

/** What an answer proves about the token: whether it may read the account; `undefined` if it proves neither. */
export const answerOf = (answer: E.Either<TemplateSourceError, unknown>): boolean | undefined => {
  if (E.isRight(answer)) return true
  switch (answer.left._tag) {
    case 'CredentialsRefused': case 'PlatformRejected': return false
    case 'PlatformThrottled': case 'PlatformUnreachable': return undefined
  }
}

type Reader = { readonly of: SenderOf; readonly asked: TemplateAccount; readonly isRefused: boolean }

/** A sender that cannot be read, or that was changed since the workspaces were listed, is left as it is. */
const readersOf = async (
  { senders }: NoteReadersDeps, accountId: string, using: ReadonlyArray<SenderOf>,
): Promise<ReadonlyArray<Reader>> => {
  const found: Array<Reader> = []
  for (const some of RA.chunksOf(SENDERS_AT_ONCE)(using)) {
    const read = await Promise.all(some.map((of) => chosenSender(senders, of)))
    found.push(...some.flatMap((of, index): ReadonlyArray<Reader> => {
      const sender = read[index]
      if (sender === undefined || E.isLeft(sender) || sender.right === undefined) return []
      const { businessAccountId, accessToken, accountRefusedSince } = sender.right
      return businessAccountId === accountId
        ? [{ of, asked: { businessAccountId, accessToken }, isRefused: accountRefusedSince !== undefined }]
        : []
    }))
  }
  return found
}

/**
 * Reads the platform's list of templates into the catalogue, for the business account of a sender.
 *
 * If the list cannot be read, the catalogue stays as it is, and the fault is recorded. If the reading is stopped, the catalogue stays as it is. If other workspaces
 * send through the account, a sender that may not read it is not a fault of the list, and is not recorded as one. Before a list is stored, it is recorded which of
 * their tokens may read it (`noteReaders`); the other workspaces do not see it.
 */
export type SyncTemplates = (command: SyncTemplatesCommand) => Promise<E.Either<SyncTemplatesError, SyncedTemplates>>

/** The sender that reads the list. Other senders may belong to the same account. */
export type SyncTemplatesCommand = SenderChoice & {
  /** If the platform does not let this sender read the list, the other senders of the account read it, those of the oldest workspace first. A person reads only with their own sender. */
  readonly orOthers?: boolean
  readonly reading?: ListReading
}

/** The account whose list was read, and the number of its templates. */
export type SyncedTemplates = { readonly accountId: string; readonly templates: number }

/** The caller stopped the reading before the list was stored. */
export type SyncStopped = { readonly _tag: 'SyncStopped' }

/** How reading the list can fail. */
export type SyncTemplatesError = SyncStopped | NoSender | BusinessAccountNotConfigured | TemplateSourceError | PortFailure

/** The dependencies of reading the list. */
export type SyncTemplatesDeps = TemplateEventsDeps & {
  readonly senders: Pick<SenderDirectory & SenderAccounts, 'senderOf' | 'sharing' | 'notSharing' | 'noteAccount'>
  readonly templateSource: TemplateSource
  readonly templateCatalogue: Pick<TemplateCatalogue, 'replaceAll' | 'noteFault'>
  readonly windowClock: Pick<WindowClock, 'now'>
}

export const makeSyncTemplates =
  (deps: SyncTemplatesDeps): SyncTemplates =>
  async ({ workspace, sender, orOthers = false, reading }) => {
    const { templateCatalogue, windowClock } = deps
    const account = await accountOf(deps, { workspace, sender })
    if (E.isLeft(account)) return account
    const { businessAccountId: accountId, of } = account.right
    const using = await usersOf(deps, accountId)
    if (E.isLeft(using)) return using
    const others = using.right.filter((other) => other.sender !== of.sender)
    // The time at which the reading starts: the platform's reports that arrive meanwhile are later than the list.
    const at = windowClock.now()
    const known = new Map<string, boolean>()
    const listed = await listFor(deps, account.right, orOthers ? others.slice(0, MAX_OTHERS) : [], known, reading)
    if (reading?.isStopped() === true) return E.left({ _tag: 'SyncStopped' })
    if (E.isLeft(listed)) {
      if (orOthers || others.length === 0 || answerOf(listed) !== false) {
        await templateCatalogue.noteFault(accountId, catalogueFault(listed.left), at)
      }
      return listed
    }
    const noted = await noteReaders(deps, { accountId, senders: [of, ...others], known, at })
    if (E.isLeft(noted)) return noted
    if (reading?.isStopped() === true) return E.left({ _tag: 'SyncStopped' })
    const outboxEntries = await alongTemplates(deps, accountId)
    if (E.isLeft(outboxEntries)) return outboxEntries
    const kept = await templateCatalogue.replaceAll(accountId, listed.right, at, outboxEntries.right)
    return E.isLeft(kept) ? kept : E.right({ accountId, templates: listed.right.length })
  }

/** The number of other senders that try to read a list if the first may not read it. */
const MAX_OTHERS = 8

/** A sender, and the account that it reads. */
type ReadingSender = TemplateAccount & { readonly of: SenderOf }

const accountOf = async (
  { senders }: Pick<SyncTemplatesDeps, 'senders'>, choice: SenderChoice,
): Promise<E.Either<NoSender | BusinessAccountNotConfigured | PortFailure, ReadingSender>> => {
  const sender = await requiredSender(senders, choice)
  if (E.isLeft(sender)) return sender
  const { phoneNumberId, businessAccountId, accessToken } = sender.right
  return businessAccountId === undefined
    ? E.left({ _tag: 'BusinessAccountNotConfigured' })
    : E.right({ of: { workspace: choice.workspace, sender: phoneNumberId }, businessAccountId, accessToken })
}

/** The senders of an account: first those that `sharing` finds, then the others. */
const usersOf = async (
  { senders }: Pick<SyncTemplatesDeps, 'senders'>, accountId: string,
): Promise<E.Either<PortFailure, ReadonlyArray<SenderOf>>> => {
  const sharing = await senders.sharing(accountId)
  if (E.isLeft(sharing)) return sharing
  const others = await senders.notSharing(accountId)
  return E.isLeft(others) ? others : E.right([...sharing.right, ...others.right])
}

/**
 * Reads the list with the first token that may read it, and stores in `known` the result for each token. If none may, the result is that of the first token. A
 * sender that cannot be read counts as one without permission.
 */
const listFor = async (
  deps: SyncTemplatesDeps, { businessAccountId, accessToken }: TemplateAccount, others: ReadonlyArray<SenderOf>,
  known: Map<string, boolean>,
  reading: ListReading | undefined,
): Promise<E.Either<TemplateSourceError, ReadonlyArray<Template>>> => {
  const listWith = async (asked: TemplateAccount) => {
    const listed = await deps.templateSource.list(asked, undefined, reading)
    const mayRead = answerOf(listed)
    if (mayRead !== undefined) known.set(asked.accessToken, mayRead)
    return listed
  }
  const first = await listWith({ businessAccountId, accessToken })
  if (answerOf(first) !== false) return first
  for (const other of others) {
    const next = await accountOf(deps, other)
    if (E.isLeft(next) || next.right.businessAccountId !== businessAccountId || known.has(next.right.accessToken)) continue
    const listed = await listWith({ businessAccountId, accessToken: next.right.accessToken })
    if (answerOf(listed) !== false) return listed
  }
  return first
}

/** Reads the platform's list of templates for a member or a command. The gateway's own job is not an audited act. */
export type SyncByHand = (
  command: SyncTemplatesCommand & { readonly by: Actor },
) => Promise<E.Either<SyncTemplatesError | Forbidden, SyncedTemplates>>

/** Its dependencies. */
export type SyncByHandDeps = ActDeps & { readonly syncTemplates: SyncTemplates }

/** The list belongs to the platform and may change at any time, so the entry is written after the reading. */
export const makeSyncByHand =
  ({ syncTemplates, ...deps }: SyncByHandDeps): SyncByHand =>
  ({ by, ...command }) =>
    perform(deps, { by, act: 'template.sync', workspace: command.workspace }, {}, () => syncTemplates(command))
