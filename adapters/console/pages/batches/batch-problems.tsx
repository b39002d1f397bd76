import type { VNode } from 'preact'
import type { ContentGone } from '../../../../core/batches/again.js'
import type { AddRecipientsError, ConfirmError, CreateBatchError, MoveBatch, PreflightError } from '../../../../core/batches/use-cases.js'
import type * as E from 'fp-ts/lib/Either.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import { writeMoney } from '../../money.js'
import { TEXTS } from '../../texts.js'
import { meaningOf, wordFor } from '../../words.js'
import { English } from '../../parts.js'
import { sendProblem } from '../sending/send-problems.js'
import { isOwnErrorCode } from '../../../../core/messages/own-errors.js'

const { batches: texts } = TEXTS

type MoveError = Awaited<ReturnType<MoveBatch>> extends E.Either<infer Failure, unknown> ? Failure : never

/** Every reason why an action on a batch is refused, except those with their own page. */
export type BatchRefusal = Exclude<
  PreflightError | ConfirmError | MoveError | AddRecipientsError | ContentGone
  | Exclude<CreateBatchError, { readonly _tag: 'InvalidTiming' }>,
  { readonly _tag: 'Forbidden' | 'PortFailure' | 'NoSuchBatch' }
>

/** Why an action on a batch was refused, and what to do. */
export const Refusal = ({ failure, workspace: { currency } }: {
  readonly failure: BatchRefusal; readonly workspace: Pick<Workspace, 'currency'>
}): VNode => {
  switch (failure._tag) {
    case 'WrongBatchState': return <>{texts.refused.state(texts.states[failure.state])}</>
    case 'BatchChanged': return <>{texts.refused.changed}</>
    case 'PreflightChanged':
      return <>{texts.refused.totalChanged(writeMoney(failure.confirmed, currency), writeMoney(failure.total, currency))}</>
    case 'NothingToSend': return <>{texts.refused.nothing}</>
    case 'ContentGone': return <>{texts.again.gone}</>
    case 'TooManyLines': return <>{texts.tooManyLines}</>
    case 'UnreadableFile': return <><strong>{texts.fileRefused}</strong> <Where {...failure.problem} /></>
    case 'InsufficientBalance': case 'SpendingLimitReached': case 'SenderNotConfigured': case 'UnknownSender': case 'TemplateNotFound':
    case 'TemplateNotApproved':
      return <>{sendProblem(failure)}</>
  }
}

/** A line that cannot be read: where, and what to do. The sentence of the reader is English. */
export const Where = ({ line, column, message }: {
  readonly line: number; readonly column?: string | undefined; readonly message: string
}): VNode => <>{texts.at(String(line), column)}: <English>{message}.</English></>

type Meaning = { readonly means: string; readonly fix: string }

/** What the problem of a line, or the error of its message, means, and what to do. A code that is not known is shown unchanged. */
export const meaningOfProblem = (code: string | number): Meaning => {
  const known: Readonly<Record<string, Meaning>> = texts.problems
  const own = Object.hasOwn(known, code) ? known[code] : undefined
  const number = typeof code === 'number' ? code : /^\d+$/.test(code) ? Number(code) : undefined
  return own ?? meaningOf(number ?? (isOwnErrorCode(code) ? code : undefined)) ?? { means: String(code).replaceAll('_', ' '), fix: '' }
}

/** The category of a message for people. */
export const categoryName = (category: string): string => wordFor('categories', category)
