import { randomInt } from 'node:crypto'
import { request, type Agent } from 'undici'
import { signatureHeaders, type Signature } from './signature.js'

type Destination = { readonly url: string; readonly appSecret: string; readonly verifyToken: string; readonly timeoutMs: number }

/** Posts a notification, signed over the very bytes that are sent; true where it was answered 200. Never fails. */
export const post = async (
  agent: Agent, { url, appSecret, timeoutMs }: Destination, body: Buffer, signature: Signature,
): Promise<boolean> => {
  try {
    const answer = await request(url, {
      method: 'POST', body, dispatcher: agent, headersTimeout: timeoutMs, bodyTimeout: timeoutMs,
      headers: {
        'content-type': 'application/json', 'user-agent': 'facebookexternalua', ...signatureHeaders(signature, body, appSecret),
      },
    })
    await answer.body.dump()
    return answer.statusCode === 200
  } catch {
    return false
  }
}

/** Asks a webhook whether it is meant: true where it gives the challenge back as its whole body. Never fails. */
export const handshake = async (agent: Agent, { url, verifyToken, timeoutMs }: Destination): Promise<boolean> => {
  const challenge = String(randomInt(2 ** 31))
  try {
    const asked = new URL(url)
    asked.searchParams.set('hub.mode', 'subscribe')
    asked.searchParams.set('hub.challenge', challenge)
    asked.searchParams.set('hub.verify_token', verifyToken)
    const answer = await request(asked, { dispatcher: agent, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
    return (await answer.body.text()) === challenge && answer.statusCode === 200
  } catch {
    return false
  }
}
