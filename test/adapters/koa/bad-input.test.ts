import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { inNode, type RequestOptions } from './request-options.js'
import { ACCESS_TOKEN, CUSTOMER, gateway, type Answered, type Gateway } from './gateway.js'

const PATH = '/v1/messages/send-text'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const GOOD = JSON.stringify({ to: CUSTOMER, text: 'hello' })

const send = (
  gw: Gateway, body: NonNullable<RequestOptions['body']>, headers: Record<string, string> = JSON_TYPE, path = PATH,
): Promise<Answered> =>
  gw.request(path, { method: 'POST', body, headers })

const part = (disposition: string, value: string | Buffer, more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`--X\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`), Buffer.from(value), Buffer.from('\r\n'),
  ])

const multipart = (...parts: ReadonlyArray<Buffer>): Buffer => Buffer.concat([...parts, Buffer.from('--X--\r\n')])

const FORM_TYPE = { 'Content-Type': 'multipart/form-data; boundary=X' }
const TO = part('name="to"', CUSTOMER)

/** Asserts that the request was refused with a clear sentence and had no effect. */
const hadNoEffect = async (gw: Gateway, { status, json }: Answered, expected: readonly [number, string, RegExp?]): Promise<void> => {
  const [expectedStatus, code, sentence = /^[A-Za-z].{10,}/] = expected
  assert.equal(status, expectedStatus)
  assert.deepInclude(json, { status: 'error', code })
  assert.match((json as { message: string }).message, sentence)
  assert.isEmpty(gw.sent)
  assert.deepEqual(await gw.books(), { available: '10.000000', held: '0.000000' })
  for (const secret of [gw.key, ACCESS_TOKEN, CUSTOMER, 'hello']) assert.notInclude(gw.log.join(), secret)
}

describe('bad input', () => {
  it('is refused if the body is empty', async () => {
    await using gw = await gateway()
    const missing = [400, 'missing_parameters', /^Missing required parameters: to, text$/] as const
    await hadNoEffect(gw, await gw.request(PATH, { method: 'POST' }), missing)
    await hadNoEffect(gw, await send(gw, '', {}), missing)
    await hadNoEffect(gw, await send(gw, ''), missing)
    await hadNoEffect(gw, await send(gw, '{}'), missing)
    await hadNoEffect(gw, await send(gw, multipart(), FORM_TYPE), missing)
    await hadNoEffect(gw, await send(gw, ' '), [400, 'malformed_body'])
  })

  it('is refused if the body is not JSON', async () => {
    await using gw = await gateway()
    await hadNoEffect(gw, await send(gw, GOOD.slice(0, -2)), [400, 'malformed_body', /JSON/])
  })

  it('is refused if the body is JSON but no object', async () => {
    await using gw = await gateway()
    for (const body of ['null', '7', '"text"', 'true', '[]', `[${GOOD}]`]) {
      await hadNoEffect(gw, await send(gw, body), [400, 'malformed_body', /^The body must be a JSON object$/])
    }
  })

  it('is refused over 256 KiB, and read up to it', async () => {
    await using gw = await gateway()
    const ofSize = (size: number): string => GOOD.padEnd(size, ' ')
    assert.equal((await send(gw, ofSize(256 * 1024))).status, 200)
    await using fresh = await gateway()
    await hadNoEffect(fresh, await send(fresh, ofSize(256 * 1024 + 1)), [413, 'payload_too_large', /256 KiB/])
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    await hadNoEffect(fresh, await send(fresh, `text=${'x'.repeat(256 * 1024)}`, form), [413, 'payload_too_large'])
    await hadNoEffect(
      fresh, await send(fresh, multipart(TO, part('name="text"', 'x'.repeat(256 * 1024))), FORM_TYPE), [413, 'payload_too_large'],
    )
  })

  it('is refused over 256 KiB though no length was announced, and the connection goes on being of use', async () => {
    await using gw = await gateway()
    const chunked = (piece: Buffer | string, headers: Record<string, string>) =>
      gw.request(PATH, {
        method: 'POST', headers, duplex: 'half',
        body: new ReadableStream<Uint8Array>({
          start: (controller) => {
            for (let sent = 0; sent < 400; sent += 1) controller.enqueue(Buffer.from(piece))
            controller.close()
          },
        }),
      })
    await hadNoEffect(gw, await chunked(' '.repeat(1024), JSON_TYPE), [413, 'payload_too_large'])
    await hadNoEffect(
      gw, await chunked('x'.repeat(1024), { 'Content-Type': 'application/x-www-form-urlencoded' }), [413, 'payload_too_large'],
    )
    await hadNoEffect(gw, await chunked(part('name="text"', 'x'.repeat(1024)), FORM_TYPE), [413, 'payload_too_large'])
    // The headers of a part count too.
    const endless = `POST ${PATH} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: multipart/form-data; boundary=X\r\nTransfer-Encoding: chunked`
    const header = `--X\r\nContent-Disposition: ${'x'.repeat(300_000)}`
    assert.match(await gw.raw(endless, `${header.length.toString(16)}\r\n${header}\r\n0\r\n\r\n`), /^HTTP\/1.1 413 .*payload_too_large/s)
    assert.equal((await gw.sendText({ to: CUSTOMER, text: 'hello' })).status, 200)
  })

  it('is refused if chunks end before the body does', async () => {
    await using gw = await gateway()
    const half = GOOD.slice(0, 20)
    const reply = await gw.raw(
      `POST ${PATH} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`,
      `${half.length.toString(16)}\r\n${half}\r\n0\r\n\r\n`)
    assert.match(reply, /^HTTP\/1.1 400 .*"malformed_body"/s)
    assert.isEmpty(gw.sent)
  })

  it('reads a body that arrives byte by byte like one that arrives in one piece', async () => {
    await using gw = await gateway()
    const bodies = [
      ['application/json', JSON.stringify({ to: CUSTOMER, text: 'é🚚' })],
      ['application/x-www-form-urlencoded', `to=${CUSTOMER}&text=é🚚`],
      ['multipart/form-data; boundary=X', multipart(TO, part('name="text"', 'é🚚')).toString()],
    ] as const
    for (const [type, body] of bodies) {
      const bytes = Array.from(Buffer.from(body), (byte) => [Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]).flat()
      const reply = await gw.raw(
        `POST ${PATH} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked`,
        Buffer.concat([...bytes, Buffer.from('0\r\n\r\n')]))
      assert.match(reply, /^HTTP\/1.1 200 /)
    }
    assert.deepEqual(gw.messages().map(({ text }) => text), ['é🚚', 'é🚚', 'é🚚'])
  })

  it('does no harm if the caller goes away in the middle of a body', async () => {
    await using gw = await gateway()
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=X']) {
      const controller = new AbortController()
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => {
          stream.enqueue(Buffer.from('--X\r\nContent-Disposition: form-data; name="te'))
          setImmediate(() => controller.abort())
        },
      })
      const headers = { 'Content-Type': type, Authorization: `Bearer ${gw.key}` }
      const gone = await fetch(gw.url + PATH, inNode({ method: 'POST', body, headers, duplex: 'half', signal: controller.signal }))
        .catch(() => 'gone')
      assert.equal(gone, 'gone')
    }
    assert.equal((await gw.sendText({ to: CUSTOMER, text: 'hello' })).status, 200)
    assert.isEmpty(gw.log)
  })

  it('is refused if the bytes are not UTF-8', async () => {
    await using gw = await gateway()
    const latin = (text: string): Buffer => Buffer.from(text, 'latin1')
    const json = latin(`{"to":"${CUSTOMER}","text":"Ol\xe1 \xf0\x9f\x98"}`)
    await hadNoEffect(gw, await send(gw, json), [400, 'malformed_body', /UTF-8/])
    await hadNoEffect(
      gw, await send(gw, latin(`to=${CUSTOMER}&text=\xe1`), { 'Content-Type': 'application/x-www-form-urlencoded' }),
      [400, 'malformed_body', /UTF-8/],
    )
    await hadNoEffect(
      gw, await send(gw, `to=${CUSTOMER}&text=%e1`, { 'Content-Type': 'application/x-www-form-urlencoded' }),
      [400, 'malformed_body', /UTF-8/],
    )
    for (const text of [latin('\xe1'), latin('Ol\xe1'), latin('\xe1 \xe1')]) {
      await hadNoEffect(gw, await send(gw, multipart(TO, part('name="text"', text)), FORM_TYPE), [400, 'malformed_body', /UTF-8/])
    }
    const encoded = part('name="text"', latin('Ol\xe1').toString('base64'), 'Content-Transfer-Encoding: base64\r\n')
    await hadNoEffect(gw, await send(gw, multipart(TO, encoded), FORM_TYPE), [400, 'malformed_body', /UTF-8/])
  })

  it('is refused if a % of a form begins no escape, and the reply says how to write one', async () => {
    await using gw = await gateway()
    for (const text of ['100%', '100%zz', '%4']) {
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
      await hadNoEffect(gw, await send(gw, `to=${CUSTOMER}&text=${text}`, form), [400, 'malformed_body', /write a percent sign as %25$/])
    }
  })

  it('is refused if text, template_name or language holds half a character', async () => {
    await using gw = await gateway()
    await hadNoEffect(gw, await send(gw, `{"to":"${CUSTOMER}","text":"\\ud83d"}`), [
      400, 'invalid_parameter', /^text must be well-formed Unicode$/,
    ])
    const template = `{"to":"${CUSTOMER}","template_name":"\\udc00","language":"\\udc00"}`
    await hadNoEffect(gw, await send(gw, template, JSON_TYPE, '/v1/messages/send-template'),
      [400, 'invalid_parameter', /^template_name must be well-formed Unicode; language must be well-formed Unicode$/])
  })

  it('takes the last of duplicated JSON fields, and refuses duplicated form fields', async () => {
    await using gw = await gateway()
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    await hadNoEffect(gw, await send(gw, `to=${CUSTOMER}&text=a&text=b`, form), [400, 'invalid_parameter', /^text must be a string$/])
    await hadNoEffect(gw, await send(gw, `to[]=${CUSTOMER}&text[a]=b&text.b=c`, form), [400, 'missing_parameters'])
    await hadNoEffect(gw, await send(gw, multipart(TO, TO, part('name="text"', 'x')), FORM_TYPE), [
      400, 'invalid_parameter', /^to must be a string$/,
    ])
    assert.equal((await send(gw, `{"to":"1","to":"${CUSTOMER}","text":"a","text":"b"}`)).status, 200)
    assert.deepInclude(gw.messages()[0], { to: CUSTOMER, text: 'b' })
  })

  it('does no harm in fields named like what objects inherit', async () => {
    await using gw = await gateway()
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype']
    await hadNoEffect(
      gw, await send(gw, JSON.stringify(Object.fromEntries(names.map((name) => [name, { to: CUSTOMER, text: 'hello' }])))),
      [400, 'missing_parameters'],
    )
    await hadNoEffect(gw, await send(gw, `{"__proto__":${GOOD}}`), [400, 'malformed_body', /__proto__/])
    await hadNoEffect(
      gw,
      await send(gw, `__proto__[to]=${CUSTOMER}&__proto__=x&constructor=x&toString=x`, {
        'Content-Type': 'application/x-www-form-urlencoded',
      }),
      [400, 'missing_parameters'],
    )
    const parts = [...names, '__proto__'].map((name) => part(`name="${name}"`, 'x'))
    await hadNoEffect(gw, await send(gw, multipart(...parts), FORM_TYPE), [400, 'missing_parameters'])
    assert.notProperty({}, 'to')
    assert.equal((await send(gw, multipart(...parts, TO, part('name="text"', 'x')), FORM_TYPE)).status, 200)
  })

  it('is refused if a multipart form has a file instead of a field, and leaves no file behind', async () => {
    await using gw = await gateway()
    const before = await readdir(tmpdir())
    const files = [
      part('name="text"; filename="a.txt"', 'hello', 'Content-Type: text/plain\r\n'),
      part('name="text"; filename="a.bin"', Buffer.from([0xff, 0xfe, 0]), 'Content-Type: application/octet-stream\r\n'),
      part('name="text"; filename=""', '', 'Content-Type: application/octet-stream\r\n'),
      part('name="text"; filename="a.txt"', 'hello'),
    ]
    for (const file of files) {
      await hadNoEffect(gw, await send(gw, multipart(TO, file), FORM_TYPE), [400, 'invalid_parameter', /^text must be a text field, not a file$/])
    }
    const form = new FormData()
    form.set('to', new Blob([CUSTOMER]), 'to.txt')
    form.set('text', 'hello')
    await hadNoEffect(gw, await gw.request(PATH, { method: 'POST', body: form }), [
      400, 'invalid_parameter', /^to must be a text field, not a file$/,
    ])
    assert.deepEqual((await readdir(tmpdir())).filter((name) => !before.includes(name) && /^[a-z0-9]{25}$/.test(name)), [])
  })

  it('ignores a multipart file that nothing asked for, and reads typed and encoded fields', async () => {
    await using gw = await gateway()
    const text = (more: string, value = 'olá') =>
      multipart(TO, part('name="logo"; filename="a.png"', 'x', 'Content-Type: image/png\r\n'), part('name="text"', value, more))
    assert.equal((await send(gw, text('Content-Type: text/plain; charset=utf-8\r\n'), FORM_TYPE)).status, 200)
    assert.equal((await send(gw, text('Content-Transfer-Encoding: 8bit\r\n'), FORM_TYPE)).status, 200)
    assert.equal((await send(gw, text('Content-Transfer-Encoding: 7bit\r\n'), FORM_TYPE)).status, 200)
    assert.equal((await send(gw, text('Content-Transfer-Encoding: base64\r\n', 'b2zDoQ=='), FORM_TYPE)).status, 200)
    assert.deepEqual(gw.messages().map((message) => message['text']), Array.from({ length: 4 }, () => 'olá'))
    assert.equal((await send(gw, text('Content-Transfer-Encoding: x-odd\r\n'), FORM_TYPE)).status, 400)
  })

  it('is refused if multipart is malformed or cut short', async () => {
    await using gw = await gateway()
    const whole = multipart(TO, part('name="text"', 'hello'))
    const bodies = [
      whole.subarray(0, -8), whole.subarray(0, 60), Buffer.from('--Y\r\n'), Buffer.from('hello'),
      Buffer.from('--X\r\nno header\r\n\r\nx\r\n--X--'),
    ]
    for (const body of bodies) await hadNoEffect(gw, await send(gw, body, FORM_TYPE), [400, 'malformed_body'])
    await hadNoEffect(gw, await send(gw, whole, { 'Content-Type': 'multipart/form-data' }), [400, 'malformed_body'])
  })

  it('is refused before it is parsed if a form would take the parser long, and read if a text is as long as it may be', async () => {
    await using gw = await gateway()
    const tooMany = (what: string) => [400, 'malformed_body', new RegExp(`^The form has more than ${what}$`)] as const
    await hadNoEffect(gw, await send(gw, multipart(TO, part('name="text"', '\r'.repeat(60_000))), FORM_TYPE), tooMany('5000 line breaks'))
    const tiny = Array.from({ length: 1_000 }, () => part('name="a"', ''))
    await hadNoEffect(gw, await send(gw, multipart(...tiny, TO), FORM_TYPE), tooMany('32 parts'))
    await hadNoEffect(gw, await send(gw, Buffer.from('--X'.repeat(20_000)), FORM_TYPE), tooMany('32 parts'))
    const lines = 'x:\r\n'.repeat(300)
    await hadNoEffect(
      gw, await send(gw, multipart(TO, part('name="text"', 'x', lines)), FORM_TYPE), tooMany('1024 bytes of headers in a part'),
    )
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const longest = [`x${'\r'.repeat(4_095)}`, '€'.repeat(4_096)]
    for (const text of longest) {
      assert.equal((await send(gw, multipart(TO, part('name="text"', text)), FORM_TYPE)).status, 200)
      assert.equal((await send(gw, `to=${CUSTOMER}&text=${encodeURIComponent(text)}`, form)).status, 200)
    }
    assert.deepEqual(gw.messages().map(({ text }) => text), longest.flatMap((text) => [text, text]))
  })

  it('is refused if a form is larger than 64 KiB', async () => {
    await using gw = await gateway()
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=X']) {
      await hadNoEffect(gw, await send(gw, 'x'.repeat(64 * 1024 + 1), { 'Content-Type': type }), [413, 'payload_too_large', /64 KiB/])
    }
  })

  it('is refused if a form has more fields than any form has', async () => {
    await using gw = await gateway()
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    await hadNoEffect(gw, await send(gw, `${'a=&'.repeat(32)}to=${CUSTOMER}&text=hello`, form), [400, 'malformed_body'])
  })

  it('is refused if the content type is wrong, missing, in another charset or compressed', async () => {
    await using gw = await gateway()
    const types: ReadonlyArray<Record<string, string>> = [
      { 'Content-Type': 'text/plain' }, { 'Content-Type': 'application/xml' }, { 'Content-Type': 'application/jsonx' },
      { 'Content-Type': 'json' }, { 'Content-Type': '' }, { 'Content-Type': 'multipart/mixed; boundary=X' },
      { 'Content-Type': 'application/json; charset=iso-8859-1' }, { 'Content-Type': 'application/json; charset=utf-16' },
    ]
    for (const headers of types) await hadNoEffect(gw, await send(gw, Buffer.from(GOOD), headers), [415, 'unsupported_media_type'])
    await hadNoEffect(gw, await send(gw, Buffer.from(GOOD), {}), [415, 'unsupported_media_type'])
    for (const encoding of ['gzip', 'br', 'zstd']) {
      await hadNoEffect(
        gw, await send(gw, gzipSync(GOOD), { ...JSON_TYPE, 'Content-Encoding': encoding }), [415, 'unsupported_media_type', /compressed/],
      )
    }
    assert.equal((await send(gw, GOOD, { 'Content-Type': 'Application/JSON; charset=UTF-8', 'Content-Encoding': 'identity' })).status, 200)
  })
})
