import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import type { Contract, Exchange, Known } from './contract.js'

/** A listener whose every exchange is validated against a contract. */
export type RecordedListener = {
  readonly listener: RequestListener
  /** The faults of the exchanges so far, as sentences. */
  readonly faults: () => ReadonlyArray<string>
  /** The documented operations and statuses of the exchanges so far. */
  readonly known: () => ReadonlyArray<Known>
}

/**
 * Records every exchange of a listener at its socket, so that each one is validated.
 *
 * If the listener is mounted under a `prefix`, only requests below it are validated.
 */
export const recordedListener = (contract: Contract, listener: RequestListener, prefix = ''): RecordedListener => {
  const exchanges: Array<Exchange> = []
  return {
    listener: (req, res) => {
      const target = req.url ?? ''
      if (target.startsWith(`${prefix}/`)) record(req, res, target.slice(prefix.length), (exchange) => void exchanges.push(exchange))
      listener(req, res)
    },
    faults: () => exchanges.flatMap((exchange) => contract.validate(exchange).faults),
    known: () => exchanges.flatMap((exchange) => contract.validate(exchange).known),
  }
}

const record = (req: IncomingMessage, res: ServerResponse, target: string, onExchange: (exchange: Exchange) => void): void => {
  const requestBody: Array<Buffer> = []
  const body: Array<Buffer> = []
  // A listener for `data` would start the flow of the body before the app reads it.
  interceptCalls(req, 'emit', ([event, chunk]) => {
    if (event === 'data' && Buffer.isBuffer(chunk)) requestBody.push(chunk)
  })
  interceptCalls(res, 'end', ([chunk]) => {
    if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) body.push(Buffer.from(chunk))
  })
  res.on('finish', () => onExchange({
    method: req.method ?? '', target, requestHeaders: { ...textual(req.headers), host: hostsOf(req) },
    requestBody: Buffer.concat(requestBody), status: res.statusCode, headers: textual(res.getHeaders()), body: Buffer.concat(body),
  }))
}

/** Passes the arguments of each later call of a method to `onCall`. */
const interceptCalls = (object: object, name: string, onCall: (args: ReadonlyArray<unknown>) => void): void => {
  const method: unknown = Reflect.get(object, name)
  if (typeof method !== 'function') throw new TypeError(`${name} is no method`)
  Reflect.set(object, name, (...args: ReadonlyArray<unknown>): unknown => {
    onCall(args)
    return Reflect.apply(method, object, args)
  })
}

const textual = (headers: OutgoingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), String(value)]])))

/** Node keeps the first `Host` header only. */
const hostsOf = ({ rawHeaders }: IncomingMessage): string =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host').join()
