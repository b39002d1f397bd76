import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'
import { causeOf } from './cause.js'
import type { LogLevel } from './config.js'

/** Names under which a secret or a message's content could be handed to the log by mistake. */
const SECRET = ['accessToken', 'access_token', 'authorization', 'secret', 'appSecret', 'verifyToken', 'key', 'text', 'components']

/** The log: JSON lines on standard output, the time as ISO 8601, the level as a word. Causes tell their code and message only. */
export const makeLog = (level: LogLevel, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { cause: causeOf, err: causeOf, error: causeOf },
      redact: { paths: SECRET.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    ...(destination === undefined ? [] : [destination]),
  )
