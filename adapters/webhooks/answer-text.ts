import { MAX_ANSWER_BYTES } from './call-endpoint.js'

/**
 * The beginning of an answer as text that every database can store: without NUL, at most 8 KiB in UTF-8.
 *
 * Bytes that are not UTF-8 become replacement characters, which take three bytes each, so the text is cut again.
 */
export const answerText = (beginning: Buffer): string => {
  const text = new TextDecoder().decode(beginning).replaceAll('\0', '')
  if (Buffer.byteLength(text) <= MAX_ANSWER_BYTES) return text
  // A character that the cut divides is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_ANSWER_BYTES), { stream: true })
}
