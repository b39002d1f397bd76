import type { ServerResponse } from 'node:http'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeCloudConversation } from '../../../adapters/cloud-api/cloud-api.js'
import type { MediaDeadlines } from '../../../adapters/cloud-api/media.js'
import { MAX_DOWNLOADS } from '../../../adapters/cloud-api/transport.js'
import type { ByteRange, Media, MediaError, MediaId } from '../../../core/messages/conversation.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { until } from '../../support/eventually.js'
import { describeTransports } from './each-transport.js'
import { answer, type Arrived, type Behaviour } from './network.js'

const ID = '1003383421387256' as MediaId
const sender = { phoneNumberId: senderIdOf('42'), accessToken: 'EAAG-secret', businessAccountId: undefined }
const MIB = 1024 * 1024
const PNG = { 'content-type': 'image/png' }

type Head = { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

describeTransports('downloading attachments', (world) => {
  let downloads: Array<Arrived>
  let open: Array<ServerResponse>
  beforeEach(() => {
    downloads = []
    open = []
  })

  /** The platform describes an attachment, and behaves so at its address. */
  const willServe = (download: Behaviour, description: object = {}): void => {
    const { network } = world()
    network.behave((response, arrived) => {
      if (arrived.url?.startsWith('/file') !== true) {
        return answer(200, { url: `${network.url}/file?hash=x`, mime_type: 'image/png', file_size: 9, id: ID, ...description })(
          response, arrived,
        )
      }
      downloads.push(arrived)
      open.push(response)
      response.once('close', () => { open = open.filter((one) => one !== response) })
      download(response, arrived)
    })
  }
  const willAnswer = ({ status = 200, headers = PNG, body = 'some bytes' }: Head, description?: object): void =>
    willServe((response) => void response.writeHead(status, headers).end(body), description)

  const conversation = (mediaDeadlines?: MediaDeadlines, timeoutMs = 10_000) => {
    const { transport, network } = world()
    return makeCloudConversation({
      baseUrl: network.url, version: 'v25.0', timeoutMs, transport: transport.send, download: transport.download, upload: transport.upload,
      now: () => 0, ...(mediaDeadlines && { mediaDeadlines }),
    })
  }
  const opened = (range?: ByteRange, deadlines?: MediaDeadlines, timeoutMs?: number): Promise<E.Either<MediaError, Media>> =>
    conversation(deadlines, timeoutMs).openMedia({ sender, id: ID, range })
  const media = async (range?: ByteRange, deadlines?: MediaDeadlines): Promise<Media> => {
    const one = await opened(range, deadlines)
    if (E.isLeft(one)) throw new Error(JSON.stringify(one.left))
    return one.right
  }
  const failure = async (range?: ByteRange, timeoutMs?: number): Promise<MediaError> => {
    const one = await opened(range, undefined, timeoutMs)
    if (E.isRight(one)) throw new Error('it was opened')
    return one.left
  }
  const unanswered = async (cause: RegExp, range?: ByteRange, timeoutMs?: number): Promise<void> => {
    const left = await failure(range, timeoutMs)
    assert.equal(left._tag, 'PlatformUnanswered')
    assert.match(String('cause' in left && left.cause), cause)
    await until(() => open.length === 0)
  }
  const textOf = async ({ bytes }: Media): Promise<string> => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of bytes) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  const sizeOf = async ({ bytes }: Media): Promise<number> => {
    let size = 0
    for await (const chunk of bytes) size += chunk.length
    return size
  }

  it('asks for the description with the sender\'s number, and for the bytes with the token and the range', async () => {
    willServe((response) => void response.writeHead(206, { ...PNG, 'content-range': 'bytes 2-5/10' }).end('me b'))
    assert.equal(await textOf(await media({ first: 2, last: 5 })), 'me b')
    const [description, download] = world().network.arrived
    assert.equal(description?.url, `/v25.0/${ID}?phone_number_id=42`)
    assert.equal(download?.url, '/file?hash=x')
    assert.deepInclude(download?.headers, { authorization: 'Bearer EAAG-secret', 'user-agent': 'postern', range: 'bytes=2-5' })
    await media({ first: 2 }).then(({ close }) => close())
    await media({ lastBytes: 4 }).then(({ close }) => close())
    await media({ first: 0, last: 5 }).then(({ close }) => close())
    assert.deepEqual(downloads.map(({ headers }) => headers.range), ['bytes=2-5', 'bytes=2-', 'bytes=-4', 'bytes=0-5'])
  })

  it('gives all bytes with their length if the platform does not know ranges, and without a length if it names none', async () => {
    willAnswer({ headers: { ...PNG, 'content-length': '10' } })
    const whole = await media({ first: 2 })
    assert.deepInclude(whole, { length: 10, part: undefined })
    assert.equal(await textOf(whole), 'some bytes')
    willServe((response) => {
      response.writeHead(200, PNG).write('some ')
      response.end('bytes')
    })
    const chunked = await media()
    assert.isUndefined(chunked.length)
    assert.equal(await textOf(chunked), 'some bytes')
  })

  const refusals: ReadonlyArray<readonly [Head, MediaError]> = [
    [{ status: 401 }, { _tag: 'CredentialsRefused', error: { message: 'The download address answered 401' } }],
    [{ status: 403 }, { _tag: 'CredentialsRefused', error: { message: 'The download address answered 403' } }],
    [{ status: 404, headers: { 'content-type': 'application/json' } }, { _tag: 'MediaGone' }],
    [{ status: 410 }, { _tag: 'MediaGone' }],
    [{ status: 416, headers: { 'content-range': 'bytes */10' } }, { _tag: 'RangeNotSatisfiable', size: 10 }],
    [{ status: 416, headers: { 'content-range': 'nonsense' } }, { _tag: 'RangeNotSatisfiable', size: undefined }],
    [{ status: 429, headers: { 'retry-after': '9' } },
      { _tag: 'PlatformThrottled', error: { message: 'The download address answered 429' }, retryAfterSeconds: 9 }],
  ]
  for (const [head, left] of refusals) {
    it(`takes ${head.status} ${JSON.stringify(head.headers ?? '')} at the address for ${left._tag}, and closes the download`, async () => {
      willAnswer(head)
      assert.deepEqual(await failure({ first: 99 }), left)
      await until(() => open.length === 0)
    })
  }

  const nonsense: ReadonlyArray<readonly [Head, RegExp]> = [
    [{ status: 500 }, /answered 500$/],
    [{ status: 302, headers: { location: 'https://evil.test/' } }, /answered 302, and no redirect is followed/],
    [{ status: 307, headers: { location: '/file?again' } }, /answered 307, and no redirect/],
    [{ status: 204 }, /answered 204/],
    [{ headers: { 'content-type': 'text/html; charset=utf-8' } }, /text\/html for an attachment of the type image\/png/],
    [{ headers: { 'content-type': 'application/json' } }, /application\/json for an attachment/],
    [{ headers: { ...PNG, 'content-encoding': 'gzip' } }, /an encoding that was not asked for/],
    [{ status: 206, headers: { ...PNG, 'content-range': 'bytes 0-9/10' } }, /answered 206/],
  ]
  for (const [head, cause] of nonsense) {
    it(`takes ${head.status ?? 200} ${JSON.stringify(head.headers ?? '')} at the address for no attachment, and asks no other`, async () => {
      willAnswer(head)
      await unanswered(cause)
      assert.lengthOf(downloads, 1)
    })
  }

  for (const range of [undefined, 'bytes 9-2/10', 'bytes 0-10/10', 'bytes */10', 'items 0-9/10', 'bytes 0-8/10']) {
    it(`takes a part without a fitting Content-Range (${range}) for no attachment`, async () => {
      willAnswer({ status: 206, headers: { ...PNG, 'content-length': '10', ...(range !== undefined && { 'content-range': range }) } })
      await unanswered(/a part of the attachment without saying which/, { first: 0 })
    })
  }

  it('returns a page that a customer attached, with the type that the platform reports', async () => {
    willAnswer({ headers: { 'content-type': 'text/html' } }, { mime_type: 'text/html' })
    assert.equal(await textOf(await media()), 'some bytes')
  })

  it('has the digest of the description in hexadecimal digits, and none that is not one', async () => {
    const [hex, base64] = ['ab'.repeat(32), Buffer.from('ab'.repeat(32), 'hex').toString('base64')]
    for (const [said, expected] of [
      [hex, hex], [hex.toUpperCase(), hex], [base64, hex], ['', undefined], ['abc', undefined], [7, undefined],
    ] as const) {
      willAnswer({}, { sha256: said })
      const media = await opened()
      assert.equal(E.isRight(media) ? media.right.sha256 : 'refused', expected)
      if (E.isRight(media)) media.right.close()
    }
  })

  it('takes any other type at the address for the attachment, since its description counts', async () => {
    for (const headers of [{ 'content-type': 'application/octet-stream' }, { 'content-type': 'binary/octet-stream' }, {}]) {
      willAnswer({ headers })
      const { type, close } = await media()
      assert.equal(type, 'image/png')
      close()
    }
  })

  it('is gone if the id belongs to another number of the same business, which the platform describes', async () => {
    world().network.behave(answer(200, { verified_name: 'Shop', display_phone_number: '+49 30 1', id: '43' }))
    assert.deepEqual(await failure(), { _tag: 'MediaGone' })
  })

  it('calls no address for an attachment whose reported length exceeds the platform\'s limit', async () => {
    for (const size of [100 * MIB + 1, String(200 * MIB)]) {
      willAnswer({}, { file_size: size })
      await unanswered(/longer than 104857600 bytes/)
    }
    assert.isEmpty(downloads)
  })

  it('reads nothing of a download that announces more than the longest attachment', async () => {
    willServe((response) => void response.writeHead(200, { ...PNG, 'content-length': String(200 * MIB) }).write('some'))
    await unanswered(/longer than 104857600 bytes/)
  })

  it('ends a download of 200 MB that announces nothing, after the longest attachment', async () => {
    const chunk = Buffer.alloc(MIB)
    let written = 0
    willServe((response) => {
      response.writeHead(200, PNG)
      const writeOn = (): void => {
        if (response.destroyed || written === 200) return void response.end()
        written += 1
        if (response.write(chunk)) setImmediate(writeOn)
        else response.once('drain', writeOn)
      }
      writeOn()
    })
    const endless = await media()
    const thrown: unknown = await sizeOf(endless).catch((error: unknown) => error)
    assert.match(String(thrown), /longer than 104857600 bytes/)
    await until(() => open.length === 0)
    assert.isBelow(written, 200)
  })

  it('takes from the platform what its reader takes: what is not read stays there', async () => {
    const chunk = Buffer.alloc(64 * 1024)
    let written = 0
    let isWaiting = false
    willServe((response) => {
      response.writeHead(200, PNG)
      const writeOn = (): void => {
        isWaiting = false
        while (!response.destroyed && written < 90 * MIB) {
          written += chunk.length
          if (!response.write(chunk)) break
        }
        isWaiting = written < 90 * MIB
        response.once('drain', writeOn)
      }
      writeOn()
    })
    const slow = await media()
    const reader = slow.bytes[Symbol.asyncIterator]()
    await reader.next()
    const before = process.memoryUsage().arrayBuffers
    let seen = -1
    // The platform waits once no buffer on the way, those of the system included, takes more.
    await until(() => {
      const isStill = isWaiting && written === seen
      seen = written
      return isStill
    })
    assert.isBelow(written, 32 * MIB)
    assert.isBelow(process.memoryUsage().arrayBuffers - before, 4 * MIB)
    slow.close()
    await until(() => open.length === 0)
  })

  it('ends a download that drips, by its time in all', async () => {
    willServe((response) => {
      response.writeHead(200, PNG)
      const drip = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(drip))
    })
    const thrown: unknown = await sizeOf(await media(undefined, { idleMs: 5_000, totalMs: 200 })).catch((error: unknown) => error)
    assert.match(String(thrown), /took longer than 200 ms/)
    await until(() => open.length === 0)
  })

  it('ends a download that is opened and never read', async () => {
    const chunk = Buffer.alloc(8 * MIB)
    willServe((response) => void response.writeHead(200, PNG).write(chunk))
    const unread = await media(undefined, { idleMs: 100, totalMs: 5_000 })
    await until(() => open.length === 0)
    const thrown: unknown = await sizeOf(unread).catch((error: unknown) => error)
    assert.match(String(thrown), /No byte within 100 ms/)
  })

  it('ends the wait for the head of a download, and for a description that drips', async () => {
    willServe(() => undefined)
    await unanswered(/No answer within 500 ms/, undefined, 500)
    world().network.behave((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(drip))
    })
    await unanswered(/No whole answer within 500 ms/, undefined, 500)
  })

  it('opens a quarter of all downloads for one sender, and more for others; each that ends makes room', async () => {
    willServe((response) => void response.writeHead(200, PNG).write('some'))
    const all = conversation()
    const most = MAX_DOWNLOADS / 4
    const open64 = await Promise.all(Array.from({ length: most }, () => all.openMedia({ sender, id: ID, range: undefined })))
    assert.isTrue(open64.every(E.isRight))
    const further = await all.openMedia({ sender, id: ID, range: undefined })
    assert.match(String(E.isLeft(further) && 'cause' in further.left && further.left.cause), /64 attachments of this sender/)
    const other = await all.openMedia({ sender: { ...sender, phoneNumberId: senderIdOf('43') }, id: ID, range: undefined })
    assert.isTrue(E.isRight(other))
    for (const one of open64) if (E.isRight(one)) one.right.close()
    await until(() => open.length === 1)
    const again = await all.openMedia({ sender, id: ID, range: undefined })
    assert.isTrue(E.isRight(again))
  })

  it('makes room after every failure, too', async () => {
    const all = conversation()
    willAnswer({ status: 404 })
    for (let times = 0; times <= MAX_DOWNLOADS / 4; times += 1) {
      const one = await all.openMedia({ sender, id: ID, range: undefined })
      assert.deepEqual(one, E.left({ _tag: 'MediaGone' }))
    }
  })

  it('is cut off by the closing of the transport, after which nothing is downloaded', async () => {
    willServe((response) => void response.writeHead(200, PNG).write('some'))
    const one = await media()
    await world().transport.close()
    assert.instanceOf(await sizeOf(one).catch((error: unknown) => error), Error)
    assert.equal((await failure())._tag, 'PlatformUnanswered')
    const closed = await world().transport.download({
      origin: world().network.url, path: '/file', headers: {}, timeoutMs: 500, maxBytes: 1, idleMs: 500, totalMs: 500,
    })
    assert.equal(closed._tag, 'NoAnswer')
  })

  it('fails at an invalid address, like a call', async () => {
    const result = await world().transport.download({
      origin: 'nonsense', path: '/x', headers: {}, timeoutMs: 500, maxBytes: 1, idleMs: 500, totalMs: 500,
    })
    assert.equal(result._tag, 'NoAnswer')
  })
})
