import * as E from 'fp-ts/lib/Either.js'
import type { Conversation, MediaId } from '../../core/messages/conversation.js'
import { atomic } from './task.js'

/** What a customer attached to a message. */
export type Attachment = { readonly type: string; readonly bytes: Uint8Array }

/** Attachments by their ids. */
export type Attachments = Map<MediaId, Attachment>

/** Opens attachments, always all of their bytes. */
export const openAttachment =
  (attachments: Attachments): Conversation['openMedia'] =>
  ({ id }) =>
    atomic(() => {
      const attachment = attachments.get(id)
      if (attachment === undefined) return E.left({ _tag: 'MediaGone' })
      const { type, bytes } = attachment
      return E.right({ type, length: bytes.length, part: undefined, bytes: inOneChunk(bytes), close: () => undefined })
    })

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
