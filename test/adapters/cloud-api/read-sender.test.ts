import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeReadSender } from '../../../adapters/cloud-api/cloud-api.js'
import type { HttpRequest, TransportResult } from '../../../adapters/cloud-api/transport.js'
import { senderIdOf } from '../../../core/senders/sender.js'

const answered = (status: number, body: unknown): TransportResult => ({ _tag: 'Answered', status, headers: {}, body: JSON.stringify(body) })

const read = (answer: (request: HttpRequest) => TransportResult) =>
  makeReadSender({
    baseUrl: 'https://graph.facebook.com', version: 'v25.0', timeoutMs: 1_000, transport: async (request) => answer(request), now: () => 0,
  })({
    phoneNumberId: senderIdOf('42'), accessToken: 'EAAG-secret', businessAccountId: undefined,
  })

describe('reading a sender', () => {
  it('gives what the platform says of the number', async () => {
    const said = await read(({ path }) => answered(200, path.includes('messaging_limit')
      ? { whatsapp_business_manager_messaging_limit: 'TIER_2K', id: '42' }
      : { verified_name: 'Shop', display_phone_number: '+49 30 1', quality_rating: 'GREEN', throughput: { level: 'STANDARD' }, id: '42' }))
    assert.deepEqual<unknown>(
      said, E.right({ name: 'Shop', number: '+49 30 1', quality: 'GREEN', throughput: 'STANDARD', limit: 'TIER_2K' }),
    )
  })

  it('leaves out what a version of the platform does not know or says in another form', async () => {
    const said = await read(({ path }) =>
      path.includes('messaging_limit')
        ? answered(400, { error: { code: 100 } })
        : answered(200, { id: '42', verified_name: 7, quality_rating: 'RED', throughput: 'fast' }))
    assert.deepEqual<unknown>(said, E.right({ quality: 'RED' }))
  })

  it('says in one sentence why the platform refuses the sender, and asks no more', async () => {
    const asked: Array<string> = []
    const said = await read(({ path }) => {
      asked.push(path)
      return answered(401, { error: { code: 190 } })
    })
    assert.match(E.isLeft(said) ? said.left : '', /access token or phone number id \(error code 190\)/)
    assert.deepEqual(asked, ['/v25.0/42?fields=verified_name'])
  })
})
