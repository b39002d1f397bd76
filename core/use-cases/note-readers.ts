import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { PortFailure } from '../errors.js'
import type { Senders } from '../ports/senders.js'
import { ANY_TEMPLATE, type TemplateAccount, type TemplateSource, type TemplateSourceError } from '../ports/template-source.js'
import { MINUTE_MS, type Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/** What noting who may read an account needs. */
export type NoteReadersDeps = {
  readonly senders: Pick<Senders, 'senderOf' | 'noteAccount'>
  readonly templateSource: Pick<TemplateSource, 'list'>
}

/** An account whose list was read at a moment, the workspaces that send through it, and what the platform answered to tokens already: whether each may read it. */
export type ReadAccount = {
  readonly accountId: string
  readonly workspaces: ReadonlyArray<WorkspaceId>
  readonly known: ReadonlyMap<string, boolean>
  readonly at: Instant
}

/** How many tokens are asked about after one reading, and how many of them at once. The platform takes 5,000 calls an hour for an account. */
const MOST_ASKED = 40
const AT_ONCE = 4
const SENDERS_AT_ONCE = 200

/**
 * Notes of the workspaces that send through an account whose token may read it and whose may not, so that one whose token lost the account does not see what
 * the tokens of others read. Archived ones are among them, since their members may still read.
 *
 * It is called once a token has read the account, so that a refusal is about another token and not about the account or the question. An answer that is no
 * refusal, such as none in time, changes nothing. Each token is asked about once, with a small question. Where there are more than `MOST_ASKED`, each
 * reading begins at another one.
 */
export const noteReaders = async (deps: NoteReadersDeps, { accountId, workspaces, known, at }: ReadAccount): Promise<E.Either<PortFailure, void>> => {
  const readers = await readersOf(deps, accountId, workspaces)
  const unknown = [...new Set(readers.map(({ asked }) => asked.accessToken))].filter((token) => !known.has(token))
  const first = unknown.length > MOST_ASKED ? Math.floor(at / MINUTE_MS) % unknown.length : 0
  const tokens = [...unknown.slice(first), ...unknown.slice(0, first)].slice(0, MOST_ASKED)
  const answers = new Map(known)
  for (const some of RA.chunksOf(AT_ONCE)(tokens)) {
    await Promise.all(some.map(async (accessToken) => {
      const mayRead = answerOf(await deps.templateSource.list({ businessAccountId: accountId, accessToken }, ANY_TEMPLATE)())
      if (mayRead !== undefined) answers.set(accessToken, mayRead)
    }))
  }
  for (const { workspace, asked, isRefused } of readers) {
    const mayRead = answers.get(asked.accessToken)
    if (mayRead === undefined || mayRead !== isRefused) continue
    const noted = await deps.senders.noteAccount(workspace, asked, !mayRead, at)()
    if (E.isLeft(noted)) return noted
  }
  return E.right(undefined)
}

/** What an answer says of the token: whether it may read the account; `undefined` where it says nothing of that. */
export const answerOf = (answer: E.Either<TemplateSourceError, unknown>): boolean | undefined => {
  if (E.isRight(answer)) return true
  switch (answer.left._tag) {
    case 'CredentialsRefused': case 'PlatformRejected': return false
    case 'PlatformThrottled': case 'PlatformUnreachable': return undefined
  }
}

type Reader = { readonly workspace: WorkspaceId; readonly asked: TemplateAccount; readonly isRefused: boolean }

/** A sender that cannot be read, or was changed since the workspaces were listed, is left as it is. */
const readersOf = async ({ senders }: NoteReadersDeps, accountId: string, workspaces: ReadonlyArray<WorkspaceId>): Promise<ReadonlyArray<Reader>> => {
  const found: Array<Reader> = []
  for (const some of RA.chunksOf(SENDERS_AT_ONCE)(workspaces)) {
    const read = await Promise.all(some.map((workspace) => senders.senderOf(workspace)()))
    found.push(...some.flatMap((workspace, index): ReadonlyArray<Reader> => {
      const sender = read[index]
      if (sender === undefined || E.isLeft(sender) || O.isNone(sender.right)) return []
      const { businessAccountId, accessToken, accountRefusedSince } = sender.right.value
      return businessAccountId === accountId ? [{ workspace, asked: { businessAccountId, accessToken }, isRefused: accountRefusedSince !== undefined }] : []
    }))
  }
  return found
}
