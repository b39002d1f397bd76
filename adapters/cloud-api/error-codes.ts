import type { JsonObject } from '../../core/kernel/json.js'

/** What an error code of the platform says of the message: refused for one of three reasons, or perhaps accepted. */
export type ErrorClass = 'rejected' | 'throttled' | 'credentials' | 'unknown'

/**
 * The platform's error codes, from its error reference (support/error-codes, read September 2026) and, for what that
 * leaves out, the public clients pywa and courier. An answer is classified by its code; its HTTP status varies between sources.
 *
 * `credentials`: every message through this sender would be refused alike, so the operator has to act. `rejected`: another
 * message through the same sender might be accepted.
 */
const CODES: ReadonlyArray<readonly [ErrorClass, ReadonlyArray<number>]> = [
  // Not accepted, and the reference advises to try again later: call, throughput and pair limits, maintenance of at most a minute
  // (131057), a number deleted within 5 minutes (133015), an account still being set up for 10 (134101). 80008 is the limit of calls
  // that read templates: https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
  ['throttled', [4, 613, 80007, 80008, 130429, 131056, 131057, 132069, 133015, 133016, 134101]],
  // The token and its permissions (0, 3, 10, 104, 190, 131005; 200 to 299 below); the number: deleted (33), display name
  // (131037), certificate (131045), registration (1330xx); the account: blocked (368), locked (131031), not paying (131042).
  ['credentials', [
    0, 3, 10, 33, 104, 190, 368, 131005, 131031, 131037, 131042, 131045, 133000, 133005, 133006, 133008, 133009, 133010,
  ]],
  // Faults of the platform, which may come after it has accepted the message.
  ['unknown', [1, 2, 131000, 131016, 133004]],
  // The message, its template or its recipient. 131048 is called a limit, but waiting does not lift it: customers blocked
  // or reported the number, and sending again makes it worse.
  ['rejected', [
    100, 130403, 130472, 130497, 131008, 131009, 131020, 131021, 131026, 131030, 131041, 131047, 131048, 131049, 131050,
    131051, 131052, 131053, 131055, 131059, 131060, 131062, 131063, 131064, 132000, 132001, 132005, 132007, 132008, 132012,
    132015, 132016, 132018, 132068, 134011, 134100, 134102, 135000, 137000,
  ]],
]

const CLASS_OF: ReadonlyMap<number, ErrorClass> = new Map(
  CODES.flatMap(([errorClass, codes]) => codes.map((code) => [code, errorClass] as const)),
)

/** Subcode of 100 for an object that does not exist or may not be seen: here, the phone number id. */
const OBJECT_NOT_FOUND = 33

/**
 * Classifies an error object by its code, and by the HTTP status of the answer that carried it.
 *
 * A code that is not listed means that the message was not accepted, unless it came with a 5xx or the platform calls the
 * fault transient: then the message may have been accepted.
 */
export const classifyError = (code: number, error: JsonObject, status: number): ErrorClass => {
  if (code === 100 && numberOf(error['error_subcode']) === OBJECT_NOT_FOUND) return 'credentials'
  if (code >= 200 && code <= 299) return 'credentials'
  return CLASS_OF.get(code) ?? (status >= 500 || error['is_transient'] === true ? 'unknown' : 'rejected')
}

/** A whole number, also where it was written as a string of digits; `undefined` for anything else. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'string' && /^[0-9]{1,15}$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}
