import type { CustomerId } from '../customers/customer.js'
import type { JsonObject } from '../kernel/json.js'
import type { Line, LineProblem } from '../kernel/lines.js'
import type { Metadata } from '../messages/message.js'

export type { LineProblem }

/** A recipient of a batch, as a line of a file or an element of a request names it. */
export type BatchRecipient = {
  readonly to: CustomerId
  /** The parameters of the template; absent if the template has none. */
  readonly components?: ReadonlyArray<JsonObject>
  readonly metadata?: Metadata
  /** The IANA name of the time zone in which the hours of the batch count for this recipient. */
  readonly timezone?: string
}

/** A line of the recipients of a batch. `line` is its number in the file; the head of a CSV is line 1. */
export type BatchLine = Line<BatchRecipient>
