import { ContainerModule } from 'inversify'
import type { Auditing, AuditLog } from '../../core/access/acting.js'
import type { Customers } from '../../core/customers/learn.js'
import { makeEventUseCases } from '../../core/events/use-cases.js'
import type { Admission } from '../../core/kernel/limits.js'
import type { Emission, EventOutbox } from '../../core/kernel/outbox.js'
import type { Workspaces } from '../../core/kernel/workspace.js'
import { makeMarkRead, makeOpenMedia } from '../../core/messages/conversation.js'
import type { MessageMoney } from '../../core/money/ledger.js'
import type { FreeMessages } from '../../core/money/wallet.js'
import type { AccountNotices } from '../../core/reports/account.js'
import { makeReceive } from '../../core/reports/receive.js'
import type { LostMessages } from '../../core/reports/status.js'
import { makeReadAhead } from '../../core/sending/prepare.js'
import { makeQuoteTemplate, makeQuoteText } from '../../core/sending/quote.js'
import { makeReconcile } from '../../core/sending/reconcile.js'
import { type DeliverDeps, makeSendTemplate, makeSendText } from '../../core/sending/send.js'
import type { TemplateCatalogue, TemplateSource } from '../../core/templates/catalogue.js'
import { makeSyncTemplates } from '../../core/templates/sync.js'
import { makeRefreshTemplate } from '../../core/templates/use-cases.js'
import {
  ACCOUNT_NOTICES, ACT_DEPS, ADMISSION, AUDIT_LOG, CONVERSATION, CUSTOMERS, DELIVER_DEPS, ENDPOINT_DEPS, EVENT_DELIVERIES, EVENT_DEPS, EVENT_ENDPOINTS,
  EVENT_OUTBOX, EVENT_USE_CASES, FREE_MESSAGES, LEDGER, LIMITS, LOST_MESSAGES, MARK_READ, MESSAGE_LOG, MESSAGE_MONEY, NEW_AUDIT_ID, NEW_EVENT_ID,
  NEW_MESSAGE_ID, OPEN_MEDIA, PLATFORM, PRICE_OF, QUOTE_TEMPLATE, QUOTE_TEXT, READ_AHEAD, RECEIVE, RECONCILE, RETRY_LATER, SEND_TEMPLATE, SEND_TEXT, SENDERS,
  SYNC_TEMPLATES, TEMPLATE_CATALOGUE, TEMPLATE_PREFLIGHT, TEMPLATE_SOURCE, WALLET, WINDOW_CLOCK, WORKSPACES,
} from './tokens.js'

const OPTIONAL_ADMISSION = { serviceIdentifier: ADMISSION, optional: true } as const
const OPTIONAL_CUSTOMERS = { serviceIdentifier: CUSTOMERS, optional: true } as const
const OPTIONAL_EVENT_OUTBOX = { serviceIdentifier: EVENT_OUTBOX, optional: true } as const
const OPTIONAL_NEW_EVENT_ID = { serviceIdentifier: NEW_EVENT_ID, optional: true } as const
const OPTIONAL_AUDIT_LOG = { serviceIdentifier: AUDIT_LOG, optional: true } as const
const OPTIONAL_NEW_AUDIT_ID = { serviceIdentifier: NEW_AUDIT_ID, optional: true } as const
const OPTIONAL_FREE_MESSAGES = { serviceIdentifier: FREE_MESSAGES, optional: true } as const
const OPTIONAL_MESSAGE_MONEY = { serviceIdentifier: MESSAGE_MONEY, optional: true } as const
const OPTIONAL_LOST_MESSAGES = { serviceIdentifier: LOST_MESSAGES, optional: true } as const
const OPTIONAL_TEMPLATE_CATALOGUE = { serviceIdentifier: TEMPLATE_CATALOGUE, optional: true } as const
const OPTIONAL_TEMPLATE_SOURCE = { serviceIdentifier: TEMPLATE_SOURCE, optional: true } as const
const OPTIONAL_TEMPLATE_PREFLIGHT = { serviceIdentifier: TEMPLATE_PREFLIGHT, optional: true } as const
const OPTIONAL_WORKSPACES = { serviceIdentifier: WORKSPACES, optional: true } as const
const OPTIONAL_ACCOUNT_NOTICES = { serviceIdentifier: ACCOUNT_NOTICES, optional: true } as const

/**
 * The use cases, bound to the tokens of the ports they need, which are for the app to bind.
 *
 * They must be singletons: sends and quotes share which templates were read from the platform a moment ago.
 */
export const useCases = new ContainerModule(({ bind }) => {
  bind(EVENT_DEPS).toResolvedValue(
    ({ now }, outbox: EventOutbox | undefined, newEventId: Emission['newEventId'] | undefined) => {
      if ((outbox === undefined) !== (newEventId === undefined)) throw new TypeError('Bind both EVENT_OUTBOX and NEW_EVENT_ID, or neither of them')
      return outbox && newEventId ? { events: { outbox, newEventId, now } } : {}
    },
    [WINDOW_CLOCK, OPTIONAL_EVENT_OUTBOX, OPTIONAL_NEW_EVENT_ID],
  )
  bind(ACT_DEPS).toResolvedValue(
    ({ now }, events, auditLog: AuditLog | undefined, newAuditId: Auditing['newAuditId'] | undefined, workspaces: Workspaces | undefined) => {
      if ((auditLog === undefined) !== (newAuditId === undefined)) throw new TypeError('Bind both AUDIT_LOG and NEW_AUDIT_ID, or neither of them')
      return { ...events, ...(auditLog && newAuditId && { audit: { auditLog, newAuditId, now } }), ...(workspaces && { workspaces }) }
    },
    [WINDOW_CLOCK, EVENT_DEPS, OPTIONAL_AUDIT_LOG, OPTIONAL_NEW_AUDIT_ID, OPTIONAL_WORKSPACES],
  )
  bind(DELIVER_DEPS).toResolvedValue(
    (
      messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, { unconfirmedAfterMs }, acting, admission: Admission | undefined,
      customers: Customers | undefined, freeMessages: FreeMessages | undefined, templateCatalogue: TemplateCatalogue | undefined,
      templateSource: TemplateSource | undefined, preflight: Pick<DeliverDeps, 'templatePreflight'> | undefined,
    ) => ({
      messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, unconfirmedAfterMs, ...acting, ...(admission && { admission }),
      ...(customers && { customers }), ...(freeMessages && { freeMessages }), ...(templateCatalogue && { templateCatalogue }), ...preflight,
      ...(templateCatalogue && templateSource && { refreshTemplate: makeRefreshTemplate({ templateCatalogue, templateSource, windowClock, senders, ...acting }) }),
    }),
    [
      MESSAGE_LOG, WALLET, PLATFORM, SENDERS, WINDOW_CLOCK, PRICE_OF, NEW_MESSAGE_ID, RETRY_LATER, LIMITS, ACT_DEPS, OPTIONAL_ADMISSION,
      OPTIONAL_CUSTOMERS, OPTIONAL_FREE_MESSAGES, OPTIONAL_TEMPLATE_CATALOGUE, OPTIONAL_TEMPLATE_SOURCE, OPTIONAL_TEMPLATE_PREFLIGHT,
    ],
  )
  bind(READ_AHEAD).toResolvedValue(makeReadAhead, [DELIVER_DEPS])
  bind(SEND_TEXT).toResolvedValue(makeSendText, [DELIVER_DEPS])
  bind(SEND_TEMPLATE).toResolvedValue(makeSendTemplate, [DELIVER_DEPS])
  bind(QUOTE_TEXT).toResolvedValue((deps, ledger) => makeQuoteText({ ...deps, ledger }), [DELIVER_DEPS, LEDGER])
  bind(QUOTE_TEMPLATE).toResolvedValue((deps, ledger) => makeQuoteTemplate({ ...deps, ledger }), [DELIVER_DEPS, LEDGER])
  bind(MARK_READ).toResolvedValue(
    (conversation, senders, admission: Admission | undefined) => makeMarkRead({ conversation, senders, ...(admission && { admission }) }),
    [CONVERSATION, SENDERS, OPTIONAL_ADMISSION],
  )
  bind(OPEN_MEDIA).toResolvedValue((conversation, senders) => makeOpenMedia({ conversation, senders }), [CONVERSATION, SENDERS])
  bind(EVENT_USE_CASES).toResolvedValue(
    (eventEndpoints, eventDeliveries, eventOutbox, newEventId, endpointDeps, { now }, acting) =>
      makeEventUseCases({ ...acting, eventEndpoints, eventDeliveries, eventOutbox, newEventId, ...endpointDeps, now }),
    [EVENT_ENDPOINTS, EVENT_DELIVERIES, EVENT_OUTBOX, NEW_EVENT_ID, ENDPOINT_DEPS, WINDOW_CLOCK, ACT_DEPS],
  )
  bind(RECEIVE).toResolvedValue(
    (
      windowClock, senders, messageLog, wallet, events, customers: Customers | undefined, accountNotices: AccountNotices | undefined,
      templateCatalogue: TemplateCatalogue | undefined, freeMessages: FreeMessages | undefined, lostMessages: LostMessages | undefined,
    ) =>
      makeReceive({
        windowClock, senders, messageLog, wallet, ...events, ...(customers && { customers }), ...(accountNotices && { accountNotices }),
        ...(templateCatalogue && { templateCatalogue }), ...(freeMessages && { freeMessages }), ...(lostMessages && { lostMessages }),
      }),
    [
      WINDOW_CLOCK, SENDERS, MESSAGE_LOG, WALLET, EVENT_DEPS, OPTIONAL_CUSTOMERS, OPTIONAL_ACCOUNT_NOTICES, OPTIONAL_TEMPLATE_CATALOGUE,
      OPTIONAL_FREE_MESSAGES, OPTIONAL_LOST_MESSAGES,
    ],
  )
  bind(RECONCILE).toResolvedValue(
    (windowClock, messageLog, wallet, limits, events, freeMessages: FreeMessages | undefined, messageMoney: MessageMoney | undefined) =>
      makeReconcile({ windowClock, messageLog, wallet, ...limits, ...events, ...(freeMessages && { freeMessages }), ...(messageMoney && { messageMoney }) }),
    [WINDOW_CLOCK, MESSAGE_LOG, WALLET, LIMITS, EVENT_DEPS, OPTIONAL_FREE_MESSAGES, OPTIONAL_MESSAGE_MONEY],
  )
  bind(SYNC_TEMPLATES).toResolvedValue(
    (senders, templateSource, templateCatalogue, windowClock, events) => makeSyncTemplates({ senders, templateSource, templateCatalogue, windowClock, ...events }),
    [SENDERS, TEMPLATE_SOURCE, TEMPLATE_CATALOGUE, WINDOW_CLOCK, EVENT_DEPS],
  )
})
