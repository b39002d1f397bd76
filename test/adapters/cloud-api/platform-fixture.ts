import { makeCloudApi } from '../../../adapters/cloud-api/cloud-api.js'
import type { ClosableTransport, Transport } from '../../../adapters/cloud-api/transport.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import type { PlatformFixture } from '../../laws/platform.js'
import { answer, hang, openNetwork, reset } from './network.js'

export const errorOf = (code: number, title: string): JsonObject => ({
  message: `(#${code}) ${title}`, type: 'OAuthException', code, fbtrace_id: 'AbC-1', unheardOf: [{ deep: [1, null] }],
  error_data: { messaging_product: 'whatsapp', details: 'Ünïcode / "quoted"' },
})

/** The cloud API over a transport, before a real server; `spoil` breaks the transport on purpose. */
export const openPlatformFixture = async (
  transport: ClosableTransport,
  { spoil = (send: Transport) => send, timeoutMs = 1_000 } = {},
): Promise<PlatformFixture & AsyncDisposable> => {
  const network = await openNetwork()
  const refuse = (status: number, error: JsonObject) => async () => {
    network.behave(answer(status, { error }))
    return error
  }
  return {
    platform: makeCloudApi({ baseUrl: network.url, version: 'v25.0', timeoutMs, transport: spoil(transport.send) }),
    sender: { phoneNumberId: senderIdOf('436666719526789'), accessToken: 'EAAG-secret-token', businessAccountId: undefined },
    willAccept: async () => {
      network.behave(answer(200, { messaging_product: 'whatsapp', messages: [{ id: 'wamid.HBgN1' }] }))
      return 'wamid.HBgN1' as PlatformId
    },
    willReject: refuse(404, errorOf(132001, 'Template name does not exist in the translation')),
    willThrottle: refuse(400, errorOf(130429, 'Rate limit hit')),
    willRefuseCredentials: refuse(401, errorOf(190, 'Access token has expired')),
    goDown: () => network.close(),
    willHang: async () => network.behave(hang),
    willResetAfterAccepting: async () => network.behave(reset),
    sent: () => network.arrived.map(({ body }) => (JSON.parse(body) as { biz_opaque_callback_data: string }).biz_opaque_callback_data),
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await network.close()
    },
  }
}
