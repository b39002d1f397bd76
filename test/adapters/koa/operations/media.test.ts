import { get, type IncomingMessage } from 'node:http'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { rangeIn } from '../../../../adapters/koa/schema.js'
import type { Media, MediaError } from '../../../../core/messages/conversation.js'
import { until } from '../../../support/eventually.js'
import { ACCESS_TOKEN, gateway, type Gateway } from '../gateway.js'
import { withScopes, withUses } from '../with-uses.js'

const ID = '1003383421387256'
const PATH = `/v1/media/${ID}`

/** An attachment of which a test can see whether it is closed, and how many chunks were taken. */
const attachment = (chunks: Iterable<string> | AsyncIterable<string>, more: Partial<Media> = {}) => {
  const seen = { closed: 0, taken: 0 }
  const media: Media = {
    type: 'image/png', length: undefined, part: undefined,
    bytes: (async function* bytes() {
      for await (const chunk of chunks) {
        seen.taken += 1
        yield Buffer.from(chunk)
      }
    })(),
    close: () => { seen.closed += 1 },
    ...more,
  }
  return { media, seen }
}

/** Chunks that end when a test says so, or never. */
async function* endless(): AsyncGenerator<string> {
  yield 'some '
  await new Promise(() => undefined)
}

async function* breaking(): AsyncGenerator<string> {
  yield 'some '
  throw new Error(`ECONNRESET with Bearer ${ACCESS_TOKEN}`)
}

/** Asks for an attachment, and reads no byte of it yet. */
const ask = ({ url, authorization }: Gateway): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(`${url}${PATH}`, { headers: { Authorization: authorization.replace('Authorization: ', '') } }, resolve).once('error', reject)
  })

describe('downloading an attachment over HTTP', () => {
  it('gives all bytes with the platform\'s type, with headers that keep browsers from showing it and caches from storing it', async () => {
    await using gw = await gateway()
    for (const base of ['/v1', '/api/v1']) {
      gw.willGiveMedia(attachment(['some ', 'bytes'], { length: 10 }).media)
      const { status, text, headers } = await gw.get(`${base}/media/${ID}`)
      assert.deepEqual([status, text], [200, 'some bytes'])
      assert.deepInclude(Object.fromEntries(headers), {
        'content-type': 'image/png', 'content-length': '10', 'content-disposition': 'attachment', 'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      })
      assert.isNull(headers.get('content-range'))
    }
    assert.deepEqual(gw.wanted.map(({ id, range, sender }) => [id, range, sender.accessToken]), [
      [ID, undefined, ACCESS_TOKEN], [ID, undefined, ACCESS_TOKEN],
    ])
  })

  it('returns a part if the caller asks for one, and names it', async () => {
    await using gw = await gateway()
    gw.willGiveMedia(attachment(['me b'], { length: 4, part: { first: 2, last: 5, size: 10 } }).media)
    const { status, text, headers } = await gw.get(PATH, { Range: 'bytes=2-5' })
    assert.deepEqual([status, text, headers.get('content-range'), headers.get('content-length')], [206, 'me b', 'bytes 2-5/10', '4'])
    gw.willGiveMedia(attachment(['es'], { part: { first: 8, last: 9, size: undefined } }).media)
    assert.equal((await gw.get(PATH, { Range: 'bytes=-2' })).headers.get('content-range'), 'bytes 8-9/*')
    assert.deepEqual(gw.wanted.map(({ range }) => range), [{ first: 2, last: 5 }, { lastBytes: 2 }])
  })

  it('gives a type that the platform does not document as an octet stream, so that no browser runs it', async () => {
    await using gw = await gateway()
    for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript', 'application/zip']) {
      gw.willGiveMedia(attachment(['<script>'], { type }).media)
      assert.equal((await gw.get(PATH)).headers.get('content-type'), 'application/octet-stream')
    }
    for (const type of ['application/pdf', 'audio/ogg', 'text/plain', 'video/3gpp']) {
      gw.willGiveMedia(attachment(['%PDF'], { type }).media)
      assert.equal((await gw.get(PATH)).headers.get('content-type'), type)
    }
  })

  it('answers HEAD as GET, without bytes, and ends the download', async () => {
    await using gw = await gateway()
    const { media, seen } = attachment(endless(), { length: 10 })
    gw.willGiveMedia(media)
    const { status, text, headers } = await gw.request(PATH, { method: 'HEAD' })
    assert.deepEqual([status, text, headers.get('content-length'), headers.get('content-type')], [200, '', '10', 'image/png'])
    await until(() => seen.closed > 0)
    assert.equal(seen.taken, 0)
  })

  it('ends the download at once when the caller goes away, though the platform gives no byte', async () => {
    await using gw = await gateway()
    const { media, seen } = attachment(endless())
    gw.willGiveMedia(media)
    const response = await ask(gw)
    await until(() => response.readableLength > 0)
    assert.equal(seen.closed, 0)
    response.destroy()
    await until(() => seen.closed > 0)
    assert.isEmpty(gw.log)
  })

  it('ends the download of a caller who went away before the platform answered', async () => {
    const { media, seen } = attachment(endless())
    let answer = (): void => undefined
    const asked = new Promise<void>((resolve) => { answer = resolve })
    let isAsked = false
    await using gw = await gateway({ deps: withUses('conversation', { openMedia: async () => {
      isAsked = true
      await asked
      return E.right(media)
    } }) })
    const request = get(`${gw.url}${PATH}`, { headers: { Authorization: gw.authorization.replace('Authorization: ', '') } })
      .on('error', () => undefined)
    await until(() => isAsked)
    request.destroy()
    // The gateway knows that the caller is gone once it has answered another one.
    await gw.get('/health/live')
    answer()
    await until(() => seen.closed > 0)
    assert.equal(seen.taken, 0)
  })

  it('takes no more from the platform than a caller that does not read leaves room for', async () => {
    await using gw = await gateway()
    const chunk = 'x'.repeat(64 * 1024)
    const { media, seen } = attachment(Array.from({ length: 1_000 }, () => chunk))
    gw.willGiveMedia(media)
    const response = await ask(gw)
    let before = -1
    await until(() => {
      const isStill = seen.taken === before && seen.taken > 0
      before = seen.taken
      return isStill
    })
    assert.isBelow(seen.taken, 400)
    let size = 0
    for await (const part of response) size += (part as Buffer).length
    assert.equal(size, 1_000 * chunk.length)
  })

  it('breaks the reply off if the download breaks off, and logs why, without a secret', async () => {
    await using gw = await gateway()
    const { media, seen } = attachment(breaking(), { length: 10 })
    gw.willGiveMedia(media)
    const response = await ask(gw)
    const ended = await new Promise((resolve) => response.resume().on('error', resolve).on('end', () => resolve('ended well')))
    assert.match(String(ended), /aborted/)
    assert.isAbove(seen.closed, 0)
    assert.match(gw.log.join(), /"warn","media_broken".*ECONNRESET/)
    assert.notInclude(gw.log.join(), ACCESS_TOKEN)
    assert.notMatch(gw.log.join(), /reply_failed|unexpected/)
  })

  it('answers 404 for an id of another form, and asks the platform nothing', async () => {
    await using gw = await gateway()
    for (const id of [
      'x', '1a', '%2e%2e', '..%2f..%2fme', '1%2F2', '1%3Ffields=x', '1%00', '%ff', '0'.repeat(65), '1%0d%0aHost:x', '+1',
      '1 '.trim() + '%20',
    ]) {
      const { status, json } = await gw.get(`/v1/media/${id}`)
      assert.equal(status, 404, id)
      assert.deepInclude(json, { code: 'not_found' })
    }
    assert.isEmpty(gw.wanted)
  })

  const error = { code: 1, message: 'No' }
  const failures: ReadonlyArray<readonly [MediaError, status: number, code: string, headers: Readonly<Record<string, string | null>>]> = [
    [{ _tag: 'MediaGone' }, 404, 'not_found', {}],
    [{ _tag: 'RangeNotSatisfiable', size: 10 }, 416, 'range_not_satisfiable', { 'content-range': 'bytes */10' }],
    [{ _tag: 'RangeNotSatisfiable', size: undefined }, 416, 'range_not_satisfiable', { 'content-range': null }],
    [{ _tag: 'PlatformRejected', error }, 400, 'platform_rejected', {}],
    [{ _tag: 'PlatformThrottled', error, retryAfterSeconds: 7 }, 429, 'platform_throttled', { 'retry-after': '7' }],
    [{ _tag: 'CredentialsRefused', error }, 502, 'platform_credentials', {}],
    [{ _tag: 'PlatformUnanswered', cause: 'down' }, 503, 'platform_unreachable', { 'retry-after': '5' }],
  ]
  for (const [failure, status, code, headers] of failures) {
    it(`answers ${status} ${code} to ${failure._tag}, as JSON that may not be stored`, async () => {
      await using gw = await gateway()
      gw.willGiveMedia(failure)
      const answer = await gw.get(PATH)
      assert.equal(answer.status, status)
      assert.deepInclude(answer.json, { code })
      for (const [name, value] of Object.entries({ ...headers, 'content-disposition': null, 'cache-control': 'no-store' })) {
        assert.equal(answer.headers.get(name), value, name)
      }
    })
  }

  it('answers 401 without a key, 403 without the scope `answer`, and 503 without a sender', async () => {
    await using gw = await gateway()
    assert.equal((await gw.get(PATH, { Authorization: 'Bearer x' })).status, 401)
    await using narrow = await gateway({ deps: withScopes('read') })
    const refused = await narrow.get(PATH)
    assert.equal(refused.status, 403)
    assert.deepInclude(refused.json, { code: 'forbidden', message: 'This API key does not have the scope answer' })
    await using bare = await gateway({ sender: false })
    assert.deepInclude((await bare.get(PATH)).json, { code: 'sender_not_configured' })
    assert.isEmpty([...gw.wanted, ...narrow.wanted, ...bare.wanted])
  })
})

describe('the range that a request asks for', () => {
  it('is one range of bytes', () => {
    assert.deepEqual(rangeIn({ range: 'bytes=0-0' }), { first: 0, last: 0 })
    assert.deepEqual(rangeIn({ range: 'bytes=5-' }), { first: 5 })
    assert.deepEqual(rangeIn({ range: 'bytes=-5' }), { lastBytes: 5 })
    assert.deepEqual(rangeIn({ range: `bytes=${'9'.repeat(15)}-` }), { first: 999_999_999_999_999 })
  })

  it('is ignored in any other form, with several ranges, or under a condition', () => {
    const others = [
      '', 'bytes', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4', 'bytes=a-b', 'bytes= 0-1', 'items=0-1', 'bytes=0-1\r\nX: y',
      `bytes=${'9'.repeat(16)}-`, 'Bytes=0-1',
    ]
    for (const range of others) assert.isUndefined(rangeIn({ range }), range)
    assert.isUndefined(rangeIn({}))
    assert.isUndefined(rangeIn({ range: 'bytes=0-1', 'if-range': '"etag"' }))
  })
})
