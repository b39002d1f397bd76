import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { DestinationStream } from 'pino'

/** The most log that waits for a slow reader, in bytes; further lines are dropped. */
const MOST_BYTES = 16 * 1_024 * 1_024

/** Writes log lines to a stream. */
export type LogOutput = DestinationStream & {
  /** Resolves when every line is written, when the stream is broken, or after so many milliseconds. */
  readonly flush: (timeoutMs: number) => Promise<void>
}

/**
 * Writes log lines to a stream and never waits for its reader. Lines that are logged in one turn of the event loop are written together.
 *
 * If the reader is too slow, further lines are dropped, and a `log_lines_dropped` line says how many. If the reader has ended, the gateway
 * continues without a log.
 */
export const logOutput = (stream: Writable, mostBytes = MOST_BYTES): LogOutput => {
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
