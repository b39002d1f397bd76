import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { JsonObject } from '../../core/json.js'
import type { Conversation, ConversationError } from '../../core/ports/conversation.js'
import type { PlatformError } from '../../core/ports/platform.js'
import type { CloudApiDeps } from './cloud-api.js'
import { readBody } from './read-answer.js'
import { makeReadMarkRequest } from './request.js'

/** What a conversation needs: the platform's address, and a transport that reaches it. */
export type CloudConversationDeps = CloudApiDeps

/** What the WhatsApp Business Cloud API offers for conversations besides sends. A call is never repeated. */
export const makeCloudConversation = ({ transport, now = Date.now, ...endpoint }: CloudConversationDeps): Conversation => {
  const readMarkRequest = makeReadMarkRequest(endpoint)
  return {
    markRead: (mark) => async () => pipe(
      readBody(await transport(readMarkRequest(mark)), now()),
      E.mapLeft(repeatable),
      E.flatMap(readSuccess),
    ),
  }
}

const readSuccess = (body: JsonObject): E.Either<ConversationError, void> =>
  (body['success'] === true ? E.right(undefined) : E.left({ _tag: 'PlatformUnanswered', cause: 'The platform answered without saying that it succeeded' }))

/** For a request that may be repeated it makes no difference whether it arrived. */
const repeatable = (error: PlatformError): ConversationError => {
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused': return error
    case 'PlatformUnreachable': case 'OutcomeUnknown': return { _tag: 'PlatformUnanswered', cause: error.cause }
  }
}
