import * as E from 'fp-ts/lib/Either.js'
import type { ConversationError, Media, MediaError, MediaId, MediaUpload, ReadMark, WantedMedia } from '../../core/messages/conversation.js'

/** The platform's side of a conversation: it does what it is asked, unless a test sets a failure. */
export const scriptedConversation = () => {
  const marked: Array<ReadMark> = []
  const wanted: Array<WantedMedia> = []
  let failure: ConversationError | undefined
  let media: MediaError | Media = { _tag: 'MediaGone' }
  const uploads: Array<Omit<MediaUpload, 'bytes'> & { readonly bytes: Buffer }> = []
  return {
    /** The files that the platform has got, in order. */
    uploads,
    /** The marks that the platform received, in order. */
    marked,
    /** The attachments that were asked for, in order. */
    wanted,
    /** What the platform answers to those who ask for an attachment. */
    willGiveMedia: (next: MediaError | Media) => { media = next },
    /** How the platform fails from now on. */
    conversationWillFail: (next: ConversationError | undefined) => { failure = next },
    conversation: {
      markRead: async (mark: ReadMark): Promise<E.Either<ConversationError, void>> => {
        marked.push(mark)
        return failure === undefined ? E.right(undefined) : E.left(failure)
      },
      openMedia: async (one: WantedMedia): Promise<E.Either<MediaError, Media>> => {
        wanted.push(one)
        return '_tag' in media ? E.left(media) : E.right(media)
      },
      uploadMedia: async ({ bytes, ...upload }: MediaUpload): Promise<E.Either<ConversationError, MediaId>> => {
        if (failure !== undefined) return E.left(failure)
        try {
          const pieces: Array<Uint8Array> = []
          for await (const piece of bytes) pieces.push(piece)
          uploads.push({ ...upload, bytes: Buffer.concat(pieces) })
          return E.right(`90000${uploads.length}` as MediaId)
        } catch (cause) {
          return E.left({ _tag: 'PlatformUnanswered', cause })
        }
      },
    },
  }
}
