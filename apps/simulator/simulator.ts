import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InboundMessage, ReceivedMessage } from './control/logs.js'
import { changeNumber } from './control/numbers.js'
import { answerControl } from './control/routes.js'
import { answerUpload } from './graph/media.js'
import { answerMessages } from './graph/messages.js'
import { answerDownload, answerRead, graphPathOf } from './graph/reads.js'
import { abandon, controlReply, isGone, openListener, originOf, type TlsFiles, write } from './http.js'
import { DOWNLOAD_PATH } from './media.js'
import type { BusinessNumber } from './numbers.js'
import { answerPhone, isPhoneRequest } from './phone/routes.js'
import { applyChange, DEFAULT_SETTINGS, type Delays, type SettingsChange } from './settings.js'
import type { Customer } from './customers.js'
import { conversationOf, customerNamed, defaultPhoneNumberId, makeState, type SimulatorState } from './state.js'
import type { TemplateDefinition } from './templates/template.js'
import type { CustomerMessage } from './webhooks/customer-message.js'
import type { WebhookStats, WebhookTarget } from './webhooks/delivery.js'
import { reportInbound } from './webhooks/report.js'

/** Options of a simulator; all are optional. */
export type SimulatorOptions = {
  /** 0, the default, chooses a free port. */
  readonly port?: number
  readonly host?: string
  /** The only token that is accepted; any token by default. */
  readonly accessToken?: string
  /** The ids of the business numbers; any id of digits by default. */
  readonly phoneNumberIds?: ReadonlyArray<string>
  readonly businessAccountId?: string
  /** The business's own phone number, digits only. */
  readonly displayPhoneNumber?: string
  /** Templates in addition to the built-in ones. */
  readonly templates?: ReadonlyArray<TemplateDefinition>
  readonly webhook?: WebhookTarget
  readonly seed?: number
  readonly delays?: Partial<Delays>
  /** All other settings; a reset restores them. */
  readonly settings?: SettingsChange
  /** Called when the page or a control request skips time, with the skipped milliseconds, so that a business with its own clock can skip them too. */
  readonly onSkip?: (ms: number) => void | Promise<void>
  /** Serves TLS with this certificate; plain HTTP without it. */
  readonly tls?: TlsFiles
  /** The version for requests whose path has none. */
  readonly apiVersion?: string
}

/** A running simulator. */
export type Simulator = {
  /** Its address without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Every request to send, oldest first. */
  readonly received: () => ReadonlyArray<ReceivedMessage>
  /** What customers wrote, oldest first, and whether the business has read it. */
  readonly inbound: () => ReadonlyArray<InboundMessage>
  readonly change: (settings: SettingsChange) => void
  /** Changes what the platform reports of a business number, and notifies the webhook. The default number is the one used last. */
  readonly changeNumber: (change: Partial<BusinessNumber>, phoneNumberId?: string) => void
  /** Sets where notifications are delivered, without the verification that the control endpoint does. */
  readonly setWebhook: (webhook: WebhookTarget | undefined) => void
  /** Sends a message as a customer, given as a phone number or user id, and returns its id. The default business number is the one used last. Throws if `customer` is neither. */
  readonly writeAs: (customer: string, message: CustomerMessage, phoneNumberId?: string) => string
  /** Makes a person known without a notification: the name in the profile, and when the person last wrote to a business number. Throws if `customer` is neither. */
  readonly remember: (customer: string, person: { readonly name: string; readonly wroteAt: number }, phoneNumberId?: string) => void
  /** Makes the customer service windows older, as if this many milliseconds had passed, and calls `onSkip`. */
  readonly skip: (ms: number) => Promise<void>
  readonly stats: () => WebhookStats
  /** Resolves when every notification, including scheduled ones, was acknowledged or dropped. */
  readonly idle: () => Promise<void>
  readonly reset: () => void
  /** Closes everything immediately: hanging connections, timers and notifications in flight. */
  readonly close: () => Promise<void>
}

/** Starts a simulator of the platform. It keeps everything in memory. Rejects if the port is taken. */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const state = makeState({
    account: { id: options.businessAccountId ?? '200000000000001', displayPhoneNumber: options.displayPhoneNumber ?? '15550109999' },
    accessToken: options.accessToken, phoneNumberIds: options.phoneNumberIds, apiVersion: options.apiVersion ?? 'v25.0',
    settings: settingsOf(options), templates: options.templates, webhook: options.webhook, onSkip: options.onSkip,
  })
  const listener = await openListener(
    { host: options.host ?? '127.0.0.1', port: options.port ?? 0, tls: options.tls }, (request, response) => {
      answer(state, request, response).catch((error: unknown) => answerFailure(error, request, response))
    },
  )
  const personOf = (customer: string, phoneNumberId: string): Customer => {
    const person = customerNamed(state, phoneNumberId, customer)
    if (person === undefined) throw new Error('The customer must be a phone number with its country code, or a user id')
    return person
  }
  return {
    url: listener.url,
    port: listener.port,
    received: state.requestLog.all,
    inbound: state.inboundLog.all,
    change: state.change,
    changeNumber: (change, phoneNumberId = defaultPhoneNumberId(state)) => { changeNumber(state, phoneNumberId, change) },
    setWebhook: state.webhooks.setTarget,
    writeAs: (customer, message, phoneNumberId = defaultPhoneNumberId(state)) =>
      reportInbound(state, phoneNumberId, personOf(customer, phoneNumberId), message),
    remember: (customer, { name, wroteAt }, phoneNumberId = defaultPhoneNumberId(state)) => {
      const person = personOf(customer, phoneNumberId)
      const conversation = conversationOf(phoneNumberId, person)
      state.people.rename(person.key, name)
      state.lastInbound.set(conversation, Math.max(wroteAt, state.lastInbound.get(conversation) ?? 0))
    },
    skip: state.skip,
    stats: state.webhooks.stats,
    idle: state.webhooks.idle,
    reset: state.reset,
    close: async () => {
      state.timers.clear()
      await Promise.all([listener.close(), state.webhooks.close()])
    },
  }
}

const settingsOf = ({ settings = {}, seed, delays }: SimulatorOptions) =>
  applyChange(applyChange(DEFAULT_SETTINGS, settings), { ...(seed !== undefined && { seed }), ...(delays && { delays }) })

const answer = async (state: SimulatorState, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', originOf(request))
  if (url.pathname === '/') return write(response, { ...controlReply(302, {}), headers: { location: '/_simulator' } })
  if (isPhoneRequest(url, request.method)) return answerPhone(state, url, request, response)
  if (url.pathname.split('/')[1] === '_simulator') return answerControl(state, url, request, response)
  if (url.pathname === DOWNLOAD_PATH) return answerDownload(state, url, request, response)
  const path = graphPathOf(url, state.apiVersion)
  const number = { version: path.version, phoneNumberId: decodeURIComponent(path.id) }
  if (request.method === 'POST' && path.edge === 'messages') return answerMessages(state, number, request, response)
  if (request.method === 'POST' && path.edge === 'marketing_messages') {
    return answerMessages(state, { ...number, isMarketingApi: true }, request, response)
  }
  if (request.method === 'POST' && path.edge === 'media') return answerUpload(state, number, request, response)
  return answerRead(state, path, url, request, response)
}

/** Answers a request that cannot be read, or a defect of the simulator, with an error that the platform never sends. */
const answerFailure = (error: unknown, request: IncomingMessage, response: ServerResponse): void => {
  if (response.headersSent || isGone(request)) return abandon(request, 'close')
  const unreadable = error instanceof URIError || !request.readableEnded
  const sentence = unreadable ? 'The request cannot be read' : 'The simulator itself failed'
  write(response, controlReply(unreadable ? 400 : 500, { error: sentence }))
}

/** The default port of `postern simulator`. */
export const DEFAULT_PORT = 4010

/** Printed if notifications have no target: without one, no status and no customer's message reaches a gateway. */
const NO_WEBHOOK = 'It does not notify a gateway: start it with --webhook and the gateway’s address, such as http://127.0.0.1:3000/webhooks/platform.'

/** Starts a simulator and prints its address, and a second line if it has no webhook to notify; it runs until closed. Rejects if the port is taken. */
export const runSimulator = async (
  options: SimulatorOptions & { readonly print?: (line: string) => void } = {},
): Promise<Simulator> => {
  const { print = (line: string) => void process.stdout.write(`${line}\n`), ...rest } = options
  const simulator = await startSimulator({ port: DEFAULT_PORT, ...rest })
  print(`Simulator of the Cloud API at ${simulator.url} (the customer's phone: ${simulator.url}/_simulator)`)
  if (rest.webhook === undefined) print(NO_WEBHOOK)
  return simulator
}
