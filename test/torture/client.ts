import { setTimeout as delay } from 'node:timers/promises'
import type { Simulator } from '../../apps/simulator/simulator.js'
import type { Chance } from './chance.js'
import type { ClientReply, Errand } from './evidence.js'

/** A workspace as its client knows it. */
export type Account = { readonly key: string; readonly phoneNumberId: string }

/** What clients have to do with. */
export type ClientWorld = {
  readonly url: string
  readonly simulator: Simulator
  readonly accounts: ReadonlyArray<Account>
  readonly chance: Chance
  /** Whether there is more to be sent after so many errands. */
  readonly goesOn: (errands: number) => boolean
  /** Told of each answer, so that whoever kills knows that there is a load. */
  readonly onAnswer: () => void
}

/** How often an errand is tried with a gateway that is there, and how long a client waits between two tries, in milliseconds. */
const TRIES = 24
const PAUSE_MS = { least: 20, most: 180 }

/** How long a client waits for a gateway that is not there before it gives an errand up, in milliseconds. */
const PATIENCE_MS = 60_000

const COMPONENTS = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: 'A-17' }] }]

/**
 * Clients that run errands side by side until nothing goes on, each errand to a customer of its own; half of them with an
 * idempotency key.
 */
export const runClients = async (world: ClientWorld, clients: number): Promise<ReadonlyArray<Errand>> => {
  const errands: Errand[] = []
  let number = 0
  const client = async (): Promise<void> => {
    while (world.goesOn(number)) {
      number += 1
      errands.push(await runErrand(world, number))
      await delay(world.chance.between(0, 20))
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return errands
}

type Request = { readonly account: Account; readonly path: string; readonly body: object; readonly key: string | undefined }

/** Numbers of two markets with different prices, none of which the simulator rewrites or takes for a magic one. */
const customerOf = (number: number): string => (number % 2 === 0 ? `33${600_000_000 + number}` : `49${15_000_000_000 + number}`)

const runErrand = async (world: ClientWorld, number: number): Promise<Errand> => {
  const { accounts, chance, simulator } = world
  const to = customerOf(number)
  const account = accounts[number % accounts.length]
  if (account === undefined) throw new Error('there are no accounts')
  const key = chance.hits(0.5) ? `errand-${number}` : undefined
  const kind = chance.between(0, 2)
  if (kind === 0) simulator.writeAs(to, { text: 'Hello?' }, account.phoneNumberId)
  const request: Request = {
    account, key,
    path: kind === 0 ? '/v1/messages/send-text' : '/v1/messages/send-template',
    body: kind === 0 ? { to, text: 'Hello!' }
      : kind === 1 ? { to, template_name: 'hello_world' }
        : { to, template_name: 'order_update', language: 'en', components: COMPONENTS },
  }
  const replies: Array<Errand['replies'][number]> = []
  const lastTry = performance.now() + PATIENCE_MS
  for (let tries = 0; tries < TRIES && performance.now() < lastTry;) {
    const reply = await ask(world.url, request)
    if (reply !== replies.at(-1)) replies.push(reply)
    if (typeof reply === 'object') world.onAnswer()
    if (reply !== 'refused connection') tries += 1
    if (!mayRepeat(reply, key)) break
    await delay(chance.between(PAUSE_MS.least, PAUSE_MS.most))
  }
  return { to, key, replies }
}

/**
 * Whether the contract lets a client ask again: with a key after whatever may pass, without one only where it is promised that
 * nothing was sent. The customer of a text has written, so that a closed window is one that is about to open.
 */
const mayRepeat = (reply: Errand['replies'][number], key: string | undefined): boolean => {
  if (reply === 'refused connection') return true
  if (reply === 'broken') return key !== undefined
  switch (reply.status) {
    case 409: case 504: return key !== undefined
    case 400: return reply.code === 'window_closed'
    case 429: case 503: return true
    default: return false
  }
}

const ask = async (url: string, { account, path, body, key }: Request): Promise<Errand['replies'][number]> => {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { Authorization: `Bearer ${account.key}`, 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) },
    })
    const json = (await response.json()) as { readonly code?: string; readonly message_id?: string }
    return replyOf(response, json)
  } catch (error) {
    return isNeverConnected(error) ? 'refused connection' : 'broken'
  }
}

const replyOf = (response: Response, { code, message_id: platformId }: { readonly code?: string; readonly message_id?: string }): ClientReply => ({
  status: response.status, code, message: response.headers.get('Postern-Message') ?? undefined, platformId,
})

const isNeverConnected = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'ECONNREFUSED'
