/**
 * When it makes sense to repeat the same request: never; after some time; with the same Idempotency-Key, because the outcome may be known later; or after
 * a change, either of the request or as `fix` describes.
 */
export type RetryWhen = 'never' | 'after' | 'same_key' | 'changed'

/**
 * What happens to the price: nothing is charged; it is held until the outcome is known; it is refunded if the message fails after it was accepted; or the error is about
 * something that costs nothing.
 */
export type Charged = 'no' | 'held' | 'given_back' | 'free'

/** The meaning of an error, its cause and what to do, in sentences for people. Backticks mark code. */
export type Explanation = {
  readonly means: string
  readonly cause: string
  readonly fix: string
  readonly retry: RetryWhen
  readonly charged: Charged
}

const RETRY: Readonly<Record<RetryWhen, string>> = {
  never: 'No. It would fail again.',
  after: 'Yes, later and unchanged. If the reply has `retry.after_s`, wait that number of seconds.',
  same_key: 'Only with the same Idempotency-Key, and never with a new one: the outcome may be known later.',
  changed: 'Only after you have done that. Until then the same request fails again.',
}

const CHARGED: Readonly<Record<Charged, string>> = {
  no: 'No. If a price was held for a message, it was released.',
  held: 'Not yet. If a message was opened, its price stays on hold until its outcome is known: it is charged if the message was sent, and released if it was not.',
  given_back: 'No. If the platform accepted the message first and reported the error later, its price was charged and then refunded.',
  free: 'No. The error is about something that costs nothing.',
}

/** A part of an explanation under its heading. */
export type Section = { readonly heading: string; readonly text: string }

/** The parts of an explanation in reading order: the same for a page, a file and a terminal. */
export const sectionsOf = ({ means, cause, fix, retry, charged }: Explanation): ReadonlyArray<Section> => [
  { heading: 'What it means', text: means },
  { heading: 'Cause', text: cause },
  { heading: 'What to do', text: fix },
  { heading: 'Can it be repeated?', text: RETRY[retry] },
  { heading: 'Is it charged?', text: CHARGED[charged] },
]
