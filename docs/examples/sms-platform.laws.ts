import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type JsonObject, parseJsonObject, parsePlatformId, senderIdOf } from 'postern'
import { platformLawsFor, type PlatformFixture } from 'postern/laws'
import { makeSmsPlatform } from './sms-platform.js'

/** How the stand-in for the network handles a message that arrived. */
type Behaviour = { readonly status: number; readonly answer: JsonObject } | 'hang' | 'reset'

const openFixture = async (): Promise<PlatformFixture & { readonly close: () => Promise<void> }> => {
  let behaviour: Behaviour = 'hang'
  const sent: string[] = []
  const network = createServer((request, response) => {
    void text(request).then((body) => {
      const { reference } = parseJsonObject(body) ?? {}
      if (typeof reference === 'string') sent.push(reference)
      if (behaviour === 'reset') request.socket.destroy()
      else if (behaviour !== 'hang') response.writeHead(behaviour.status, { Connection: 'close' }).end(JSON.stringify(behaviour.answer))
    })
  }).listen(0, '127.0.0.1')
  await once(network, 'listening')
  const address = network.address()
  if (address === null || typeof address === 'string') throw new Error('The network has no port.')
  const refuse = (status: number) => async (): Promise<JsonObject> => {
    const answer = { code: status, message: 'refused' }
    behaviour = { status, answer }
    return answer
  }
  const close = async (): Promise<void> => {
    network.closeAllConnections()
    if (network.listening) await once(network.close(), 'close')
  }
  return {
    platform: makeSmsPlatform(`http://127.0.0.1:${address.port}`, 300),
    sender: { phoneNumberId: senderIdOf('1000001'), accessToken: 'a-secret-of-the-network', businessAccountId: undefined },
    willAccept: async () => {
      const id = parsePlatformId('sms-1')
      if (id === undefined) throw new Error('This is not an id.')
      behaviour = { status: 200, answer: { id } }
      return id
    },
    willReject: refuse(400), willThrottle: refuse(429), willRefuseCredentials: refuse(401),
    willHang: async () => { behaviour = 'hang' },
    willResetAfterAccepting: async () => { behaviour = 'reset' },
    goDown: close,
    sent: () => sent,
    close,
  }
}

for (const { name, check } of platformLawsFor({ carries: ['text'] })) {
  void test(name, async () => {
    const fixture = await openFixture()
    await check(fixture).finally(fixture.close)
  })
}
