/**
 * Postern for an inversify container: a typed token of each port, and the module that makes the use cases of them.
 *
 * @packageDocumentation
 */
import { ContainerModule, type ServiceIdentifier } from 'inversify'
import {
  makePostern, makeSending, type Ports, type Postern, type Sending, type SendingPorts, type SendingSettings, type Settings, type Settling,
} from '../../core/postern.js'
import type { SendTemplate, SendText } from '../../core/sending/send.js'

// The symbol carries no type by itself; naming it here is what lets the compiler check every binding and every use.
const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`postern/${name}`)

/** A token of each port. */
export type PortTokens = { readonly [Port in keyof Required<Ports>]: ServiceIdentifier<Required<Ports>[Port]> }

/** The tokens of the ports that must be bound. */
const REQUIRED = {
  accountNotices: token('AccountNotices'),
  auditLog: token('AuditLog'),
  conversation: token('Conversation'),
  customerWindows: token('CustomerWindows'),
  customers: token('Customers'),
  eventDeliveries: token('EventDeliveries'),
  eventEndpoints: token('EventEndpoints'),
  eventOutbox: token('EventOutbox'),
  fileBytes: token('FileBytes'),
  freeMessages: token('FreeMessages'),
  keyStore: token('KeyStore'),
  ledger: token('Ledger'),
  lostMessages: token('LostMessages'),
  members: token('Members'),
  messageContents: token('MessageContents'),
  messageLog: token('MessageLog'),
  messageMoney: token('MessageMoney'),
  messageStatistics: token('MessageStatistics'),
  messageTrail: token('MessageTrail'),
  passwords: token('PasswordHasher'),
  personalData: token('PersonalData'),
  platform: token('Platform'),
  senderProof: token('SenderProof'),
  senders: token('Senders'),
  sessions: token('Sessions'),
  templateCatalogue: token('TemplateCatalogue'),
  templateSource: token('TemplateSource'),
  uploadedFiles: token('UploadedFiles'),
  wallet: token('Wallet'),
  walletAlerts: token('WalletAlerts'),
  webhooks: token('Webhooks'),
  windowClock: token('WindowClock'),
  workspaces: token('Workspaces'),
} satisfies Partial<PortTokens>

/** The tokens of the ports that need not be bound. */
const OPTIONAL = { admission: token('Admission'), passwordTurns: token('PasswordTurns'), requestLog: token('RequestLog'), tracer: token('Tracer') } satisfies Partial<PortTokens>

/** The token of each port, by its name in `Ports`. */
export const PORTS: PortTokens = { ...REQUIRED, ...OPTIONAL }

/** The settings of all use cases. */
export const SETTINGS = token<Settings>('Settings')
/** The settings of the sends, for the module `sends`. */
export const SENDING_SETTINGS = token<SendingSettings>('SendingSettings')
/** Every use case. */
export const POSTERN = token<Postern>('Postern')
/** The two sends, and what follows them. */
export const SENDING = token<Sending & Settling>('Sending')
/** Use case: sends free text. */
export const SEND_TEXT = token<SendText>('SendText')
/** Use case: sends an approved template. */
export const SEND_TEMPLATE = token<SendTemplate>('SendTemplate')

const NAMES = Object.keys(PORTS) as ReadonlyArray<keyof Ports>

/** The ports that are bound, by their names. They come in the order of `PORTS`; one that is not bound is left out. */
const portsOf = (bound: ReadonlyArray<unknown>): object =>
  Object.fromEntries(NAMES.flatMap((name, place) => (bound[place] === undefined ? [] : [[name, bound[place]]])))

const ifBound = (one: ServiceIdentifier) => ({ serviceIdentifier: one, optional: true }) as const

/** Every port, resolved. */
export const BOUND_PORTS = token<Ports>('BoundPorts')

/**
 * Every use case, made of the ports and settings that the app binds.
 *
 * They must be singletons: sends and quotes share which templates were read from the platform a moment ago.
 */
export const useCases = new ContainerModule(({ bind }) => {
  bind(BOUND_PORTS).toResolvedValue((...bound: ReadonlyArray<unknown>) => portsOf(bound) as Ports, [...Object.values(REQUIRED), ...Object.values(OPTIONAL).map(ifBound)])
  bind(POSTERN).toResolvedValue(makePostern, [BOUND_PORTS, SETTINGS])
  bind(SEND_TEXT).toResolvedValue(({ sending }) => sending.sendText, [POSTERN])
  bind(SEND_TEMPLATE).toResolvedValue(({ sending }) => sending.sendTemplate, [POSTERN])
})

const NEEDED_TO_SEND: ReadonlySet<keyof Ports> = new Set(['messageLog', 'platform', 'senders', 'wallet', 'windowClock'])

/** The two sends and what follows them, for an app that binds the ports of a send, and of the others what it has. */
export const sends = new ContainerModule(({ bind }) => {
  bind(SENDING).toResolvedValue(
    (settings: SendingSettings, ...bound: ReadonlyArray<unknown>) => makeSending(portsOf(bound) as SendingPorts, settings),
    [SENDING_SETTINGS, ...NAMES.map((name) => (NEEDED_TO_SEND.has(name) ? PORTS[name] : ifBound(PORTS[name])))],
  )
  bind(SEND_TEXT).toResolvedValue(({ sendText }) => sendText, [SENDING])
  bind(SEND_TEMPLATE).toResolvedValue(({ sendTemplate }) => sendTemplate, [SENDING])
})
