import type { Metadata } from './message.js'

/** The limits of the notes on a message: how many there are, and the lengths of a key and of a value in UTF-16 units. */
export const MAX_METADATA = 16
export const MAX_METADATA_KEY = 40
export const MAX_METADATA_VALUE = 500

/** The rule of `isMetadata`, for people. */
export const METADATA_RULE =
  `an object of at most ${MAX_METADATA} strings, with keys of 1 to ${MAX_METADATA_KEY} characters and values of at most ${MAX_METADATA_VALUE}`

/** Whether a value is an application's notes on a message, within their limits. */
export const isMetadata = (value: unknown): value is Metadata => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const entries = Object.entries(value)
  return entries.length <= MAX_METADATA && entries.every(([key, one]) =>
    key.length >= 1 && key.length <= MAX_METADATA_KEY && typeof one === 'string' && one.length <= MAX_METADATA_VALUE)
}
