import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { assert } from 'chai'
import express from 'express'
import * as E from 'fp-ts/lib/Either.js'
import { makeOpenApiDocument } from '../../../adapters/koa/index.js'
import { type HttpFailure, type Refusal, toReply } from '../../../adapters/koa/reply.js'
import { ERROR_CODES } from '../../../core/explanations/codes.js'
import { PLATFORM_ERRORS } from '../../../core/explanations/platform-errors.js'
import { listening } from '../../support/listening.js'
import { gateway } from './gateway.js'
import { ROWS } from './graph/rows.js'

type Refused = { readonly code: string; readonly doc_url: string; readonly retry: { readonly when: string; readonly after_s?: number } }

const WHOLE = {
  answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
  templateResults: true,
  senders: true,
  files: true, pages: true, queue: true, consent: true,
}

/** Every code that the OpenAPI document has. */
const documentedCodes = (): ReadonlyArray<string> =>
  Array.from(
    JSON.stringify(makeOpenApiDocument(WHOLE)).matchAll(/"type":"string","enum":(\[[^\]]*\]),"description":"For programs, and stable\."/g),
    ([, codes = '[]']) => JSON.parse(codes) as ReadonlyArray<string>,
  ).flat()

const pathOf = (url: string): string => new URL(url, 'http://gateway.test').pathname

describe('every failure', () => {
  for (const [failure] of Object.values<readonly [HttpFailure, ...ReadonlyArray<unknown>]>(ROWS)) {
    it(`${failure._tag} names its page, and whether to repeat the request`, () => {
      const { body, headers, code } = toReply(failure, { base: 'https://postern.example.com', now: 0 })
      const { doc_url, retry } = JSON.parse(body) as Refused
      assert.equal(doc_url, `https://postern.example.com/errors/${code}`)
      assert.include(['never', 'after', 'same_key', 'changed'], retry.when)
      assert.equal(retry.when === 'after', retry.after_s !== undefined)
      if (retry.when !== 'same_key') assert.equal(headers['Retry-After'], retry.after_s?.toString())
    })
  }

  it('has a code that is explained, or it does not compile', () => {
    // @ts-expect-error No page explains this code.
    const code: Refusal['code'] = 'lost'
    assert.notInclude<string>(ERROR_CODES, code)
  })

  it('of the OpenAPI document has a page, and each page is of one that it has', () => {
    assert.sameMembers([...new Set(documentedCodes())], [...ERROR_CODES])
  })

  it('after which the message may have gone is repeated with its key alone', () => {
    const advised = (failure: HttpFailure): string => (JSON.parse(toReply(failure, { base: '', now: 0 }).body) as Refused).retry.when
    for (const { 0: failure } of [ROWS.OutcomeUnknown, ROWS.Defect, ROWS.IdempotencyInProgress]) {
      assert.equal(advised(failure), 'same_key', failure._tag)
    }
  })
})

describe('the address of the page', () => {
  const refused = async (url: string, init: RequestInit = {}): Promise<Refused> => await (await fetch(url, init)).json() as Refused

  it('begins with the address of the gateway if that is known, and with nothing that a request says', async () => {
    await using known = await gateway({ deps: () => ({ publicUrl: 'https://postern.example.com' }) })
    await using unknown = await gateway()
    const forged = 'GET /v1/wallet HTTP/1.1\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nForwarded: host=evil.example'
    assert.include(await known.raw(forged), '"doc_url":"https://postern.example.com/errors/unauthenticated"')
    assert.include(await unknown.raw(forged), '"doc_url":"/errors/unauthenticated"')
    for (const target of ['http://evil.example/v1/wallet', '//evil.example/v1/wallet', 'http://evil.example//v1/wallet']) {
      assert.notInclude((await unknown.raw(`GET ${target} HTTP/1.1`)).replace(/"message":"[^"]*"/, ''), 'evil', target)
    }
  })

  it('leads to the page from where the request was sent, even at the other base', async () => {
    await using gw = await gateway()
    for (const path of ['/v1/wallet', '/api/v1/wallet', '/nowhere']) {
      const { doc_url } = await refused(gw.url + path)
      assert.equal((await fetch(new URL(doc_url, gw.url + path))).status, 200, path)
    }
  })

  it('leads to it in an app that is mounted below a path', async () => {
    await using gw = await gateway()
    const handle = gw.app.callback()
    const shop = express().use('/shop/gateway', (req, res) => void handle(req, res))
    await using outer = await listening(createServer(shop))
    const { doc_url } = await refused(`${outer.url}/shop/gateway/v1/wallet?x=1`)
    assert.equal(doc_url, '/shop/gateway/errors/unauthenticated')
    assert.equal((await fetch(new URL(doc_url, outer.url))).status, 200)
  })

  it('is absent below /graph, whose bodies are the platform’s', async () => {
    await using gw = await gateway()
    const { text } = await gw.get('/graph/v23.0/1/messages', { Authorization: 'Bearer no' })
    for (const field of ['doc_url', 'retry']) assert.notInclude(text, field)
  })
})

describe('the pages of errors', () => {
  const entered = () => E.right({ waitMs: 0, leave: () => undefined })
  const withoutLimits = () => gateway({ deps: () => ({ readLimits: { enterDocument: entered, enterList: entered } }) })

  it('load nothing but the font, run no script except the search of the list, and say what each error means, as HTML and as Markdown', async () => {
    await using gw = await withoutLimits()
    const pages = [...ERROR_CODES.map((code) => `/errors/${code}`), ...PLATFORM_ERRORS.map(({ number }) => `/errors/platform/${number}`)]
    for (const path of ['/errors', ...pages]) {
      const { status, headers, text } = await gw.get(path, { Authorization: '' })
      assert.equal(status, 200, path)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      const [, style = ''] = /<style>([^]*)<\/style>/.exec(text) ?? []
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
      assert.include(headers.get('content-security-policy') ?? '', `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
      const [, script = ''] = /<script>([^]*)<\/script>/.exec(text) ?? []
      assert.equal(script !== '', path === '/errors')
      if (script !== '') {
        assert.include(headers.get('content-security-policy'), `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`)
      }
      assert.notMatch(text, /<script[^>]|<img|@import|url\((?!(?:\.\.\/){0,2}docs\.woff2\))| on[a-z]+=|`|undefined/, path)
    }
    for (const path of pages) {
      const { status, headers, text } = await gw.get(`${path}.md`)
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/markdown; charset=utf-8'], path)
      assert.deepEqual(Array.from(text.matchAll(/^## (.*)$/gm), ([, heading]) => heading), [
        'What it means', 'Cause', 'What to do', 'Can it be repeated?', 'Is it charged?',
      ])
    }
  })

  it('lead to each other by addresses that hold under a prefix', async () => {
    await using gw = await withoutLimits()
    const linked = async (path: string): Promise<ReadonlyArray<string>> =>
      Array.from((await gw.get(path)).text.matchAll(/href="(?!data:|https:|#)([^"]+)"/g), ([, href = '']) =>
        pathOf(new URL(href, gw.url + path).href))
    const list = await linked('/errors')
    assert.includeMembers([...list], ['/errors.json', '/docs', '/errors/window_closed', '/errors/platform/131047'])
    for (const path of ['/errors/window_closed', '/errors/platform/131047']) {
      assert.sameMembers([...new Set(await linked(path))], ['/docs', '/errors'], path)
    }
    for (const path of list) assert.equal((await gw.get(path)).status, 200, path)
    assert.include(await linked('/docs'), '/errors')
  })

  it('are found by the words of their names and meanings, without a script', async () => {
    await using gw = await withoutLimits()
    const foundBy = async (search: string): Promise<ReadonlyArray<string>> => {
      const { status, text } = await gw.get(`/errors?${new URLSearchParams({ q: search }).toString()}`)
      assert.equal(status, 200, search)
      return Array.from(text.matchAll(/<li><p><a href="errors\/(?:platform\/)?(\w+)"/g), ([, name = '']) => name)
    }
    assert.deepEqual(await foundBy('WINDOW_closed'), ['window_closed'])
    assert.deepEqual(await foundBy('131047'), ['131047'])
    assert.includeMembers([...await foundBy('template approved')], ['template_not_approved'])
    assert.lengthOf(await foundBy('  '), ERROR_CODES.length + PLATFORM_ERRORS.length)
    assert.deepEqual(await foundBy('nothing has these words'), [])
    const { text } = await gw.get('/errors?q=%3Cb%3E%22x&q=other')
    assert.include(text, 'value="&lt;b&gt;&quot;x"')
    assert.match(text, /<p class="hint" role="status">No error has these words\.<\/p>/)
  })

  it('are all in one document for machines', async () => {
    await using gw = await withoutLimits()
    const { errors, platform_errors } = (await gw.get('/errors.json')).json as Readonly<Record<
      'errors' | 'platform_errors', ReadonlyArray<Readonly<Record<'fix' | 'cure', string>>>
    >>
    assert.lengthOf(errors, ERROR_CODES.length)
    assert.lengthOf(platform_errors, PLATFORM_ERRORS.length)
    for (const { fix, cure } of [...errors, ...platform_errors]) assert.isTrue(fix !== '' && fix === cure, fix)
  })

  it('are not found for a code that is not an error, and the answer names the nearest one', async () => {
    await using gw = await withoutLimits()
    for (const [path, meant] of [
      ['window_close', 'did you mean window_closed?'], ['WINDOW_CLOSED.md', 'did you mean window_closed?'], ['toString', '/errors lists'],
      ['platform/1310477', 'did you mean 131047?'], ['platform/7', '/errors lists'], ['platform/x', '/errors lists'],
    ] as const) {
      const { status, json } = await gw.get(`/errors/${path}`)
      assert.equal(status, 404, path)
      assert.include((json as { readonly message: string }).message, meant, path)
    }
    for (const path of ['platform', 'platform/', 'x/y', '%E0%A4%A', '..%2fdocs']) {
      assert.equal((await gw.get(`/errors/${path}`)).status, 404, path)
    }
  })
})
