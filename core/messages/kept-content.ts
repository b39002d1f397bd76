import type * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import type { Instant } from '../kernel/time.js'
import type { Message, MessageId } from './message.js'

/**
 * What messages said, of a storage that is asked to keep it. The storage keeps it in the step that opens the message, encrypted where it is at rest.
 *
 * It goes when its message is forgotten, by retention or with its person, and when `removeOld` removes it.
 */
export interface MessageContents {
  /** What messages of a workspace said, by their ids; those of which nothing is kept are left out. */
  readonly find: (workspace: WorkspaceId, ids: ReadonlyArray<MessageId>) => Promise<E.Either<PortFailure, ReadonlyMap<MessageId, KeptContent>>>
  /** Removes what messages that were opened before a moment said, some thousands at most. Right: how many. */
  readonly removeOld: (before: Instant) => Promise<E.Either<PortFailure, number>>
}

/** What a message said: its `type`, the platform's own object under that name, and the `context` that it quoted, where there is one. */
export type KeptContent = JsonObject

/** What is kept of a message. */
export const keptContentOf = (message: Message): KeptContent => ({ ...objectOf(message), ...(message.context && { context: message.context }) })

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
