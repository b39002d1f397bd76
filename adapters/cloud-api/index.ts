/**
 * The WhatsApp Business Cloud API: sends, notifications, and the list of templates. Its transports use got, or the optional undici, which is loaded when it is opened.
 *
 * @packageDocumentation
 */
export {
  type Answered, type BodyLimits, type ClosableTransport, type CloudApiDeps, type Download, type DownloadRequest, type DownloadResult,
  type Endpoint, type HttpRequest, MAX_DOWNLOADS, type NoAnswer, type NotSent, type Opened, type Transport, type TransportOptions,
  type TransportResult, versionEnd,
} from './transport.js'
export {
  type CheckSender, type CloudConversationDeps, makeCheckSender, makeCloudApi, makeCloudConversation, makeReadSender, type ReadSender,
  type SenderFacts,
} from './cloud-api.js'
export { makePlatformNumbers } from './numbers.js'
export type { MediaDeadlines, MediaDeps } from './media.js'
export type { UploadDeps } from './upload.js'
export { makeGotTransport } from './got-transport.js'
export { openUndiciTransport } from './open-undici.js'
export { type Notification, type NotJson, parseNotification, readNotification } from './notification.js'
export { type Ignored, type IgnoredReason, type NotificationField, READ_FIELDS, UNUSED_FIELDS } from './reports.js'
export { readAnswer } from './read-answer.js'
export { makeTemplateSource, type TemplateSourceDeps } from './templates.js'
export { type AppWebhook, type AppWebhooksDeps, type FindAppWebhook, makeAppWebhooks } from './app-webhooks.js'
export {
  beginSignatureCheck, type CloudApiWebhook, type HandshakeQuery, type HandshakeRefused, type IgnoredItems, isSignedBy, makeWebhook,
  readHandshake, type ReadNotification, type SignatureCheck, signatureOf, type WebhookSecrets,
} from './webhook.js'
