import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/**
 * Makes undici pass over interim answers (1xx), as RFC 9110 (section 15.2) asks of every client: undici ends the connection
 * at a `100 Continue` that it did not ask for. `101 Switching Protocols` is left to undici, which refuses it.
 */
export const skippingInterim =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      skipInterim(socket)
      callback(null, socket)
    })

/** A connection carries one request at a time, so the first bytes that are read after a write begin an answer. */
const skipInterim = (socket: Socket): void => {
  const write = socket.write.bind(socket) as (...given: ReadonlyArray<unknown>) => boolean
  const read: (size?: number) => Buffer | null = socket.read.bind(socket)
  let isAnswerDue = false
  let undecided: Buffer = Buffer.alloc(0)

  socket.write = (...given: ReadonlyArray<unknown>) => {
    isAnswerDue = true
    return write(...given)
  }
  socket.read = (size?: number) => {
    const chunk = read(size)
    if (!isAnswerDue || chunk === null) return chunk
    undecided = afterInterim(undecided.length === 0 ? chunk : Buffer.concat([undecided, chunk]))
    if (mayBeInterim(undecided)) return null
    const answer = undecided
    isAnswerDue = false
    undecided = Buffer.alloc(0)
    return answer
  }
}

const STATUS_LINE_LENGTH = 'HTTP/1.1 100'.length
const STATUS_AT = 'HTTP/1.1 '.length
const DIGIT_ONE = 0x31
const INTERIM = /^HTTP\/1\.[01] 1(?!01)[0-9]{2}/
const END_OF_HEAD = '\r\n\r\n'
const LONGEST_INTERIM = 16_384

/** The bytes that follow the whole interim answers at the beginning. */
const afterInterim = (bytes: Buffer): Buffer => {
  if (!isInterim(bytes)) return bytes
  const end = bytes.indexOf(END_OF_HEAD)
  return end === -1 ? bytes : afterInterim(bytes.subarray(end + END_OF_HEAD.length))
}

/** Whether more bytes are needed to know where the final answer begins. A longer interim answer is left to undici. */
const mayBeInterim = (bytes: Buffer): boolean =>
  bytes.length < STATUS_LINE_LENGTH || (bytes.length <= LONGEST_INTERIM && isInterim(bytes))

const isInterim = (bytes: Buffer): boolean =>
  bytes[STATUS_AT] === DIGIT_ONE && INTERIM.test(bytes.toString('latin1', 0, STATUS_LINE_LENGTH))
