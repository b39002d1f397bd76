import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  ByteRange, Conversation, ConversationError, CredentialsRefused, Media, MediaError, MediaGone, MediaId, PlatformId, PlatformRejected, PlatformThrottled,
  PlatformUnanswered, RangeNotSatisfiable, ReadMark, Sender, WantedMedia,
} from '../../../core/ports/conversation.js'

const rejected: PlatformRejected = { _tag: 'PlatformRejected', error: { code: 131_009 } }
const throttled: PlatformThrottled = { _tag: 'PlatformThrottled', error: { code: 80_007 }, retryAfterSeconds: 1 }
const refused: CredentialsRefused = { _tag: 'CredentialsRefused', error: { code: 190 } }
const unanswered: PlatformUnanswered = { _tag: 'PlatformUnanswered', cause: undefined }
const gone: MediaGone = { _tag: 'MediaGone' }
const outside: RangeNotSatisfiable = { _tag: 'RangeNotSatisfiable', size: 0 }

const FAILURES: ReadonlyArray<ConversationError> = [rejected, throttled, refused, unanswered]

export const conversation = (
  mark: (sender: Sender, message: PlatformId, typing: boolean) => boolean, attachments: ReadonlyMap<MediaId, AsyncIterable<Uint8Array>>,
): Conversation => ({
  markRead: ({ sender, message, typing }: ReadMark): TE.TaskEither<ConversationError, void> =>
    (mark(sender, message, typing) ? TE.right(undefined) : TE.left(FAILURES[message.length % FAILURES.length] ?? unanswered)),
  openMedia: ({ sender, id, range }: WantedMedia): TE.TaskEither<MediaError, Media> => {
    const bytes = attachments.get(id)
    if (sender.accessToken === '' || isOutside(range)) return TE.left(outside)
    return bytes === undefined ? TE.left(gone) : TE.right({ type: 'image/png', length: undefined, part: undefined, bytes, close: () => undefined })
  },
})

const isOutside = (range: ByteRange | undefined): boolean => range !== undefined && 'lastBytes' in range && range.lastBytes === 0
