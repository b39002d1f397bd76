import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { Conversation, ConversationError } from '../../core/messages/conversation.js'
import { makeOpenMedia, type MediaDeps } from './open-media.js'
import { readBody } from './read-answer.js'
import { repeatable, unanswered } from './repeatable.js'
import { makeReadMarkRequest } from './request.js'

/** What a conversation needs: the platform's address, and a transport that reaches it. */
export type CloudConversationDeps = MediaDeps

/** What the WhatsApp Business Cloud API offers for conversations besides sends. A call is never repeated. */
export const makeCloudConversation = (deps: CloudConversationDeps): Conversation => {
  const { transport, now = Date.now } = deps
  const readMarkRequest = makeReadMarkRequest(deps)
  return {
    markRead: (mark) => async () => pipe(
      readBody(await transport(readMarkRequest(mark)), now()),
      E.mapLeft(repeatable),
      E.flatMap(readSuccess),
    ),
    openMedia: makeOpenMedia(deps),
  }
}

const readSuccess = (body: JsonObject): E.Either<ConversationError, void> =>
  (body['success'] === true ? E.right(undefined) : E.left(unanswered('The platform answered without saying that it succeeded')))
