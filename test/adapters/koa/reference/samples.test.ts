import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { LANGUAGES, type SampleRequest } from '../../../../adapters/koa/reference/samples.js'
import { listening, withBody } from '../../../support/listening.js'
import { exampleWrites, gateway } from '../gateway.js'
import { RUNNING, run } from './programs.js'

const UNESCAPED: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }

/** The program that the page shows of an operation, as one copies it. */
const shown = (page: string, section: string, language: string): string => {
  const [, found = ''] = new RegExp(
    `<section id="${section}">[^]*?<div class="sample ${language}"><pre tabindex="0"><code>([^]*?)</code>`,
  ).exec(page)
    ?? []
  return found.replace(/<\/?span[^>]*>/g, '').replace(/&\w+;/g, (entity) => UNESCAPED[entity] ?? entity)
}

/** What a shell, a template literal or an escape would change. */
const NASTY = {
  'it\'s "quoted"': 'it\'s "quoted" and \\\'escaped\\\'', dollar: '$HOME ${HOME} $(id) `id` %s {$x}', lines: 'one\ntwo\r\n\tthree\\n',
  'ünï': '👍 ß \u2028 </script>', at: '@/etc/passwd', constants: [true, false, null, 0, -1.5, 12_345_678_901], empty: {}, none: [],
  deep: { inner: [{ x: "'" }] },
}

type Received = {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
  readonly idempotencyKey: unknown
  readonly contentType: string
  readonly body: Buffer
}

/** A server that notes requests. */
const recorder = async () => {
  const received: Array<Received> = []
  const server = await listening(createServer(withBody((body, { method = '', url = '', headers }, response) => {
    received.push({
      method, url, authorization: headers.authorization, idempotencyKey: headers['idempotency-key'],
      contentType: headers['content-type'] ?? '', body,
    })
    response.setHeader('Content-Type', 'application/json').end('{"status":"success"}')
  })))
  return { ...server, received }
}

/** Reads a value as PHP reads it, by its rules for strings between single quotes: only \\ and \' are escapes. */
const fromPhp = (source: string): unknown => {
  const tokens = Array.from(source.matchAll(/'((?:\\[^]|[^\\'])*)'|=>|new stdClass\(\)|true|false|null|-?[\d.]+|[[\],]/g))
  let at = 0
  const next = () => tokens[at++] ?? assert.fail('the program ends too early')
  const isNext = (word: string): boolean => tokens[at]?.[0] === word
  const value = (): unknown => {
    const [token, text] = next()
    if (text !== undefined) return text.replace(/\\([\\'])/g, '$1')
    if (token === 'new stdClass()') return {}
    if (token !== '[') return JSON.parse(token)
    const items: Array<readonly [unknown, unknown]> = []
    let isMap = false
    while (!isNext(']')) {
      const first = value()
      isMap = isNext('=>')
      if (isMap) at += 1
      items.push(isMap ? [first, value()] : [items.length, first])
      assert.equal(next()[0], ',')
    }
    at += 1
    return isMap ? Object.fromEntries(items) : items.map(([, item]) => item)
  }
  return value()
}

describe('the samples of the reference', () => {
  for (const language of RUNNING) {
    it(`work as they are shown, in ${LANGUAGES[language].name}`, async () => {
      await using gw = await gateway()
      await exampleWrites(gw)
      const page = await (await fetch(`${gw.url}/docs`)).text()
      const outputs = await Promise.all(['authentication', 'getWallet', 'sendText', 'quoteText', 'addEndpoint'].map((section) => {
        const program = shown(page, section, language)
        assert.include(program, 'https://postern.example.com/v1/', section)
        return run(language, program.replaceAll('https://postern.example.com', gw.url), gw.key)
      }))
      const [key, wallet, send, quote, endpoint] = outputs
      assert.match(key ?? '', /scopes/)
      assert.match(wallet ?? '', /available/)
      assert.match(send ?? '', /success[^]*wamid\./)
      assert.match(quote ?? '', /0\.007700/)
      assert.match(endpoint ?? '', /whsec_/)
      assert.lengthOf(gw.sent, 1)
    })

    it(`keep every character of what they send, in ${LANGUAGES[language].name}`, async () => {
      const server = await recorder()
      try {
        const request: SampleRequest = {
          method: 'POST', url: `${server.url}/v1/x/a%20b?c=d`, isKeyed: true, headers: { 'Idempotency-Key': 'it\'s "$HOME" \\ `x`' },
          body: { _tag: 'Json', value: NASTY }, reply: 'json',
        }
        await run(language, LANGUAGES[language].write(request), 'pst_a')
        await run(
          language, LANGUAGES[language].write({ ...request, method: 'DELETE', headers: {}, body: { _tag: 'Json', value: {} } }), 'pst_b',
        )
        const [posted, removed] = server.received
        assert.deepEqual(JSON.parse(posted?.body.toString() ?? ''), NASTY)
        assert.deepInclude(posted, {
          method: 'POST', url: '/v1/x/a%20b?c=d', authorization: 'Bearer pst_a', idempotencyKey: 'it\'s "$HOME" \\ `x`',
          contentType: 'application/json',
        })
        assert.deepInclude(removed, { method: 'DELETE', authorization: 'Bearer pst_b', body: Buffer.from('{}') })
      } finally {
        await server.close()
      }
    })

    it(`send a file as the last part of a form, in ${LANGUAGES[language].name}`, async () => {
      const server = await recorder()
      const folder = await mkdtemp(join(tmpdir(), 'postern-samples-'))
      try {
        await writeFile(join(folder, 'invoice.pdf'), '%PDF-1.7 \r\n"')
        const program = LANGUAGES[language].write({
          method: 'POST', url: `${server.url}/v1/media`, isKeyed: true, headers: {}, reply: 'json',
          body: {
            _tag: 'Form', fields: { caption: '@it\'s "yours"; type=x' },
            file: { field: 'file', name: 'invoice.pdf', type: 'application/pdf' },
          },
        })
        await run(language, program, 'pst_a', folder)
        const [received] = server.received
        const form = await new Response(Uint8Array.from(received?.body ?? []), {
          headers: { 'Content-Type': received?.contentType ?? '' },
        }).formData()
        assert.deepEqual([...form.keys()], ['caption', 'file'])
        assert.equal(form.get('caption'), '@it\'s "yours"; type=x')
        const file = form.get('file') as File
        assert.deepEqual([file.name, file.type, await file.text()], ['invoice.pdf', 'application/pdf', '%PDF-1.7 \r\n"'])
      } finally {
        await rm(folder, { recursive: true, force: true })
        await server.close()
      }
    })
  }

  it('quote strings by the rules of PHP, by a reader of our own if PHP is not installed', () => {
    const program = LANGUAGES.php.write({
      method: 'PATCH', url: "https://postern.example.com/v1/it's", isKeyed: true, headers: { 'X-Name': "it's \\ $x" },
      body: { _tag: 'Json', value: NASTY }, reply: 'json',
    })
    const [, body = ''] = /json_encode\(([^]*)\),\n\]\);/.exec(program) ?? []
    assert.deepEqual(fromPhp(body), NASTY)
    assert.include(program, String.raw`curl_init('https://postern.example.com/v1/it\'s')`)
    assert.include(program, String.raw`'X-Name: it\'s \\ $x',`)
    assert.include(program, "'Authorization: Bearer ' . getenv('POSTERN_KEY'),")
  })

  it('exist for every operation except those of the platform, in every language', async () => {
    await using gw = await gateway()
    const page = await (await fetch(`${gw.url}/docs`)).text()
    const sections = Array.from(page.matchAll(/<section id="(\w+)">/g), ([, id = '']) => id)
      .filter((id) => !['start', 'conventions'].includes(id))
    assert.isAbove(sections.length, 30)
    for (const section of sections) {
      for (const language of Object.keys(LANGUAGES)) {
        assert.include(shown(page, section, language), 'https://postern.example.com', `${section} in ${language}`)
      }
    }
  })
})
