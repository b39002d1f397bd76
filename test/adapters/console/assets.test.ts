import { gunzipSync, gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { ASSETS, FONT, STYLE_SHEET } from '../../../adapters/console/assets.js'
import { openConsole, type OpenConsole } from './browser.js'

/** What a first visit may load, in bytes as they are sent. */
const MAX_BYTES = 120_000

describe('the files of the console', () => {
  let console: OpenConsole
  before(async () => { console = await openConsole() })
  after(() => console.close())

  const load = async (path: string, encoding: string) => {
    const reply = await fetch(console.origin + path, { headers: { 'Accept-Encoding': encoding } })
    const { status, headers } = reply
    // fetch has decompressed what came.
    return {
      status, encoding: headers.get('content-encoding'), vary: headers.get('vary'), cache: headers.get('cache-control'),
      body: Buffer.from(await reply.arrayBuffer()),
    }
  }
  const kept = { status: 200, cache: 'public, max-age=31536000, immutable' }

  it('are sent compressed to those who take it, and as they are to others', async () => {
    for (const { path, body, gzip } of ASSETS) {
      if (gzip === undefined) continue
      const sent = { ...kept, vary: 'Accept-Encoding', body: Buffer.from(body) }
      assert.deepEqual(gunzipSync(gzip), sent.body)
      assert.deepEqual(await load(path, 'br, gzip'), { ...sent, encoding: 'gzip' })
      for (const encoding of ['identity', 'br', 'gzip;q=0']) {
        assert.deepEqual(await load(path, encoding), { ...sent, encoding: null }, encoding)
      }
    }
  })

  it('have a font, which is compressed in itself, and which a page may load from here', async () => {
    const { path, body } = FONT
    assert.deepEqual(await load(path, 'gzip'), { ...kept, encoding: null, vary: null, body: Buffer.from(body) })
    const page = await fetch(`${console.origin}/console/sign-in`)
    assert.include(page.headers.get('content-security-policy') ?? '', "font-src 'self'")
    assert.include(await page.text(), `href="${path}"`)
    assert.include(STYLE_SHEET.body, `url(${path})`)
  })

  it('and a page together stay below what a first visit may load', async () => {
    const { token } = await console.join('boss@example.com')
    const page = await console.get(`/console/workspaces/${console.workspace}`, `postern_session=${token}`)
    assert.equal(page.status, 200)
    const bytes = ASSETS.reduce((sum, { body, gzip = body }) => sum + gzip.length, gzipSync(page.text).length)
    assert.isBelow(bytes, MAX_BYTES)
  })
})
