import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../apps/simulator/simulator.js'
import { listening, withBody } from '../../support/listening.js'

/** Parsed JSON whose values the tests check one by one. */
export type Json = { readonly [key: string]: Json } & ReadonlyArray<Json> & string

export type Notification = {
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  readonly json: Json
  /** The status of the answer. */
  readonly status: number
}

export const APP_SECRET = 'an app secret'
export const VERIFY_TOKEN = 'a verify token'
export const PHONE_NUMBER_ID = '100200300400500'
/** A number with the prefix of the faults that has no fault. */
export const CUSTOMER = '15550100999'
export const DELAYS = { sent: 2, delivered: 8, read: 14, failed: 4, late: 30, drip: 40 }

/** A simulator with short delays. */
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

/** Calls a control endpoint; with a body, by POST. */
export const control = async (
  simulator: Simulator, path: string, body?: object,
): Promise<{ readonly status: number; readonly json: Json }> => {
  const response = await fetch(`${simulator.url}/_simulator/${path}`, body === undefined ? {} : {
    method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' },
  })
  return { status: response.status, json: await json(response) }
}

/** The customers of a simulator as its control endpoints show and change them. */
export const customersOf = (simulator: () => Simulator) => {
  const show = async (id: string, phoneNumberId = PHONE_NUMBER_ID): Promise<Json> =>
    (await control(simulator(), `customers/${id}?phone_number_id=${phoneNumberId}`)).json
  /** Changes a customer and waits for the notifications; fails if the simulator refuses. */
  const change = async (id: string, name: string, body: object = {}): Promise<Json> => {
    const answer = await control(simulator(), `customers/${id}/${name}`, body)
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.json))
    await simulator().idle()
    return answer.json
  }
  return {
    show, change,
    userIdOf: async (id: string, phoneNumberId?: string): Promise<string> => String((await show(id, phoneNumberId))['user_id']),
    /** Writes as a customer. */
    write: (id: string, body: object = {}): Promise<Json> => change(id, 'messages', { phone_number_id: PHONE_NUMBER_ID, ...body }),
    /** Sends a message that is accepted, and waits for its statuses. */
    send: async (body: object): Promise<void> => {
      const { status } = await post(simulator(), body)
      if (status !== 200) throw new Error(`The simulator answered ${status}`)
      await simulator().idle()
    },
  }
}

/** The same message, to a user id. */
export const toUserId = (recipient: unknown, body: object = text('')): object => ({ ...body, to: undefined, recipient })

/** The components that the template `welcome`, of the category marketing, needs. */
export const WELCOME = [{
  type: 'body',
  parameters: [{ type: 'text', parameter_name: 'first_name', text: 'A' }, { type: 'text', parameter_name: 'shop_name', text: 'B' }],
}]

/** An HTTP server that records every notification and answers with a given status, 200 by default. */
export const startReceiver = async (statusOf: (raw: Buffer, count: number, headers: IncomingHttpHeaders) => number = () => 200) => {
  const notifications: Notification[] = []
  const server = createServer(withBody((raw, request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver')
    if (request.method === 'GET') {
      const verified = url.searchParams.get('hub.verify_token') === VERIFY_TOKEN && url.searchParams.get('hub.mode') === 'subscribe'
      return void response.writeHead(verified ? 200 : 403).end(verified ? url.searchParams.get('hub.challenge') : '')
    }
    const status = statusOf(raw, notifications.length, request.headers)
    notifications.push({ headers: request.headers, raw, json: JSON.parse(raw.toString()) as Json, status })
    response.writeHead(status).end()
  }))
  const { port, url: origin, close } = await listening(server)
  const values = (): ReadonlyArray<Json> =>
    notifications.filter(({ status }) => status === 200)
      .flatMap(({ json: { entry } }) => [...entry!].flatMap(({ changes }) => [...changes!].map(({ value }) => value!)))
  return {
    port, notifications, values,
    /** How many connections are open. What came on one that has ended was received before. */
    open: () =>
      new Promise<number>((resolve, reject) => {
        server.getConnections((error, count) => { if (error === null) resolve(count); else reject(error) })
      }),
    /** The changes of the latest notification. */
    latestChanges: () => notifications.slice(-1).flatMap(({ json: { entry } }) => [...entry!].flatMap(({ changes }) => [...changes!])),
    webhook: {
      url: `${origin}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN,
      retryMs: 2, retryAtMostMs: 20,
    },
    /** The statuses of the acknowledged notifications, in order. */
    statuses: () => values().flatMap(({ statuses }) => [...(statuses ?? [])]),
    /** The customers' messages of the acknowledged notifications, in order. */
    messages: () => values().flatMap(({ messages }) => [...(messages ?? [])]),
    close,
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** What a suite has whose simulator reports one update in each notification, in order. */
export type InOrder = { readonly simulator: () => Simulator; readonly receiver: () => Receiver }

/** Starts such a simulator and its receiver for a suite, and resets both before each test. */
export const startInOrder = (): InOrder => {
  let fixture: { readonly simulator: Simulator; readonly receiver: Receiver }
  before(async () => {
    const receiver = await startReceiver()
    fixture = { receiver, simulator: await quickSimulator({ webhook: { ...receiver.webhook, concurrency: 1, batch: 1 } }) }
  })
  freshForEach(() => fixture)
  return { simulator: () => fixture.simulator, receiver: () => fixture.receiver }
}

/** Resets a simulator and its receiver before each test of a suite, and closes both at the end. */
export const freshForEach = (fixture: () => { readonly simulator: Simulator; readonly receiver: Receiver }): void => {
  beforeEach(() => {
    const { simulator, receiver } = fixture()
    simulator.reset()
    receiver.notifications.length = 0
  })
  // A notification in flight would still arrive after the reset.
  afterEach(() => fixture().simulator.idle())
  after(() => Promise.all([fixture().simulator.close(), fixture().receiver.close()]))
}

/** The signature of a notification, as the gateway's check takes it. */
export const signatureHeader = (headers: IncomingHttpHeaders): string | undefined => {
  const header = headers['x-hub-signature-256']
  return typeof header === 'string' ? header : undefined
}
