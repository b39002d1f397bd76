import { assert } from 'chai'
import { graphErrorOf, toGraphReply } from '../../../../adapters/koa/graph/errors.js'
import { type FailureTag, type HttpFailure, toReply } from '../../../../adapters/koa/reply.js'
import type { Currency } from '../../../../core/kernel/money.js'
import type { MessageId } from '../../../../core/messages/message.js'

type OfTag<Tag extends FailureTag> = Extract<HttpFailure, { readonly _tag: Tag }>
type Row<Tag extends FailureTag> = readonly [failure: OfTag<Tag>, status: number, code: number, more?: Readonly<Record<string, unknown>>]

const ASKED = { id: 'a-request', method: 'post', path: '/v23.0/106540352242922/messages' }
const SAID = { message: '(#131026) Message undeliverable', code: 131026, error_data: { details: 'x' }, fbtrace_id: 'A1' }
const opened = { messageId: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' as MessageId, replayed: false }
const money = { required: 2n, available: 1n, held: 0n, currency: 'USD' as Currency }
const transient = { is_transient: true }

/** Every failure with the status and the code of the platform that stand for it. A new failure does not compile until it has a row. */
const ROWS: { readonly [Tag in FailureTag]: Row<Tag> } = {
  MissingParameters: [{ _tag: 'MissingParameters', names: ['to'] }, 400, 100, { message: '(#100) The parameter to is required.' }],
  InvalidParameter: [{ _tag: 'InvalidParameter', sentence: 'to must be a string' }, 400, 100, { error_data: { messaging_product: 'whatsapp', details: 'to must be a string' } }],
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
  TooManyEndpoints: [{ _tag: 'TooManyEndpoints', most: 16 }, 400, 100],
  UnknownApiKey: [{ _tag: 'UnknownApiKey' }, 401, 190],
  BadSignature: [{ _tag: 'BadSignature', signature: 'wrong' }, 401, 190],
  MissingScope: [{ _tag: 'MissingScope', scope: 'send' }, 403, 10],
  Forbidden: [{ _tag: 'Forbidden', act: 'message.send' }, 403, 10],
  VerificationRefused: [{ _tag: 'VerificationRefused' }, 403, 10],
  NotFound: [{ _tag: 'NotFound' }, 404, 2500, { message: 'Unknown path components: /v23.0/106540352242922/messages' }],
  MediaGone: [{ _tag: 'MediaGone' }, 400, 100, { error_subcode: 33, type: 'GraphMethodException' }],
  EndpointNotFound: [{ _tag: 'EndpointNotFound', id: 'x' }, 400, 100, { error_subcode: 33 }],
  EventNotFound: [{ _tag: 'EventNotFound', id: 'x' }, 400, 100, { error_subcode: 33 }],
  MethodNotAllowed: [{ _tag: 'MethodNotAllowed', allow: 'POST' }, 405, 100, { type: 'GraphMethodException' }],
  WindowClosed: [{ _tag: 'WindowClosed', closedAt: undefined }, 400, 131047],
  InsufficientBalance: [{ _tag: 'InsufficientBalance', ...money, ...opened }, 400, 131042],
  SpendingLimitReached: [{ _tag: 'SpendingLimitReached', required: 2n, limit: 1n, spent: 1n, currency: money.currency, resetsAt: 0, ...opened }, 400, 131042],
  CustomerOptedOut: [{ _tag: 'CustomerOptedOut' }, 400, 131050],
  PhoneNumberRequired: [{ _tag: 'PhoneNumberRequired' }, 400, 131062],
  TemplateNotFound: [{ _tag: 'TemplateNotFound', name: 'a', language: 'en', languages: [], nearest: [] }, 404, 132001],
  TemplateNotApproved: [{ _tag: 'TemplateNotApproved', name: 'a', language: 'en', status: 'pending', languages: [] }, 404, 132001],
  TemplateParameters: [{ _tag: 'TemplateParameters', sentence: 'x', expected: [] }, 400, 132018],
  PlatformRejected: [{ _tag: 'PlatformRejected', error: SAID, ...opened }, 400, 131026, SAID],
  PlatformThrottled: [{ _tag: 'PlatformThrottled', error: { ...SAID, code: 131056 }, retryAfterSeconds: 6, ...opened }, 429, 131056, { ...SAID, code: 131056 }],
  CredentialsRefused: [{ _tag: 'CredentialsRefused', error: { code: 190, message: 'Session expired' }, ...opened }, 403, 131031],
  SenderNotConfigured: [{ _tag: 'SenderNotConfigured' }, 400, 133010],
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

describe('the errors of the door', () => {
  for (const [failure, status, code, more = {}] of Object.values<readonly [HttpFailure, number, number, Readonly<Record<string, unknown>>?]>(ROWS)) {
    it(`say ${failure._tag} by ${code}`, () => {
      const reply = toGraphReply(failure, ASKED)
      const { error } = JSON.parse(reply.body) as { readonly error: Readonly<Record<string, unknown>> }
      assert.equal(reply.status, status)
      assert.deepInclude(error, { code, ...more })
      assert.equal(error['fbtrace_id'], more['fbtrace_id'] ?? ASKED.id)
      assert.notInclude(reply.body, 'a cause')
      const below = toReply(failure)
      assert.deepEqual([reply.code, reply.headers], [below.code, below.headers], 'the log, the metrics and the headers are the same as below /v1')
    })
  }

  it('are transient only where the request did nothing, or may be made twice, and say then when to come again', () => {
    const rows = Object.values<readonly [HttpFailure, ...ReadonlyArray<unknown>]>(ROWS).map(([failure]) => failure)
    const repeated = rows.filter((failure) => graphErrorOf(failure, ASKED).error['is_transient'] === true)
    assert.isEmpty(repeated.filter(({ _tag }) => ['OutcomeUnknown', 'Defect', 'PlatformRejected', 'CredentialsRefused'].includes(_tag)))
    for (const failure of repeated.filter(({ _tag }) => _tag !== 'BodyTooSlow')) assert.property(toGraphReply(failure, ASKED).headers, 'Retry-After', failure._tag)
    assert.isBelow(graphErrorOf(ROWS.OutcomeUnknown[0], ASKED).status, 500, 'HTTP libraries repeat what a 5xx answered')
  })

  it('name the state of a template by the number that the platform has for it', () => {
    for (const [state, code] of [['paused', 132015], ['disabled', 132016], ['rejected', 132001]] as const) {
      assert.equal(graphErrorOf({ ...ROWS.TemplateNotApproved[0], status: state }, ASKED).error['code'], code)
    }
  })

  it('have a number of their own where the platform throttles without one', () => {
    assert.deepInclude(graphErrorOf({ _tag: 'PlatformThrottled', error: { message: 'The download address answered 429' } }, ASKED).error, { code: 130429, is_transient: true })
  })

  it('name an object that the workspace has not as the platform does', () => {
    assert.deepEqual(graphErrorOf({ _tag: 'NotFound', object: '1' }, ASKED), { status: 400, error: {
      message: "Unsupported post request. Object with ID '1' does not exist, cannot be loaded due to missing permissions, or does not support this operation",
      type: 'GraphMethodException', code: 100, error_subcode: 33, fbtrace_id: 'a-request',
    } })
  })

  it('list the first breaches of content, and how many there are more', () => {
    const breaches = Array.from({ length: 12 }, (_, index) => ({ path: `contacts[${index}]`, rule: 'an object', given: null }))
    const { error } = graphErrorOf({ _tag: 'ContentInvalid', breaches }, ASKED)
    assert.match(JSON.stringify(error), /contacts\[0\] must be an object \(given: nothing\); .*contacts\[9\][^;]*; and 2 more/)
  })
})
