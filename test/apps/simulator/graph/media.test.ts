import { createHash } from 'node:crypto'
import { assert } from 'chai'
import { makeMediaStore } from '../../../../apps/simulator/media.js'
import { control, CUSTOMER, json, type Json, PHONE_NUMBER_ID, startInOrder } from '../support.js'

const TOKEN = { authorization: 'Bearer a-token' }

describe('attachments of the simulator\'s customers', () => {
  const { simulator, receiver } = startInOrder()

  const write = async (body: object): Promise<Json> => {
    const answer = await control(simulator(), `customers/${CUSTOMER}/messages`, { phone_number_id: PHONE_NUMBER_ID, ...body })
    assert.equal(answer.status, 200, JSON.stringify(answer.json))
    await simulator().idle()
    return answer.json
  }
  const describedBy = (id: string, query = '', headers: Record<string, string> = TOKEN): Promise<Response> =>
    fetch(`${simulator().url}/v25.0/${id}${query}`, { headers })
  const addressOf = async (id: string): Promise<string> => String((await json(await describedBy(id)))['url'])
  const download = async (id: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(await addressOf(id), { headers: { ...TOKEN, ...headers } })
  const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())

  for (const [type, mime] of [
    ['image', 'image/jpeg'], ['video', 'video/mp4'], ['audio', 'audio/ogg; codecs=opus'], ['document', 'application/pdf'],
    ['sticker', 'image/webp'],
  ] as const) {
    it(`come with a message of the type ${type}, under an id of their own and with their hash`, async () => {
      const written = await write({ type })
      const [message] = receiver().messages()
      const { id, mime_type: mimeType, sha256 } = message![type]!
      assert.deepEqual([id, mimeType], [written['media_id'], mime] as never)
      assert.match(String(id), /^1[0-9]{15}$/)
      const response = await download(String(id))
      const bytes = await bytesOf(response)
      assert.deepEqual(
        [response.status, response.headers.get('content-type'), response.headers.get('content-length')], [200, mime, String(bytes.length)],
      )
      assert.equal(createHash('sha256').update(bytes).digest('base64'), String(sha256))
      assert.isAbove(bytes.length, 0)
    })
  }

  it('have the given bytes, type and name', async () => {
    const { media_id: id } = await write({
      type: 'document', data: Buffer.from('a,b\n').toString('base64'), mime_type: 'text/csv', filename: 'orders.csv', text: 'See',
    })
    const { document } = receiver().messages()[0]!
    assert.deepInclude(Object(document), { id, mime_type: 'text/csv', filename: 'orders.csv', caption: 'See' })
    assert.equal((await bytesOf(await download(String(id)))).toString(), 'a,b\n')
    const described = await json(await describedBy(String(id)))
    assert.deepInclude(Object(described), { messaging_product: 'whatsapp', mime_type: 'text/csv', file_size: 4, id })
    assert.isNull((await write({ type: 'text' }))['media_id'])
  })

  it('have the announced length, without being kept whole, including as parts', async () => {
    const { media_id: id } = await write({ type: 'video', data: Buffer.from('0123456789').toString('base64'), size: 1_000_003 })
    const whole = await bytesOf(await download(String(id)))
    assert.equal(whole.length, 1_000_003)
    assert.equal(whole.subarray(-5).toString(), '89012')
    assert.equal(createHash('sha256').update(whole).digest('base64'), String((await json(await describedBy(String(id))))['sha256']))
    for (const [range, first, past] of [
      ['bytes=12-15', 12, 16], ['bytes=1000000-', 1_000_000, 1_000_003], ['bytes=-4', 999_999, 1_000_003],
      ['bytes=5-99999999', 5, 1_000_003],
    ] as const) {
      const part = await download(String(id), { range })
      assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes ${first}-${past - 1}/1000003`])
      assert.isTrue((await bytesOf(part)).equals(whole.subarray(first, past)), range)
    }
    for (const range of ['bytes=1000003-', 'bytes=-0']) {
      const none = await download(String(id), { range })
      assert.deepEqual([none.status, none.headers.get('content-range')], [416, 'bytes */1000003'])
    }
    const all = await download(String(id), { range: 'lines=1-2' })
    assert.deepEqual([all.status, (await bytesOf(all)).length], [200, 1_000_003])
  })

  it('are given to the business number that received them, with a token', async () => {
    const id = String((await write({ type: 'image' }))['media_id'])
    assert.equal((await describedBy(id, `?phone_number_id=${PHONE_NUMBER_ID}`)).status, 200)
    const others = await describedBy(id, '?phone_number_id=77')
    assert.deepEqual([others.status, Number((await json(others))['error']!['code'])], [400, 100])
    assert.equal((await describedBy(id, '', {})).status, 401)
    const address = await addressOf(id)
    assert.equal((await fetch(address)).status, 401)
    assert.equal((await fetch(address, { method: 'POST', headers: TOKEN })).status, 404)
    for (const [part, instead] of [[/hash=/, 'hash=_'], [/ext=\d/, 'ext=9'], [/mid=\d/, 'mid=2'], [/\?.*/, '']] as const) {
      assert.equal((await fetch(address.replace(part, instead), { headers: TOKEN })).status, 404, String(part))
    }
  })

  it('are gone after a reset, and the oldest of more than 100', async () => {
    const first = simulator().writeAs(CUSTOMER, { type: 'image' }, PHONE_NUMBER_ID)
    const id = String(simulator().inbound().find((message) => message.id === first)?.media_id)
    const address = await addressOf(id)
    for (let count = 0; count < 100; count += 1) simulator().writeAs(CUSTOMER, { type: 'image' }, PHONE_NUMBER_ID)
    assert.equal((await fetch(address, { headers: TOKEN })).status, 404)
    const last = String(simulator().inbound().at(-1)?.media_id)
    const kept = await addressOf(last)
    await simulator().idle()
    simulator().reset()
    assert.equal((await fetch(kept, { headers: TOKEN })).status, 404)
  })

  it('can be downloaded from an address for five minutes', () => {
    const store = makeMediaStore()
    const attachment = store.add({ phoneNumberId: '1', type: 'image/png', data: Buffer.from('x') })
    const query = new URL(store.addressOf(attachment, 0), 'http://x').searchParams
    assert.equal(store.at(query, 299_999), attachment)
    assert.isUndefined(store.at(query, 300_000))
    assert.isUndefined(makeMediaStore().at(query, 0))
  })

  for (const wrong of [
    { data: 'no base64!' }, { data: '' }, { size: 0 }, { size: 1.5 }, { size: 300 * 1024 * 1024 }, { mime_type: 7 }, { filename: null },
  ]) {
    it(`are refused as ${JSON.stringify(wrong)}`, async () => {
      const { status, json: body } = await control(simulator(), `customers/${CUSTOMER}/messages`, { type: 'image', ...wrong })
      assert.equal(status, 400)
      assert.match(String(body['error']), /data \(base64\), mime_type, filename, size/)
    })
  }
})
