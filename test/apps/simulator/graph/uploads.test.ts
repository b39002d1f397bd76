import { once } from 'node:events'
import { connect } from 'node:net'
import { assert } from 'chai'
import { makeMediaStore } from '../../../../apps/simulator/media.js'
import { largestOf, unfitUpload } from '../../../../apps/simulator/media-formats.js'
import { interactive, message } from '../content-cases.js'
import { CUSTOMER, json, type Json, PHONE_NUMBER_ID, post, record, startInOrder } from '../support.js'

const TOKEN = { authorization: 'Bearer a-token' }
const DAY_MS = 24 * 3_600_000
const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1')
const ZIP = Buffer.from('PK\x03\x04 and more', 'latin1')
const OPUS = Buffer.from('OggS\u0000\u0002 and OpusHead', 'latin1')
const webp = (size: number, isAnimated: boolean): Buffer => {
  const bytes = Buffer.alloc(size)
  bytes.write('RIFF', 0)
  bytes.write(isAnimated ? 'WEBPVP8X' : 'WEBPVP8L', 8)
  bytes[20] = isAnimated ? 0x02 : 0
  return bytes
}

describe('uploads to the simulator', () => {
  const { simulator, receiver } = startInOrder()

  const formOf = (data: Buffer | undefined, type: string, fields: Readonly<Record<string, string>> = {}): FormData => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ messaging_product: 'whatsapp', ...fields })) form.append(name, value)
    if (data !== undefined) form.append('file', new File([new Uint8Array(data)], 'a file', { type }))
    return form
  }
  const send = (form: FormData | string, headers: Record<string, string> = TOKEN, number = PHONE_NUMBER_ID): Promise<Response> =>
    fetch(`${simulator().url}/v25.0/${number}/media`, { method: 'POST', headers, body: form })
  const upload = async (data: Buffer, type: string): Promise<string> => {
    const response = await send(formOf(data, type))
    const body = await json(response)
    assert.equal(response.status, 200, JSON.stringify(body))
    return String(body['id'])
  }
  const refusal = async (response: Response): Promise<readonly [number, string]> => {
    const { error } = await json(response)
    return [Number(error!['code']), String(error!['message'])]
  }
  const media = (id: string, query = `?phone_number_id=${PHONE_NUMBER_ID}`, method = 'GET'): Promise<Response> =>
    fetch(`${simulator().url}/v25.0/${id}${query}`, { method, headers: TOKEN })
  const lastStatus = async (body: object): Promise<Json> => {
    receiver().notifications.length = 0
    const response = await post(simulator(), body)
    assert.equal(response.status, 200, await response.text())
    await simulator().idle()
    return receiver().statuses().at(-1)!
  }

  it('get an id, an address for a while, and their bytes back', async () => {
    const id = await upload(PNG, 'image/png')
    assert.match(id, /^1[0-9]{15}$/)
    const described = await json(await media(id))
    assert.deepInclude(record(described), { messaging_product: 'whatsapp', mime_type: 'image/png', file_size: PNG.length, id })
    const response = await fetch(String(described['url']), { headers: TOKEN })
    assert.equal(response.headers.get('content-type'), 'image/png')
    assert.isTrue(Buffer.from(await response.arrayBuffer()).equals(PNG))
  })

  it('have the type of the field `type`, with its parameters', async () => {
    const { id } = await json(await send(formOf(OPUS, 'application/octet-stream', { type: 'audio/ogg; codecs=opus' })))
    assert.equal((await json(await media(String(id))))['mime_type'], 'audio/ogg; codecs=opus')
  })

  it('are removed, by their own number', async () => {
    const id = await upload(PNG, 'image/png')
    assert.equal((await refusal(await media(id, '?phone_number_id=77', 'DELETE')))[0], 100)
    assert.deepEqual(record(await json(await media(id, undefined, 'DELETE'))), { success: true })
    for (const method of ['GET', 'DELETE']) assert.equal((await media(id, undefined, method)).status, 400, method)
  })

  const refused: ReadonlyArray<readonly [title: string, form: () => FormData | string, says: RegExp]> = [
    ['an empty file', () => formOf(Buffer.alloc(0), 'image/png'), /file must not be empty/],
    ['no file', () => formOf(undefined, ''), /file is required/],
    ['no messaging_product', () => { const form = formOf(PNG, 'image/png'); form.delete('messaging_product'); return form },
      /messaging_product is required/],
    ['another messaging_product', () => formOf(PNG, 'image/png', { messaging_product: 'sms' }), /messaging_product must be one of/],
    ['a type that is none', () => formOf(PNG, 'image/png', { type: 'picture' }), /type must be a content type/],
    ['JSON', () => '{"messaging_product":"whatsapp"}', /not a complete form/],
    ['an image of 5 MiB and a byte', () => formOf(Buffer.alloc(5_242_881), 'image/jpeg'), /at most 5242880 bytes/],
    ['a video of 16 MiB and a byte', () => formOf(Buffer.alloc(16_777_217), 'video/mp4'), /at most 16777216 bytes/],
    ['a sticker of 500 KiB and a byte', () => formOf(Buffer.alloc(512_001), 'image/webp'), /at most 512000 bytes/],
    ['a document of 100 MiB and a byte', () => formOf(Buffer.alloc(104_857_601), 'application/pdf'), /at most 104857600 bytes/],
  ]
  for (const [title, form, says] of refused) {
    it(`are refused with 100: ${title}`, async () => {
      const [code, sentence] = await refusal(await send(form()))
      assert.equal(code, 100)
      assert.match(sentence, says)
    })
  }

  it('are accepted at the edge of each limit', async () => {
    for (const [type, size] of [['image/jpeg', 5_242_880], ['audio/ogg', 16_777_216], ['image/webp', 512_000]] as const) {
      assert.equal(largestOf(type), size)
      await upload(Buffer.alloc(size), type)
    }
    assert.equal(largestOf('text/plain'), 104_857_600)
  })

  it('need a token and a known number', async () => {
    assert.equal((await refusal(await send(formOf(PNG, 'image/png'), {})))[0], 190)
    assert.equal((await refusal(await send(formOf(PNG, 'image/png'), TOKEN, 'abc')))[0], 100)
  })

  it('that break off leave nothing, and the next one goes well', async () => {
    const socket = connect(simulator().port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`POST /v25.0/${PHONE_NUMBER_ID}/media HTTP/1.1\r\nhost: x\r\nauthorization: Bearer a-token\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 9000\r\n\r\n`)
    socket.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\ncontent-type: image/png\r\n\r\nhalf')
    socket.end()
    await once(socket.resume(), 'close')
    await upload(PNG, 'image/png')
  })

  it('are sent by the number through which they were uploaded only, until they are 30 days old', async () => {
    const id = await upload(PNG, 'image/png')
    assert.equal((await lastStatus(message('image', { id })))['status'], 'read')
    assert.deepEqual(await refusal(await post(simulator(), message('image', { id }), {}, '77')), [100, '(#100) Param image[\'id\'] is not a valid whatsapp business account media attachment ID'])
    const carousel = interactive('carousel', { cards: [0, 1].map((index) => ({
      card_index: index, header: { type: 'image', image: { id: index === 0 ? id : '1' } },
      action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://shop.example' } },
    })) })
    assert.match((await refusal(await post(simulator(), carousel)))[1], /interactive\['action'\]\['cards'\]\[1\]\['header'\]\['image'\]\['id'\]/)
    await simulator().skip(30 * DAY_MS - 60_000)
    assert.equal((await lastStatus(message('image', { id })))['status'], 'read')
    await simulator().skip(60_000)
    assert.equal((await refusal(await post(simulator(), message('image', { id }))))[0], 100)
    assert.equal((await media(id)).status, 400)
  })

  it('of customers cannot be sent', async () => {
    simulator().writeAs(CUSTOMER, { type: 'image' }, PHONE_NUMBER_ID)
    const id = String(simulator().inbound()[0]!.media_id)
    assert.equal((await refusal(await post(simulator(), message('image', { id }))))[0], 100)
  })

  it('that are not what they are called fail when they are sent: a ZIP called PDF', async () => {
    const id = await upload(ZIP, 'application/pdf')
    const status = await lastStatus(message('document', { id, filename: 'invoice.pdf' }))
    assert.equal(status['status'], 'failed')
    assert.deepInclude(record(status['errors']![0]), { code: 131053, title: 'Media upload error' })
    assert.match(String(status['errors']![0]!['error_data']!['details']), /not of the type application\/pdf/)
  })

  const fits: ReadonlyArray<readonly [kind: string, type: string, data: Buffer, reason: RegExp | undefined]> = [
    ['image', 'image/png', PNG, undefined], ['image', 'image/gif', Buffer.from('GIF89a'), /image\/gif is not supported for image/],
    ['image', 'image/jpeg', PNG, /not of the type image\/jpeg/], ['video', 'video/mp4', Buffer.from('0000ftypmp42'), undefined],
    ['video', 'video/mp4', PNG, /not of the type/], ['video', 'image/png', PNG, /not supported for video/],
    ['audio', 'audio/mpeg', Buffer.from('ID3'), undefined], ['audio', 'audio/mpeg', Buffer.from([0xff, 0xfb]), undefined],
    ['audio', 'audio/mpeg', ZIP, /not of the type/], ['audio', 'audio/ogg; codecs=opus', OPUS, undefined],
    ['voice', 'audio/ogg', OPUS, undefined], ['voice', 'audio/ogg', Buffer.from('OggS vorbis'), /Opus/],
    ['voice', 'audio/mpeg', Buffer.from('ID3'), /must be of the type audio\/ogg/],
    ['document', 'application/pdf', Buffer.from('%PDF-1.4'), undefined], ['document', 'application/x-own', ZIP, undefined],
    ['document', 'application/msword', ZIP, /not of the type/], ['sticker', 'image/webp', webp(102_400, false), undefined],
    ['sticker', 'image/webp', webp(102_401, false), /at most 102400/], ['sticker', 'image/webp', webp(512_000, true), undefined],
    ['sticker', 'image/png', PNG, /not supported for sticker/],
  ]
  for (const [kind, type, data, reason] of fits) {
    it(`${reason === undefined ? 'can be sent' : 'fail'} as ${kind} of the type ${type} with ${data.length} bytes`, () => {
      const file = makeMediaStore().upload({ phoneNumberId: '1', type, data })
      const unfit = unfitUpload({ kind: kind === 'voice' ? 'audio' : kind, isVoice: kind === 'voice' }, file)
      if (reason === undefined) assert.isUndefined(unfit)
      else assert.match(unfit ?? '', reason)
    })
  }

  it('are kept up to 256 MB; the oldest leave first, and small ones count as 1,000 bytes', () => {
    const store = makeMediaStore()
    const add = (size: number): string => store.upload({ phoneNumberId: '1', type: 'text/plain', data: Buffer.alloc(size) }).id
    const [first, second, third] = [add(100_000_000), add(100_000_000), add(56_000_000)]
    assert.isDefined(store.find(first))
    const small = add(1)
    assert.deepEqual([first, second, third, small].map((id) => store.find(id) !== undefined), [false, true, true, true])
    store.remove(second)
    const fourth = add(100_000_000)
    assert.deepEqual([third, small, fourth].map((id) => store.find(id) !== undefined), [true, true, true])
    store.clear()
    assert.isUndefined(store.find(fourth))
  })
})
