import { MAX_ANSWER_BYTES, type Answered, type HttpRequest, type TransportResult } from './transport.js'

/** What a client library reports of one call; once the result is told, whatever else it reports is ignored. */
export type OneAnswer = {
  readonly isTold: () => boolean
  readonly begin: (status: number, headers: Answered['headers']) => void
  readonly data: (chunk: Buffer) => void
  readonly end: () => void
  readonly fail: (cause: Error, code?: string) => void
}

/** What is particular to a client library: whether the request may have been written by now, and how to end the call. */
export type Call = { readonly mayBeSent: (code?: string) => boolean; readonly abort: (cause: Error) => void }

/** Puts an answer together and tells the result of its call exactly once: whole, failed, too long, or too late. */
export const expectAnswer = ({ timeoutMs }: Pick<HttpRequest, 'timeoutMs'>, call: Call, tell: (result: TransportResult) => void): OneAnswer => {
  let head: Pick<Answered, 'status' | 'headers'> | undefined
  let told = false
  const chunks: Buffer[] = []
  let size = 0

  const finish = (result: TransportResult): void => {
    if (told) return
    told = true
    clearTimeout(deadline)
    tell(result)
  }
  const fail = (cause: Error, code?: string): void => finish({ _tag: call.mayBeSent(code) ? 'Lost' : 'NotSent', cause })
  const giveUp = (why: string): void => {
    const cause = new Error(why)
    fail(cause)
    call.abort(cause)
  }
  const bound = (length: number): void => {
    if (length > MAX_ANSWER_BYTES) giveUp(`The answer is longer than ${MAX_ANSWER_BYTES} bytes`)
  }
  // A library's own timeouts cover parts of a call, and not an answer that switches protocols.
  const deadline = setTimeout(giveUp, timeoutMs, `No whole answer within ${timeoutMs} ms`)

  return {
    isTold: () => told,
    begin: (status, headers) => {
      head = { status, headers }
      bound(Number(headers['content-length']))
    },
    data: (chunk) => {
      size += chunk.length
      chunks.push(chunk)
      bound(size)
    },
    end: () => {
      if (head === undefined) fail(new Error('The answer ended before it began'))
      else finish({ _tag: 'Answered', ...head, body: Buffer.concat(chunks, size).toString('utf8') })
    },
    fail,
  }
}
