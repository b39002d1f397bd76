import { makeDocument } from './openapi.js'
import type { Document } from './openapi-types.js'
import type { Operation, ServedParts } from './operation.js'
import { addEndpoint } from './operations/add-endpoint.js'
import { changeEndpoint } from './operations/change-endpoint.js'
import { getCustomer } from './operations/get-customer.js'
import { getDocsPage } from './operations/get-docs-page.js'
import { getEndpoint } from './operations/get-endpoint.js'
import { getKey } from './operations/get-key.js'
import { getMedia } from './operations/get-media.js'
import { getMessage } from './operations/get-message.js'
import { getMetrics } from './operations/get-metrics.js'
import { getOpenApiDocument } from './operations/get-openapi-document.js'
import { getWallet } from './operations/get-wallet.js'
import { getWindow } from './operations/get-window.js'
import { getLiveness, getReadiness } from './operations/health.js'
import { listDeliveries } from './operations/list-deliveries.js'
import { listEndpoints } from './operations/list-endpoints.js'
import { listEvents } from './operations/list-events.js'
import { listMessages } from './operations/list-messages.js'
import { listTemplates } from './operations/list-templates.js'
import { listWalletEntries } from './operations/list-wallet-entries.js'
import { markRead } from './operations/mark-read.js'
import { quoteTemplate } from './operations/quote-template.js'
import { quoteText } from './operations/quote-text.js'
import { receiveNotification } from './operations/receive-notification.js'
import { redeliverEvent } from './operations/redeliver-event.js'
import { redeliverSince } from './operations/redeliver-since.js'
import { removeEndpoint } from './operations/remove-endpoint.js'
import { rotateSecret } from './operations/rotate-secret.js'
import { sendTemplate } from './operations/send-template.js'
import { sendText } from './operations/send-text.js'
import { testEndpoint } from './operations/test-endpoint.js'
import { verifyWebhook } from './operations/verify-webhook.js'

/** Every operation of the contract. A new one is a file in `operations/` and a name here. */
export const OPERATIONS = [
  sendText, sendTemplate, quoteText, quoteTemplate,
  markRead, getMedia,
  listMessages, getMessage, getWallet, listWalletEntries, getWindow, getCustomer, listTemplates, getKey,
  addEndpoint, listEndpoints, getEndpoint, changeEndpoint, removeEndpoint, rotateSecret, testEndpoint, listDeliveries, redeliverSince, listEvents, redeliverEvent,
  verifyWebhook, receiveNotification,
  getLiveness, getReadiness, getMetrics, getOpenApiDocument, getDocsPage,
] as const

type Takes<Listed> = Listed extends Operation<infer Deps> ? (deps: Deps) => void : never

/** What all operations need together. */
export type ContractDeps = Takes<(typeof OPERATIONS)[number]> extends (deps: infer Deps) => void ? Deps : never

/** The optional parts that an app serves: those whose dependencies it has. */
export const servedParts = (deps: Omit<ContractDeps, 'document'>): ServedParts => ({
  answering: deps.answering !== undefined,
  events: deps.eventUseCases !== undefined,
  webhook: deps.webhook !== undefined,
  metrics: deps.metrics !== undefined,
  quoting: deps.quoting !== undefined,
  templates: deps.templateCatalogue !== undefined && deps.senders !== undefined,
})

/** The operations that an app serves. */
export const servedOperations = (served: ServedParts): ReadonlyArray<Operation<ContractDeps>> =>
  OPERATIONS.filter(({ part }: Operation<never>) => part === undefined || served[part])

/** The HTTP contract as an OpenAPI 3.1 document; its addresses are relative to its own, so it is valid under any prefix. */
export const makeOpenApiDocument = (served: ServedParts): Document => makeDocument(servedOperations(served), served)
