import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, checkView } from '../access/acting.js'
import type { PortFailure } from '../kernel/failure.js'
import type { Batches, NoSuchBatch, StoredLine } from './batch.js'
import { type BatchCommand, viewed } from './use-cases.js'

/**
 * Shows a line of a batch that can be sent: the one with the given number, or otherwise the next one, or otherwise the last one. Right: `undefined` if no line can be sent, or none any more.
 * Its content is personal data, so only people who may change the batch see it.
 */
export type ShowLine = (command: ShowLineCommand) => Promise<E.Either<NoSuchBatch | Forbidden | PortFailure, ShownLine | undefined>>

/** A batch, and the number of a line of its file; the first line if absent. */
export type ShowLineCommand = BatchCommand & { readonly line?: number | undefined }

/** A line, and the numbers of the lines before and after it that can be sent. */
export type ShownLine = Pick<StoredLine, 'line' | 'to' | 'content'> & { readonly previous?: number; readonly next?: number }

/** What showing a line needs. */
export type ShowLineDeps = ActDeps & { readonly batches: Pick<Batches, 'find' | 'lines'> }

/** How many lines before a line are looked at: most lines of a file can be sent. */
const LOOKED_AT = 200

export const makeShowLine = (deps: ShowLineDeps): ShowLine => async ({ line: wanted = 1, ...command }) => {
  const allowed = await checkView(deps, { by: command.by, act: 'batch.change', workspace: command.workspace, subject: command.batch })
  if (E.isLeft(allowed)) return allowed
  const found = await viewed(deps, command)
  if (E.isLeft(found)) return found
  const read = (after: number, limit: number) =>
    deps.batches.lines({ workspace: command.workspace, batch: command.batch }, found.right.upload, { after, limit, only: 'sendable' })
  const [before, following] = [await read(Math.max(0, wanted - 1 - LOOKED_AT), LOOKED_AT), await read(wanted - 1, 2)]
  if (E.isLeft(before)) return before
  if (E.isLeft(following)) return following
  const earlier = before.right.filter(({ line }) => line < wanted)
  const [shown, next] = following.right.length > 0 ? following.right : earlier.slice(-1)
  if (shown === undefined) return E.right(undefined)
  const previous = earlier.findLast(({ line }) => line < shown.line)
  const { line, to, content } = shown
  return E.right({ line, to, ...(content && { content }), ...(previous && { previous: previous.line }), ...(next && { next: next.line }) })
}
