import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { findPages, readPages } from '../../../apps/server/pages.js'
import { gateway, type Gateway } from '../../adapters/koa/gateway.js'
import { ROOT } from '../../architecture/tree.js'

const pages = findPages() ?? assert.fail('there are no pages')

/** There is a limit for documents, which is not what is tested here. */
const unlimited = {
  enterDocument: () => ({ _tag: 'Right' as const, right: { waitMs: 0, leave: () => undefined } }), enterList: () => assert.fail('a list'),
}
const open = (): Promise<Gateway> => gateway({ deps: () => ({ pages, readLimits: unlimited }) })

/** The links of a page, outside of code, as paths of the gateway. */
const linksIn = (text: string, path: string): ReadonlyArray<string> =>
  Array.from(
    text.replaceAll(/^ *```[^]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)\s]+)?\)/g),
    ([, target = '']) => new URL(target, `http://gateway${path}`).pathname,
  )

describe('the pages for programs', () => {
  it('are listed in the form of llmstxt.org: a title, a summary, and sections of links with a sentence each', async () => {
    await using gw = await open()
    const { text, headers } = await gw.get('/llms.txt')
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.match(text, /^# Postern\n\n> .+\n\n(?:(?!#).+\n\n)?## /)
    for (const line of text.split('\n## ').slice(1).flatMap((section) => section.split('\n').slice(1))) {
      assert.match(line, /^(- \[[^\]]+\]\([^)]+\): \S.+)?$/)
    }
    for (const link of linksIn(text, '/llms.txt')) assert.equal((await gw.get(link)).status, 200, link)
  })

  it('contain every page; the list leads to each except the single decisions', async () => {
    await using gw = await open()
    const files = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
    assert.sameMembers([...pages().pages.keys()], [...files, 'README.md', 'CHANGELOG.md'])
    const listed = linksIn((await gw.get('/llms.txt')).text, '/llms.txt')
    assert.includeMembers(
      [...listed], [...pages().pages.keys()].filter((name) => !/^decisions\/\d/.test(name)).map((name) => `/docs/${name}`),
    )
  })

  it('are Markdown with links that lead on', async () => {
    await using gw = await open()
    const served = new Set([...pages().pages.keys()].map((name) => `/docs/${name}`))
    for (const path of served) {
      const { status, headers, text } = await gw.get(path)
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/markdown; charset=utf-8'], path)
      assert.deepEqual(linksIn(text, path).filter((link) => !served.has(link)), [], path)
    }
    assert.include((await gw.get('/docs/README.md')).text, '](api.md)')
    assert.include((await gw.get('/docs/operations/run.md')).text, '](../deployment.md')
    assert.match((await gw.get('/docs/deployment.md')).text, /\(`deploy\/nginx\.conf` in the package\)/)
    assert.notMatch((await gw.get('/docs/README.md')).text, /!\[|\.png/)
  })

  it('are kept by a client until they change', async () => {
    await using gw = await open()
    const { headers } = await gw.get('/docs/api.md')
    assert.equal(headers.get('cache-control'), 'no-cache')
    assert.equal((await gw.get('/docs/api.md', { 'If-None-Match': headers.get('etag') ?? '' })).status, 304)
  })

  it('are the only files that are served', async () => {
    await using gw = await open()
    for (const path of [
      '/docs/../package.json', '/docs/..%2fpackage.json', '/docs/%2e%2e/package.json', '/docs/..%2f..%2fetc%2fpasswd',
      '/docs/operations%2frun.md', '/docs/operations/..%2fapi.md', '/docs/api.md%00', '/docs/api', '/docs/API.md',
      '/docs/examples/client.ts', '/docs/llms.txt', '/docs/operations/', '/docs//api.md', '/docs/decisions/README.md/',
      '/docs/constructor.md', '/docs/__proto__.md',
    ]) {
      // `fetch` would tidy the address up.
      assert.match(await gw.raw(`GET ${path} HTTP/1.1`), /^HTTP\/1\.1 404 /, path)
    }
  })

  it('are not there if an app has none', async () => {
    await using gw = await gateway()
    for (const path of ['/llms.txt', '/docs/api.md', '/docs/operations/run.md']) assert.equal((await gw.get(path)).status, 404, path)
  })

  it('name files that are not served, and keep other addresses', () => {
    const texts: Readonly<Record<string, string>> = {
      'docs/llms.txt': 'list', 'docs/a.md': '[`b[0]`](sub/b.md#x) [c](../core/c.ts) ![p](p.png) [web](https://example.com) [here](#x)',
      'docs/sub/b.md': '[a](../a.md), [r](../../README.md)', 'README.md': '[a](docs/a.md)',
    }
    const { pages: made } = readPages((path) => texts[path] ?? '', ['README.md', 'docs/a.md', 'docs/sub/b.md'])
    assert.deepEqual([...made], [
      ['README.md', '[a](a.md)'], ['a.md', '[`b[0]`](sub/b.md#x) c (`core/c.ts` in the package) p [web](https://example.com) [here](#x)'],
      ['sub/b.md', '[a](../a.md), [r](../README.md)'],
    ])
  })
})
