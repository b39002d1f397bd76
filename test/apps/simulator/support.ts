import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../apps/simulator/simulator.js'

/** What the tests read of an answer or a notification; they check it value by value. */
export type Json = { readonly [key: string]: Json } & ReadonlyArray<Json> & string

export type Notification = {
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  readonly json: Json
  /** How it was answered. */
  readonly status: number
}

export const APP_SECRET = 'an app secret'
export const VERIFY_TOKEN = 'a verify token'
export const PHONE_NUMBER_ID = '100200300400500'
/** A number of the magic family that provokes nothing. */
export const CUSTOMER = '15550100999'
export const DELAYS = { sent: 2, delivered: 8, read: 14, failed: 4, late: 30, drip: 40 }

/** A simulator that loses no time. */
export const quickSimulator = (options: SimulatorOptions = {}): Promise<Simulator> => startSimulator({ delays: DELAYS, ...options })

/** Sends a body to the messages endpoint. */
export const post = (
  simulator: Simulator, body: object | string, headers: Record<string, string> = {}, id = PHONE_NUMBER_ID,
): Promise<Response> =>
  fetch(`${simulator.url}/v25.0/${id}/messages`, {
    method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: 'Bearer a-token', ...headers },
  })

export const text = (to: string, body = 'Hello', callback = `msg_${to}`) =>
  ({
    messaging_product: 'whatsapp', recipient_type: 'individual', to, type: 'text', text: { body },
    biz_opaque_callback_data: callback,
  })

export const template = (to: string, name = 'hello_world', language = 'en', components?: ReadonlyArray<object>) => ({
  messaging_product: 'whatsapp', to, type: 'template', biz_opaque_callback_data: `msg_${to}`,
  template: { name, language: { code: language }, ...(components && { components }) },
})

export const json = async (response: Response): Promise<Json> => JSON.parse(await response.text()) as Json

/** The same value as an object, for assertions that tell objects, arrays and strings apart by their type. */
export const record = (value: Json | undefined): object => Object(value) as object

/** Asks a control endpoint; a body makes it a POST. */
export const control = async (
  simulator: Simulator, path: string, body?: object,
): Promise<{ readonly status: number; readonly json: Json }> => {
  const response = await fetch(`${simulator.url}/_simulator/${path}`, body === undefined ? {} : {
    method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' },
  })
  return { status: response.status, json: await json(response) }
}

/** Waits until something holds; fails after five seconds. */
export const until = async (what: string, holds: () => boolean): Promise<void> => {
  const deadline = Date.now() + 5_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`It did not come about that ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** A plain HTTP server that notes every notification and answers as it is told, 200 by default. */
export const startReceiver = async (statusOf: (raw: Buffer, count: number, headers: IncomingHttpHeaders) => number = () => 200) => {
  const notifications: Notification[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver')
    if (request.method === 'GET') {
      const verified = url.searchParams.get('hub.verify_token') === VERIFY_TOKEN && url.searchParams.get('hub.mode') === 'subscribe'
      return void response.writeHead(verified ? 200 : 403).end(verified ? url.searchParams.get('hub.challenge') : '')
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const status = statusOf(raw, notifications.length, request.headers)
      notifications.push({ headers: request.headers, raw, json: JSON.parse(raw.toString()) as Json, status })
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address !== 'string' ? address.port : 0
  const values = (): ReadonlyArray<Json> =>
    notifications.filter(({ status }) => status === 200)
      .flatMap(({ json: { entry } }) => [...entry!].flatMap(({ changes }) => [...changes!].map(({ value }) => value!)))
  return {
    port, notifications, values,
    webhook: {
      url: `http://127.0.0.1:${port}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN,
      retryMs: 2, retryAtMostMs: 20,
    },
    /** The statuses of the notifications that were acknowledged, in the order they came. */
    statuses: () => values().flatMap(({ statuses }) => [...(statuses ?? [])]),
    /** The same for customers' messages. */
    messages: () => values().flatMap(({ messages }) => [...(messages ?? [])]),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Lets each test of a suite begin with nothing received and nothing pending, and closes both at the end. */
export const freshForEach = (world: () => { readonly simulator: Simulator; readonly receiver: Receiver }): void => {
  beforeEach(() => {
    const { simulator, receiver } = world()
    simulator.reset()
    receiver.notifications.length = 0
  })
  // A reset cannot recall what has left for the receiver.
  afterEach(() => world().simulator.idle())
  after(() => Promise.all([world().simulator.close(), world().receiver.close()]))
}
