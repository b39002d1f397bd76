import type * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import type { Instant } from '../kernel/time.js'
import type { Message, MessageId } from './message.js'

/**
 * The contents of messages, in a storage that is configured to keep them. The storage stores them in the step that opens the message, encrypted at rest.
 *
 * The content is deleted when its message is forgotten, by retention or with its person, and when `removeOld` removes it.
 */
export interface MessageContents {
  /** The contents of messages of a workspace, by their ids; messages without stored content are left out. */
  readonly find: (
    workspace: WorkspaceId, ids: ReadonlyArray<MessageId>,
  ) => Promise<E.Either<PortFailure, ReadonlyMap<MessageId, KeptContent>>>
  /** Removes the contents of messages that were opened before a given time, some thousands at most. Right: how many. */
  readonly removeOld: (before: Instant) => Promise<E.Either<PortFailure, number>>
}

/** The content of a message: its `type`, the platform's own object under that name, and the `context` that it quoted, if any. */
export type KeptContent = JsonObject

/** The content that is stored of a message. */
export const keptContentOf = (message: Message): KeptContent => ({
  ...objectOf(message), ...(message.context && { context: message.context }),
})

const objectOf = (message: Message): JsonObject => {
  switch (message._tag) {
    case 'Text': return { type: 'text', text: { body: message.text } }
    case 'Content': return { type: message.type, [message.type]: message.content }
    case 'Template': {
      const { name, language, components } = message
      return { type: 'template', template: { name, language: { code: language }, ...(components && { components }) } }
    }
  }
}
