import type { MalformedBody } from './failures.js'

/** The most bytes a form may have: a text of 4096 characters takes 36 KiB if every byte of it is percent-encoded. */
export const MAX_FORM_BYTES = 64 * 1024

/** The most fields of a form, and parts of a multipart body; an operation has far fewer. */
export const MAX_FIELDS = 32

/** The most bytes of the header lines of one part, which name a field and its type. */
const MAX_PART_HEADER_BYTES = 1024

/** The most line breaks of a multipart body: a text of 4096 characters has fewer, and each one costs the parser a comparison. */
const MAX_LINE_BREAKS = 5_000

const CR = '\r'
const HEADERS_END = '\r\n\r\n'

/**
 * Checks a multipart body with fast searches before it is parsed. Returns its fault, or `undefined`.
 *
 * The parser's time grows with the number of parts and of line breaks, and with the square of the number of file names in one
 * header. So a body of the allowed size could block the process for a second.
 */
export const multipartFault = (bytes: Buffer, boundary: string): MalformedBody | undefined => {
  if (!hasAtMost(MAX_LINE_BREAKS, bytes, CR)) return tooMany(`${MAX_LINE_BREAKS} line breaks`)
  const delimiter = `--${boundary}`
  if (!hasAtMost(MAX_FIELDS + 1, bytes, delimiter)) return tooMany(`${MAX_FIELDS} parts`)
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    const end = bytes.indexOf(HEADERS_END, at)
    const next = bytes.indexOf(delimiter, at + delimiter.length)
    const headerEnd = [end, next, bytes.length].filter((place) => place !== -1).reduce((a, b) => Math.min(a, b))
    if (headerEnd - at - delimiter.length > MAX_PART_HEADER_BYTES) return tooMany(`${MAX_PART_HEADER_BYTES} bytes of headers in a part`)
  }
  return undefined
}

/** Checks a urlencoded body before it is parsed. Returns its fault, or `undefined`. */
export const urlencodedFault = (bytes: Buffer): MalformedBody | undefined =>
  hasAtMost(MAX_FIELDS - 1, bytes, '&') ? undefined : tooMany(`${MAX_FIELDS} fields`)

/** Whether a text occurs at most `most` times; the search stops at the first one above that. */
const hasAtMost = (most: number, bytes: Buffer, text: string): boolean => {
  let found = 0
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) {
    found += 1
    if (found > most) return false
  }
  return true
}

const tooMany = (what: string): MalformedBody => ({ _tag: 'MalformedBody', sentence: `The form has more than ${what}` })
