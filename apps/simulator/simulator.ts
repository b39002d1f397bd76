import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { answerControl } from './control.js'
import { digitsOf } from './customer-identity.js'
import { faultyRates, makeDice } from './dice.js'
import { answerGraph } from './graph-routes.js'
import { controlReply, write } from './http.js'
import type { CustomerMessage } from './inbound.js'
import { makeJournal, type ReceivedMessage } from './journal.js'
import { makeBuckets } from './limits.js'
import { reportInbound } from './report.js'
import { changed, DEFAULT_SETTINGS, type Delays, type SettingsChange } from './settings.js'
import { makeTemplates, type TemplateDefinition } from './templates.js'
import { makeTimers } from './timers.js'
import { makeWebhooks, type WebhookStats, type WebhookTarget } from './webhooks.js'
import { reportedAs, usualPhoneNumberId, type World } from './world.js'

/** What a simulator is started with; all of it may be left out. */
export type SimulatorOptions = {
  /** 0, the default, takes a free one. */
  readonly port?: number
  readonly host?: string
  /** The only token that will do; any, if left out. */
  readonly accessToken?: string
  /** The business numbers there are; any id of digits, if left out. */
  readonly phoneNumberIds?: ReadonlyArray<string>
  readonly businessAccountId?: string
  /** The business's own number, digits only. */
  readonly displayPhoneNumber?: string
  /** Templates besides the built-in ones. */
  readonly templates?: ReadonlyArray<TemplateDefinition>
  readonly webhook?: WebhookTarget
  readonly seed?: number
  readonly delays?: Partial<Delays>
  /** Everything else that can be set; a reset comes back to this. */
  readonly settings?: SettingsChange
  /** The version of a request that names none. */
  readonly apiVersion?: string
}

/** A running simulator. */
export type Simulator = {
  /** Its address without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Every request to send, oldest first. */
  readonly received: () => ReadonlyArray<ReceivedMessage>
  readonly change: (settings: SettingsChange) => void
  /** Where notifications go from now on; without the handshake that the control endpoint makes. */
  readonly aim: (webhook: WebhookTarget | undefined) => void
  /** Plays a customer, to the business number last sent through unless one is named; gives its id. Throws for no number. */
  readonly writeAs: (customer: string, message: CustomerMessage, phoneNumberId?: string) => string
  readonly stats: () => WebhookStats
  /** Resolves once every notification due or to come was acknowledged or given up. */
  readonly idle: () => Promise<void>
  readonly reset: () => void
  /** Ends everything at once: connections that hang, timers, notifications under way. */
  readonly close: () => Promise<void>
}

/** Starts a stand-in for the platform. It keeps everything in memory. Rejects where the port is taken. */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const world = makeWorld(options)
  const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0 }, (request, response) => {
    answer(world, request, response).catch((error: unknown) => giveUp(error, request, response))
  })
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The simulator listens on no port')
  return {
    url: `http://${options.host ?? '127.0.0.1'}:${address.port}`,
    port: address.port,
    received: world.journal.all,
    change: world.change,
    aim: world.webhooks.aim,
    writeAs: (customer, message, phoneNumberId = usualPhoneNumberId(world)) => {
      const digits = digitsOf(customer)
      if (digits === undefined) throw new Error('A customer has a phone number with its country code')
      return reportInbound(world, phoneNumberId, reportedAs(world, digits), message)
    },
    stats: world.webhooks.stats,
    idle: world.webhooks.idle,
    reset: world.reset,
    close: async () => {
      world.timers.clear()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await Promise.all([closed, world.webhooks.close()])
    },
  }
}

const answer = async (world: World, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`)
  if (url.pathname === '/') return write(response, { ...controlReply(302, {}), headers: { location: '/_simulator' } })
  const isControl = url.pathname.split('/')[1] === '_simulator'
  return isControl ? answerControl(world, url, request, response) : answerGraph(world, url, request, response)
}

/** A client that went away needs no answer; a request that cannot be read, or a defect of ours, gets one unlike the platform's. */
const giveUp = (error: unknown, request: IncomingMessage, response: ServerResponse): void => {
  if (response.headersSent || request.socket.destroyed) return void request.socket.destroy()
  const unreadable = error instanceof URIError || !request.readableEnded
  const sentence = unreadable ? 'The request cannot be read' : 'The simulator itself failed'
  write(response, controlReply(unreadable ? 400 : 500, { error: sentence }))
}

const makeWorld = (options: SimulatorOptions): World => {
  const { seed, delays } = options
  const given = { ...(seed !== undefined && { seed }), ...(delays && { delays }) }
  const first = changed(changed(DEFAULT_SETTINGS, options.settings ?? {}), given)
  const { businessAccountId = '200000000000001', displayPhoneNumber = '15550109999' } = options
  const account = { id: businessAccountId, displayPhoneNumber }
  let settings = first
  let dice = makeDice(first.seed, first.rates)
  const memory = {
    templates: makeTemplates(options.templates), journal: makeJournal(), webhooks: makeWebhooks(account, options.webhook),
    limits: makeBuckets(Date.now), timers: makeTimers(),
    lastInbound: new Map<string, number>(), pricedTexts: new Map<string, number>(), refusedOnce: new Set<string>(),
  }
  const change: World['change'] = (wanted) => {
    const fault = faultyRates(wanted.rates ?? {})
    if (fault !== undefined) throw new Error(fault)
    settings = changed(settings, wanted)
    // A new seed or new rates begin a new run, which repeats.
    if (wanted.seed !== undefined || wanted.rates !== undefined) dice = makeDice(settings.seed, settings.rates)
  }
  change({ rates: first.rates })
  return {
    ...memory, account, change,
    accessToken: options.accessToken, phoneNumberIds: options.phoneNumberIds, apiVersion: options.apiVersion ?? 'v25.0',
    settings: () => settings,
    dice: () => dice,
    reset: () => {
      settings = first
      dice = makeDice(first.seed, first.rates)
      memory.templates.reset()
      memory.webhooks.reset()
      memory.journal.clear()
      memory.limits.clear()
      memory.lastInbound.clear()
      memory.pricedTexts.clear()
      memory.refusedOnce.clear()
    },
  }
}
