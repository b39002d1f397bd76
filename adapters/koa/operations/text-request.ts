import { MAX_TEXT_LENGTH } from '../../../core/message.js'
import { CustomerId, notBlank, wellFormed } from '../codecs.js'
import { described, fields, length, named, string, type NoFields, type TypeOf } from '../schema.js'
import type { WorkspaceRequest } from '../workspace-operation.js'

const SendTextRequest = named('SendTextRequest', described(fields({
  to: CustomerId,
  text: described(string(length(MAX_TEXT_LENGTH), notBlank, wellFormed), `1 to ${MAX_TEXT_LENGTH} characters, counted in UTF-16 units, not only blanks.`),
}), 'Unknown fields are ignored.'))

/** The body of a text, to be sent or quoted. */
export const textBody = {
  codec: SendTextRequest,
  forms: true,
  examples: { text: { value: { to: '5511987654321', text: 'Your order 1742 is on its way.' } } },
}

/** A request of a text. */
export type TextRequest = WorkspaceRequest<NoFields, TypeOf<typeof SendTextRequest>>
