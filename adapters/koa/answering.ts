import type { MarkRead, OpenMedia } from '../../core/messages/conversation.js'

/** The use cases of a conversation with a customer, besides sends. */
export type Answering = { readonly markRead: MarkRead; readonly openMedia: OpenMedia }

/** What the operations that answer a customer need. */
export type AnsweringDeps = {
  /** Without it there are no such operations. */
  readonly answering?: Answering
}

/** The use cases, of an app that serves their operations. */
export const requireAnswering = ({ answering }: AnsweringDeps): Answering => {
  if (answering === undefined) throw new TypeError('an operation that answers customers is served without its use cases')
  return answering
}
