import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type HandshakeQuery, readHandshake } from '../../../adapters/cloud-api/webhook.js'

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
