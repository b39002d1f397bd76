import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  Conversation, ConversationError, CredentialsRefused, PlatformId, PlatformRejected, PlatformThrottled, PlatformUnanswered, ReadMark, Sender,
} from '../../../core/ports/conversation.js'

const rejected: PlatformRejected = { _tag: 'PlatformRejected', error: { code: 131_009 } }
const throttled: PlatformThrottled = { _tag: 'PlatformThrottled', error: { code: 80_007 }, retryAfterSeconds: 1 }
const refused: CredentialsRefused = { _tag: 'CredentialsRefused', error: { code: 190 } }
const unanswered: PlatformUnanswered = { _tag: 'PlatformUnanswered', cause: undefined }

const FAILURES: ReadonlyArray<ConversationError> = [rejected, throttled, refused, unanswered]

export const conversation = (mark: (sender: Sender, message: PlatformId, typing: boolean) => boolean): Conversation => ({
  markRead: ({ sender, message, typing }: ReadMark): TE.TaskEither<ConversationError, void> =>
    (mark(sender, message, typing) ? TE.right(undefined) : TE.left(FAILURES[message.length % FAILURES.length] ?? unanswered)),
})
