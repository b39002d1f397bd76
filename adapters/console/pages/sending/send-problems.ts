import type { Forbidden } from '../../../../core/access/access.js'
import { errorCodeOf } from '../../../../core/messages/own-errors.js'
import type { QuoteError } from '../../../../core/sending/quote.js'
import type { SendFileError } from '../../../../core/sending/files.js'
import type { SendError } from '../../../../core/sending/send.js'
import { writeMoney } from '../../money.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'

const { problems } = TEXTS.send

/** Every reason why a message cannot be sent. */
export type SendFailure = SendError | QuoteError | SendFileError | Forbidden

/** The meaning of a failure and how to fix it, except failures with their own page. */
export const sendProblem = (failure: Exclude<SendFailure, { readonly _tag: 'Forbidden' | 'PortFailure' }>): string => {
  switch (failure._tag) {
    case 'WindowClosed': case 'SenderNotConfigured': case 'UnknownSender': case 'SpendingLimitReached':
    case 'PairLimitReached': case 'SenderLimitReached': case 'PortfolioLimitReached':
    case 'PlatformThrottled': case 'CredentialsRefused':
    case 'PlatformUnreachable':
    case 'OutcomeUnknown': case 'PlatformUnanswered': case 'IdempotencyInProgress': case 'IdempotencyKeyReused': case 'PhoneNumberRequired':
    case 'ConsentRequired':
      return problems[failure._tag]
    case 'CustomerOptedOut': return problems.CustomerOptedOut[failure.topic]
    case 'MediaInvalid': return problems.MediaInvalid(failure.reason)
    case 'InsufficientBalance':
      return problems.InsufficientBalance(writeMoney(failure.required, failure.currency), writeMoney(failure.available, failure.currency))
    case 'PlatformRejected': return problems.PlatformRejected(errorCodeOf(failure.error))
    case 'TemplateNotFound': return problems.TemplateNotFound(failure.languages)
    case 'TemplateNotApproved': return problems.TemplateNotApproved(wordFor('statuses', failure.status))
    case 'TemplateParameters': return problems.TemplateParameters(failure.sentence)
  }
}
