import * as E from 'fp-ts/lib/Either.js'
import { checkContent, parseIdempotencyKey, parseWrittenCustomerId, type SendTextCommand, type WorkspaceId } from 'postern'

/** A text from a form or another program, unchecked. */
export type Input = { readonly to: string; readonly text: string; readonly key: string }

/** The command of a text, or a sentence that says which field is wrong. */
export const parseText = (workspace: WorkspaceId, { to, text, key }: Input): E.Either<string, SendTextCommand> => {
  const customer = parseWrittenCustomerId(to)
  const [breach] = checkContent('text', { body: text })
  const idempotencyKey = parseIdempotencyKey(key)
  if (customer._tag === 'Left') return E.left('to must be a phone number with its country code, or a user id')
  if (breach !== undefined) return E.left(`text must be ${breach.rule}`)
  if (idempotencyKey._tag === 'Left') return E.left('key must be 1 to 255 printable ASCII characters')
  return E.right({ workspace, to: customer.right, text, idempotencyKey: idempotencyKey.right })
}
