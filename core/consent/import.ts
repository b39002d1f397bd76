import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Line, LineProblem, LinesForm } from '../kernel/lines.js'
import type { Clock } from '../kernel/time.js'
import type { RecordedConsent } from './consent.js'
import { type ConsentLine, consentLines } from './lines.js'
import { recordFacts, type RecordFactsDeps } from './record.js'

/** The lines could not be read to their end, because their source failed. What was read before is recorded; to read all of it again does no harm. */
export type LinesIncomplete = { readonly _tag: 'LinesIncomplete'; readonly cause: unknown }

/** Records what the lines of a file say. A line with a problem is left out, and the others are recorded. To import a file again changes nothing. */
export type ImportConsents = (
  command: ImportConsentsCommand,
) => Promise<E.Either<LinesIncomplete | Forbidden | PortFailure, ImportedConsents>>

/** A file of consents. */
export type ImportConsentsCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  /** Reads the lines by what they mean. They may reject. */
  readonly read: (form: LinesForm<ConsentLine>) => AsyncIterable<E.Either<LineProblem, Line<ConsentLine>>>
  /** Called after each block of lines. */
  readonly onProgress?: (soFar: ImportedConsents) => void
}

/** What an import did. */
export type ImportedConsents = {
  /** How many lines of data were read. */
  readonly lines: number
  /** How many of them changed what is known: the status of a topic, or that it is known at all. */
  readonly changed: number
  /** How many of them were left out. */
  readonly refused: number
  /** The first problems, at most `MAX_PROBLEMS`, and why the rest of the file could not be read. */
  readonly problems: ReadonlyArray<LineProblem>
}

/** How many problems of a file are listed. */
export const MAX_PROBLEMS = 100

/** How many lines are recorded together. */
const BLOCK = 500

/** What importing needs. */
export type ImportConsentsDeps = ActDeps & RecordFactsDeps & { readonly now: Clock }

export const makeImportConsents =
  (deps: ImportConsentsDeps): ImportConsents =>
  ({ by, workspace, read, onProgress }) =>
    perform(
      deps, { by, act: 'consent.record', workspace },
      { describeAnswer: ({ lines, changed, refused }: ImportedConsents) => ({ details: { lines, changed, refused } }) },
      async (): Promise<E.Either<LinesIncomplete | PortFailure, ImportedConsents>> => {
        let done: ImportedConsents = { lines: 0, changed: 0, refused: 0, problems: [] }
        const blocks = blocksOf(read(consentLines(deps.now())))
        for (;;) {
          const block = await nextOf(blocks)
          if (E.isLeft(block)) return block
          if (block.right === undefined) return E.right(done)
          const recorded = await recordBlock(deps, workspace, block.right)
          if (E.isLeft(recorded)) {
            await blocks.return(undefined)
            return recorded
          }
          done = afterBlock(done, block.right, recorded.right)
          onProgress?.(done)
        }
      },
    )

type Block = ReadonlyArray<E.Either<LineProblem, Line<ConsentLine>>>

async function* blocksOf(lines: AsyncIterable<E.Either<LineProblem, Line<ConsentLine>>>): AsyncGenerator<Block> {
  let block: Array<E.Either<LineProblem, Line<ConsentLine>>> = []
  for await (const line of lines) {
    block.push(line)
    if (block.length < BLOCK) continue
    yield block
    block = []
  }
  if (block.length > 0) yield block
}

const nextOf = async (blocks: AsyncGenerator<Block>): Promise<E.Either<LinesIncomplete, Block | undefined>> => {
  try {
    const next = await blocks.next()
    return E.right(next.done === true ? undefined : next.value)
  } catch (cause) {
    return E.left({ _tag: 'LinesIncomplete', cause })
  }
}

const recordBlock = (
  deps: ImportConsentsDeps, workspace: WorkspaceId, block: Block,
): Promise<E.Either<PortFailure, ReadonlyArray<RecordedConsent>>> =>
  recordFacts(deps, workspace, block.flatMap((line) => (E.isRight(line) ? [{ customer: line.right.to, fact: line.right.fact }] : [])))

const afterBlock = (
  { lines, changed, refused, problems }: ImportedConsents, block: Block, recorded: ReadonlyArray<RecordedConsent>,
): ImportedConsents => {
  const found = block.flatMap((line) => (E.isLeft(line) ? [line.left] : []))
  const left = found.filter(({ isLast }) => isLast !== true).length
  const room = MAX_PROBLEMS - problems.length
  return {
    lines: lines + recorded.length + left,
    changed: changed + recorded.filter(({ before, after }) => before?.status !== after.status).length,
    refused: refused + left,
    problems: [...problems, ...found.filter(({ isLast }, at) => at < room || isLast === true)],
  }
}
