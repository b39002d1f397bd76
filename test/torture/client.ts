import { setTimeout as delay } from 'node:timers/promises'
import type { Simulator } from '../../apps/simulator/simulator.js'
import type { ClientReply, ClientRequest } from './run-record.js'
import type { SeededRandom } from './seeded-random.js'

/** The data of a workspace that a client needs. */
export type Account = { readonly key: string; readonly phoneNumberId: string }

/** The targets of clients, and the duration. */
export type ClientOptions = {
  /** The gateways; each attempt goes to any of them. */
  readonly urls: ReadonlyArray<string>
  readonly simulator: Simulator
  readonly accounts: ReadonlyArray<Account>
  readonly random: SeededRandom
  /** Whether clients continue to send after this number of requests. */
  readonly hasMore: (requests: number) => boolean
  /** Called for each response; the killer waits for responses, so that it kills under load. */
  readonly onAnswer: () => void
  /** Called with the platform's id of each message that a customer writes. */
  readonly onWritten: (id: string) => void
  /** Called with each customer after the last send to them. */
  readonly onDone: (to: string) => void
}

/** The maximum number of attempts for a request while the gateway accepts connections, and the pause between two attempts in milliseconds. */
const MAX_ATTEMPTS = 24
const PAUSE_MS = { least: 20, most: 180 }

/** After how many milliseconds without a connection a client stops trying. */
const UNREACHABLE_LIMIT_MS = 60_000

const COMPONENTS = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: 'A-17' }] }]

/**
 * Runs clients concurrently until `hasMore` is false. Each request has its own customer; half of the requests have an
 * idempotency key.
 */
export const runClients = async (options: ClientOptions, clients: number): Promise<ReadonlyArray<ClientRequest>> => {
  const requests: ClientRequest[] = []
  let number = 0
  const client = async (): Promise<void> => {
    while (options.hasMore(number)) {
      number += 1
      const request = await sendUntilDone(options, number)
      requests.push(request)
      options.onDone(request.to)
      await delay(options.random.between(0, 20))
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return requests
}

type HttpRequest = { readonly account: Account; readonly path: string; readonly body: object; readonly key: string | undefined }

/** Numbers of two markets with different prices; the simulator neither rewrites them nor has faults for them. */
const customerOf = (number: number): string => (number % 2 === 0 ? `33${600_000_000 + number}` : `49${15_000_000_000 + number}`)

const sendUntilDone = async (options: ClientOptions, number: number): Promise<ClientRequest> => {
  const { accounts, random, simulator, onWritten } = options
  const to = customerOf(number)
  const account = accounts[number % accounts.length]
  if (account === undefined) throw new Error('there are no accounts')
  const key = random.chance(0.5) ? `request-${number}` : undefined
  const kind = random.between(0, 2)
  if (kind === 0) onWritten(simulator.writeAs(to, { text: 'Hello?' }, account.phoneNumberId))
  const request: HttpRequest = {
    account, key,
    path: kind === 0 ? '/v1/messages/send-text' : '/v1/messages/send-template',
    body: kind === 0 ? { to, text: 'Hello!' }
      : kind === 1 ? { to, template_name: 'hello_world' }
        : { to, template_name: 'order_update', language: 'en', components: COMPONENTS },
  }
  const replies: Array<ClientRequest['replies'][number]> = []
  const lastTry = performance.now() + UNREACHABLE_LIMIT_MS
  for (let tries = 0; tries < MAX_ATTEMPTS && performance.now() < lastTry;) {
    const reply = await ask(options.urls[random.between(0, options.urls.length - 1)] ?? '', request)
    if (reply !== replies.at(-1)) replies.push(reply)
    if (typeof reply === 'object') options.onAnswer()
    if (reply !== 'refused connection') tries += 1
    if (!mayRepeat(reply, key)) break
    await delay(random.between(PAUSE_MS.least, PAUSE_MS.most))
  }
  return { to, key, replies }
}

/**
 * Whether the contract allows a client to retry: with a key after every temporary failure, without a key only if the response
 * promises that nothing was sent. The customer of a text has written, so a closed window will open soon.
 */
const mayRepeat = (reply: ClientRequest['replies'][number], key: string | undefined): boolean => {
  if (reply === 'refused connection') return true
  if (reply === 'broken') return key !== undefined
  switch (reply.status) {
    case 409: case 504: return key !== undefined
    case 400: return reply.code === 'window_closed'
    case 429: case 503: return true
    default: return false
  }
}

const ask = async (url: string, { account, path, body, key }: HttpRequest): Promise<ClientRequest['replies'][number]> => {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        Authorization: `Bearer ${account.key}`, 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }),
      },
    })
    const json = (await response.json()) as { readonly code?: string; readonly message_id?: string }
    return replyOf(response, json)
  } catch (error) {
    return isNeverConnected(error) ? 'refused connection' : 'broken'
  }
}

const replyOf = (
  response: Response, { code, message_id: platformId }: { readonly code?: string; readonly message_id?: string },
): ClientReply => ({
  status: response.status, code, message: response.headers.get('Postern-Message') ?? undefined, platformId,
})

const isNeverConnected = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'ECONNREFUSED'
