import { setTimeout as delay } from 'node:timers/promises'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Operator } from './operator.js'
import type { Printer } from './printer.js'
import type { ReceivedEvent, Receiver } from './receiver.js'
import { curl, type Reply, type Request, sendRequest } from './request.js'

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
/** A French number out of the range kept for fiction: a template costs 0.0859 there, and the first texts of a month nothing. */
export const CUSTOMER = '33639980001'
const TEMPLATE = {
  to: `+${CUSTOMER}`,
  template_name: 'order_update',
  components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: 'A-17' }] }],
}
const TEXT = { to: CUSTOMER, text: 'Your order is at the door.' }
const WAIT_MS = 10_000

/** How the steps ended. */
export type StepsResult = { readonly allExpected: boolean; readonly key: string; readonly workspace: WorkspaceId }

/** Runs every step, from the first message to a revoked key; answers whether every reply was the expected one, and the key that was not revoked. */
export const runSteps = async ({ gatewayUrl, simulatorUrl, receiver, operator, printer }: StepsDeps): Promise<StepsResult> => {
  let allExpected = true

  const request = async (request: Request, expected: Expected): Promise<void> => {
    printer.command(curl(request))
    const reply = await sendRequest(request)
    printer.reply(reply.status, reply.body)
    if (matches(reply, expected)) return
    allExpected = false
    printer.line(`That is not the reply that was expected: ${JSON.stringify(expected)}`)
  }
  const post = (operation: string, body: unknown, expected: Expected): Promise<void> =>
    request({ method: 'POST', url: `${gatewayUrl}/v1/messages/${operation}`, key: key.key, body }, expected)
  const sendTemplate = (expected: Expected): Promise<void> => post('send-template', TEMPLATE, expected)
  const sendText = (expected: Expected): Promise<void> => post('send-text', TEXT, expected)
  const wallet = (available: string): Promise<void> =>
    request({ method: 'GET', url: `${gatewayUrl}/v1/wallet`, key: key.key }, { status: 200, fields: { available, held: '0.000000' } })

  printer.heading('A workspace, its sender, an endpoint for its events, a funded wallet and two keys')
  const workspace = await operator.createWorkspace('shop')
  await operator.assignSender(workspace, PHONE_NUMBER_ID)
  receiver.use(await operator.addEndpoint(workspace, receiver.url))
  await operator.topUp(workspace, '0.18')
  const key = await operator.mintKey(workspace, 'shop')
  const till = await operator.mintKey(workspace, 'till')

  printer.heading('A template may be sent at any time')
  await sendTemplate(ACCEPTED)

  printer.heading('A text may not: the customer has not written, so the window is closed')
  await sendText({ status: 400, fields: { code: 'window_closed' } })

  printer.heading('The customer writes; the platform notifies the gateway, and the window opens')
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

  printer.heading('The application gets what the customer wrote as an event, whose signature it checks')
  const received = await eventOf(receiver, 'message.received')
  printer.line(JSON.stringify(received))

  printer.heading('It answers: it marks the message as read, and the same text is accepted now')
  await post(`${encodeURIComponent(String(received?.data['id']))}/read`, { typing: true }, ACCEPTED)
  await sendText(ACCEPTED)

  printer.heading('The first texts of a month cost nothing; a template does, and the wallet cannot pay for a third')
  await sendText(ACCEPTED)
  await sendTemplate(ACCEPTED)
  await wallet('0.008200')
  const short = { code: 'insufficient_balance', required: '0.085900', available: '0.008200', shortfall: '0.077700' }
  await sendTemplate({ status: 402, fields: short })

  printer.heading('Topped up, it pays again')
  await operator.topUp(workspace, '1.00')
  await sendTemplate(ACCEPTED)

  printer.heading('A revoked key is refused at once')
  const asTill: Request = { method: 'GET', url: `${gatewayUrl}/v1/wallet`, key: till.key }
  await request(asTill, { status: 200 })
  await operator.revokeKey(till.id)
  await request(asTill, { status: 401, fields: { code: 'unauthenticated' } })

  printer.heading('The statement of the wallet, newest first')
  await wallet('0.922300')
  await statement({ method: 'GET', url: `${gatewayUrl}/v1/wallet/entries?limit=100`, key: key.key })

  printer.heading('Every event that the application got, each with a valid signature')
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
    // Two top-ups, and a hold and a capture for each of the five messages that went.
    if (entries.length !== 12) allExpected = false
  }
}

/** How many events of some types the steps make. Others depend on how long the platform takes. */
const EVENTS: Readonly<Record<string, number>> = {
  'wallet.topped_up': 2, 'wallet.exhausted': 1, 'key.minted': 2, 'key.revoked': 1, 'message.accepted': 5, 'message.delivered': 5, 'message.received': 1, 'window.opened': 1,
}

const eventsOf = (receiver: Receiver, type: string): ReadonlyArray<ReceivedEvent> => receiver.events().filter((event) => event.type === type)

/** The first event of a type; `undefined` if none comes in time. */
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

/** The platform's notification takes a moment, so the request is repeated until the reply is the expected one. */
const until = async (request: Request, expected: Expected): Promise<void> => {
  const lastTry = Date.now() + WAIT_MS
  while (!matches(await sendRequest(request), expected) && Date.now() < lastTry) await delay(20)
}

const listOf = (body: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  isObject(body) && Array.isArray(body['entries']) ? body['entries'].filter(isObject) : []

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null
