import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { listenAndAnnounce, serveRequests } from '../bench/ipc-server.js'
import { withBody } from '../support/listening.js'

/** A send that reached the platform whole, which accepted it. */
export type AcceptedSend = {
  readonly callback: string
  readonly wamid: string
  readonly phoneNumberId: string
  readonly to: string
  readonly body: string
}

/** How long answers take, in milliseconds: between two times at random, or from the first to the second over a time. */
export type AnswerTime =
  | { readonly kind: 'random'; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'rising'; readonly fromMs: number; readonly toMs: number; readonly overMs: number }

/** What the platform has seen so far. */
export type PlatformReport = {
  readonly accepted: ReadonlyArray<AcceptedSend>
  /** How many sends were closed by the gateway before they were answered. */
  readonly abandoned: number
  /** The longest time from a send to its answer, as this process measured it. */
  readonly slowestMs: number
  /** The most sends that waited for an answer at the same time. */
  readonly mostInFlight: number
  /** How many connections were opened. */
  readonly connections: number
}

/** What the process is asked for over IPC; it answers with a `PlatformReport`. */
export type PlatformRequest = { readonly answerAfter?: AnswerTime }

const delayOf = (time: AnswerTime): (() => number) => {
  const begun = performance.now()
  const range = time.toMs - time.fromMs
  switch (time.kind) {
    case 'random': return () => time.fromMs + range * Math.random()
    case 'rising': return () => time.fromMs + range * Math.min(1, (performance.now() - begun) / time.overMs)
  }
}

const acceptedSend = (number: number, path: string, body: string): AcceptedSend => {
  const { to = '', biz_opaque_callback_data: callback = 'none' } = JSON.parse(body === '' ? '{}' : body) as {
    readonly to?: string
    readonly biz_opaque_callback_data?: string
  }
  return { callback, wamid: `wamid.attack${number}`, phoneNumberId: path.split('/')[2] ?? '', to: to.replace('+', ''), body }
}

const answer = (response: ServerResponse, { to, wamid }: AcceptedSend): void => {
  const body = JSON.stringify({ messaging_product: 'whatsapp', contacts: [{ input: to, wa_id: to }], messages: [{ id: wamid }] })
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

/** A gateway reads its numbers too. That is no send, so it is not counted. */
const answerRead = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end('{}')
}

/** A platform that accepts every send, after a delay that can change while it runs, with the certificate of two files if they are given. */
const [certFile, keyFile] = process.argv.slice(2)
const accepted: AcceptedSend[] = []
let [abandoned, slowestMs, inFlight, mostInFlight, connections] = [0, 0, 0, 0, 0]
let delayMs = delayOf({ kind: 'random', fromMs: 0, toMs: 0 })

const server = certFile === undefined || keyFile === undefined
  ? createServer({ keepAliveTimeout: 0 })
  : createSecureServer({ keepAliveTimeout: 0, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') })
server.on('connection', () => { connections += 1 })
server.on('request', (request: IncomingMessage, response: ServerResponse) => {
  const begun = performance.now()
  const finish = (send: AcceptedSend): void => {
    answer(response, send)
    slowestMs = Math.max(slowestMs, performance.now() - begun)
  }
  withBody((body) => {
    if (request.method === 'GET') return answerRead(response)
    const send = acceptedSend(accepted.length, request.url ?? '', body.toString())
    accepted.push(send)
    inFlight += 1
    mostInFlight = Math.max(mostInFlight, inFlight)
    response.once('close', () => {
      inFlight -= 1
      if (!response.writableEnded) abandoned += 1
    })
    const wait = delayMs()
    if (wait === 0) finish(send)
    else setTimeout(finish, wait, send)
  })(request, response)
})
void listenAndAnnounce(server)
serveRequests(async (request): Promise<PlatformReport> => {
  const { answerAfter } = request as PlatformRequest
  if (answerAfter !== undefined) delayMs = delayOf(answerAfter)
  return { accepted, abandoned, slowestMs, mostInFlight, connections }
})
