import * as E from 'fp-ts/lib/Either.js'
import type { Printer } from './printer.js'

/** An event as an application receives it. */
export type ReceivedEvent = {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The gateway, and a key that may send and reply. */
export type AnswerDeps = { readonly gatewayUrl: string; readonly key: string; readonly printer: Printer }

/** Answers a customer who wrote: marks the message as read, and sends a text. */
export const answerCustomer = async ({ gatewayUrl, key, printer }: AnswerDeps, { data }: ReceivedEvent): Promise<void> => {
  const from = data['from'] as { readonly phone_number: string | null; readonly user_id: string | null }
  const steps = [
    [`${encodeURIComponent(String(data['id']))}/read`, { typing: true }],
    ['send-text', { to: from.phone_number ?? from.user_id, text: 'We have your message and will answer soon.' }],
  ] as const
  for (const [operation, body] of steps) {
    const request = { method: 'POST', url: `${gatewayUrl}/v1/messages/${operation}`, key, body } as const
    printer.command(curl(request))
    const { status, body: reply } = await sendRequest(request)
    printer.reply(status, reply)
  }
}

/** The result of a step that must not fail here. */
export const unwrap = async <A>(step: Promise<E.Either<{ readonly _tag: string }, A>>): Promise<A> => rightOf(await step)

/** The value of a result that must not be a failure here. */
export const rightOf = <A>(result: E.Either<{ readonly _tag: string }, A>): A => {
  if (E.isLeft(result)) throw new Error(`a step of the demonstration failed: ${result.left._tag}`)
  return result.right
}

/** One request of the demonstration. */
export type Request = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** The API key, if the request has one. */
  readonly key?: string
  readonly body?: unknown
}

/** A reply: its status and its JSON. */
export type Reply = { readonly status: number; readonly body: unknown }

/** Makes a request over HTTP. */
export const sendRequest = async ({ method, url, key, body }: Request): Promise<Reply> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

/** The same request as a line for a shell. */
export const curl = ({ method, url, key, body }: Request): string =>
  [
    'curl -sS',
    ...(method === 'POST' ? ['-X POST'] : []),
    quoted(url),
    ...(key === undefined ? [] : [`-H ${quoted(`Authorization: Bearer ${key}`)}`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' ')

const quoted = (text: string): string => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
