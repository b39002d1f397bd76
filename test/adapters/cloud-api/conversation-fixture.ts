import { makeCloudConversation } from '../../../adapters/cloud-api/cloud-conversation.js'
import type { ClosableTransport, Transport } from '../../../adapters/cloud-api/transport.js'
import type { JsonObject } from '../../../core/json.js'
import type { PlatformId } from '../../../core/message.js'
import type { ConversationFixture } from '../../laws/conversation.js'
import { answer, hang, openNetwork } from './network.js'
import { errorOf } from './platform-fixture.js'

/** A conversation over a transport, before a real server; `spoil` breaks the transport on purpose. */
export const openConversationFixture = async (
  transport: ClosableTransport,
  { spoil = (send: Transport) => send, timeoutMs = 300 } = {},
): Promise<ConversationFixture & AsyncDisposable> => {
  const network = await openNetwork()
  const refuse = (status: number, error: JsonObject) => async () => {
    network.behave(answer(status, { error }))
    return error
  }
  return {
    conversation: makeCloudConversation({ baseUrl: network.url, version: 'v25.0', timeoutMs, transport: spoil(transport.send) }),
    sender: { phoneNumberId: '436666719526789', accessToken: 'EAAG-secret-token', businessAccountId: undefined },
    willMark: async () => network.behave(answer(200, { success: true })),
    willAnswerNothing: async () => network.behave(answer(200, {})),
    willReject: refuse(400, errorOf(131009, 'Parameter value is not valid')),
    willThrottle: refuse(400, errorOf(80007, 'Rate limit issues')),
    willRefuseCredentials: refuse(401, errorOf(190, 'Access token has expired')),
    goDown: () => network.close(),
    willHang: async () => network.behave(hang),
    marked: () => network.arrived.map(({ body }) => {
      const { message_id: message, typing_indicator: typing } = JSON.parse(body) as { readonly message_id: PlatformId; readonly typing_indicator?: unknown }
      return { message, typing: typing !== undefined }
    }),
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await network.close()
    },
  }
}
