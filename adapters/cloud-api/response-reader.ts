import { startDeadline } from './deadline.js'
import { MAX_ANSWER_BYTES, type Answered, type HttpRequest, type TransportResult } from './transport.js'

/** Takes what a client library reports of one call; whatever it reports after the result is ignored. */
export type ResponseReader = {
  readonly hasResult: () => boolean
  /** The connection is up and the request is written: from now on the answer has the whole timeout. */
  readonly written: () => void
  readonly begin: (status: number, headers: Answered['headers']) => void
  readonly data: (chunk: Buffer) => void
  readonly end: () => void
  readonly fail: (cause: Error, code?: string) => void
}

/** What is particular to a client library: whether the request may have been written by now, and how to end the call. */
export type Call = { readonly mayBeSent: (code?: string) => boolean; readonly abort: (cause: Error) => void }

/** Puts the answer to one call together and reports its result once: a whole answer, or why there is none. */
export const readResponse = (
  { timeoutMs, connectMs = timeoutMs, maxAnswerBytes = MAX_ANSWER_BYTES }: Pick<HttpRequest, 'timeoutMs' | 'connectMs' | 'maxAnswerBytes'>, call: Call, onResult: (result: TransportResult) => void,
): ResponseReader => {
  let head: Pick<Answered, 'status' | 'headers'> | undefined
  let hasResult = false
  const chunks: Buffer[] = []
  let size = 0

  const finish = (result: TransportResult): void => {
    if (hasResult) return
    hasResult = true
    deadline.clear()
    onResult(result)
  }
  const fail = (cause: Error, code?: string): void => finish({ _tag: call.mayBeSent(code) ? 'NoAnswer' : 'NotSent', cause })
  const abort = (why: string): void => {
    if (hasResult) return
    const cause = new Error(why)
    fail(cause)
    call.abort(cause)
  }
  const limitTo = (length: number): void => {
    if (length > maxAnswerBytes) abort(`The answer is longer than ${maxAnswerBytes} bytes`)
  }
  // A library's own timeouts cover parts of a call, and not an answer that switches protocols.
  let deadline = startDeadline(connectMs, () => abort(`No connection within ${timeoutMs} ms`))

  return {
    hasResult: () => hasResult,
    written: () => {
      if (hasResult) return
      deadline.clear()
      deadline = startDeadline(timeoutMs, () => abort(`No whole answer within ${timeoutMs} ms`))
    },
    begin: (status, headers) => {
      head = { status, headers }
      limitTo(Number(headers['content-length']))
    },
    data: (chunk) => {
      size += chunk.length
      chunks.push(chunk)
      limitTo(size)
    },
    end: () => {
      if (head === undefined) fail(new Error('The answer ended before it began'))
      else finish({ _tag: 'Answered', ...head, body: Buffer.concat(chunks, size).toString('utf8') })
    },
    fail,
  }
}
