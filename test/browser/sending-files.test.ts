import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type ClientRequest, Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { rightOf } from '../support/right-of.js'
import { openConsole, type Console, type Viewer } from './console.js'

const CUSTOMER = '4915123456789'
const STRANGER = '4915123456780'
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'), Buffer.alloc(300)])
const IMAGE = { to: CUSTOMER, what: 'image', caption: 'Your boots', link: '' }
const MIB = 1024 * 1024

type Fields = Readonly<Record<string, string>>

/** How a form with a file begins, up to the first byte of the file. */
const beginning = (fields: Fields, name = 'boots.png'): string => [
  ...Object.entries(fields).map(([field, value]) => `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`),
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
].join('')

describe('A file in the console of a whole gateway', () => {
  let dashboard: Console
  let path: string
  beforeEach(async () => {
    dashboard = await openConsole()
    path = `/console/workspaces/${dashboard.tenant.id}/send/file`
    await dashboard.tenant.customerWrites(CUSTOMER)
  })
  afterEach(() => dashboard.close())

  const headersOf = (as: Viewer): Fields => ({ Cookie: dashboard.cookieOf(as), Origin: dashboard.gateway.url })
  const post = (fields: Fields, file: Buffer | null = PNG, as: Viewer = 'owner', name = 'boots.png') => {
    const body = new FormData()
    for (const [field, value] of Object.entries(fields)) body.append(field, value)
    if (file !== null) body.append('file', new File([new Uint8Array(file)], name))
    return fetch(dashboard.gateway.url + path, { method: 'POST', redirect: 'manual', body, headers: headersOf(as) })
  }
  /** Begins to send a large file, and hears the answer before the rest of it. */
  const begin = (
    fields: Fields, headers: Fields, agent?: Agent,
  ): Promise<{ readonly answer: IncomingMessage; readonly sent: ClientRequest; readonly left: number }> =>
    new Promise((resolve, reject) => {
      const first = beginning(fields)
      const sent = httpRequest(dashboard.gateway.url + path, {
        method: 'POST', ...(agent && { agent }),
        headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': Buffer.byteLength(first) + 4 * MIB },
      }, (answer) => { resolve({ answer, sent, left: 4 * MIB }) })
      sent.on('error', reject)
      sent.write(first)
    })
  const messages = async () => rightOf(await dashboard.gateway.storage.messageLog.list(dashboard.tenant.id, { limit: 50 })).items
  const entries = async () =>
    rightOf(await dashboard.gateway.storage.auditLog.list({ limit: 100 })).items.filter(({ act }) => act === 'message.send')

  it('is sent once, however often its form is sent, and noted with its kind alone', async () => {
    for (const _again of [1, 2]) {
      const reply = await post({ ...IMAGE, key: 'k' })
      const [message, ...more] = await messages()
      assert.deepEqual([reply.status, reply.headers.get('location'), more], [303, path.replace('file', `sent/${message?.id ?? ''}`), []])
    }
    assert.deepEqual(
      dashboard.gateway.simulator.received().map(({ type, to, text }) => [type, to, text]), [['image', CUSTOMER, 'Your boots']],
    )
    assert.deepEqual((await entries()).map(({ outcome, details }) => [outcome, details]), [['done', { kind: 'image' }]])
    const another = await post({ ...IMAGE, key: 'k' }, Buffer.concat([PNG, Buffer.alloc(1)]))
    assert.equal(another.status, 422)
    assert.match(await another.text(), /This form was already sent with another message/)
  })

  it('is refused at its field where it is empty, missing, too large or not of its type, and nothing that was typed is lost', async () => {
    const cases: ReadonlyArray<readonly [Buffer | null, RegExp, name?: string]> = [
      [Buffer.alloc(0), /The file is empty\. Nothing was sent\./], [Buffer.alloc(0), /Choose a file\./, ''], [null, /Choose a file\./],
      [Buffer.from('%PDF-1.7 and so on, for a while'), /An image must be image\/jpeg, image\/png; [^<]* application\/pdf\. Nothing was sent\./],
      [Buffer.concat([PNG, Buffer.alloc(5 * MIB)]), /The file is too large: an image may have at most 5 MiB\. Nothing was sent\./],
    ]
    for (const [file, sentence, name] of cases) {
      const reply = await post({ ...IMAGE, key: 'k' }, file, 'owner', name)
      const page = await reply.text()
      assert.equal(reply.status, 422, page)
      assert.match(/id="file-fault"[^>]*>(?:<svg.*?<\/svg>)?([^<]*)/.exec(page)?.[1] ?? page, sentence)
      assert.match(page, /type="file"[^>]*autofocus[^>]*aria-describedby="file-hint file-fault"/)
      assert.include(page, 'name="caption" value="Your boots"')
      assert.match(page, /Send for /)
    }
    assert.isEmpty(await messages())
    assert.equal((await dashboard.tenant.balance()).available, '100.000000')
  })

  it('is refused for its message before it has come, which the page says, with what to do', async () => {
    const cases: ReadonlyArray<readonly [Fields, RegExp]> = [
      [{ ...IMAGE, caption: 'x'.repeat(1_025), key: 'k' }, /The maximum is 1024 characters; this has 1025/],
      [{ ...IMAGE, key: '' }, /Send for /], [{ ...IMAGE, what: 'text', key: 'k' }, /Enter a text/],
    ]
    for (const [fields, sentence] of cases) {
      const { answer, sent } = await begin(fields, headersOf('owner'))
      assert.match((await answer.setEncoding('utf8').toArray()).join(''), sentence)
      sent.destroy()
    }
    const closed = await post({ ...IMAGE, to: STRANGER, key: 'k' })
    assert.equal(closed.status, 422)
    assert.match(await closed.text(), /window is closed, so nothing was sent/)
    assert.isEmpty(await messages())
  })

  it('is not read of those who may not send, nor of another site, nor of those who are not signed in', async () => {
    const cases: ReadonlyArray<readonly [Fields, status: number]> = [
      [headersOf('viewer'), 403], [headersOf('stranger'), 403], [{ ...headersOf('owner'), Origin: 'https://evil.example' }, 403],
      [{ Origin: dashboard.gateway.url }, 303],
    ]
    for (const [headers, status] of cases) {
      const { answer, sent } = await begin({ ...IMAGE, key: 'k' }, headers)
      assert.equal(answer.statusCode, status)
      sent.destroy()
    }
    assert.deepEqual((await entries()).map(({ outcome, by }) => [outcome, by.type === 'member' ? by.email : by.type]), [
      ['refused', 'stranger@example.com'], ['refused', 'viewer@example.com'],
    ])
    for (const as of ['operator', 'owner', 'developer'] as const) {
      assert.equal((await post({ ...IMAGE, key: `of ${as}` }, PNG, as)).status, 303, as)
    }
  })

  it('is read to its end where it was refused, so that the connection takes the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { answer, sent, left } = await begin({ ...IMAGE, caption: 'x'.repeat(1_025), key: 'k' }, headersOf('owner'), agent)
    assert.equal(answer.statusCode, 422)
    answer.resume()
    const { localPort } = sent.socket ?? assert.fail('there is no connection')
    sent.end(Buffer.alloc(left))
    const next = await new Promise<number | undefined>((resolve, reject) => {
      const again = httpRequest(`${dashboard.gateway.url}/console/sign-in`, { agent }, (response) => {
        response.resume()
        resolve(again.socket?.localPort)
      })
      again.on('error', reject).end()
    })
    assert.equal(next, localPort)
    agent.destroy()
  })

  it('is sent by the command that the page shows, too', async () => {
    const checked = await fetch(dashboard.gateway.url + path.replace('/file', '/check'), {
      method: 'POST', body: new URLSearchParams({ ...IMAGE, caption: "@it's <new>" }), headers: headersOf('owner'),
    })
    const [, command = ''] = /<pre [^>]*>([^<]*)<\/pre>/.exec(await checked.text()) ?? []
    const text = command.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
    const folder = await mkdtemp(join(tmpdir(), 'postern-curl-'))
    try {
      await writeFile(join(folder, 'boots.png'), PNG)
      await promisify(execFile)(
        'sh', ['-c', text], { env: { ...process.env, POSTERN_KEY: dashboard.tenant.key, FILE: join(folder, 'boots.png') } },
      )
    } finally {
      await rm(folder, { recursive: true })
    }
    assert.deepEqual(dashboard.gateway.simulator.received().map((message) => [message.type, message.text]), [['image', "@it's <new>"]])
  })

  it('is asked for with its limits, and the same page takes an address in its place', async () => {
    const check = (fields: Fields) =>
      fetch(dashboard.gateway.url + path.replace('/file', '/check'), {
        method: 'POST', body: new URLSearchParams(fields), headers: headersOf('owner'),
      }).then((reply) => reply.text())
    const asked = await check(IMAGE)
    assert.match(asked, /<form method="post" action="[^"]+\/send\/file" enctype="multipart\/form-data">/)
    assert.match(asked, new RegExp(`accept="image/jpeg,image/png"[^>]*data-most="${5 * MIB}"`))
    assert.match(asked, /JPEG, PNG, up to 5 MiB\./)
    assert.match(await check({ to: CUSTOMER, what: 'sticker', link: '' }), /WEBP, up to 100 KiB, or 500 KiB if animated\./)
    assert.notMatch(await check({ to: CUSTOMER, what: 'document', link: '' }), /accept=/)
    const linked = await check({ ...IMAGE, link: 'https://shop.example/boots.png' })
    assert.match(linked, /https:\/\/shop\.example\/boots\.png/)
    assert.notInclude(linked, 'type="file"')
    const unsent = await fetch(dashboard.gateway.url + path.replace('/file', '/confirm'), {
      method: 'POST', body: new URLSearchParams({ ...IMAGE, key: 'k' }), headers: headersOf('owner'), redirect: 'manual',
    })
    assert.deepEqual([unsent.status, await messages()], [200, []])
  })
})
