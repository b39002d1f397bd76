import * as O from 'fp-ts/lib/Option.js'
import { CUSTOMER_ERASED, type LineProblemCode } from '../batches/batch.js'
import { explainError } from './explain.js'

/** What a code of a line means, and what to do. */
export type LineExplanation = { readonly means: string; readonly fix: string }

const CORRECT = 'Correct the line and put it into another batch.'

/** The codes that only lines of files have. The codes of refused and failed messages are those of all messages. */
const LINE_PROBLEMS: Readonly<Record<string, LineExplanation>> = {
  malformed_line: { means: 'The line could not be read.', fix: CORRECT },
  line_too_long: { means: 'The line was longer than a line may be.', fix: CORRECT },
  not_utf8: { means: 'The line has characters in an encoding other than UTF-8.', fix: 'Save the file as UTF-8.' },
  missing_parameters: { means: 'A column that every line needs was empty.', fix: CORRECT },
  invalid_parameter: { means: 'A value of the line breaks the rule of its column.', fix: CORRECT },
  invalid_phone_number: { means: 'It is not a phone number with its country code.', fix: 'Write the number with its country code, such as 4915123456789.' },
  number_in_scientific_notation: {
    means: 'A spreadsheet wrote the phone number as a rounded number, so its last digits are lost.',
    fix: 'Format the column as text, enter the numbers again, and export the file again.',
  },
  duplicate_recipient: { means: 'An earlier line of the file is to the same customer.', fix: 'Nothing: the customer gets the message once.' },
  phone_number_required: {
    means: 'The template needs a phone number, and only the user id of the customer is known.', fix: 'Ask the customer for the number.',
  },
  too_much_metadata: {
    means: 'The metadata of the line and of the batch together are more than a message may have.',
    fix: 'Leave out some metadata: a message has at most 16 entries, those of its batch included.',
  },
  timezone_unknown: {
    means: 'The batch has hours of delivery, and the time zone of the customer is not known.',
    fix: 'Name the time zone in the column timezone, such as Europe/Berlin.',
  },
  queue_expired: { means: 'Its time to be sent had passed.', fix: 'Put the line into another batch, with a later `until`.' },
  not_sendable: {
    means: 'It could not be sent when it was due, for example because its template or its sender was gone.',
    fix: 'Put the line into another batch.',
  },
  canceled: { means: 'The batch was canceled before this line was sent.', fix: 'Put the line into another batch if it should be sent.' },
  customer_erased: { means: 'The customer was erased before this line was sent.', fix: 'Nothing: the customer asked not to be known.' },
}

/** Explains the code of a line: one of files, of the HTTP contract, or of the platform. */
export const explainLine = (code: LineProblemCode | number): LineExplanation | undefined =>
  (Object.hasOwn(LINE_PROBLEMS, code) ? LINE_PROBLEMS[code] : undefined) ?? O.toUndefined(explainError(String(code)))?.entry

/** Codes after which only the customer can change something. */
const UP_TO_CUSTOMER: ReadonlySet<unknown> = new Set(['customer_opted_out', 'consent_required', CUSTOMER_ERASED])

/** Whether it can help to send a message again that failed with a code, perhaps after what its explanation says. Of an unknown code that is not known, so it can. */
export const mayHelpAgain = (code: LineProblemCode | number): boolean =>
  !UP_TO_CUSTOMER.has(code) && O.toUndefined(explainError(String(code)))?.entry.retry !== 'never'
