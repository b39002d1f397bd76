import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { MintedKey } from '../../core/access/keys.js'
import type { Token } from '../../core/access/members.js'
import type { EndpointSecret } from '../../core/events/endpoint.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { parseCredit } from '../../core/kernel/money.js'
import type { Postern } from '../../core/postern.js'
import { commandLine } from '../cli/arguments.js'
import type { Printer } from './printer.js'
import { curl, type ReceivedEvent, type Reply, type Request, rightOf, sendRequest, unwrap } from './request.js'

/** The operator's part of the demonstration; each step is printed as the command that does the same. */
export type Operator = {
  readonly createWorkspace: (name: string) => Promise<WorkspaceId>
  readonly assignSender: (workspace: WorkspaceId, phoneNumberId: string) => Promise<void>
  /** Adds an endpoint and returns its secret. */
  readonly addEndpoint: (workspace: WorkspaceId, url: string) => Promise<EndpointSecret>
  readonly topUp: (workspace: WorkspaceId, amount: string) => Promise<void>
  readonly mintKey: (workspace: WorkspaceId, name: string) => Promise<MintedKey>
  readonly revokeKey: (id: string) => Promise<void>
}

/** The business account of the simulator. */
const ACCOUNT = '200000000000001'

export const makeOperator = ({ workspaces, keys, money, events, templates }: Postern, printer: Printer): Operator => ({
  createWorkspace: async (name) => {
    printer.command(`npx postern workspace create ${name}`)
    const { id } = await unwrap(workspaces.createWorkspace({ by: commandLine(), name }))
    printer.line(id)
    return id
  },
  assignSender: async (workspace, phoneNumberId) => {
    printer.command(`npx postern sender set ${workspace} --phone-number-id ${phoneNumberId} --business-account-id ${ACCOUNT}`)
    await unwrap(
      workspaces.assignSender({ by: commandLine(), workspace, phoneNumberId, accessToken: 'demo-token', businessAccountId: ACCOUNT }),
    )
    printer.command(`npx postern template sync ${workspace}`)
    await unwrap(templates.syncTemplates({ workspace }))
  },
  addEndpoint: async (workspace, url) => {
    printer.command(`npx postern endpoint add ${workspace} ${url}`)
    const { endpoint, secret } = await unwrap(events.addEndpoint({ by: commandLine(), workspace, url }))
    printer.line(`${endpoint.id} ${secret}`)
    return secret
  },
  topUp: async (workspace, amount) => {
    printer.command(`npx postern wallet top-up ${workspace} ${amount}`)
    await unwrap(money.topUp({ by: commandLine(), workspace, micros: rightOf(parseCredit(amount)) }))
  },
  mintKey: async (workspace, name) => {
    printer.command(`npx postern key mint ${workspace} --name ${name}`)
    const minted = await unwrap(keys.mintKey({ by: commandLine(), workspace, name }))
    printer.line(minted.key)
    return minted
  },
  revokeKey: async (id) => {
    printer.command(`npx postern key revoke ${id}`)
    await unwrap(keys.revokeKey({ by: commandLine(), id }))
  },
})

/** The application of the demonstration: it accepts events with valid signatures. */
export type Receiver = {
  /** The address to which events are delivered. */
  readonly url: string
  /** Sets the secret with which deliveries have to be signed. */
  readonly use: (secret: string) => void
  /** The accepted events, each once, oldest first. */
  readonly events: () => ReadonlyArray<ReceivedEvent>
  /** How many deliveries were refused because of their signature. */
  readonly refused: () => number
  /** Calls a listener for each event that is accepted from now on. */
  readonly onEvent: (listener: (event: ReceivedEvent) => void) => void
  readonly close: () => Promise<void>
}

/** Starts the receiver on a free port of this machine. */
export const startReceiver = async (): Promise<Receiver> => {
  const taken = new Map<string, ReceivedEvent>()
  let webhook: Webhook | undefined
  let listener: (event: ReceivedEvent) => void = () => undefined
  let refused = 0

  /** Accepts a delivery; the result is the HTTP status. A redelivered event is recorded once. */
  const take = (body: string, headers: IncomingMessage['headers']): number => {
    try {
      const event = webhook?.verify(body, headers as Record<string, string>) as ReceivedEvent | undefined
      if (event === undefined) return 503
      if (!taken.has(event.id)) {
        taken.set(event.id, event)
        listener(event)
      }
      return 204
    } catch {
      refused += 1
      return 401
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => void response.writeHead(take(Buffer.concat(chunks).toString(), request.headers)).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver does not listen on a port')
  return {
    url: `http://127.0.0.1:${address.port}/events`,
    use: (secret) => { webhook = new Webhook(secret) },
    events: () => [...taken.values()],
    refused: () => refused,
    onEvent: (added) => { listener = added },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** An address that signs its visitor in as an operator; only the demonstration has one. */
export type SignIn = { readonly url: string; readonly close: () => Promise<void> }

/** Starts a server on this machine that signs in and redirects to a page of the console. A cookie applies to all ports of a host, so the gateway receives it. */
export const startSignIn = async (postern: Postern, page: string, port: number): Promise<SignIn> => {
  const server = createServer((_request, response) => {
    signIn(postern).then(
      (token) =>
        response.writeHead(303, { 'Set-Cookie': `postern_session=${token}; Path=/; HttpOnly; SameSite=Lax`, Location: page }).end(),
      () => response.writeHead(503).end('The sign-in failed.'),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the sign-in does not listen on a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

const signIn = async ({ members }: Postern): Promise<Token> => {
  const { token } = await unwrap(members.inviteMember({ by: SYSTEM, email: 'demo@example.com', access: { _tag: 'Operator' } }))
  return (await unwrap(members.takeLink({ token, address: '127.0.0.1' }))).token
}

/** The status a reply must have, and fields of its body. */
type Expected = { readonly status: number; readonly fields?: Readonly<Record<string, unknown>> }

export type StepsDeps = {
  readonly gatewayUrl: string
  readonly simulatorUrl: string
  readonly receiver: Receiver
  readonly operator: Operator
  readonly printer: Printer
}

/** The business number through which the workspace sends. */
export const PHONE_NUMBER_ID = '100000000000001'
/** A French number from the range that is reserved for fiction: a template costs 0.0859 there, and the first texts of a month are free. */
export const CUSTOMER = '33639980001'
const TEMPLATE = {
  to: `+${CUSTOMER}`,
  template_name: 'order_update',
  components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: 'A-17' }] }],
}
const TEXT = { to: CUSTOMER, text: 'Your order is at the door.' }
const WAIT_MS = 10_000

/** The result of the steps. */
export type StepsResult = { readonly allExpected: boolean; readonly key: string; readonly workspace: WorkspaceId }

/** Runs every step, from the first message to a revoked key. Returns whether every reply was as expected, and the key that was not revoked. */
export const runSteps = async ({ gatewayUrl, simulatorUrl, receiver, operator, printer }: StepsDeps): Promise<StepsResult> => {
  let allExpected = true

  const request = async (request: Request, expected: Expected): Promise<void> => {
    printer.command(curl(request))
    const reply = await sendRequest(request)
    printer.reply(reply.status, reply.body)
    if (matches(reply, expected)) return
    allExpected = false
    printer.line(`Unexpected reply. Expected: ${JSON.stringify(expected)}`)
  }
  const post = (operation: string, body: unknown, expected: Expected): Promise<void> =>
    request({ method: 'POST', url: `${gatewayUrl}/v1/messages/${operation}`, key: key.key, body }, expected)
  const sendTemplate = (expected: Expected): Promise<void> => post('send-template', TEMPLATE, expected)
  const sendText = (expected: Expected): Promise<void> => post('send-text', TEXT, expected)
  const wallet = (available: string): Promise<void> =>
    request({ method: 'GET', url: `${gatewayUrl}/v1/wallet`, key: key.key }, { status: 200, fields: { available, held: '0.000000' } })

  printer.heading('Create a workspace with a sender, an event endpoint, a wallet balance and two API keys')
  const workspace = await operator.createWorkspace('shop')
  await operator.assignSender(workspace, PHONE_NUMBER_ID)
  receiver.use(await operator.addEndpoint(workspace, receiver.url))
  await operator.topUp(workspace, '0.08')
  const key = await operator.mintKey(workspace, 'shop')
  const till = await operator.mintKey(workspace, 'till')

  printer.heading('A template can be sent at any time')
  await sendTemplate(ACCEPTED)

  printer.heading('A text is refused: the customer has not written, so the customer service window is closed')
  await sendText({ status: 400, fields: { code: 'window_closed' } })

  printer.heading('The customer writes. The platform notifies the gateway, and the window opens')
  await request(
    {
      method: 'POST',
      url: `${simulatorUrl}/_simulator/customers/${CUSTOMER}/messages`,
      body: { text: 'Where is my order?', name: 'Ada', phone_number_id: PHONE_NUMBER_ID },
    },
    { status: 200 },
  )
  const window: Request = { method: 'GET', url: `${gatewayUrl}/v1/windows/${CUSTOMER}`, key: key.key }
  await until(window, { status: 200, fields: { open: true } })
  await request(window, { status: 200, fields: { open: true } })

  printer.heading('The application receives the message as an event and verifies its signature')
  const received = await eventOf(receiver, 'message.received')
  printer.line(JSON.stringify(received))

  printer.heading('The application marks the message as read, and sends the text again; now it is accepted')
  await post(`${encodeURIComponent(String(received?.data['id']))}/read`, { typing: true }, ACCEPTED)
  await sendText(ACCEPTED)

  printer.heading('The first texts of a month are free. A template is charged, and the balance does not cover a third one')
  await sendText(ACCEPTED)
  await sendTemplate(ACCEPTED)
  await wallet('0.020000')
  const short = { code: 'insufficient_balance', required: '0.030000', available: '0.020000', shortfall: '0.010000' }
  await sendTemplate({ status: 402, fields: short })

  printer.heading('After a top-up, the same template is accepted')
  await operator.topUp(workspace, '1.00')
  await sendTemplate(ACCEPTED)

  printer.heading('A revoked API key is refused immediately')
  const asTill: Request = { method: 'GET', url: `${gatewayUrl}/v1/wallet`, key: till.key }
  await request(asTill, { status: 200 })
  await operator.revokeKey(till.id)
  await request(asTill, { status: 401, fields: { code: 'unauthenticated' } })

  printer.heading('The wallet statement, newest first')
  await wallet('0.990000')
  await statement({ method: 'GET', url: `${gatewayUrl}/v1/wallet/entries?limit=100`, key: key.key })

  printer.heading('All events that the application received; every signature was valid')
  await events()
  return { allExpected, key: key.key, workspace }

  async function events(): Promise<void> {
    const isComplete = (): boolean => Object.entries(EVENTS).every(([type, count]) => eventsOf(receiver, type).length === count)
    const lastTry = Date.now() + WAIT_MS
    while (!isComplete() && Date.now() < lastTry) await delay(20)
    for (const event of receiver.events()) printer.line(eventLine(event))
    if (!isComplete() || receiver.refused() > 0) allExpected = false
  }

  async function statement(request: Request): Promise<void> {
    printer.command(curl(request))
    const { body } = await sendRequest(request)
    const entries = listOf(body)
    for (const { created_at: at, kind, amount, message_id: message, reference } of entries) {
      const source = [message, reference].filter((of) => typeof of === 'string').join()
      printer.line(`${String(at)}  ${String(kind).padEnd(8)} ${String(amount).padStart(9)}  ${source}`)
    }
    // Two top-ups, and a hold and a capture for each of the five sent messages.
    if (entries.length !== 12) allExpected = false
  }
}

/** How many events of some types the steps cause. The number of other events depends on how long the platform takes. */
const EVENTS: Readonly<Record<string, number>> = {
  'wallet.topped_up': 2, 'wallet.exhausted': 1, 'key.minted': 2, 'key.revoked': 1, 'message.accepted': 5, 'message.delivered': 5,
  'message.received': 1, 'window.opened': 1,
}

const eventsOf = (receiver: Receiver, type: string): ReadonlyArray<ReceivedEvent> =>
  receiver.events().filter((event) => event.type === type)

/** The first event of a type; `undefined` if none arrives before the deadline. */
const eventOf = async (receiver: Receiver, type: string): Promise<ReceivedEvent | undefined> => {
  const lastTry = Date.now() + WAIT_MS
  while (eventsOf(receiver, type).length === 0 && Date.now() < lastTry) await delay(20)
  return eventsOf(receiver, type)[0]
}

/** An event in one line. */
export const eventLine = ({ created_at: at, type, id, data }: ReceivedEvent): string =>
  `${at}  ${type.padEnd(17)} ${id}${typeof data['id'] === 'string' ? `  ${data['id']}` : ''}`

const ACCEPTED: Expected = { status: 200, fields: { status: 'success' } }

const matches = ({ status, body }: Reply, expected: Expected): boolean =>
  status === expected.status && Object.entries(expected.fields ?? {}).every(([name, value]) => isObject(body) && body[name] === value)

/** The platform's notification takes some time, so the request is repeated until the reply is as expected. */
const until = async (request: Request, expected: Expected): Promise<void> => {
  const lastTry = Date.now() + WAIT_MS
  while (!matches(await sendRequest(request), expected) && Date.now() < lastTry) await delay(20)
}

const listOf = (body: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  isObject(body) && Array.isArray(body['entries']) ? body['entries'].filter(isObject) : []

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null
