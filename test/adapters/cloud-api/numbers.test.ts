import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makePlatformNumbers, readNumber } from '../../../adapters/cloud-api/numbers.js'
import type { HttpRequest, TransportResult } from '../../../adapters/cloud-api/transport.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { leftOf } from '../../support/right-of.js'

const answered = (status: number, body: unknown): TransportResult => ({ _tag: 'Answered', status, headers: {}, body: JSON.stringify(body) })

const SENDER = { phoneNumberId: senderIdOf('42'), accessToken: 'EAAG-secret' }
const BODY = {
  id: '42', display_phone_number: '+1 555-078-3881', verified_name: 'Shop', quality_rating: 'GREEN', throughput: { level: 'STANDARD' },
}
const UNKNOWN_FIELD = { error: { code: 100, message: '(#100) Tried accessing nonexisting field' } }

/** Reads a number from a platform that answers as `answer` says; `asked` are the fields of each request. */
const read = async (answer: (request: HttpRequest) => TransportResult) => {
  const asked = new Array<string>()
  const numbers = makePlatformNumbers({
    baseUrl: 'https://graph.facebook.com', version: 'v26.0', timeoutMs: 1_000, now: () => 0,
    transport: async (request) => {
      asked.push(request.path.replace('/v26.0/42?fields=', ''))
      return answer(request)
    },
  })
  return { facts: await numbers.read(SENDER), asked }
}

describe('Reading a number from the platform', () => {
  it('is one call with the token of the sender', async () => {
    const { facts, asked } = await read(({ headers, method }) => {
      assert.deepEqual([method, headers['authorization']], ['GET', 'Bearer EAAG-secret'])
      return answered(200, { ...BODY, whatsapp_business_manager_messaging_limit: 'TIER_2K', is_on_biz_app: false })
    })
    assert.deepEqual<unknown>(facts, E.right({
      displayNumber: '+1 555-078-3881', verifiedName: 'Shop', quality: 'green', customersPerDay: 2_000, messagesPerSecond: 80,
    }))
    assert.deepEqual(asked, [
      'display_phone_number,verified_name,quality_rating,throughput,whatsapp_business_manager_messaging_limit,is_on_biz_app',
    ])
  })

  for (const [fields, body] of [
    ['whatsapp_business_manager_messaging_limit', { ...BODY, whatsapp_business_manager_messaging_limit: 'TIER_10K' }],
    ['messaging_limit_tier', { ...BODY, messaging_limit_tier: 'TIER_10K' }],
  ] as const) {
    it(`asks for fewer fields if the platform does not know all of them: ${fields}`, async () => {
      const { facts, asked } = await read(({ path }) =>
        (path.endsWith(`throughput,${fields}`) ? answered(200, body) : answered(400, UNKNOWN_FIELD)))
      assert.equal(E.isRight(facts) ? facts.right.customersPerDay : undefined, 10_000)
      assert.isAtMost(asked.length, 3)
    })
  }

  const failures: ReadonlyArray<readonly [tag: string, calls: number, result: TransportResult]> = [
    ['PlatformRejected', 3, answered(400, UNKNOWN_FIELD)],
    ['CredentialsRefused', 1, answered(401, { error: { code: 190 } })],
    ['CredentialsRefused', 1, answered(400, { error: { code: 100, error_subcode: 33 } })],
    ['PlatformThrottled', 1, answered(400, { error: { code: 80007 } })],
    ['PlatformUnreachable', 1, { _tag: 'NotSent', cause: new Error('refused') }],
    ['PlatformUnreachable', 1, { _tag: 'NoAnswer', cause: new Error('timeout') }],
    ['PlatformUnreachable', 1, answered(500, { error: { code: 131000 } })],
    ['PlatformUnreachable', 1, answered(200, 'no object')],
    ['PlatformUnreachable', 1, answered(200, { ...BODY, id: '43' })],
  ]
  for (const [tag, calls, result] of failures) {
    it(`is ${tag} after ${calls} call${calls === 1 ? '' : 's'}: ${JSON.stringify(result).slice(0, 80)}`, async () => {
      const { facts, asked } = await read(() => result)
      assert.equal(leftOf(facts)._tag, tag)
      assert.lengthOf(asked, calls)
    })
  }
})

describe('The facts in an answer about a number', () => {
  const cases: ReadonlyArray<readonly [body: Parameters<typeof readNumber>[0], facts: object]> = [
    [{}, {}],
    [{ display_phone_number: null, verified_name: 7, quality_rating: ['GREEN'], throughput: 'STANDARD', messaging_limit_tier: 250 }, {}],
    [{ quality_rating: 'YELLOW' }, { quality: 'yellow' }],
    [{ quality_rating: 'RED' }, { quality: 'red' }],
    [{ quality_rating: 'UNKNOWN' }, { quality: 'unknown' }],
    [{ quality_rating: 'NA' }, { quality: 'unknown' }],
    [{ quality_rating: 'PURPLE' }, {}],
    [{ throughput: { level: 'HIGH' } }, { messagesPerSecond: 1_000 }],
    [{ throughput: { level: 'STANDARD' }, is_on_biz_app: true }, { messagesPerSecond: 20 }],
    [{ throughput: { level: 'NOT_APPLICABLE' } }, {}],
    [{ throughput: { level: 'NOT_APPLICABLE' }, is_on_biz_app: true }, {}],
    [{ whatsapp_business_manager_messaging_limit: 'TIER_UNLIMITED' }, { customersPerDay: 'unlimited' }],
    [{ whatsapp_business_manager_messaging_limit: 'TIER_100K' }, { customersPerDay: 100_000 }],
    [{ whatsapp_business_manager_messaging_limit: 'TIER_NOT_SET' }, {}],
    [{ whatsapp_business_manager_messaging_limit: null, messaging_limit_tier: 'TIER_1K' }, { customersPerDay: 1_000 }],
    [{ whatsapp_business_manager_messaging_limit: 'TIER_2M' }, { customersPerDay: 2_000_000 }],
    [{ verified_name: ' A\u0000\ud800B\n ' }, { verifiedName: 'AB' }],
    [{ display_phone_number: '1'.repeat(99) }, { displayNumber: '1'.repeat(40) }],
  ]
  for (const [body, facts] of cases) {
    it(`are ${JSON.stringify(facts)} in ${JSON.stringify(body)}`, () => { assert.deepEqual<unknown>(readNumber(body), facts) })
  }
})
