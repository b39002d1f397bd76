import * as E from 'fp-ts/lib/Either.js'
import type { SubmitBatchError } from '../../core/batches/submit.js'
import type { PreflightChanged } from '../../core/batches/hold.js'
import { formatMicros } from '../../core/kernel/money.js'
import { amount, fail, unwrap } from './output.js'

/** Why a step of a batch failed. */
export type BatchError = SubmitBatchError | PreflightChanged

/** Runs a step of a batch and returns its result; a failure ends the command with a sentence. */
export const unwrapBatch = async <A>(step: Promise<E.Either<BatchError, A>> | E.Either<BatchError, A>): Promise<A> => {
  const result = await step
  return E.isRight(result) ? result.right : failed(result.left)
}

const failed = (error: BatchError): Promise<never> => {
  switch (error._tag) {
    case 'InvalidTiming': return fail('The times are wrong: they must be ahead, --until after --send-at, and at most 366 days ahead.')
    case 'NoSuchBatch': return fail(`There is no batch ${error.id}.`)
    case 'WrongBatchState': return fail(`The batch is ${error.state}, which does not permit this.`)
    case 'BatchChanged': return fail('Another request changed the batch during its check; run the command again.')
    case 'PreflightChanged':
      return fail(`The batch costs ${formatMicros(error.total)}, not ${formatMicros(error.confirmed)}; run \`postern batch preflight\` again.`)
    case 'IdempotencyInProgress': return fail('A request with this key is still under way; run the command again.')
    case 'IdempotencyKeyReused': return fail('The key belongs to a request with other recipients or options; no batch was made.')
    case 'NothingToSend': return fail('No recipient of this batch can be sent to; `postern batch preflight` says why.')
    case 'ContentGone': return fail(`What the recipients of ${error.id} were sent is not kept any more; make the batch from a file.`)
    case 'TooManyLines': return fail('The file has too many recipients; split it into several batches.')
    case 'UnreadableFile':
      return fail(`The file cannot be read from line ${error.problem.line} on, and none of its lines were stored: ${error.problem.message}.`)
    case 'InsufficientBalance': return fail(
      `The wallet has ${amount(error.available, error.currency)} available, and the batch costs ${amount(error.required, error.currency)}; nothing was reserved.`,
    )
    case 'SpendingLimitReached': return fail('The API key has reached its spending limit; nothing was reserved.')
    case 'TemplateNotFound': return fail('The platform does not have this template in this language; `postern template list` shows the templates.')
    case 'TemplateNotApproved': return fail(`The template has the status ${error.status}; the platform sends only approved templates.`)
    case 'Forbidden': case 'PortFailure': case 'SenderNotConfigured': case 'UnknownSender': return unwrap<never>(E.left(error))
  }
}
