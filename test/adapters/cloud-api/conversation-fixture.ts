import { makeCloudConversation } from '../../../adapters/cloud-api/cloud-api.js'
import type { ClosableTransport, Download, Transport } from '../../../adapters/cloud-api/transport.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { MediaId } from '../../../core/messages/conversation.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import type { ConversationFixture } from '../../laws/conversation.js'
import type { MediaFixture } from '../../laws/media.js'
import type { TakenFile, UploadsFixture } from '../../laws/uploads.js'
import { answer, type Arrived, type Behaviour, hang, openNetwork } from './network.js'
import { errorOf } from './platform-fixture.js'

const DOWNLOAD = '/download'
const IDLE_MS = 1_000
/** Less than after what a download that stands still ends by itself. */
const CLOSED_WITHIN_MS = 700
const ID = '1003383421387256' as MediaId

/** A conversation over a transport, before a real server; `spoil` and `spoilDownload` break the transport on purpose. */
export const openConversationFixture = async (
  transport: ClosableTransport,
  {
    spoil = (send: Transport) => send, spoilDownload = (download: Download) => download, spoilUpload = (send: Transport) => send,
    timeoutMs = 300,
  } = {},
): Promise<ConversationFixture & MediaFixture & UploadsFixture & AsyncDisposable> => {
  const network = await openNetwork()
  const elsewhere = await openNetwork()
  elsewhere.behave(answer(200, 'bytes', { 'content-type': 'image/png' }))
  let [underWay, lastId] = [0, 1_000]
  let attachment: { readonly type: string; readonly bytes: Uint8Array } = { type: 'image/png', bytes: new Uint8Array() }
  const refuse = (status: number, error: JsonObject) => async () => {
    network.behave(answer(status, { error }))
    return error
  }
  /** The network describes the attachment, and behaves so at its address. */
  const willGive = (download: Behaviour, url = `${network.url}${DOWNLOAD}?hash=x%2Fy`) =>
    network.behave((response, arrived) => {
      if (arrived.url?.startsWith(DOWNLOAD) !== true) {
        return answer(200, {
          messaging_product: 'whatsapp', url, mime_type: attachment.type, sha256: '', file_size: attachment.bytes.length, id: ID,
        })(response, arrived)
      }
      underWay += 1
      response.once('close', () => { underWay -= 1 })
      download(response, arrived)
    })
  return {
    conversation: makeCloudConversation({
      baseUrl: network.url, version: 'v25.0', timeoutMs, transport: spoil(transport.send), download: spoilDownload(transport.download),
      upload: spoilUpload(transport.upload),
      mediaDeadlines: { idleMs: IDLE_MS, totalMs: 10 * IDLE_MS },
      uploadDeadlines: { idleMs: IDLE_MS / 2, totalMs: 10 * IDLE_MS },
    }),
    sender: { phoneNumberId: senderIdOf('436666719526789'), accessToken: 'EAAG-secret-token', businessAccountId: undefined },
    willMark: async () => network.behave(answer(200, { success: true })),
    willAnswerNothing: async () => network.behave(answer(200, {})),
    willReject: refuse(400, errorOf(131009, 'Parameter value is not valid')),
    willThrottle: refuse(400, errorOf(80007, 'Rate limit issues')),
    willRefuseCredentials: refuse(401, errorOf(190, 'Access token has expired')),
    goDown: () => network.close(),
    willHang: async () => network.behave(hang),
    marked: () => network.arrived.map(({ body }) => {
      const { message_id: message, typing_indicator: typing } = JSON.parse(body) as {
        readonly message_id: PlatformId
        readonly typing_indicator?: unknown
      }
      return { message, typing: typing !== undefined }
    }),
    willHave: async (type, bytes) => {
      attachment = { type, bytes }
      willGive((response, { headers }) => give(response, attachment, headers.range))
      return ID
    },
    willTake: async () => {
      lastId += 1
      network.behave(answer(200, { id: String(lastId) }))
      return String(lastId) as MediaId
    },
    willStopReading: async () => network.stopReading(),
    taken: () => Promise.all(network.arrived.filter(({ url }) => url?.endsWith('/media')).map(takenFile)),
    begun: network.begun,
    willHaveNothing: async () => network.behave(answer(400, { error: { ...errorOf(100, 'Unsupported get request'), error_subcode: 33 } })),
    willBeAnothers: async () => network.behave(answer(400, { error: errorOf(100, 'Invalid parameter') })),
    willStandStill: async () =>
      willGive((response) => void response.writeHead(200, { 'content-type': 'image/png', 'content-length': '9999' }).write('some')),
    willBreakOff: async () => willGive((response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '9999' })
      response.write('some', () => response.socket?.destroy())
    }),
    willPointElsewhere: async () => willGive(hang, `${elsewhere.url}/download`),
    willRedirectElsewhere: async () =>
      willGive((response) => void response.writeHead(302, { location: `${elsewhere.url}/download` }).end()),
    arrivedElsewhere: () => elsewhere.arrived.length,
    asked: () => network.arrived.length,
    untilIdle: async () => {
      const deadline = Date.now() + CLOSED_WITHIN_MS
      while (underWay > 0) {
        if (Date.now() > deadline) throw new Error('a download is still under way')
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await network.close()
      await elsewhere.close()
    },
  }
}

/** Reads an upload with the platform's own reader of forms. */
const takenFile = async ({ headers, bytes }: Arrived): Promise<TakenFile> => {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
  const file = form.get('file')
  if (!(file instanceof File) || form.get('messaging_product') !== 'whatsapp' || form.get('type') !== file.type) {
    throw new Error('the form is not that of an upload')
  }
  return { type: file.type, name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }
}

const give = (
  response: Parameters<Behaviour>[0], { type, bytes }: { readonly type: string; readonly bytes: Uint8Array }, range = '',
): void => {
  const { length } = bytes
  const [, from, to] = /^bytes=([0-9]*)-([0-9]*)$/.exec(range) ?? []
  const first = from === '' ? length - Number(to) : Number(from ?? 0)
  const past = from === '' || to === undefined || to === '' ? length : Math.min(Number(to) + 1, length)
  // A header cannot carry every type that a description can.
  const headers = { ...(/^[\x20-\x7e]+$/.test(type) && { 'content-type': type }) }
  if (first >= length) return void response.writeHead(416, { 'content-range': `bytes */${length}` }).end()
  response.writeHead(range === '' ? 200 : 206, {
    ...headers, 'content-length': String(past - first), ...(range !== '' && { 'content-range': `bytes ${first}-${past - 1}/${length}` }),
  })
  response.end(bytes.subarray(first, past))
}
