import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { beginSignatureCheck, type HandshakeQuery, isSignedBy, readHandshake, signatureOf } from '../../../adapters/cloud-api/webhook.js'

const good: HandshakeQuery = { 'hub.mode': 'subscribe', 'hub.verify_token': 'our token', 'hub.challenge': '1158201444' }

describe('the handshake of the webhook', () => {
  it('is answered with the bare challenge when the token is ours', () => {
    assert.deepEqual(readHandshake(good, 'our token'), E.right('1158201444'))
  })

  const refused: ReadonlyArray<readonly [string, HandshakeQuery, string]> = [
    ['the token is another', { ...good, 'hub.verify_token': 'Our token' }, 'our token'],
    ['the token is only the beginning of ours', { ...good, 'hub.verify_token': 'our' }, 'our token'],
    ['there is no token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }, 'our token'],
    ['the token is repeated', { ...good, 'hub.verify_token': ['our token', 'our token'] }, 'our token'],
    ['we have no token', { ...good, 'hub.verify_token': '' }, ''],
    ['the mode is another', { ...good, 'hub.mode': 'unsubscribe' }, 'our token'],
    ['there is no mode', { 'hub.verify_token': 'our token', 'hub.challenge': '1' }, 'our token'],
    ['there is no challenge', { 'hub.mode': 'subscribe', 'hub.verify_token': 'our token' }, 'our token'],
    ['the challenge is empty', { ...good, 'hub.challenge': '' }, 'our token'],
    ['the challenge is repeated', { ...good, 'hub.challenge': ['1', '2'] }, 'our token'],
    ['the challenge is endless', { ...good, 'hub.challenge': '1'.repeat(257) }, 'our token'],
    ['the challenge has control characters', { ...good, 'hub.challenge': '1\r\nset-cookie: a' }, 'our token'],
  ]
  for (const [why, query, token] of refused) {
    it(`is refused when ${why}`, () => assert.deepEqual(readHandshake(query, token), E.left({ _tag: 'HandshakeRefused' })))
  }
})

const SECRET = 'app-secret'
const raw = Buffer.from('{"object":"whatsapp_business_account","text":"gr\\u00fc\\u00dfe \\/ \\u0040"}')

/** Made by `openssl dgst -sha256 -hmac app-secret` of the bytes above. */
const SIGNATURE = 'sha256=3e7afd16f44fcd8a1828855c4fad575f04a545cb471b8528b7d0015354dfea72'

describe('the signature of a notification', () => {
  it('is HMAC-SHA256 in lowercase hexadecimal over the raw bytes', () => {
    // RFC 4231, test case 2.
    assert.equal(
      signatureOf('Jefe', Buffer.from('what do ya want for nothing?')),
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it('is recognised over the raw bytes, including escapes', () => {
    assert.isTrue(isSignedBy(SECRET, raw, SIGNATURE))
  })

  it('is not recognised over the same JSON written again', () => {
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(raw.toString())))
    assert.isFalse(isSignedBy(SECRET, rewritten, signatureOf(SECRET, raw)))
  })

  it('is recognised in whatever pieces the bytes come', () => {
    for (const size of [1, 7, raw.length]) {
      const check = beginSignatureCheck(SECRET, SIGNATURE)
      for (let at = 0; at < raw.length; at += size) check?.update(raw.subarray(at, at + size))
      assert.isTrue(check?.isValid())
    }
    const half = beginSignatureCheck(SECRET, SIGNATURE)
    half?.update(raw.subarray(0, 20))
    assert.isFalse(half?.isValid())
  })

  it('is not recognised when one bit of the body is another', () => {
    for (let at = 0; at < raw.length; at += 1) {
      const forged = Buffer.from(raw)
      forged[at] = (forged[at] ?? 0) ^ 1
      assert.isFalse(isSignedBy(SECRET, forged, signatureOf(SECRET, raw)))
    }
  })

  it('is not recognised under another secret', () => assert.isFalse(isSignedBy('other', raw, signatureOf(SECRET, raw))))

  it('is not recognised under an empty secret, though it fits', () => assert.isFalse(isSignedBy('', raw, signatureOf('', raw))))

  it('is recognised over an empty body', () => assert.isTrue(isSignedBy(SECRET, new Uint8Array(), signatureOf(SECRET, new Uint8Array()))))

  it('is not recognised if the header is absent, truncated or malformed', () => {
    const good = signatureOf(SECRET, raw)
    const bad = [
      undefined, '', 'sha256=', good.slice(0, -1), `${good}0`, ` ${good}`, `${good} `, `${good}\n`, good.slice('sha256='.length),
      good.replace('sha256', 'sha1'), good.toUpperCase(), `${good}, ${good}`, `sha256=${'g'.repeat(64)}`, `sha256=${'é'.repeat(64)}`,
      `sha256=${'0'.repeat(64)}`,
    ]
    for (const header of bad) assert.isFalse(isSignedBy(SECRET, raw, header), String(header))
    const malformed = bad.filter((header) => header !== `sha256=${'0'.repeat(64)}`)
    for (const header of malformed) assert.isUndefined(beginSignatureCheck(SECRET, header), String(header))
  })
})
