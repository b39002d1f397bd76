/** How grave an event is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Takes an event, named in snake case, and what is worth knowing of it; never a secret, a text or a phone number. */
export type Log = (level: LogLevel, event: string, fields: Readonly<Record<string, string | number>>) => void

/** A function whose own failure is nobody's business: a broken log must not turn a message that went into an error. */
export const quietly =
  <Args extends ReadonlyArray<unknown>>(work: ((...args: Args) => void) | undefined) =>
  (...args: Args): void => {
    try {
      work?.(...args)
    } catch {
      // There is nowhere left to report it.
    }
  }

const SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bpst_[\w-]+/g, 'pst_…'],
  [/\bEAA\w+/g, 'EAA…'],
  [/\b(bearer|basic)\s+\S+/gi, '$1 …'],
  [/:\/\/[^\s/@]+@/g, '://…@'],
  [/\bwamid\.[\w+/=-]+/g, 'wamid.…'],
  [/(?<![0-9a-f-])\+?[0-9]{7,15}(?![0-9a-f-])/gi, '…'],
]
const MAX_LENGTH = 500

/** What a log may know of a cause: its name, its code and its message, without what looks like a key, token or phone number. */
export const describeCause = (cause: unknown): Readonly<Record<string, string>> => {
  if (!(cause instanceof Error)) return { cause: typeof cause === 'string' ? scrub(cause) : typeof cause }
  const code = 'code' in cause ? cause.code : undefined
  const isCode = typeof code === 'string' || typeof code === 'number'
  return { cause: scrub(cause.message), error: cause.name, ...(isCode && { code: String(code) }) }
}

const scrub = (text: string): string =>
  SECRETS.reduce((left, [secret, instead]) => left.replace(secret, instead), text.slice(0, MAX_LENGTH))
