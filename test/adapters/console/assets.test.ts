import { gunzipSync, gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { ASSETS } from '../../../adapters/console/assets.js'
import { openConsole, type OpenConsole } from './browser.js'

/** What a first visit may load, in bytes as they are sent. */
const MOST_BYTES = 60_000

describe('the files of the console', () => {
  let console: OpenConsole
  before(async () => { console = await openConsole() })
  after(() => console.close())

  const load = async (path: string, encoding: string) => {
    const reply = await fetch(console.origin + path, { headers: { 'Accept-Encoding': encoding } })
    // fetch has decompressed what came.
    return { status: reply.status, encoding: reply.headers.get('content-encoding'), vary: reply.headers.get('vary'), cache: reply.headers.get('cache-control'), text: await reply.text() }
  }

  it('are sent compressed to those who take it, and as they are to others', async () => {
    for (const { path, text, gzip } of ASSETS) {
      assert.equal(gunzipSync(gzip).toString(), text)
      const kept = { status: 200, vary: 'Accept-Encoding', cache: 'public, max-age=31536000, immutable', text }
      assert.deepEqual(await load(path, 'br, gzip'), { ...kept, encoding: 'gzip' })
      for (const encoding of ['identity', 'br', 'gzip;q=0']) assert.deepEqual(await load(path, encoding), { ...kept, encoding: null }, encoding)
    }
  })

  it('and a page together stay below what a first visit may load', async () => {
    const { token } = await console.join('boss@example.com')
    const page = await console.get(`/console/workspaces/${console.workspace}`, `postern_session=${token}`)
    assert.equal(page.status, 200)
    const bytes = ASSETS.reduce((sum, { gzip }) => sum + gzip.length, gzipSync(page.text).length)
    assert.isBelow(bytes, MOST_BYTES)
  })
})
