import { makeCloudApi } from '../../../adapters/cloud-api/cloud-api.js'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { type PlatformFixture, platformLaws } from '../../laws/platform.js'
import { describeLaws } from '../../support/describe-laws.js'
import { accept, hold, makeFixture, type Respond } from './http2-server.js'
import { errorOf } from './platform-fixture.js'

const refuse = (status: number, error: JsonObject): Respond => (stream) => {
  stream.respond({ ':status': status, 'content-type': 'application/json' })
  stream.end(JSON.stringify({ error }))
}

const openPlatform = async (makeTransport: typeof makeGotTransport): Promise<PlatformFixture & AsyncDisposable> => {
  const fixture = makeFixture(makeTransport)
  const server = await fixture.serve()
  const willRefuse = (status: number, error: JsonObject) => async () => {
    server.respond = refuse(status, error)
    return error
  }
  return {
    platform: makeCloudApi({ baseUrl: server.url, version: 'v25.0', timeoutMs: 1_000, transport: fixture.open().send }),
    sender: { phoneNumberId: '436666719526789', accessToken: 'EAAG-secret-token', businessAccountId: undefined },
    willAccept: async () => {
      server.respond = accept
      return 'wamid.1' as PlatformId
    },
    willReject: willRefuse(404, errorOf(132001, 'Template name does not exist in the translation')),
    willThrottle: willRefuse(400, errorOf(130429, 'Rate limit hit')),
    willRefuseCredentials: willRefuse(401, errorOf(190, 'Access token has expired')),
    goDown: server.stop,
    willHang: async () => { server.respond = hold },
    willResetAfterAccepting: async () => { server.respond = (stream) => stream.session?.destroy() },
    sent: () => server.arrived.map((body) => (JSON.parse(body) as { biz_opaque_callback_data: string }).biz_opaque_callback_data),
    [Symbol.asyncDispose]: fixture.closeAll,
  }
}

describeLaws('the cloud API over HTTP/2 and got', platformLaws, () => openPlatform(makeGotTransport))
describeLaws('the cloud API over HTTP/2 and undici', platformLaws, () => openPlatform(makeUndiciTransport))
