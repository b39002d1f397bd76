import * as E from 'fp-ts/lib/Either.js'
import { parseJsonObject, parsePlatformId, type Accepted, type Message, type Platform, type PlatformError } from 'postern'

/** A network that supports only texts: `POST /messages` answers 200 `{"id":"…"}`, or another status and an error object. */
export const makeSmsPlatform = (baseUrl: string, timeoutMs = 10_000): Platform => ({
  send: async ({ id, sender, message }) => {
    const text = textOf(message)
    if (text === undefined) return E.left({ _tag: 'PlatformRejected', error: { message: 'An SMS is a text.' } })
    try {
      const answer = await fetch(`${baseUrl}/messages`, {
        method: 'POST', signal: AbortSignal.timeout(timeoutMs), redirect: 'error',
        headers: { 'Authorization': `Bearer ${sender.accessToken}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ from: sender.phoneNumberId, to: message.to, text, reference: id }),
      })
      return outcomeOf(answer.status, await answer.text())
    } catch (cause) {
      return E.left({ _tag: isUnreached(cause) ? 'PlatformUnreachable' : 'OutcomeUnknown', cause })
    }
  },
})

/** The text of a message; content of the type `text` is a text, too. */
const textOf = (message: Message): string | undefined => {
  if (message._tag === 'Text') return message.text
  const content = message._tag === 'Content' && message.type === 'text' ? message.content : {}
  return 'body' in content && typeof content['body'] === 'string' ? content['body'] : undefined
}

/** Only a clear refusal counts as one. After any other answer without an id, it is unknown whether the message was accepted. */
const outcomeOf = (status: number, body: string): E.Either<PlatformError, Accepted> => {
  const answer = parseJsonObject(body)
  const platformId = parsePlatformId(answer?.['id'])
  if (status === 200 && platformId !== undefined) return E.right({ platformId })
  if (answer !== undefined && status === 401) return E.left({ _tag: 'CredentialsRefused', error: answer })
  if (answer !== undefined && status === 429) return E.left({ _tag: 'PlatformThrottled', error: answer })
  if (answer !== undefined && status >= 400 && status < 500) return E.left({ _tag: 'PlatformRejected', error: answer })
  return E.left({ _tag: 'OutcomeUnknown', cause: `the network answered ${status}` })
}

/** No connection was opened, so nothing was sent. */
const isUnreached = (error: unknown): boolean => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  return cause !== undefined && 'code' in cause && (cause.code === 'ECONNREFUSED' || cause.code === 'ENOTFOUND')
}
