import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'
import { causeOf } from './cause.js'
import type { LogLevel } from './config.js'

/** Fields that could contain a secret or a message's content by mistake; their values are replaced. */
const SECRET: ReadonlySet<string> = new Set([
  'accessToken', 'access_token', 'authorization', 'secret', 'appSecret', 'verifyToken', 'key', 'text', 'components',
])

/** The log: JSON lines, the time as ISO 8601, the level as a word. An error is logged with its kind, code and message. */
export const makeLog = (level: LogLevel, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redact },
      serializers: { cause: describeErrors, err: describeErrors, error: describeErrors },
    },
    ...(destination === undefined ? [] : [destination]),
  )

const describeErrors = (value: unknown): unknown => (value instanceof Error ? causeOf(value) : value)

type Fields = Readonly<Record<string, unknown>>

/** Hides secrets at the top and one level down. pino's own `redact` with `*.name` makes a line cost five times as much. */
const redact = (fields: Fields): Record<string, unknown> => {
  if (Object.keys(fields).every((name) => !SECRET.has(name) && !isFields(fields[name]))) return fields
  const safe: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) safe[name] = SECRET.has(name) ? CENSOR : isFields(value) ? redactTop(value) : value
  return safe
}

const redactTop = (fields: Fields): Fields =>
  Object.keys(fields).some((name) => SECRET.has(name))
    ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, SECRET.has(name) ? CENSOR : value]))
    : fields

const CENSOR = '[redacted]'

/** An error is described by its serializer. */
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !(value instanceof Error)
