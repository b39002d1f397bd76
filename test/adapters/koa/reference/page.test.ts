import { createHash } from 'node:crypto'
import { assert } from 'chai'
import { makeOpenApiDocument } from '../../../../adapters/koa/index.js'
import { docsPage } from '../../../../adapters/koa/reference/page.js'
import { SCRIPT } from '../../../../adapters/koa/reference/script.js'
import { ERROR_CODES } from '../../../../core/explanations/codes.js'
import { documentedAt } from '../contract.js'
import { gateway } from '../gateway.js'

const ALL = {
  answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
  templateResults: true,
  senders: true,
  files: true, pages: true, queue: true, consent: true,
}
const SERVED = { ...ALL, webhook: false, appWebhooks: false, metrics: false, pages: false }
/** The fields of the queue are listed at three operations, those of a batch at seven. */
const MAX_BYTES = 590_000

/** The page of everything that can be served. */
const whole = (options: Parameters<typeof docsPage>[1] = {}): string => docsPage(makeOpenApiDocument(ALL), options).body

const sectionsOf = (page: string): ReadonlyMap<string, string> =>
  new Map(Array.from(page.matchAll(/<section id="(\w+)">([^]*?)<\/section>/g), ([, id = '', section = '']) => [id, section]))

describe('the page at /docs', () => {
  it('begins with the base address, how to send the key, and a request', async () => {
    await using gw = await gateway()
    const page = await (await fetch(`${gw.url}/docs`)).text()
    assert.match(page, /<section id="start">[^]*https:\/\/postern\.example\.com<\/span>\/v1<[^]*<section id="authentication">[^]*<code>Authorization: Bearer pst_…<\/code>[^]*curl <span class="base">https:\/\/postern\.example\.com<\/span>\/v1\/key /)
    assert.isBelow(page.indexOf('curl <span'), page.indexOf('id="tag-sending"'))
  })

  it('says of each operation whether it takes a key, and which scope the key needs', () => {
    const sections = sectionsOf(docsPage(makeOpenApiDocument(SERVED)).body)
    const { paths } = makeOpenApiDocument(SERVED)
    for (const [, { operationId, security }] of Object.values(paths).flatMap(documentedAt)) {
      const section = sections.get(operationId) ?? ''
      assert.include(section, security?.length === 0 ? 'takes no key' : '<a href="#authentication">with the API key</a>', operationId)
    }
    assert.include(sections.get('sendText'), 'needs the scope <code>send</code>')
    assert.include(sections.get('listEvents'), 'needs the scope <code>events</code>')
    assert.include(sections.get('getKey'), 'whatever its scopes')
  })

  it('loads nothing but its script and its font, runs none that is written in it, and names every operation and schema', async () => {
    await using gw = await gateway()
    const response = await fetch(`${gw.url}/docs`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    const page = await response.text()
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(page) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    assert.equal(response.headers.get('content-security-policy'), `default-src 'none'; style-src 'sha256-${hash}'; font-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`)
    assert.deepEqual(page.match(/<script[^>]*>/g), ['<script src="docs.js" defer>'])
    assert.notMatch(page, /<img|@import|url\((?!docs\.woff2\))| on[a-z]+=| style=|undefined|\[object|(?:src|href)="(?!#|data:|openapi\.json|errors["/]|docs"|docs\.js")/)
    const { paths, components } = makeOpenApiDocument(SERVED)
    for (const [, { operationId }] of Object.values(paths).flatMap(documentedAt)) assert.include(page, `<section id="${operationId}">`)
    for (const name of Object.keys(components.schemas)) assert.include(page, `<h3 id="schema-${name}">`)
  })

  it('has its script at an address of its own, with an ETag', async () => {
    await using gw = await gateway()
    const response = await fetch(new URL('docs.js', `${gw.url}/docs`))
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
    assert.equal(await response.text(), SCRIPT)
    const again = await fetch(`${gw.url}/docs.js`, { headers: { 'If-None-Match': response.headers.get('etag') ?? '' } })
    assert.equal(again.status, 304)
  })

  it('has the font of the console at an address of its own, which is kept for a day', async () => {
    await using gw = await gateway()
    const { status, headers } = await fetch(new URL('docs.woff2', `${gw.url}/docs`))
    assert.deepEqual([status, headers.get('content-type'), headers.get('cache-control')], [200, 'font/woff2', 'public, max-age=86400'])
  })

  it('has no more than 590 kB with its script', () => {
    assert.isBelow(Buffer.byteLength(whole({ hasConsole: true })) + Buffer.byteLength(SCRIPT), MAX_BYTES)
  })

  it('leads to what it names, and each id is there once', async () => {
    await using gw = await gateway()
    const page = await (await fetch(`${gw.url}/docs`)).text()
    const ids = Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
    const anchors = new Set(ids)
    assert.lengthOf(ids, anchors.size)
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) assert.isTrue(anchors.has(target), target)
    const named = await fetch(new URL('openapi.json', `${gw.url}/docs`))
    assert.deepEqual([named.status, Object.keys((await named.json()) as object)[0]], [200, 'openapi'])
  })

  it('names the codes with which each operation refuses, and leads to the page of each', () => {
    const page = whole()
    const codes = Array.from(page.matchAll(/href="errors\/([^"]*)"/g), ([, code = '']) => code)
    assert.deepEqual(codes.filter((code) => !ERROR_CODES.some((known) => known === code)), [])
    assert.match(sectionsOf(page).get('sendText') ?? '', /<dt>402<\/dt><dd><a href="errors\/insufficient_balance">insufficient_balance<\/a> <a href="errors\/spending_limit_reached">/)
  })

  it('has the fields of a body, those that are required, their limits, and the fields in them', () => {
    const section = sectionsOf(whole()).get('sendText') ?? ''
    assert.match(section, /<code>text<\/code> <span class="soft">string, 1 to 4096 characters<\/span> <span class="must">required<\/span>/)
    assert.match(section, /<code>context<\/code>[^]*<details><summary>One field: message_id<\/summary><ul class="fields">\n<li><code>message_id<\/code>[^]*wamid/)
  })

  it('shows PUBLIC_URL as the base address', () => {
    const page = whole({ publicUrl: 'https://send.shop.test' })
    assert.notInclude(page, 'https://postern.example.com/v1')
    assert.include(page, 'curl <span class="base">https://send.shop.test</span>/v1/key')
    // The script leaves it as it is.
    assert.match(page, /<main [^>]*data-public>/)
    assert.notMatch(whole(), /<main [^>]*data-public>/)
  })

  it('leads to the console only if there is one', async () => {
    await using gw = await gateway({ deps: () => ({ hasConsole: true }) })
    await using without = await gateway()
    for (const [path, href] of [
      ['/docs', 'console'], ['/errors', 'console'], ['/errors/window_closed', '../console'], ['/errors/platform/131047', '../../console'],
    ] as const) {
      assert.include(await (await fetch(gw.url + path)).text(), `<a href="${href}">`, path)
      assert.notInclude(await (await fetch(without.url + path)).text(), `href="${href}"`, path)
    }
  })

  it('says what costs money, and offers no form for what only the platform asks', () => {
    const sections = sectionsOf(whole())
    for (const id of ['sendText', 'sendTemplate', 'sendMessage']) {
      assert.include(sections.get(id), '<button>Send now: this costs money</button>', id)
    }
    for (const id of ['quoteText', 'getWallet', 'addEndpoint']) assert.include(sections.get(id), '<button>Send the request</button>', id)
    assert.notInclude(sections.get('receiveNotification'), '<form')
  })
})
