import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeCheckSender } from '../../../adapters/cloud-api/cloud-api.js'
import type { TransportResult } from '../../../adapters/cloud-api/transport.js'
import { senderIdOf } from '../../../core/senders/sender.js'

const check = (result: TransportResult) =>
  makeCheckSender({
    baseUrl: 'https://graph.facebook.com', version: 'v25.0', timeoutMs: 1_000, transport: async () => result, now: () => 0,
  })({
    phoneNumberId: senderIdOf('42'), accessToken: 'EAAG-secret', businessAccountId: undefined,
  })

const answered = (status: number, body: unknown): TransportResult => ({ _tag: 'Answered', status, headers: {}, body: JSON.stringify(body) })
const lost: TransportResult = { _tag: 'NoAnswer', cause: new Error('reset') }

describe('the check of a sender', () => {
  it('is content when the platform names the number', async () => {
    assert.deepEqual<unknown>(await check(answered(200, { verified_name: 'Shop', id: '42' })), E.right(undefined))
  })

  const faults: ReadonlyArray<readonly [string, TransportResult, RegExp]> = [
    ['an expired token', answered(401, { error: { code: 190 } }), /access token or phone number id \(error code 190\)/],
    ['an unknown number', answered(400, { error: { code: 100, error_subcode: 33 } }), /access token or phone number id \(error code 100\)/],
    ['a refusal of another kind', answered(400, { error: { code: 100 } }), /refused the request \(error code 100\)/],
    ['a limit', answered(400, { error: { code: 4 } }), /too many requests/],
    ['a platform that is down', { _tag: 'NotSent', cause: new Error('refused') }, /cannot be reached/],
    ['a lost answer', lost, /sent an invalid response/],
    ['an answer without a number', answered(200, {}), /did not return the requested number/],
    ['an answer about another number', answered(200, { verified_name: 'Shop', id: '43' }), /did not return the requested number/],
    ['an answer that is no JSON', { _tag: 'Answered', status: 200, headers: {}, body: '<html>' }, /sent an invalid response/],
  ]
  for (const [fault, result, sentence] of faults) {
    it(`says in one sentence that there is ${fault}`, async () => {
      const answer = await check(result)
      assert.match(E.isLeft(answer) ? answer.left : 'no fault', sentence)
    })
  }
})
