import type { Document } from './openapi-types.js'
import { makeDocument } from './openapi.js'
import type { Operation, ServedParts } from './operation.js'
import {
  addRecipients, cancelBatch, confirmBatch, createBatch, getBatch, listBatches, pauseBatch, preflightBatch, resumeBatch,
} from './operations/batches.js'
import { getBatchResults } from './operations/batch-results.js'
import { exportConsents, importConsents } from './operations/consent-files.js'
import { listDeliveries, listEvents, redeliverEvent, redeliverMany } from './operations/deliveries.js'
import { getOptOutWords, setConsent, setOptOutWords } from './operations/consents.js'
import {
  getDocsFont, getDocsPage, getDocsScript, getLiveness, getMetrics, getOpenApiDocument, getReadiness,
} from './operations/documents.js'
import {
  addEndpoint, changeEndpoint, getEndpoint, listEndpoints, removeEndpoint, rotateSecret, testEndpoint,
} from './operations/endpoints.js'
import { getErrorPage, getErrorsDocument, getErrorsPage, getPlatformErrorPage } from './operations/errors.js'
import { uploadMedia } from './operations/files.js'
import { getCustomer } from './operations/get-customer.js'
import { getKey } from './operations/get-key.js'
import { getMedia } from './operations/get-media.js'
import { getMessage, listMessages } from './operations/get-message.js'
import { getTemplateResults } from './operations/get-template-results.js'
import { getWallet } from './operations/get-wallet.js'
import { getWindow } from './operations/get-window.js'
import { listTemplates } from './operations/list-templates.js'
import { listWalletEntries } from './operations/list-wallet-entries.js'
import { markRead } from './operations/mark-read.js'
import { getPage, getPageInFolder, getPageList } from './operations/pages.js'
import { cancelMessage, getQueue } from './operations/queue.js'
import { quoteMessage, quoteTemplate, quoteText } from './operations/quote.js'
import { receiveAppNotification, receiveNotification } from './operations/receive-notification.js'
import { getSender, listSenders } from './operations/senders.js'
import { sendMessage } from './operations/send-message.js'
import { sendTemplate, sendText } from './operations/send.js'
import { verifyAppWebhook, verifyWebhook } from './operations/verify-webhook.js'

/** Every operation of the contract. A new one is a file in `operations/` and a name here. */
export const OPERATIONS = [
  sendText, sendTemplate, sendMessage, quoteText, quoteTemplate, quoteMessage,
  uploadMedia, markRead, getMedia, cancelMessage, setConsent, importConsents, exportConsents,
  getOptOutWords, setOptOutWords,
  createBatch, addRecipients, preflightBatch, confirmBatch, pauseBatch, resumeBatch, cancelBatch, listBatches, getBatch, getBatchResults,
  listMessages, getMessage, getQueue, getWallet, listWalletEntries, getWindow, getCustomer, listTemplates, getTemplateResults,
  listSenders, getSender, getKey,
  addEndpoint, listEndpoints, getEndpoint, changeEndpoint, removeEndpoint, rotateSecret, testEndpoint, listDeliveries, redeliverMany,
  listEvents, redeliverEvent, verifyWebhook, receiveNotification, verifyAppWebhook, receiveAppNotification, getLiveness, getReadiness,
  getMetrics, getOpenApiDocument, getDocsPage, getDocsScript, getDocsFont, getPageList, getPage, getPageInFolder, getErrorsPage,
  getErrorsDocument, getErrorPage, getPlatformErrorPage,
] as const

type Takes<Listed> = Listed extends Operation<infer Deps> ? (deps: Deps) => void : never

/** The dependencies of all operations together. */
export type ContractDeps = Takes<(typeof OPERATIONS)[number]> extends (deps: infer Deps) => void ? Deps : never

/** The optional parts that an app serves: those whose dependencies are given. */
export const servedParts = (deps: Omit<ContractDeps, 'document'>): ServedParts => ({
  answering: deps.postern.conversation !== undefined,
  batches: deps.postern.batches !== undefined,
  events: deps.postern.events !== undefined,
  webhook: deps.webhook !== undefined,
  appWebhooks: deps.appWebhook !== undefined,
  metrics: deps.metrics !== undefined,
  quoting: deps.postern.sending.quote !== undefined,
  files: deps.postern.sending.uploadFile !== undefined,
  pages: deps.pages !== undefined,
  queue: deps.postern.sending.showQueue !== undefined && deps.postern.sending.cancel !== undefined,
  consent: deps.postern.consent !== undefined,
  templates: deps.postern.templates !== undefined,
  templateResults: deps.postern.templates?.showResults !== undefined,
  senders: deps.postern.workspaces !== undefined,
})

/** The operations that an app serves. */
export const servedOperations = (served: ServedParts): ReadonlyArray<Operation<ContractDeps>> =>
  OPERATIONS.filter(({ part }: Operation<never>) => part === undefined || served[part])

/** The HTTP contract as an OpenAPI 3.1 document; its addresses are relative to its own, so it is valid under any prefix. */
export const makeOpenApiDocument = (served: ServedParts): Document => makeDocument(servedOperations(served), served)
