import type { PlatformError } from '../../core/kernel/failure.js'
import type { ConversationError } from '../../core/messages/conversation.js'

/** The failure of a request that may be repeated. For it, it makes no difference whether the request arrived. */
export const repeatable = (error: PlatformError): ConversationError => {
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused': return error
    case 'PlatformUnreachable': case 'OutcomeUnknown': return unanswered(error.cause)
  }
}

/** The failure of a request that the platform did not answer as it should. */
export const unanswered = (cause: unknown): ConversationError => ({ _tag: 'PlatformUnanswered', cause })
