import type { JsonObject } from './json.js'
import type { PlatformId } from './message.js'

/** What a customer wrote, as the platform has it. */
export type InboundMessage = {
  readonly id: PlatformId
  /** The platform's name of the type, such as `text` or `image`. */
  readonly type: string
  /** What is said or attached; absent where contents are not kept. */
  readonly content?: JsonObject
  /** What the message refers to, such as the message that it answers. */
  readonly context?: JsonObject
}
