import { assert } from 'chai'
import { readDownloadAddress } from '../../../adapters/cloud-api/transport.js'

const META = 'https://graph.facebook.com'
const SIMULATOR = 'http://127.0.0.1:4010'

describe('the address of an attachment', () => {
  const allowed = [
    'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1&ext=2&hash=a-b_c', 'https://LOOKASIDE.fbsbx.com/x',
    'https://fbsbx.com/x', 'https://a.b.fbsbx.com/x', 'https://mmg.whatsapp.net/v/t62?ccb=1', 'https://media.fna.whatsapp.net/x',
    'https://graph.facebook.com/v25.0/1', 'https://lookaside.fbsbx.com:443/x',
  ]
  for (const address of allowed) {
    it(`may get the token at ${address}, whatever the platform is for this gateway`, () => {
      for (const origin of [META, SIMULATOR]) {
        const { origin: to, path } = readDownloadAddress(address, origin) ?? { origin: undefined, path: '' }
        const { origin: wanted, pathname, search } = new URL(address)
        assert.deepEqual([to, path], [wanted, pathname + search])
      }
    })
  }

  const refused: ReadonlyArray<unknown> = [
    'http://lookaside.fbsbx.com/x', 'https://lookaside.fbsbx.com:8443/x', 'https://fbsbx.com.evil.test/x', 'https://evilfbsbx.com/x',
    'https://fbsbx.com@evil.test/x', 'https://user:word@lookaside.fbsbx.com/x', 'https://user@lookaside.fbsbx.com/x',
    'https://lookaside.fbsbx.com.', 'https://evil.test/#lookaside.fbsbx.com', 'https://evil.test/?x=.fbsbx.com',
    'https://evil.test\\.fbsbx.com/x', 'https://www.facebook.com/x', 'https://facebook.com/x', 'https://evil.graph.facebook.com/x',
    'https://graph.facebook.com.evil.test/', 'https://lookaside.fbsbx.com%2eevil.test/', 'https://127.0.0.1/x',
    'https://169.254.169.254/latest/meta-data', 'http://[::1]/x', 'https://[::ffff:169.254.169.254]/x', 'file:///etc/passwd',
    'ftp://lookaside.fbsbx.com/x', 'data:text/plain,x', 'javascript:1', '//lookaside.fbsbx.com/x', '/x', '', 'x', 'https://',
    'https://ＦＢＳＢＸ.com.evil.test/', `https://lookaside.fbsbx.com/${'x'.repeat(8_192)}`, undefined, null, 7, {},
    ['https://lookaside.fbsbx.com/x'], 'http://127.0.0.1:4011/x', 'https://127.0.0.1:4010/x', 'http://localhost:4010/x',
    'http://127.0.0.1:4010@evil.test/',
  ]
  for (const [index, address] of refused.entries()) {
    it(`may not get the token at ${String(address).slice(0, 80)} (${index + 1})`, () => {
      for (const origin of [META, SIMULATOR]) assert.isUndefined(readDownloadAddress(address, origin))
    })
  }

  it('may be anywhere on the origin that the gateway calls as the platform', () => {
    assert.deepEqual(readDownloadAddress(`${SIMULATOR}/a/../b?x=1#y`, SIMULATOR), { origin: SIMULATOR, path: '/b?x=1' })
    assert.isUndefined(readDownloadAddress(`${SIMULATOR}/x`, META))
    assert.isUndefined(readDownloadAddress('http://user@127.0.0.1:4010/x', SIMULATOR))
  })
})
