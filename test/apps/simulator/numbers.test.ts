import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makePlatformNumbers } from '../../../adapters/cloud-api/numbers.js'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { parseNotification } from '../../../adapters/cloud-api/notification.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { control, json, type Json, PHONE_NUMBER_ID, record, startInOrder } from './support.js'

const AT = Date.UTC(2026, 10, 20, 10)

describe('The simulator, when a business number is changed,', () => {
  const { simulator, receiver } = startInOrder()

  const change = async (body: object, id = PHONE_NUMBER_ID): Promise<Json> => {
    const answer = await control(simulator(), `numbers/${id}`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.json))
    await simulator().idle()
    return answer.json
  }
  const read = async (version: string, id = PHONE_NUMBER_ID) => {
    const transport = makeGotTransport()
    try {
      return await makePlatformNumbers({ baseUrl: simulator().url, version, timeoutMs: 5_000, transport: transport.send })
        .read({ phoneNumberId: senderIdOf(id), accessToken: 'a-token' })
    } finally {
      await transport.close()
    }
  }
  const notices = () => receiver().notifications.flatMap(({ raw }) => {
    const notification = parseNotification(raw)
    return E.isRight(notification) ? notification.right.reports : assert.fail('not JSON')
  })

  it('answers a reading by the gateway in every version of the API', async () => {
    await change({ quality: 'YELLOW', limit: 'TIER_10K', throughput: 'HIGH' })
    for (const version of ['v22.0', 'v23.0', 'v24.0', 'v26.0']) {
      assert.deepEqual<unknown>(await read(version), E.right({
        displayNumber: '+15550109999', verifiedName: 'Postern Simulator', quality: 'yellow', customersPerDay: 10_000,
        messagesPerSecond: 1_000,
      }), version)
    }
    await change({ isOnBizApp: true, limit: 'TIER_UNLIMITED' })
    const facts = await read('v26.0')
    assert.deepInclude(E.isRight(facts) ? facts.right : {}, { customersPerDay: 'unlimited', messagesPerSecond: 20 })
  })

  it('refuses a field that the version does not have, and an unknown number', async () => {
    const get = (path: string) => fetch(`${simulator().url}/${path}`, { headers: { authorization: 'Bearer a-token' } })
    const refused = await get(`v23.0/${PHONE_NUMBER_ID}?fields=verified_name,whatsapp_business_manager_messaging_limit`)
    assert.equal(refused.status, 400)
    assert.equal(Number((await json(refused))['error']!['code']), 100)
    const unknown = await read('v26.0', '404404404404404')
    assert.equal(E.isLeft(unknown) ? unknown.left._tag : undefined, 'CredentialsRefused')
  })

  it('notifies of a red quality, of another limit and of a higher throughput, with the time, and not of a yellow quality', async () => {
    await change({ quality: 'YELLOW' })
    assert.deepEqual(notices(), [])
    await change({ quality: 'RED', at: AT })
    await change({ quality: 'GREEN', at: AT })
    await change({ limit: 'TIER_2K', at: AT })
    await change({ throughput: 'HIGH', at: AT })
    const kept = notices().map((report) =>
      (report._tag === 'AccountNotice' ? [report.field, report.subject, report.value['event'], report.at] : []))
    assert.deepEqual(kept, [
      ['phone_number_quality_update', '15550109999', 'FLAGGED', AT],
      ['phone_number_quality_update', '15550109999', 'UNFLAGGED', AT],
      ['phone_number_quality_update', '15550109999', 'UPGRADE', AT],
      ['business_capability_update', '', undefined, AT],
      ['phone_number_quality_update', '15550109999', 'THROUGHPUT_UPGRADE', AT],
    ])
  })

  it('changes the limit of every number of the portfolio, and nothing else of them', async () => {
    simulator().change({ portfolios: { 7: 'another' } })
    await change({ quality: 'RED', limit: 'TIER_2K' })
    const shown = async (id: string) => (await control(simulator(), `numbers/${id}`)).json
    assert.deepInclude(record(await shown('8')), { quality: 'GREEN', limit: 'TIER_2K' })
    assert.deepInclude(record(await shown('7')), { limit: 'TIER_250' })
  })

  it('is quiet on request, forgets changes at a reset, and refuses what it does not know', async () => {
    await change({ quality: 'RED', notify: false })
    assert.deepEqual(notices(), [])
    simulator().reset()
    assert.deepInclude(record((await control(simulator(), `numbers/${PHONE_NUMBER_ID}`)).json), { quality: 'GREEN' })
    for (const body of [{ quality: 'PURPLE' }, { limit: 'TIER_3K' }, { rating: 'RED' }]) {
      assert.equal((await control(simulator(), `numbers/${PHONE_NUMBER_ID}`, body)).status, 400, JSON.stringify(body))
    }
    assert.equal((await control(simulator(), 'numbers/404404404404404', { quality: 'RED' })).status, 404)
  })

  it('is changed by the form of the log page', async () => {
    const page = await (await fetch(`${simulator().url}/_simulator/log`)).text()
    assert.include(page, 'action="/_simulator/numbers"')
    const form = new URLSearchParams({ phone_number_id: PHONE_NUMBER_ID, quality: 'RED', limit: 'TIER_250', throughput: 'STANDARD' })
    const response = await fetch(`${simulator().url}/_simulator/numbers`, { method: 'POST', body: form, redirect: 'manual' })
    assert.equal(response.status, 303)
    assert.deepInclude(record((await control(simulator(), `numbers/${PHONE_NUMBER_ID}`)).json), { quality: 'RED' })
  })
})
