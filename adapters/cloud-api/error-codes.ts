import type { JsonObject } from '../../core/json.js'

/** What an error code of the platform says of the message: refused in one of three ways, or perhaps accepted after all. */
export type Verdict = 'rejected' | 'throttled' | 'credentials' | 'unknown'

/**
 * The platform's error codes, from its error reference (support/error-codes, read September 2026) and, for what that
 * leaves out, the public clients pywa and courier. An answer is judged by its code; its HTTP status varies between sources.
 *
 * Where only the operator can mend matters, because every message through this sender would be refused alike, the
 * verdict is `credentials`; where another message through the same sender might be accepted, it is `rejected`.
 */
const VERDICTS: ReadonlyArray<readonly [Verdict, ReadonlyArray<number>]> = [
  // "Not accepted", and its retry advice is "yes, later": call, throughput and pair limits, maintenance of at most a minute
  // (131057), a number deleted within 5 minutes (133015), an account still being set up for 10 (134101).
  ['throttled', [4, 613, 80007, 130429, 131056, 131057, 132069, 133015, 133016, 134101]],
  // The token and its permissions (0, 3, 10, 104, 190, 131005; 200 to 299 below); the number: deleted (33), display name
  // (131037), certificate (131045), registration (1330xx); the account: blocked (368), locked (131031), not paying (131042).
  ['credentials', [
    0, 3, 10, 33, 104, 190, 368, 131005, 131031, 131037, 131042, 131045, 133000, 133005, 133006, 133008, 133009, 133010,
  ]],
  // The platform's own faults, which it does not promise to have noticed before accepting the message.
  ['unknown', [1, 2, 131000, 131016, 133004]],
  // The message, its template or its recipient. 131048 sounds like a limit but is none that waiting helps: customers blocked
  // or reported the number, and sending again makes it worse.
  ['rejected', [
    100, 130403, 130472, 130497, 131008, 131009, 131020, 131021, 131026, 131030, 131041, 131047, 131048, 131049, 131050,
    131051, 131052, 131053, 131055, 131059, 131060, 131062, 131063, 131064, 132000, 132001, 132005, 132007, 132008, 132012,
    132015, 132016, 132018, 132068, 134011, 134100, 134102, 135000, 137000,
  ]],
]

const VERDICT_OF: ReadonlyMap<number, Verdict> = new Map(
  VERDICTS.flatMap(([verdict, codes]) => codes.map((code) => [code, verdict] as const)),
)

/** Subcode of 100 for an object that does not exist or may not be seen: here, the phone number id. */
const OBJECT_NOT_FOUND = 33

/**
 * The verdict of an error object with a code that an answer of an HTTP status carried.
 *
 * A code that is not listed means "not accepted", as every error does, unless it came with a 5xx or with the platform's
 * own word that the fault is transient: then nobody knows how far the message got.
 */
export const verdictOf = (code: number, error: JsonObject, status: number): Verdict => {
  if (code === 100 && numberOf(error['error_subcode']) === OBJECT_NOT_FOUND) return 'credentials'
  if (code >= 200 && code <= 299) return 'credentials'
  return VERDICT_OF.get(code) ?? (status >= 500 || error['is_transient'] === true ? 'unknown' : 'rejected')
}

/** A whole number, also where it was written as a string of digits; `undefined` for anything else. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'string' && /^[0-9]{1,15}$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}
