// Slow: waits for the ten seconds in which a body must arrive.
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { assert } from 'chai'
import { signatureOf } from '../../../adapters/cloud-api/index.js'
import { APP_SECRET } from '../../support/gateway.js'
import { startProcessFixture } from '../../support/process-fixture.js'
import { changeOf, inboundOf, notificationOf } from './notifications.js'

const [SLOW, OTHER] = ['493020000001', '493020000002']

describe('A notification that is bad, sent to the gateway', () => {
  describe('in how it arrives', () => {
    it('is refused with 408 if it does not arrive whole in time, while all the others were served', async () => {
      await using world = await startProcessFixture()
      const tenant = await world.tenant()
      const bodyOf = (customer: string): string => notificationOf([changeOf(tenant.phoneNumberId, { messages: [inboundOf(customer)] })])
      const isOpen = async (customer: string): Promise<boolean> =>
        (await tenant.ask('GET', `/v1/windows/${customer}`)).json['open'] === true

      const body = bodyOf(SLOW)
      const { hostname, port } = new URL(world.server().url)
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      const signature = signatureOf(APP_SECRET, Buffer.from(body))
      socket.write(`POST /webhooks/platform HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Hub-Signature-256: ${signature}\r\nContent-Length: ${body.length}\r\n\r\n`)
      // All but the last byte, which never comes.
      socket.write(body.slice(0, -1))
      const answer = text(socket)
      const pending = Symbol('pending')
      while (await Promise.race([answer, Promise.resolve(pending)]) === pending) {
        assert.equal((await world.notify(bodyOf(OTHER))).status, 200)
        assert.isTrue(await isOpen(OTHER))
      }
      assert.match(await answer, /^HTTP\/1\.1 408 /)
      assert.isFalse(await isOpen(SLOW))
    })
  })
})
