import * as E from 'fp-ts/lib/Either.js'
import { makeAddFromBatch } from './batches/again.js'
import { makeShowLimitUse, type ShowLimitUse } from './batches/limit-use.js'
import { makeReadResults, type ReadResults } from './batches/results.js'
import { makeRunBatches, type RunBatches } from './batches/run.js'
import { makeShowBatch, type ShowBatch } from './batches/show.js'
import { makeShowLine, type ShowLine } from './batches/show-line.js'
import { makeShowWave, type ShowWave } from './batches/wave.js'
import { makeSubmitBatch, type SubmitBatch, type SubmitDeps } from './batches/submit.js'
import { type BatchDeps, type BatchUseCases, makeBatches } from './batches/use-cases.js'
import { deliverDeps } from './dependencies.js'
import { mayHelpAgain } from './explanations/line-problems.js'
import { guardPorts, type SendingPorts, type StoragePorts } from './ports.js'
import type { Platform } from './sending/dispatch.js'
import type { Machine, SendingSettings } from './settings.js'

/** Many messages at once, for applications and people. */
export type BatchesOfWorkspace = BatchUseCases & {
  readonly submit: SubmitBatch; readonly show: ShowBatch; readonly readResults: ReadResults; readonly showLine: ShowLine
  readonly showWave: ShowWave; readonly showLimitUse: ShowLimitUse
}

/** Many messages at once, and the job that sends them. */
export type Batching = BatchesOfWorkspace & { readonly runBatches: RunBatches }

/** Makes the batches from the given ports; `undefined` if they have no batches, shared holds or queue. */
export const makeBatching = (
  ports: Omit<SendingPorts, 'platform'> & Pick<StoragePorts, 'ledger'>, settings: BatchingSettings,
): Batching | undefined => batchingOf({
  ...deliverDeps({ ...ports, platform: UNREACHED }, settings), ledger: guardPorts(ports).ledger, digestOf: settings.sha256,
}).batches

/** The settings of batches: those of sends, and the digest under which the keys of requests are stored. */
export type BatchingSettings = SendingSettings & Pick<Machine, 'sha256'>

/** Batches queue their messages, and the queue sends them. */
const UNREACHED: Platform = { send: async () => E.left({ _tag: 'PlatformUnreachable', cause: 'batches send nothing themselves' }) }

/** Makes the batches, if there are batches, shared holds and a queue. */
export const batchingOf = (
  { batches, sharedHolds, messageQueue, digestOf, ...deps }:
    & ReturnType<typeof deliverDeps> & Pick<BatchDeps, 'ledger'> & Pick<SubmitDeps, 'digestOf'>,
): { readonly batches?: Batching } => {
  if (batches === undefined || sharedHolds === undefined || messageQueue === undefined) return {}
  const own = { ...deps, batches, sharedHolds, mayHelpAgain }
  const { discard, ...useCases } = makeBatches(own)
  const submit = makeSubmitBatch({ ...own, ...useCases, discard, addFromBatch: makeAddFromBatch(own), digestOf })
  return {
    batches: {
      ...useCases, submit, show: makeShowBatch(own), readResults: makeReadResults(own), showLine: makeShowLine(own),
      showWave: makeShowWave(own), showLimitUse: makeShowLimitUse(own), runBatches: makeRunBatches(own),
    },
  }
}
