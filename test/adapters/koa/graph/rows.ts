import type { FailureTag, HttpFailure } from '../../../../adapters/koa/reply.js'
import { batchIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import type { MessageId } from '../../../../core/messages/message.js'
import { senderIdOf } from '../../../../core/senders/sender.js'

type OfTag<Tag extends FailureTag> = Extract<HttpFailure, { readonly _tag: Tag }>
type Row<Tag extends FailureTag> = readonly [failure: OfTag<Tag>, status: number, code: number, more?: Readonly<Record<string, unknown>>]

/** The request that failed. */
export const ASKED = { id: 'a-request', method: 'post', path: '/v23.0/106540352242922/messages', now: 0 }
const SAID = { message: '(#131026) Message undeliverable', code: 131026, error_data: { details: 'x' }, fbtrace_id: 'A1' }
const opened = { messageId: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' as MessageId, replayed: false }
const money = { required: 2n, available: 1n, held: 0n, currency: 'USD' as Currency }
const transient = { is_transient: true }

/** Every failure with the status and the code of the platform that stand for it. A new failure does not compile until it has a row. */
export const ROWS: { readonly [Tag in FailureTag]: Row<Tag> } = {
  MissingParameters: [{ _tag: 'MissingParameters', names: ['to'] }, 400, 100, { message: '(#100) The parameter to is required.' }],
  InvalidParameter: [
    { _tag: 'InvalidParameter', sentence: 'to must be a string' }, 400, 100,
    { error_data: { messaging_product: 'whatsapp', details: 'to must be a string' } },
  ],
  ContentInvalid: [{ _tag: 'ContentInvalid', breaches: [{ path: 'text.body', rule: 'short', given: 5_000 }] }, 400, 100],
  InvalidIdempotencyKey: [{ _tag: 'InvalidIdempotencyKey' }, 400, 100],
  InvalidPhoneNumber: [{ _tag: 'InvalidPhoneNumber', form: 'written' }, 400, 100],
  MalformedBody: [{ _tag: 'MalformedBody', sentence: 'The body is no JSON' }, 400, 100],
  PayloadTooLarge: [{ _tag: 'PayloadTooLarge', limit: 1_024 }, 413, 100],
  UnsupportedMediaType: [{ _tag: 'UnsupportedMediaType', sentence: 'The body must be application/json' }, 415, 100],
  IdempotencyKeyReused: [{ _tag: 'IdempotencyKeyReused' }, 400, 100],
  RangeNotSatisfiable: [{ _tag: 'RangeNotSatisfiable', size: 0 }, 400, 100],
  InvalidEndpointUrl: [{ _tag: 'InvalidEndpointUrl', reason: 'x' }, 400, 100],
  InvalidEventTypes: [{ _tag: 'InvalidEventTypes', reason: 'x' }, 400, 100],
  UnknownEventType: [{ _tag: 'UnknownEventType', type: 'x' }, 400, 100],
  InvalidDescription: [{ _tag: 'InvalidDescription' }, 400, 100],
  InvalidEventId: [{ _tag: 'InvalidEventId', id: 'x' }, 400, 100],
  EndpointDisabled: [{ _tag: 'EndpointDisabled', id: 'x' }, 400, 100],
  WrongBatchState: [{ _tag: 'WrongBatchState', id: batchIdOf('x'), state: 'done' }, 400, 100],
  BatchChanged: [{ _tag: 'BatchChanged' }, 400, 100],
  PreflightChanged: [{ _tag: 'PreflightChanged', total: 2n, confirmed: 1n }, 400, 100],
  ContentGone: [{ _tag: 'ContentGone', id: 'bat_1' as never }, 400, 100],
  NothingToSend: [{ _tag: 'NothingToSend' }, 400, 100],
  UnreadableFile: [{ _tag: 'UnreadableFile', problem: { line: 1, code: 'malformed_line', message: 'x' } }, 400, 100],
  TooManyEndpoints: [{ _tag: 'TooManyEndpoints', most: 16 }, 400, 100],
  UnknownApiKey: [{ _tag: 'UnknownApiKey' }, 401, 190],
  BadSignature: [{ _tag: 'BadSignature', signature: 'wrong' }, 401, 190],
  MissingScope: [{ _tag: 'MissingScope', scope: 'send' }, 403, 10],
  Forbidden: [{ _tag: 'Forbidden', act: 'message.send' }, 403, 10],
  VerificationRefused: [{ _tag: 'VerificationRefused' }, 403, 10],
  NotFound: [{ _tag: 'NotFound' }, 404, 2500, { message: 'Unknown path components: /v23.0/106540352242922/messages' }],
  MediaInvalid: [
    { _tag: 'MediaInvalid', reason: 'The file is empty' }, 400, 100,
    { error_data: { messaging_product: 'whatsapp', details: 'The file is empty' } },
  ],
  MediaGone: [{ _tag: 'MediaGone' }, 400, 100, { error_subcode: 33, type: 'GraphMethodException' }],
  EndpointNotFound: [{ _tag: 'EndpointNotFound', id: 'x' }, 400, 100, { error_subcode: 33 }],
  EventNotFound: [{ _tag: 'EventNotFound', id: 'x' }, 400, 100, { error_subcode: 33 }],
  MethodNotAllowed: [{ _tag: 'MethodNotAllowed', allow: 'POST' }, 405, 100, { type: 'GraphMethodException' }],
  TimezoneUnknown: [{ _tag: 'TimezoneUnknown' }, 400, 100],
  AlreadySent: [{ _tag: 'AlreadySent', id: opened.messageId, state: 'accepted' }, 400, 100],
  WindowClosed: [{ _tag: 'WindowClosed', closedAt: undefined }, 400, 131047],
  InsufficientBalance: [{ _tag: 'InsufficientBalance', ...money, ...opened }, 400, 131042],
  SpendingLimitReached: [
    { _tag: 'SpendingLimitReached', required: 2n, limit: 1n, spent: 1n, currency: money.currency, resetsAt: 0, ...opened }, 400, 131042,
  ],
  CustomerOptedOut: [{ _tag: 'CustomerOptedOut', topic: 'marketing' }, 400, 131050],
  ConsentRequired: [{ _tag: 'ConsentRequired' }, 400, 131050],
  PhoneNumberRequired: [{ _tag: 'PhoneNumberRequired' }, 400, 131062],
  TemplateNotFound: [{ _tag: 'TemplateNotFound', name: 'a', language: 'en', languages: [], nearest: [] }, 404, 132001],
  TemplateNotApproved: [{ _tag: 'TemplateNotApproved', name: 'a', language: 'en', status: 'pending', languages: [] }, 404, 132001],
  TemplateParameters: [{ _tag: 'TemplateParameters', mismatch: 'other', sentence: 'x', expected: [] }, 400, 132018],
  PlatformRejected: [{ _tag: 'PlatformRejected', error: SAID, ...opened }, 400, 131026, SAID],
  PlatformThrottled: [
    { _tag: 'PlatformThrottled', error: { ...SAID, code: 131056 }, retryAfterSeconds: 6, ...opened }, 429, 131056,
    { ...SAID, code: 131056 },
  ],
  CredentialsRefused: [{ _tag: 'CredentialsRefused', error: { code: 190, message: 'Session expired' }, ...opened }, 403, 131031],
  SenderNotConfigured: [{ _tag: 'SenderNotConfigured' }, 400, 133010],
  UnknownSender: [{ _tag: 'UnknownSender', sender: senderIdOf('1') }, 400, 133010],
  PairLimitReached: [{ _tag: 'PairLimitReached', retryAt: 6_000 }, 429, 131056, transient],
  SenderLimitReached: [{ _tag: 'SenderLimitReached', retryAfterMs: 900 }, 429, 130429, transient],
  PortfolioLimitReached: [{ _tag: 'PortfolioLimitReached', retryAt: 6_000 }, 429, 130429, transient],
  RateLimited: [{ _tag: 'RateLimited', retryAfterSeconds: 3 }, 429, 80007, transient],
  TooManyRequests: [{ _tag: 'TooManyRequests', retryAfterSeconds: 3, limit: 'API key' }, 429, 80007, transient],
  IdempotencyInProgress: [{ _tag: 'IdempotencyInProgress' }, 409, 2, transient],
  BodyTooSlow: [{ _tag: 'BodyTooSlow' }, 408, 2, transient],
  PlatformUnreachable: [{ _tag: 'PlatformUnreachable', cause: 'a cause' }, 503, 131016, transient],
  PlatformUnanswered: [{ _tag: 'PlatformUnanswered', cause: 'a cause' }, 503, 131016, transient],
  PortFailure: [{ _tag: 'PortFailure', port: 'Wallet', cause: 'a cause' }, 503, 131016, transient],
  NotYetKnown: [{ _tag: 'NotYetKnown' }, 503, 131016, transient],
  Overloaded: [{ _tag: 'Overloaded' }, 503, 131016, transient],
  OutcomeUnknown: [{ _tag: 'OutcomeUnknown', cause: 'a cause', ...opened }, 400, 131000, { is_transient: false }],
  Defect: [{ _tag: 'Defect' }, 500, 131000, { is_transient: false }],
}
