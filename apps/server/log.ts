import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import type { OnHost } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { LogLevel } from './config.js'
import { causeOf } from './package.js'

/** The maximum log that is buffered for a slow reader, in bytes; further lines are dropped. */
const MAX_BYTES = 16 * 1_024 * 1_024

/** Writes log lines to a stream. */
export type LogOutput = DestinationStream & {
  /** Resolves when every line is written, when the stream is broken, or after `timeoutMs`. */
  readonly flush: (timeoutMs: number) => Promise<void>
}

/**
 * Writes log lines to a stream and never waits for its reader. Lines that are logged in one turn of the event loop are written together.
 *
 * If the reader is too slow, further lines are dropped, and a `log_lines_dropped` line says how many. If the reader has ended, the gateway
 * continues without a log.
 */
export const logOutput = (stream: Writable, mostBytes = MAX_BYTES): LogOutput => {
  let dropped = 0
  let lines = ''
  const writeLines = (): void => {
    if (lines !== '' && stream.errored === null) stream.write(lines)
    lines = ''
  }
  stream.on('error', () => undefined)
  return {
    write: (line) => {
      if (stream.errored !== null) return
      if (stream.writableLength + lines.length > mostBytes) {
        dropped += 1
        return
      }
      if (lines === '') setImmediate(writeLines)
      if (dropped > 0) {
        lines += `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), pid: process.pid, count: dropped, msg: 'log_lines_dropped' })}\n`
        dropped = 0
      }
      lines += line
    },
    flush: async (timeoutMs) => {
      writeLines()
      if (stream.errored !== null || stream.writableLength === 0) return
      const written = new Promise<void>((resolve) => void stream.write('', () => { resolve() }))
      await Promise.race([written, delay(timeoutMs, undefined, { ref: false })])
    },
  }
}

/** Fields that could contain a secret or a message's content by mistake; their values are replaced. */
const SECRET: ReadonlySet<string> = new Set([
  'accessToken', 'access_token', 'authorization', 'secret', 'appSecret', 'secondAppSecret', 'app_secret', 'second_app_secret',
  'verifyToken', 'verify_token', 'key', 'text', 'components',
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

/** Logs which of several database hosts is used, and which one was abandoned and why. */
export const logDatabaseHosts = (log: Log): OnHost => ({ host, fault }) => {
  if (fault === undefined) log('info', 'database_host_used', { host })
  else log('warn', 'database_host_left', { host, fault })
}
