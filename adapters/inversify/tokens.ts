import type { ServiceIdentifier } from 'inversify'
import type { ActDeps, Auditing, AuditLog } from '../../core/access/acting.js'
import type { KeyStore } from '../../core/access/keys.js'
import type { Customers } from '../../core/customers/learn.js'
import type { WindowClock } from '../../core/customers/window.js'
import type { EventDeliveries } from '../../core/events/delivery.js'
import type { EventEndpoints } from '../../core/events/endpoint.js'
import type { EventUseCases, EventUseCasesDeps } from '../../core/events/use-cases.js'
import type { Admission } from '../../core/kernel/limits.js'
import type { Emission, EventDeps, EventOutbox } from '../../core/kernel/outbox.js'
import type { Senders } from '../../core/kernel/sender.js'
import type { Workspaces } from '../../core/kernel/workspace.js'
import type { Conversation, MarkRead, OpenMedia } from '../../core/messages/conversation.js'
import type { MessageLog } from '../../core/messages/message-log.js'
import type { Ledger, MessageMoney } from '../../core/money/ledger.js'
import type { PriceOf } from '../../core/money/rate-card.js'
import type { FreeMessages, Wallet } from '../../core/money/wallet.js'
import type { AccountNotices } from '../../core/reports/account.js'
import type { Receive } from '../../core/reports/receive.js'
import type { LostMessages } from '../../core/reports/status.js'
import type { RetryLater } from '../../core/sending/books.js'
import type { ReadAhead } from '../../core/sending/prepare.js'
import type { QuoteTemplate, QuoteText } from '../../core/sending/quote.js'
import type { Reconcile, ReconcileDeps } from '../../core/sending/reconcile.js'
import type { DeliverDeps, SendTemplate, SendText } from '../../core/sending/send.js'
import type { Platform } from '../../core/sending/transmit.js'
import type { TemplateCatalogue, TemplateSource } from '../../core/templates/catalogue.js'
import type { SyncTemplates } from '../../core/templates/sync.js'

/** How long the use cases wait for the confirmation of an outcome, in milliseconds. */
export type Limits = Pick<ReconcileDeps, 'unconfirmedAfterMs' | 'releaseAfterMs'>

// The symbol carries no type by itself; naming it here is what lets the compiler check every binding and every use.
const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`postern/${name}`)

/** The messaging network. */
export const PLATFORM = token<Platform>('Platform')
/** What the platform offers for conversations besides sends; need not be bound where the use cases of answering are not used. */
export const CONVERSATION = token<Conversation>('Conversation')
/** Limits how many sends are under way at once; need not be bound. */
export const ADMISSION = token<Admission>('Admission')
/** The prepaid balances, as sends use them. */
export const WALLET = token<Wallet>('Wallet')
/** The operator's side of the wallets. */
export const LEDGER = token<Ledger>('Ledger')
/** The workspaces' API keys. */
export const KEY_STORE = token<KeyStore>('KeyStore')
/** The time, and when customers last wrote. */
export const WINDOW_CLOCK = token<WindowClock>('WindowClock')
/** Every outbound message and what became of it. */
export const MESSAGE_LOG = token<MessageLog>('MessageLog')
/** The platform account of each workspace. */
export const SENDERS = token<Senders>('Senders')
/** What is known of customers; need not be bound. */
export const CUSTOMERS = token<Customers>('Customers')
/** What the platform last said of each business account; need not be bound. */
export const ACCOUNT_NOTICES = token<AccountNotices>('AccountNotices')
/** A copy of the platform's list of templates; need not be bound. */
export const TEMPLATE_CATALOGUE = token<TemplateCatalogue>('TemplateCatalogue')
/** The platform's own list of templates; need not be bound. */
export const TEMPLATE_SOURCE = token<TemplateSource>('TemplateSource')
/** How many messages each sender has sent at no cost; need not be bound. */
export const FREE_MESSAGES = token<FreeMessages>('FreeMessages')
/** The messages and their holds together; need not be bound, and then reconciliation does not compare the two. */
export const MESSAGE_MONEY = token<MessageMoney>('MessageMoney')
/** The messages that the platform reports and the message log does not have; need not be bound, and then such reports are ignored. */
export const LOST_MESSAGES = token<LostMessages>('LostMessages')
/** The events of all workspaces; need not be bound, and then the use cases make none. */
export const EVENT_OUTBOX = token<EventOutbox>('EventOutbox')
/** Makes the id of a new event; bound where `EVENT_OUTBOX` is. */
export const NEW_EVENT_ID = token<Emission['newEventId']>('NewEventId')
/** Where events are delivered; need not be bound where the use cases of endpoints are not used. */
export const EVENT_ENDPOINTS = token<EventEndpoints>('EventEndpoints')
/** How far deliveries have come, and their log; bound where `EVENT_ENDPOINTS` is. */
export const EVENT_DELIVERIES = token<EventDeliveries>('EventDeliveries')
/** How endpoints are called, and what makes their ids and secrets; bound where `EVENT_ENDPOINTS` is. */
export const ENDPOINT_DEPS = token<Pick<EventUseCasesDeps, 'sinkFor' | 'faultOfUrl' | 'newEndpointId' | 'newSecret' | 'newAttemptId'>>('EndpointDeps')
/** The tenants. */
export const WORKSPACES = token<Workspaces>('Workspaces')
/** Whether templates are checked before they are sent; need not be bound. */
export const TEMPLATE_PREFLIGHT = token<Pick<DeliverDeps, 'templatePreflight'>>('TemplatePreflight')
/** What a message costs. */
export const PRICE_OF = token<PriceOf>('PriceOf')
/** Where work goes that has to be tried again. */
export const RETRY_LATER = token<RetryLater>('RetryLater')
/** Makes the id of a new message; ids sort by time. */
export const NEW_MESSAGE_ID = token<DeliverDeps['newMessageId']>('NewMessageId')
/** When an unconfirmed outcome is judged. */
export const LIMITS = token<Limits>('Limits')
/** Who did what; without it nothing is noted. */
export const AUDIT_LOG = token<AuditLog>('AuditLog')
/** Makes the id of a new audit entry; bound where `AUDIT_LOG` is. */
export const NEW_AUDIT_ID = token<Auditing['newAuditId']>('NewAuditId')
/** What a use case needs to make events and to note who did what; nothing of what is not bound. */
export const ACT_DEPS = token<ActDeps>('ActDeps')

/** What a use case needs to make events; nothing where no `EVENT_OUTBOX` is bound. */
export const EVENT_DEPS = token<EventDeps>('EventDeps')
/** What every send and quote needs of the ports that are bound, besides the ledger. */
export const DELIVER_DEPS = token<DeliverDeps & { readonly freeMessages?: FreeMessages }>('DeliverDeps')

/** Begins the reads of a send while its API key is looked up. */
export const READ_AHEAD = token<ReadAhead>('ReadAhead')
/** Use case: sends free text. */
export const SEND_TEXT = token<SendText>('SendText')
/** Use case: sends an approved template. */
export const SEND_TEMPLATE = token<SendTemplate>('SendTemplate')
/** Use case: marks a customer's message as read. */
export const MARK_READ = token<MarkRead>('MarkRead')
/** Use case: opens an attachment of a customer's message. */
export const OPEN_MEDIA = token<OpenMedia>('OpenMedia')
/** Use cases: manage endpoints, look at their deliveries, and list events; they need the ports of events. */
export const EVENT_USE_CASES = token<EventUseCases>('EventUseCases')
/** Use case: says what a text would cost; it needs the ledger. */
export const QUOTE_TEXT = token<QuoteText>('QuoteText')
/** Use case: says what a template would cost; it needs the ledger. */
export const QUOTE_TEMPLATE = token<QuoteTemplate>('QuoteTemplate')
/** Use case: takes in what the platform reports. */
export const RECEIVE = token<Receive>('Receive')
/** Use case: one pass over what a crash or a lost answer left behind. */
export const RECONCILE = token<Reconcile>('Reconcile')
/** Use case: reads the platform's list of templates into the catalogue; it needs both. */
export const SYNC_TEMPLATES = token<SyncTemplates>('SyncTemplates')
