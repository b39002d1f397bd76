import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { readAnswer } from '../../../adapters/cloud-api/read-answer.js'
import type { Answered, TransportResult } from '../../../adapters/cloud-api/transport.js'
import type { PlatformError } from '../../../core/kernel/failure.js'
import type { JsonObject } from '../../../core/kernel/json.js'

const NOW = Date.UTC(2026, 10, 21, 12)

const answered = (status: number, body: unknown, headers: Answered['headers'] = {}): Answered => ({
  _tag: 'Answered', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body),
})

const read = (result: TransportResult) => readAnswer(result, NOW)
const readError = (status: number, error: unknown, headers: Answered['headers'] = {}): PlatformError | undefined => {
  const answer = read(answered(status, { error }, headers))
  return E.isLeft(answer) ? answer.left : undefined
}

const PlatformRejected = 'PlatformRejected', PlatformThrottled = 'PlatformThrottled'
const CredentialsRefused = 'CredentialsRefused', OutcomeUnknown = 'OutcomeUnknown'

/** Every code of the fact sheet, the HTTP status it is said to come with (400 where none is known), and what it means. */
const CODES: ReadonlyArray<readonly [code: number, status: number, tag: PlatformError['_tag']]> = [
  [0, 401, CredentialsRefused], [1, 400, OutcomeUnknown], [1, 500, OutcomeUnknown], [2, 503, OutcomeUnknown], [3, 500, CredentialsRefused],
  [4, 400, PlatformThrottled], [4, 429, PlatformThrottled], [10, 403, CredentialsRefused], [33, 400, CredentialsRefused],
  [100, 400, PlatformRejected], [104, 400, CredentialsRefused], [190, 401, CredentialsRefused], [200, 403, CredentialsRefused],
  [201, 403, CredentialsRefused], [250, 400, CredentialsRefused], [299, 403, CredentialsRefused], [300, 400, PlatformRejected],
  [368, 403, CredentialsRefused], [613, 429, PlatformThrottled], [80007, 400, PlatformThrottled], [130403, 400, PlatformRejected],
  [130429, 400, PlatformThrottled], [130429, 429, PlatformThrottled], [130429, 403, PlatformThrottled], [130472, 400, PlatformRejected],
  [130497, 403, PlatformRejected], [131000, 500, OutcomeUnknown], [131000, 400, OutcomeUnknown], [131005, 403, CredentialsRefused],
  [131008, 400, PlatformRejected], [131009, 400, PlatformRejected], [131016, 500, OutcomeUnknown], [131016, 400, OutcomeUnknown],
  [131020, 400, PlatformRejected], [131021, 400, PlatformRejected], [131026, 400, PlatformRejected], [131030, 400, PlatformRejected],
  [131031, 403, CredentialsRefused], [131037, 400, CredentialsRefused], [131041, 400, PlatformRejected], [131042, 400, CredentialsRefused],
  [131045, 500, CredentialsRefused], [131047, 400, PlatformRejected], [131048, 400, PlatformRejected], [131049, 400, PlatformRejected],
  [131050, 400, PlatformRejected], [131051, 400, PlatformRejected], [131052, 400, PlatformRejected], [131053, 400, PlatformRejected],
  [131055, 400, PlatformRejected], [131056, 400, PlatformThrottled], [131056, 429, PlatformThrottled], [131057, 500, PlatformThrottled],
  [131059, 400, PlatformRejected], [131060, 400, PlatformRejected], [131062, 400, PlatformRejected], [131063, 400, PlatformRejected],
  [131064, 400, PlatformRejected], [131200, 400, PlatformRejected], [132000, 400, PlatformRejected], [132001, 404, PlatformRejected],
  [132005, 400, PlatformRejected], [132007, 400, PlatformRejected], [132008, 400, PlatformRejected], [132012, 400, PlatformRejected],
  [132015, 400, PlatformRejected], [132016, 400, PlatformRejected], [132018, 400, PlatformRejected], [132068, 400, PlatformRejected],
  [132069, 400, PlatformThrottled], [133000, 500, CredentialsRefused], [133004, 503, OutcomeUnknown], [133005, 400, CredentialsRefused],
  [133006, 400, CredentialsRefused], [133008, 400, CredentialsRefused], [133009, 400, CredentialsRefused],
  [133010, 400, CredentialsRefused], [133015, 400, PlatformThrottled], [133016, 400, PlatformThrottled], [134011, 400, PlatformRejected],
  [134100, 400, PlatformRejected], [134101, 400, PlatformThrottled], [134102, 500, PlatformRejected], [135000, 400, PlatformRejected],
  [137000, 400, PlatformRejected],
]

describe('the reading of an answer, row by row', () => {
  it('is the accepted id for a 2xx with a message id', () => {
    for (const status of [200, 201, 202]) {
      assert.deepEqual<unknown>(
        read(answered(status, { messaging_product: 'whatsapp', messages: [{ id: 'wamid.HBgL==' }] })),
        E.right({ platformId: 'wamid.HBgL==' }),
      )
    }
  })

  it('is rejected, with the error object whole, for an error that means not accepted', () => {
    const error = {
      message: '(#132000) x', code: 132000, error_data: { details: 'body: 2 ≠ 1', odd: [null, 1.5, { a: true }] }, is_transient: false,
    }
    assert.deepEqual<unknown>(readError(400, error), { _tag: 'PlatformRejected', error })
  })

  it('is throttled, with the error object whole, for a limit', () => {
    const error = { message: '(#4) Application request limit reached', code: 4 }
    assert.deepEqual<unknown>(readError(400, error), { _tag: 'PlatformThrottled', error })
  })

  it('is refused credentials, with the error object whole, for an expired token', () => {
    const error = { message: 'Error validating access token', type: 'OAuthException', code: 190, error_subcode: 463, fbtrace_id: 'A' }
    assert.deepEqual<unknown>(readError(401, error), { _tag: 'CredentialsRefused', error })
  })

  it('is unreachable for a request that was not sent, with its cause', () => {
    const cause = new Error('ECONNREFUSED')
    assert.deepEqual<unknown>(read({ _tag: 'NotSent', cause }), E.left({ _tag: 'PlatformUnreachable', cause }))
  })

  it('is unknown for a request that was lost, with its cause', () => {
    const cause = new Error('ECONNRESET')
    assert.deepEqual<unknown>(read({ _tag: 'NoAnswer', cause }), E.left({ _tag: 'OutcomeUnknown', cause }))
  })

  const senseless: ReadonlyArray<readonly [string, Answered]> = [
    ['a 2xx without messages', answered(200, { messaging_product: 'whatsapp' })],
    ['a 2xx with no message', answered(200, { messages: [] })],
    ['a 2xx with an empty id', answered(200, { messages: [{ id: '' }] })],
    ['a 2xx with an id that is a number', answered(200, { messages: [{ id: 7 }] })],
    ['a 2xx with an id of 10,000 characters', answered(200, { messages: [{ id: 'w'.repeat(10_000) }] })],
    ['a 2xx with messages that are no array', answered(200, { messages: { 0: { id: 'wamid.1' } } })],
    ['a 2xx with an error', answered(200, { error: { code: 132001 } })],
    ['a 2xx that is not JSON', answered(200, '<html>OK</html>')],
    ['a 2xx that is empty', answered(204, '')],
    ['a redirect', answered(302, '')],
    ['a redirect with an error', answered(302, { error: { code: 132001 } })],
    ['a 5xx that is not JSON', answered(502, '<html>Bad Gateway</html>')],
    ['a 5xx with an unlisted code', answered(500, { error: { code: 999_999 } })],
    ['a 4xx that is not JSON', answered(400, 'Bad Request')],
    ['a 4xx that is empty', answered(401, '')],
    ['a 4xx without an error', answered(400, { message: 'no' })],
    ['a 4xx with an id', answered(400, { error: { code: 132001 }, messages: [{ id: 'wamid.1' }] })],
    ['an error that is a string', answered(400, { error: 'invalid_request' })],
    ['an error that is an array', answered(400, { error: [{ code: 132001 }] })],
    ['an error that is null', answered(400, { error: null })],
    ['an error without a code', answered(400, { error: { message: 'no' } })],
    ['an error whose code is words', answered(400, { error: { code: 'invalid' } })],
    ['an error whose code is a fraction', answered(400, { error: { code: 100.5 } })],
    ['an error inherited by name only', answered(400, '{"__proto__":{"error":{"code":132001}}}')],
    ['a transient error of an unlisted code', answered(400, { error: { code: 999_999, is_transient: true } })],
    ['an error nested 10,000 deep', answered(400, `{"error":{"code":132001,"error_data":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`)],
    ['an error longer than can be kept', answered(400, { error: { code: 132001, message: 'x'.repeat(20_000) } })],
  ]
  for (const [what, answer] of senseless) {
    it(`is unknown for ${what}`, () => {
      const reading = read(answer)
      assert.equal(E.isLeft(reading) ? reading.left._tag : 'accepted', OutcomeUnknown)
    })
  }

  it('gives an unknown outcome a cause that names status, code and trace, and quotes no more', () => {
    const error = { message: 'Please retry', code: 2, is_transient: true, fbtrace_id: 'AbC_1-2', error_data: { details: 'secret' } }
    assert.deepEqual(readError(503, error), { _tag: 'OutcomeUnknown', cause: 'The platform answered 503 with error code 2 (trace AbC_1-2)' })
  })
})

describe('the reading of an answer, code by code', () => {
  for (const [code, status, tag] of CODES) {
    it(`reads code ${code} with status ${status} as ${tag}`, () => {
      const error = { message: `(#${code}) x`, type: 'OAuthException', code, error_data: { details: 'y' }, fbtrace_id: 'A' }
      const reading = readError(status, error)
      assert.equal(reading?._tag, tag)
      if (tag !== OutcomeUnknown) assert.deepEqual(reading && 'error' in reading && reading.error, error)
    })
  }

  it('reads a code written as a string of digits like the number', () => {
    assert.equal(readError(400, { code: '130429' })?._tag, PlatformThrottled)
    assert.equal(readError(400, { code: '190' })?._tag, CredentialsRefused)
  })

  it('reads code 100 with subcode 33, an unknown phone number id, as refused credentials', () => {
    for (const error_subcode of [33, '33']) assert.equal(readError(400, { code: 100, error_subcode })?._tag, CredentialsRefused)
    assert.equal(readError(400, { code: 100, error_subcode: 2_494_073 })?._tag, PlatformRejected)
    assert.equal(readError(400, { code: 132001, error_subcode: 33 })?._tag, PlatformRejected)
  })

  it('reads an unlisted code of a 4xx as rejected', () => {
    assert.equal(readError(400, { code: 999_999 })?._tag, PlatformRejected)
    assert.equal(readError(429, { code: -1 })?._tag, PlatformRejected)
  })

  it('reads a listed code the same with is_transient and with a 5xx', () => {
    assert.equal(readError(500, { code: 132001, is_transient: true })?._tag, PlatformRejected)
    assert.equal(readError(500, { code: 130429, is_transient: true })?._tag, PlatformThrottled)
  })

  it('takes error_data that is a string as it is', () => {
    const error: JsonObject = { code: 131009, error_data: 'Parameter value is not valid' }
    assert.deepEqual(readError(400, error), { _tag: 'PlatformRejected', error })
  })
})

describe('the wait after a throttled answer', () => {
  const wait = (headers: Answered['headers'], code = 130429): number | undefined => {
    const reading = readError(400, { code }, headers)
    assert.equal(reading?._tag, PlatformThrottled)
    return reading?._tag === PlatformThrottled ? reading.retryAfterSeconds : undefined
  }
  const usage = (...items: ReadonlyArray<unknown>) => ({ 'x-business-use-case-usage': JSON.stringify({ 4711: items }) })

  it('is what Retry-After says in seconds', () => assert.equal(wait({ 'retry-after': '30' }), 30))
  it('is what Retry-After says as a date, from now', () => assert.equal(wait({ 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT' }), 90))
  it('is zero once the date of Retry-After is past', () => assert.equal(wait({ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }), 0))
  it('is a day at most', () => assert.equal(wait({ 'retry-after': '99999999999999999999' }), 86_400))
  it('is the first of several headers', () => assert.equal(wait({ 'retry-after': ['5', '6'] }), 5))
  it('is not known if Retry-After makes no sense', () => {
    for (const text of ['', 'soon', '-5', '1.5', 'NaN', '2 fish']) assert.isUndefined(wait({ 'retry-after': text }), text)
  })
  it('is the usage header\'s minutes, in seconds', () => {
    assert.equal(wait(usage({ type: 'whatsapp', call_count: 100, estimated_time_to_regain_access: 2 })), 120)
  })
  it('is the longest of the usage header\'s times', () => {
    assert.equal(wait(usage({ estimated_time_to_regain_access: 1 }, null, { estimated_time_to_regain_access: 3 })), 180)
  })
  it('is unknown if the usage header contains none', () => {
    assert.isUndefined(wait(usage({ estimated_time_to_regain_access: 0 })))
    for (const text of ['', '[]', '{', 'null', '{"a":1}', '{"a":[{"estimated_time_to_regain_access":"2"}]}']) {
      assert.isUndefined(wait({ 'x-business-use-case-usage': text }), text)
    }
  })
  it('prefers Retry-After to the usage header', () => {
    assert.equal(wait({ 'retry-after': '1', ...usage({ estimated_time_to_regain_access: 2 }) }), 1)
  })
  it('is 6 seconds for the limit between one number and one customer', () => {
    assert.equal(wait({}, 131056), 6)
    assert.equal(wait({ 'retry-after': '16' }, 131056), 16)
  })
  it('is not known otherwise', () => assert.isUndefined(wait({})))
})

describe('the reading of any answer at all', () => {
  const error = fc.record({ code: fc.oneof(fc.integer(), fc.constantFrom(1, 4, 100, 190, 131000, 131056, 132001), fc.jsonValue()),
    error_subcode: fc.jsonValue(), is_transient: fc.jsonValue(), error_data: fc.jsonValue() }, { requiredKeys: [] })
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ messages: fc.oneof(fc.jsonValue(), fc.array(fc.record({ id: fc.oneof(fc.string(), fc.jsonValue()) }))) })
      .map((o) => JSON.stringify(o)),
    fc.record({ error: fc.oneof(error, fc.jsonValue()), messages: fc.jsonValue() }, { requiredKeys: [] }).map((o) => JSON.stringify(o)),
  )
  const headers = fc.dictionary(
    fc.constantFrom('retry-after', 'x-business-use-case-usage'), fc.oneof(fc.string(), fc.json(), fc.array(fc.string())),
  )

  it('never throws, and is an accepted id only of a 2xx that carries it', () => {
    fc.assert(fc.property(fc.integer({ min: 100, max: 999 }), body, headers, (status, text, given) => {
      const reading = read(answered(status, text, given))
      if (E.isRight(reading)) {
        const accepted = JSON.parse(text) as { messages: ReadonlyArray<{ id: unknown }> }
        assert.equal(accepted.messages[0]?.id, reading.right.platformId)
        assert.isTrue(status >= 200 && status <= 299 && reading.right.platformId.length > 0)
      }
    }), { numRuns: 2_000 })
  })

  it('calls a failure definite only if the answer says so with a code, and passes its error on unchanged', () => {
    fc.assert(fc.property(fc.integer({ min: 200, max: 599 }), body, (status, text) => {
      const reading = read(answered(status, text))
      if (E.isRight(reading) || reading.left._tag === OutcomeUnknown) return
      assert.isAtLeast(status, 400)
      assert.property(reading.left, 'error')
      assert.deepEqual('error' in reading.left && reading.left.error, (JSON.parse(text) as { error: JsonObject }).error)
    }), { numRuns: 2_000 })
  })
})
