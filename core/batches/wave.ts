import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../access/access.js'
import type { PortFailure } from '../kernel/failure.js'
import type { Batch, Batches, NoSuchBatch } from './batch.js'
import { readBatchResults, type BatchResult, type ResultsDeps } from './results.js'
import { type BatchCommand, viewed } from './use-cases.js'

/** How the messages of a first wave fared. `delivered` includes those that were read, and `sent` all that have left or are about to. */
export type Wave = Readonly<Record<'sent' | 'delivered' | 'read' | 'replied' | 'failed' | 'optedOut', number>>

/** The first wave of a batch, and that of the last earlier batch of its template that had one. */
export type ShownWave = { readonly wave: Wave; readonly before?: { readonly batch: Batch; readonly wave: Wave } }

/** Shows how the first wave of a batch fares. Right: `undefined` if it has none, or if no message of it has left. */
export type ShowWave = (command: BatchCommand) => Promise<E.Either<NoSuchBatch | Forbidden | PortFailure, ShownWave | undefined>>

/** What showing a wave needs. */
export type ShowWaveDeps = ResultsDeps & { readonly batches: Pick<Batches, 'list'> }

/** The maximum number of messages of a wave that are counted: their shares hardly change after that. */
export const MAX_COUNTED = 1_000

/** Among how many batches an earlier one of the same template is looked for. */
const LOOKED_AT = 50

export const makeShowWave = (deps: ShowWaveDeps): ShowWave => async (command) => {
  const found = await viewed(deps, command)
  if (E.isLeft(found)) return found
  const wave = await waveOf(deps, found.right)
  if (E.isLeft(wave) || wave.right === undefined) return wave as E.Either<PortFailure, undefined>
  const listed = await deps.batches.list(command.workspace, { limit: LOOKED_AT })
  if (E.isLeft(listed)) return listed
  const batch = listed.right.items.find((one) => isEarlier(one, found.right))
  if (batch === undefined) return E.right({ wave: wave.right })
  const before = await waveOf(deps, batch)
  if (E.isLeft(before)) return before
  return E.right({ wave: wave.right, ...(before.right && { before: { batch, wave: before.right } }) })
}

const isEarlier = (one: Batch, { id, templateName, language, createdAt }: Batch): boolean =>
  one.id !== id && one.templateName === templateName && one.language === language && one.waveUntil !== undefined
  && one.createdAt < createdAt

const waveOf = async (deps: ResultsDeps, batch: Batch): Promise<E.Either<PortFailure, Wave | undefined>> => {
  const { firstWave } = batch
  if (firstWave === undefined || batch.confirmed === undefined) return E.right(undefined)
  const most = Math.min(firstWave.recipients, MAX_COUNTED)
  const results: Array<BatchResult> = []
  for await (const result of readBatchResults(deps, batch)) {
    if (E.isLeft(result)) return result
    // Lines get their messages in their order.
    if (result.right.state === 'waiting') break
    if (result.right.state === 'left_out') continue
    results.push(result.right)
    if (results.length === most) break
  }
  return E.right(results.length === 0 ? undefined : summed(results))
}

const summed = (results: ReadonlyArray<BatchResult>): Wave => {
  const count = (isOne: (result: BatchResult) => boolean): number => results.filter(isOne).length
  return {
    sent: results.length,
    delivered: count(({ state }) => state === 'delivered' || state === 'read' || state === 'played'),
    read: count(({ state }) => state === 'read' || state === 'played'),
    replied: count(({ repliedAt }) => repliedAt !== undefined),
    failed: count(({ state }) => state === 'failed' || state === 'refused'),
    optedOut: count(({ optedOutAt }) => optedOutAt !== undefined),
  }
}
