/**
 * The WhatsApp Business Cloud API: sending, reading what it notifies, and the list of templates. A transport over undici is in `postern/cloud-api/undici`.
 *
 * @packageDocumentation
 */
export { versionEnd } from './api-versions.js'
export { makeCheckSender, type CheckSender } from './check-sender.js'
export { makeReadSender, type ReadSender, type SenderFacts } from './read-sender.js'
export { makeCloudApi, type CloudApiDeps } from './cloud-api.js'
export { makeCloudConversation, type CloudConversationDeps } from './cloud-conversation.js'
export type { MediaDeadlines, MediaDeps } from './open-media.js'
export { makeGotTransport } from './got-transport.js'
export { parseNotification, readNotification } from './notification.js'
export type { Ignored, IgnoredReason, NotificationField, NotJson, Notification } from './notification.js'
export { READ_FIELDS, UNUSED_FIELDS } from './parse-result.js'
export { readAnswer } from './read-answer.js'
export type { Endpoint } from './request.js'
export { makeTemplateSource, type TemplateSourceDeps } from './template-source.js'
export type {
  Answered, BodyLimits, ClosableTransport, Download, DownloadRequest, DownloadResult, HttpRequest, NoAnswer, NotSent, Opened, Transport, TransportOptions,
  TransportResult,
} from './transport.js'
export { MAX_DOWNLOADS } from './transport.js'
export {
  beginSignatureCheck, isSignedBy, makeWebhook, readHandshake, signatureOf,
  type CloudApiWebhook, type HandshakeQuery, type HandshakeRefused, type IgnoredItems, type SignatureCheck, type WebhookSecrets,
} from './webhook.js'
