import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { assert } from 'chai'
import { makeByteBudget } from '../../../../adapters/shared/byte-budget.js'
import { HOUR_MS } from '../../../../core/kernel/time.js'
import { eventually } from '../../../support/eventually.js'
import { CUSTOMER, type Gateway, gateway } from '../gateway.js'
import { withSpendingLimit } from '../with-uses.js'

const SEND = '/v1/messages/send'
const PDF = Buffer.from('%PDF-1.7\n1 0 obj<<>>endobj\r\n--boundary is no boundary\r\n\r\n%%EOF\n')
const DAY_MS = 24 * HOUR_MS

type Fields = Readonly<Record<string, string>>

const fileNamed = (name = 'invoice.pdf', bytes: Buffer = PDF, type = 'application/pdf'): File =>
  new File([new Uint8Array(bytes)], name, { type })

/** A form with its file as the last part. */
const formOf = (fields: Fields, file: File | null = fileNamed(), field = 'file'): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file !== null) form.append(field, file)
  return form
}

const post = (gw: Gateway, path: string, form: FormData, headers: Fields = {}) => gw.request(path, { method: 'POST', body: form, headers })

const DOCUMENT = { to: CUSTOMER, type: 'document', caption: 'Your invoice' }

const codeOf = ({ status, json }: Awaited<ReturnType<typeof post>>): string => `${status} ${(json as { readonly code?: string }).code ?? ''}`.trim()
const messageOf = ({ json }: Awaited<ReturnType<typeof post>>): string => (json as { readonly message: string }).message

describe('a message with its file over HTTP', () => {
  it('uploads the file and sends its id, with the caption, the name and the metadata', async () => {
    await using gw = await gateway()
    const { status, json } = await post(
      gw, SEND, formOf({ ...DOCUMENT, metadata: '{"order":"A-17"}', context: '{"message_id":"wamid.HBgN"}' }),
    )
    assert.deepEqual([status, Object.keys(json as object)], [200, ['status', 'message_id']])
    assert.deepEqual(gw.uploads.map(({ type, name, bytes }) => [type, name, bytes.equals(PDF)]), [['application/pdf', 'invoice.pdf', true]])
    const { message } = gw.sent[0] ?? assert.fail('nothing was sent')
    const { file, ...rest } = message as typeof message & { readonly file: string }
    assert.match(file, /^[0-9a-f]{64}$/)
    assert.deepEqual<unknown>(rest, {
      _tag: 'Content', to: CUSTOMER, type: 'document', content: { id: '900001', caption: 'Your invoice', filename: 'invoice.pdf' },
      metadata: { order: 'A-17' }, context: { message_id: 'wamid.HBgN' },
    })
  })

  it('shows the customer the name that is given, or that of the file without its folders', async () => {
    await using gw = await gateway()
    for (const [fields, name] of [
      [{ filename: 'Rechnung.pdf' }, 'x.pdf'], [{}, 'C:\\bills\\März "7".pdf'], [{}, '../../請求書.pdf'],
    ] as const) {
      assert.equal((await post(gw, SEND, formOf({ ...DOCUMENT, ...fields }, fileNamed(name)))).status, 200)
    }
    assert.deepEqual(
      gw.sent.map(({ message }) => (message._tag === 'Content' && 'filename' in message.content ? message.content['filename'] : undefined)),
      ['Rechnung.pdf', 'März "7".pdf', '請求書.pdf'],
    )
  })

  it('reads a name with quotation marks that a backslash escapes, and one in another code page than UTF-8', async () => {
    await using gw = await gateway()
    const names: ReadonlyArray<readonly [written: Buffer, name: string]> = [
      [Buffer.from('say \\"hi\\".pdf'), 'say "hi".pdf'], [Buffer.from('say \\"hi\\"'), 'say "hi"'],
      [Buffer.from('C:\\\\bills\\\\March.pdf'), 'March.pdf'], [Buffer.from('Pr\xfcfung \x80.pdf', 'latin1'), 'Prüfung €.pdf'],
      [Buffer.from('Prüfung.pdf'), 'Prüfung.pdf'],
    ]
    for (const [written] of names) {
      const body = Buffer.concat([
        Buffer.from(`--x7\r\nContent-Disposition: form-data; name="to"\r\n\r\n${CUSTOMER}\r\n--x7\r\nContent-Disposition: form-data; name="type"\r\n\r\ndocument\r\n`),
        Buffer.from('--x7\r\nContent-Disposition: form-data; name="file"; filename="'), written,
        Buffer.from('"\r\nContent-Type: application/pdf\r\n\r\n'), PDF, Buffer.from('\r\n--x7--\r\n'),
      ])
      const { status, text } = await gw.request(SEND, {
        method: 'POST', headers: { 'Content-Type': 'multipart/form-data; boundary=x7' }, body,
      })
      assert.equal(status, 200, text)
    }
    assert.deepEqual(
      gw.sent.map(({ message }) => (message._tag === 'Content' && 'filename' in message.content ? message.content['filename'] : undefined)),
      names.map(([, name]) => name),
    )
  })

  it('cuts a long name between two characters', async () => {
    await using gw = await gateway()
    assert.equal((await post(gw, SEND, formOf(DOCUMENT, fileNamed(`🙂${'x'.repeat(235)}.pdf`)))).status, 200)
    assert.deepEqual(gw.uploads.map(({ name }) => name), [`${'x'.repeat(235)}.pdf`])
  })

  const refused: ReadonlyArray<readonly [string, Fields, File | null, string, RegExp]> = [
    ['without a file', DOCUMENT, null, '400 missing_parameters', /: file\. The file must be the last part of the form, in the field file$/],
    ['without anything', {}, null, '400 missing_parameters', /: to, type, file\./],
    ['without a type', { to: CUSTOMER }, fileNamed(), '400 missing_parameters', /: type\. The file must be the last part/],
    ['with the type of a text', { ...DOCUMENT, type: 'text' }, fileNamed(), '400 invalid_parameter', /^type must be one of image, video/],
    ['with a caption of a sound', { ...DOCUMENT, type: 'audio' }, fileNamed(), '400 invalid_parameter', /^caption must be left out, because the type is audio$/],
    ['with a name of an image', { to: CUSTOMER, type: 'image', filename: 'a.png' }, fileNamed(), '400 invalid_parameter',
      /^filename must be left out/],
    ['with a long caption', { ...DOCUMENT, caption: 'x'.repeat(1_025) }, fileNamed(), '400 content_invalid', /^document\.caption must be a string of at most 1024 characters/],
    ['with metadata that is no JSON', { ...DOCUMENT, metadata: 'order=1' }, fileNamed(), '400 invalid_parameter', /^metadata must be the JSON text of an object/],
    ['with a bad number', { ...DOCUMENT, to: '12' }, fileNamed(), '400 invalid_phone_number', /^to must be/],
    ...['queue', 'send_at', 'deliver_between'].map((name) =>
      [`with ${name}`, { ...DOCUMENT, [name]: '60' }, fileNamed(), '400 invalid_parameter', new RegExp(`^${name} must be left out: upload the file with POST /v1/media, and send its id$`)] as const),
    ['with a short time to confirm', { ...DOCUMENT, confirm_within: '9' }, fileNamed(), '400 invalid_parameter', /^confirm_within must be a whole number from 10 to 86400$/],
    ['with an empty file', DOCUMENT, fileNamed('a.pdf', Buffer.alloc(0)), '400 media_invalid', /^The file is empty$/],
    ['with a ZIP that is called a PDF', DOCUMENT, fileNamed('a.pdf', Buffer.from('PK\x03\x04 and so on, for a while')), '400 media_invalid',
      /declared as application\/pdf, but its first bytes show/],
    ['with a PDF for an image', { to: CUSTOMER, type: 'image' }, fileNamed(), '400 media_invalid', /^An image must be image\/jpeg, image\/png/],
  ]
  for (const [what, fields, file, code, message] of refused) {
    it(`refuses a form ${what}, and nothing is uploaded, sent or paid`, async () => {
      await using gw = await gateway()
      const answer = await post(gw, SEND, formOf(fields, file))
      assert.equal(codeOf(answer), code)
      assert.match(messageOf(answer), message)
      assert.deepEqual([gw.uploads.length, gw.sent.length, await gw.books()], [0, 0, { available: '10.000000', held: '0.000000' }])
    })
  }

  it('takes the window, the wallet and the limit of the key into account before it takes a byte of the file', async () => {
    await using closed = await gateway({ lastInbound: undefined })
    assert.equal(codeOf(await post(closed, SEND, formOf(DOCUMENT))), '400 window_closed')
    await using poor = await gateway({ balance: '0' })
    assert.equal(codeOf(await post(poor, SEND, formOf(DOCUMENT))), '402 insufficient_balance')
    await using limited = await gateway({ deps: withSpendingLimit(1n) })
    assert.equal(codeOf(await post(limited, SEND, formOf(DOCUMENT))), '402 spending_limit_reached')
    assert.deepEqual([closed, poor, limited].map(({ uploads }) => uploads.length), [0, 0, 0])
  })

  it('says that the boundary is missing if the header was set by hand', async () => {
    await using gw = await gateway()
    for (const path of [SEND, '/v1/media', '/v1/messages/send-text']) {
      const { status, json } = await gw.request(path, {
        method: 'POST', body: '--b\r\n', headers: { 'Content-Type': 'multipart/form-data' },
      })
      assert.equal(status, 400, path)
      assert.deepInclude(
        json,
        { code: 'malformed_body', message: 'The Content-Type multipart/form-data has no boundary; do not set that header yourself, and your HTTP client sets it with the boundary' },
        path,
      )
    }
  })

  it('reports that a field after the file is in the wrong place', async () => {
    await using gw = await gateway()
    const form = new FormData()
    form.append('file', fileNamed())
    form.append('to', CUSTOMER)
    const early = await post(gw, SEND, form)
    assert.match(messageOf(early), /^Missing required parameters: to, type\. The file must be the last part/)
    const late = formOf(DOCUMENT)
    late.append('caption', 'too late')
    const answer = await post(gw, SEND, late)
    assert.equal(codeOf(answer), '400 malformed_body')
    assert.match(messageOf(answer), /^The file must be the last part of the form$/)
    assert.lengthOf(gw.sent, 0)
  })

  it('charges nothing if the upload fails, and says why', async () => {
    await using gw = await gateway()
    for (const [failure, code] of [
      [{ _tag: 'PlatformUnanswered', cause: new Error('cut off') }, '503 platform_unreachable'],
      [{ _tag: 'CredentialsRefused', error: { code: 190 } }, '502 platform_credentials'],
      [{ _tag: 'PlatformThrottled', error: { code: 80007 } }, '429 platform_throttled'],
      [{ _tag: 'PlatformRejected', error: { code: 100 } }, '400 platform_rejected'],
    ] as const) {
      gw.conversationWillFail(failure)
      assert.equal(codeOf(await post(gw, SEND, formOf(DOCUMENT))), code)
    }
    assert.deepEqual([gw.sent.length, await gw.books()], [0, { available: '10.000000', held: '0.000000' }])
  })

  it('sends once under a key, which compares the bytes, and uploads the same bytes once', async () => {
    await using gw = await gateway()
    const key = { 'Idempotency-Key': 'invoice-1742' }
    const first = await post(gw, SEND, formOf(DOCUMENT), key)
    const again = await post(gw, SEND, formOf(DOCUMENT), key)
    assert.deepEqual([again.status, again.text, again.headers.get('Idempotency-Replayed')], [200, first.text, 'true'])
    assert.equal(
      codeOf(await post(gw, SEND, formOf(DOCUMENT, fileNamed('invoice.pdf', Buffer.concat([PDF, Buffer.from('.')]))), key)),
      '422 idempotency_key_reused',
    )
    assert.equal((await post(gw, SEND, formOf(DOCUMENT))).status, 200, 'another message with the same file')
    assert.deepEqual([gw.uploads.length, gw.sent.length], [2, 2])
  })

  it('repeats the first answer under a key if the window has closed since, by the bytes alone', async () => {
    await using gw = await gateway()
    const key = { 'Idempotency-Key': 'invoice-1742' }
    const first = await post(gw, SEND, formOf(DOCUMENT), key)
    gw.passes(23.5 * HOUR_MS)
    const again = await post(gw, SEND, formOf(DOCUMENT), key)
    assert.deepEqual([again.status, again.text, again.headers.get('Idempotency-Replayed')], [200, first.text, 'true'])
    assert.equal(
      codeOf(await post(gw, SEND, formOf(DOCUMENT, fileNamed('invoice.pdf', Buffer.concat([PDF, Buffer.from('.')]))), key)),
      '422 idempotency_key_reused',
    )
    assert.equal(codeOf(await post(gw, SEND, formOf(DOCUMENT), { 'Idempotency-Key': 'another' })), '400 window_closed')
    assert.deepEqual([gw.uploads.length, gw.sent.length], [1, 1])
  })

  it('uploads again what the platform has refused as a part of a message', async () => {
    await using gw = await gateway()
    assert.equal((await post(gw, SEND, formOf(DOCUMENT))).status, 200)
    gw.willAnswer({ _tag: 'PlatformRejected', error: { code: 131053 } })
    assert.equal(codeOf(await post(gw, SEND, formOf(DOCUMENT))), '400 platform_rejected')
    assert.equal((await post(gw, SEND, formOf(DOCUMENT))).status, 200)
    assert.deepEqual([gw.uploads.length, gw.sent.length], [2, 3])
  })

  it('reads the rest of a refused file, so that its connection takes the next request', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const body = Buffer.concat([
      Buffer.from(`--x7\r\nContent-Disposition: form-data; name="to"\r\n\r\n${CUSTOMER}\r\n--x7\r\nContent-Disposition: form-data; name="type"\r\n\r\ndocument\r\n--x7\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n`),
      PDF, Buffer.alloc(900_000), Buffer.from('\r\n--x7--\r\n'),
    ])
    const ask = (
      path: string, method: string, headers: Fields, content?: Buffer,
    ) => new Promise<{ readonly status: number | undefined; readonly reused: boolean }>(
      (resolve, reject) => {
        const request = httpRequest(
          `${gw.url}${path}`, { agent, method, headers: { authorization: `Bearer ${gw.key}`, ...headers } }, (response) => {
            response.resume().once('end', () => { resolve({ status: response.statusCode, reused: request.reusedSocket }) })
          },
        )
        request.once('error', reject).end(content)
      },
    )
    const form = { 'content-type': 'multipart/form-data; boundary=x7', 'content-length': String(body.length) }
    assert.deepEqual(await ask(SEND, 'POST', form, body), { status: 400, reused: false })
    assert.deepEqual(await ask('/v1/key', 'GET', {}), { status: 200, reused: true })
    agent.destroy()
  })

  it('gives up on a file whose sender goes away, and answers the next request', async () => {
    await using gw = await gateway()
    const boundary = 'a-boundary'
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="to"\r\n\r\n${CUSTOMER}\r\n--${boundary}\r\nContent-Disposition: form-data; name="type"\r\n\r\ndocument\r\n`
      + `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n`
    const request = httpRequest(`${gw.url}${SEND}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gw.key}`, 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': '5000000',
      },
    })
    request.on('error', () => undefined)
    request.write(head)
    request.write(PDF)
    const logged = gw.requests.length
    // The connection ends after these bytes were written to it, so that the gateway gets a part of the file.
    request.write(Buffer.alloc(1_000_000), () => { request.destroy() })
    await new Promise((resolve) => { request.once('close', resolve) })
    while (gw.requests.length === logged) await new Promise((resolve) => { setImmediate(resolve) })
    assert.deepInclude(gw.requests.at(-1), { code: 'malformed_body' })
    assert.equal((await post(gw, SEND, formOf(DOCUMENT))).status, 200)
    assert.deepEqual([gw.uploads.length, gw.sent.length], [1, 1])
  })
})

describe('uploading a file over HTTP', () => {
  it('answers 201 with the id, the type, the size and the digest, and 200 for the same bytes', async () => {
    await using gw = await gateway()
    const first = await post(gw, '/v1/media', formOf({}))
    assert.equal(first.status, 201)
    assert.deepEqual(Object.keys(first.json as object), ['id', 'type', 'size', 'sha256', 'expires_at'])
    assert.deepInclude(first.json, { id: '900001', type: 'application/pdf', size: PDF.length })
    const again = await post(gw, '/v1/media', formOf({ type: 'document' }))
    assert.deepEqual([again.status, again.json], [200, first.json])
    assert.equal((await gw.post(SEND, { to: CUSTOMER, type: 'document', document: { id: '900001' } })).status, 200)
    gw.passes(29 * DAY_MS)
    assert.equal((await post(gw, '/v1/media', formOf({}))).status, 201)
    assert.lengthOf(gw.uploads, 2)
  })

  it('refuses a body that is not a form with a file', async () => {
    await using gw = await gateway()
    assert.equal(codeOf(await gw.post('/v1/media', {})), '415 unsupported_media_type')
    assert.equal(codeOf(await post(gw, '/v1/media', formOf({}, fileNamed(), 'attachment'))), '400 missing_parameters')
    assert.equal(codeOf(await post(gw, '/v1/media', formOf({ type: 'film' }))), '400 invalid_parameter')
    assert.equal(
      codeOf(await gw.request('/v1/media', { method: 'POST', body: 'x', headers: { 'Content-Type': 'multipart/form-data; boundary=b' } })),
      '400 malformed_body',
    )
  })

  it('finds the end of a file wherever the pieces end', async () => {
    await using gw = await gateway()
    const content = 'Dear Ada,\r\n--x\r\r\n-\r\n--x8 and so on\r\n--x'
    const body = `--x7\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${content}\r\n--x7--\r\n`
    for (let at = 0; at < body.length; at += 3) {
      const request = httpRequest(`${gw.url}/v1/media`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gw.key}`, 'content-type': 'multipart/form-data; boundary=x7', 'content-length': String(body.length),
        },
      })
      request.setNoDelay()
      request.write(body.slice(0, at + 1))
      setTimeout(() => request.end(body.slice(at + 1)), 2)
      const status = await new Promise((resolve, reject) => {
        request.once('response', (response) => { resolve(response.resume().statusCode) }).once('error', reject)
      })
      assert.equal(status, at === 0 ? 201 : 200, `cut after ${at + 1} bytes`)
    }
    assert.deepEqual(gw.uploads.map(({ bytes }) => bytes.toString()), [content])
  })

  it('takes a large file in many pieces, byte for byte, also one that ends without a line break', async () => {
    await using gw = await gateway()
    const bytes = Buffer.concat([PDF, Buffer.from(Array.from({ length: 3_000_000 }, (_, place) => (place * 7) & 0xff))])
    assert.equal((await post(gw, '/v1/media', formOf({}, fileNamed('a.pdf', bytes)))).status, 201)
    const body = Buffer.concat([
      Buffer.from('--x7\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\n\r\n'), bytes, Buffer.from('!\r\n--x7--'),
    ])
    const answer = await gw.raw(
      `POST /v1/media HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: multipart/form-data; boundary=x7\r\nContent-Length: ${body.length}`,
      body,
    )
    assert.match(answer, /^HTTP\/1\.1 201 /)
    assert.deepEqual(gw.uploads.map((upload) => upload.bytes.length), [bytes.length, bytes.length + 1])
    assert.isTrue(gw.uploads[0]?.bytes.equals(bytes))
    for (const { sizeAtMost, bytes: { length } } of gw.uploads) assert.oneOf((sizeAtMost ?? 0) - length, [0, 2])
  })
})

const MIB = 1024 * 1024

/** A form whose file announces 1 MiB, up to the first bytes of the file. */
const beginningOf = (path: string, key: string, fields: Fields = {}): string => {
  const parts = Object.entries(fields).map(([name, value]) => `--x7\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=x7\r\nContent-Length: ${MIB}\r\n`
    + `Idempotency-Key: trickle\r\n\r\n${parts.join('')}--x7\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\nContent-Type: text/plain\r\n\r\nabc`
}

/** Begins an upload and sends a byte of it every few milliseconds until it is answered. */
const trickle = (gw: Gateway, beginning: string) => {
  const socket = connect(Number(new URL(gw.url).port), '127.0.0.1')
  let answer = ''
  const drip = setInterval(() => socket.write('a'), 10)
  const stop = (): void => clearInterval(drip)
  socket.on('error', () => undefined).on('close', stop).on('data', (bytes: Buffer) => {
    answer += bytes.toString()
    stop()
  })
  socket.write(beginning)
  return { answer: () => answer, end: () => socket.destroy() }
}

describe('a file that trickles', () => {
  const addresses = (gw: Gateway): Readonly<Record<string, readonly [string, Fields]>> =>
    ({
      upload: ['/v1/media', {}],
      'message with its file': [SEND, DOCUMENT],
      'upload below /graph': [`/graph/v25.0/${gw.phoneNumberId}/media`, { messaging_product: 'whatsapp' }],
    })

  for (const what of ['upload', 'message with its file', 'upload below /graph']) {
    it(
      `ends with 408 where it is that of an ${what}, and nothing is uploaded, sent, held or kept under its key`
        .replace('an message', 'a message'),
      async () => {
        const memory = makeByteBudget(2 * MIB)
        await using gw = await gateway({ deps: () => ({ bodyLimits: { memory, filePace: { slackMs: 200, bytesPerSecond: 4_096 } } }) })
        const [path, fields] = addresses(gw)[what] ?? assert.fail('no such address')
        const slow = trickle(gw, beginningOf(path, gw.key, fields))
        const answer = await eventually('an answer', () => slow.answer() || undefined)
        assert.match(answer, /^HTTP\/1\.1 408 /)
        slow.end()
        assert.deepEqual([gw.uploads.length, gw.sent.length, await gw.books()], [0, 0, { available: '10.000000', held: '0.000000' }])
        await eventually('its memory', () => memory.begin().canTake(2 * MIB) || undefined)
        if (path === SEND) assert.equal((await post(gw, path, formOf(DOCUMENT), { 'Idempotency-Key': 'trickle' })).status, 200)
      },
    )
  }

  it('may be slow, as long as its bytes make up for the time', async () => {
    await using gw = await gateway({ deps: () => ({ bodyLimits: { filePace: { slackMs: 5_000, bytesPerSecond: 1 } } }) })
    const body = Buffer.concat([
      Buffer.from('--x7\r\nContent-Disposition: form-data; name=file; filename=a.pdf\r\n\r\n'), PDF, Buffer.from('\r\n--x7--'),
    ])
    const request = httpRequest(`${gw.url}/v1/media`, {
      method: 'POST',
      headers: { 'Authorization': `Bearer ${gw.key}`, 'Content-Type': 'multipart/form-data; boundary=x7', 'Content-Length': body.length },
    })
    const answered = new Promise((resolve, reject) => {
      request.once('response', (response) => { resolve(response.resume().statusCode) }).once('error', reject)
    })
    for (let at = 0; at < body.length; at += 16) await new Promise((resolve) => { request.write(body.subarray(at, at + 16), resolve) })
    request.end()
    assert.equal(await answered, 201)
  })

  it('leaves room for the uploads of other workspaces, however many one workspace has', async () => {
    const memory = makeByteBudget(16 * MIB)
    await using gw = await gateway({ deps: () => ({ bodyLimits: { memory } }) })
    const other = await gw.addWorkspace()
    const slow = Array.from({ length: 16 }, () => trickle(gw, beginningOf('/v1/media', gw.key)))
    const refused = () => slow.filter(({ answer }) => answer().startsWith('HTTP/1.1 503 ')).length
    await eventually('the share of the workspace', () => refused() >= 4 || undefined)
    const authorization = { Authorization: `Bearer ${other.key}` }
    assert.equal((await post(gw, '/v1/media', formOf({}), authorization)).status, 201)
    assert.equal((await post(gw, SEND, formOf(DOCUMENT), authorization)).status, 200)
    for (const { end } of slow) end()
  })
})

describe('uploads if no slot is free', () => {
  it('get one of a workspace that has most of them, whose upload ends with 503', async () => {
    const memory = makeByteBudget(4 * MIB)
    await using gw = await gateway({ deps: () => ({ bodyLimits: { memory } }) })
    const attackers = [gw.key, (await gw.addWorkspace()).key, (await gw.addWorkspace()).key]
    const slow: Array<ReturnType<typeof trickle>> = []
    const ended = () => slow.filter(({ answer }) => answer().startsWith('HTTP/1.1 503 ')).length
    for (const [at, key] of attackers.entries()) {
      slow.push(...Array.from({ length: 4 }, () => trickle(gw, beginningOf('/v1/media', key))))
      await eventually('the share of the workspace', () => ended() >= (at === 0 ? 1 : 4 * at) || undefined)
    }
    await eventually('a full room', () => !memory.begin().canTake(1, 0.5) || undefined)
    const before = ended()
    const other = { Authorization: `Bearer ${(await gw.addWorkspace()).key}` }
    assert.equal((await post(gw, '/v1/media', formOf({}), other)).status, 201)
    await eventually('one upload that ended', () => ended() > before || undefined)
    assert.equal(ended(), before + 1)
    for (const { end } of slow) end()
  })
})

describe('bodies that stand still', () => {
  it('leave room for the bodies of other workspaces, however many one workspace has', async () => {
    const memory = makeByteBudget(MIB)
    await using gw = await gateway({ deps: () => ({ bodyLimits: { memory } }) })
    const other = await gw.addWorkspace()
    const begun = `POST /v1/messages/send-text HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gw.key}\r\nContent-Type: application/json\r\nContent-Length: ${100 * 1024}\r\n\r\n`
    const slow = Array.from({ length: 16 }, () => trickle(gw, begun + ' '.repeat(90 * 1024)))
    await eventually('the share of the workspace', () => slow.some(({ answer }) => answer().startsWith('HTTP/1.1 503 ')) || undefined)
    const { status } = await gw.post('/v1/messages/send-text', { to: CUSTOMER, text: 'hello' }, { Authorization: `Bearer ${other.key}` })
    assert.equal(status, 200)
    for (const { end } of slow) end()
  })
})
