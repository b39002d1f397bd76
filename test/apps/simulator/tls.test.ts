import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { assert } from 'chai'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import type { ClosableTransport, HttpRequest } from '../../../adapters/cloud-api/transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { FAULTS, MAGIC_PREFIX } from '../../../apps/simulator/faults/faults.js'
import type { Simulator } from '../../../apps/simulator/simulator.js'
import { type Certificate, makeCertificate } from '../../support/certificate.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'
import { CUSTOMER, PHONE_NUMBER_ID, quickSimulator, text } from './support.js'

describe('the simulator with a certificate', () => {
  let scratch: Scratch
  let certificate: Certificate
  let simulator: Simulator

  before(async () => {
    scratch = await makeScratch()
    certificate = await makeCertificate(scratch)
  })
  after(() => scratch.remove())
  beforeEach(async () => { simulator = await quickSimulator({ tls: certificate }) })
  afterEach(() => simulator.close())

  const request = (to: string): HttpRequest => ({
    method: 'POST', origin: simulator.url, path: `/v25.0/${PHONE_NUMBER_ID}/messages`, timeoutMs: 60_000, body: JSON.stringify(text(to)),
    headers: { authorization: 'Bearer a-token', 'content-type': 'application/json' },
  })

  const numberOf = (name: string): string => {
    const digits = FAULTS.find((fault) => fault.name === name)?.digits
    return digits === undefined ? assert.fail(`no number has the fault ${name}`) : `${MAGIC_PREFIX}${digits}`
  }

  it('answers over HTTP/1.1', async () => {
    const [response] = await once(
      get(`${simulator.url}/_simulator/received`, { ca: certificate.cert, agent: false }), 'response',
    ) as [IncomingMessage]
    response.resume()
    assert.deepEqual([response.httpVersion, response.statusCode], ['1.1', 200])
  })

  for (const [name, makeTransport] of [['got', makeGotTransport], ['undici', makeUndiciTransport]] as const) {
    describe(`for the ${name} transport`, () => {
      let transport: ClosableTransport
      beforeEach(() => { transport = makeTransport({ ca: certificate.cert }) })
      afterEach(() => transport.close())

      it('takes a hundred messages at once', async () => {
        const results = await Promise.all(Array.from({ length: 100 }, () => transport.send(request(CUSTOMER))))
        for (const result of results) assert.deepEqual([result._tag, result._tag === 'Answered' && result.status], ['Answered', 200])
        assert.lengthOf(simulator.received(), 100)
      })

      for (const fault of ['reset', 'closed', 'truncated']) {
        it(`fails a message by ${fault}, and no other`, async () => {
          const [failed, taken] = await Promise.all([transport.send(request(numberOf(fault))), transport.send(request(CUSTOMER))])
          assert.deepEqual([failed._tag, taken._tag], ['NoAnswer', 'Answered'])
        })
      }
    })
  }
})
