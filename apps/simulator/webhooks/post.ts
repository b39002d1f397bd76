import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { signatureHeaders, type Signature } from './signature.js'

type Destination = { readonly url: string; readonly appSecret: string; readonly verifyToken: string; readonly timeoutMs: number }

/** Connections that are kept open between notifications; `destroy` ends all of them, also those in use. */
export type WebhookConnections = { readonly http: HttpAgent; readonly https: HttpsAgent; readonly destroy: () => void }

/** An idle connection is closed before servers usually close it, which could break the next notification. */
const IDLE = { keepAlive: true, timeout: 4_000 }

/** Makes connections, none open. */
export const makeWebhookConnections = (): WebhookConnections => {
  const [http, https] = [new HttpAgent(IDLE), new HttpsAgent(IDLE)]
  return {
    http, https,
    destroy: () => {
      http.destroy()
      https.destroy()
    },
  }
}

/** Posts a notification, signed over the exact bytes that are sent; true if the answer is 200. Never fails. */
export const postNotification = async (
  connections: WebhookConnections, { url, appSecret, timeoutMs }: Destination, body: Buffer, signature: Signature,
): Promise<boolean> => {
  const headers = {
    'content-type': 'application/json', 'content-length': body.length, 'user-agent': 'facebookexternalua',
    ...signatureHeaders(signature, body, appSecret),
  }
  const answer = await send(connections, new URL(url), { method: 'POST', headers }, timeoutMs, body).catch(() => undefined)
  return answer?.status === 200
}

/** Verifies a webhook as the platform does: true if it answers 200 with the challenge as its whole body. Never fails. */
export const verifyWebhook = async (connections: WebhookConnections, { url, verifyToken, timeoutMs }: Destination): Promise<boolean> => {
  const challenge = String(randomInt(2 ** 31))
  const withChallenge = new URL(url)
  withChallenge.searchParams.set('hub.mode', 'subscribe')
  withChallenge.searchParams.set('hub.challenge', challenge)
  withChallenge.searchParams.set('hub.verify_token', verifyToken)
  const answer = await send(connections, withChallenge, { method: 'GET' }, timeoutMs).catch(() => undefined)
  return answer?.status === 200 && answer.text === challenge
}

const send = async (
  { http, https }: WebhookConnections, url: URL, options: RequestOptions, timeoutMs: number, body?: Buffer,
): Promise<{ readonly status: number | undefined; readonly text: string }> => {
  const signal = AbortSignal.timeout(timeoutMs)
  const request = url.protocol === 'https:'
    ? httpsRequest(url, { ...options, agent: https, signal })
    : httpRequest(url, { ...options, agent: http, signal })
  // After the response has begun, a failure is reported by reading its body.
  request.on('error', () => undefined)
  request.end(body)
  const [response] = await once(request, 'response') as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }
}
