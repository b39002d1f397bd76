import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'

/** How a send ended for its caller; `lost` where no whole answer came. */
export type SendReply = SendAnswer | 'lost'

export type SendAnswer = {
  readonly status: number
  readonly code: string | undefined
  /** Our id of the message, where the send opened one. */
  readonly message: string | undefined
  readonly retryAfter: string | undefined
  readonly ms: number
}

/** What one message of these sends costs by the built-in rate card, in micros. */
export const PRICE = 62_500n

/**
 * The connections of all sends; it keeps all that were opened. They are not probed each second, as Node.js has it by default: Linux drops probes of
 * thousands of connections that come at once, and ten that are dropped in turn end a connection.
 */
export const agent = new Agent({
  keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity, keepAliveMsecs: 60_000, scheduling: 'lifo', timeout: 60_000,
})

/** A customer of an attack's own; the built-in rate card has the default price for it. */
export const customerOf = (number: number): string => `1555${String(number).padStart(8, '0')}`

/** Sends a template; never rejects. */
export const send = (url: string, key: string, to: string, idempotencyKey?: string): Promise<SendReply> => {
  const body = JSON.stringify({ to, template_name: 'hello_world' })
  const begun = performance.now()
  return new Promise((resolve) => {
    const call = httpRequest(`${url}/v1/messages/send-template`, {
      agent, method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
    }, (response) => {
      readAnswer(response, begun).then(resolve, () => resolve('lost'))
    })
    call.on('error', () => resolve('lost'))
    call.end(body)
  })
}

const readAnswer = async (response: IncomingMessage, begun: number): Promise<SendAnswer> => {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly code?: string }
  const { 'postern-message': message, 'retry-after': retryAfter } = response.headers
  return {
    status: response.statusCode ?? 0, code, retryAfter, message: typeof message === 'string' ? message : undefined,
    ms: performance.now() - begun,
  }
}

/** What a reply counts as: its status, and its code where it is a refusal. */
export const nameOf = (reply: SendReply): string =>
  reply === 'lost' ? 'lost' : reply.code === undefined ? String(reply.status) : `${reply.status} ${reply.code}`

/** The answers that say that the message went. */
export const sentBy = (replies: ReadonlyArray<SendReply>): ReadonlyArray<SendAnswer> =>
  replies.flatMap((reply) => (reply !== 'lost' && reply.status === 200 ? [reply] : []))
