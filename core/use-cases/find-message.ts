import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { NoSuchMessage, PortFailure } from '../errors.js'
import { isMessageId, type MessageId } from '../message.js'
import type { MessageLog, MessageRecord } from '../ports/message-log.js'
import type { Workspaces } from '../ports/workspaces.js'

/** Finds a message by its id alone, for an operator, who may see every workspace. */
export type FindMessage = (id: string) => TE.TaskEither<FindMessageError, MessageRecord>

/** How finding a message can fail. */
export type FindMessageError = NoSuchMessage | PortFailure

/** What finding a message needs. */
export type FindMessageDeps = {
  readonly workspaces: Pick<Workspaces, 'list'>
  readonly messageLog: Pick<MessageLog, 'find'>
}

/** How many workspaces are asked at a time. */
const BATCH = 50

/** Makes the use case of what it needs. */
export const makeFindMessage =
  (deps: FindMessageDeps): FindMessage =>
  (id) =>
  async () => {
    if (!isMessageId(id)) return E.left({ _tag: 'NoSuchMessage', id })
    const workspaces = await deps.workspaces.list()()
    if (E.isLeft(workspaces)) return workspaces
    for (let from = 0; from < workspaces.right.length; from += BATCH) {
      const batch = workspaces.right.slice(from, from + BATCH).map((workspace) => workspace.id)
      const found = await findIn(deps, batch, id)
      if (E.isLeft(found)) return found
      if (found.right !== undefined) return E.right(found.right)
    }
    return E.left({ _tag: 'NoSuchMessage', id })
  }

const findIn = async (
  { messageLog }: FindMessageDeps, workspaces: ReadonlyArray<MessageRecord['workspace']>, id: MessageId,
): Promise<E.Either<PortFailure, MessageRecord | undefined>> => {
  const answers = await Promise.all(workspaces.map((workspace) => messageLog.find(workspace, { id })()))
  return E.map((found: ReadonlyArray<O.Option<MessageRecord>>) => O.toUndefined(found.find(O.isSome) ?? O.none))(E.sequenceArray(answers))
}
