import { assert } from 'chai'
import { replyJson, webhookJson } from '../../../apps/simulator/http.js'
import { countryOfNumber, digitsOf, inboundWamid, makeUserId, outboundWamid, waIdOf } from '../../../apps/simulator/ids.js'

describe('the simulator\'s wire format', () => {
  it('lays the ids of sent messages out as the platform\'s are observed to be', () => {
    const bytes = Buffer.from(outboundWamid('4915112345678').replace(/^wamid\./, ''), 'base64').toString('latin1')
    assert.match(bytes, /^\x1c\x18\x0d4915112345678\x15\x02\x00\x11\x18\x12[0-9A-F]{18}\x00$/)
  })

  it('marks the ids of customers\' messages as theirs', () => {
    const bytes = Buffer.from(inboundWamid('15550100999').replace(/^wamid\./, ''), 'base64').toString('latin1')
    assert.match(bytes, /^\x1c\x18\x0b15550100999\x15\x02\x00\x12\x18\x143A[0-9A-F]{18}\x00$/)
  })

  it('never gives an id twice', () => {
    assert.equal(new Set(Array.from({ length: 1000 }, () => outboundWamid('15550100999'))).size, 1000)
  })

  it('escapes slashes and everything beyond ASCII in replies', () => {
    assert.equal(replyJson({ a: 'ä/@<%😀' }), '{"a":"\\u00e4\\/@<%\\ud83d\\ude00"}')
  })

  it('escapes slashes, angle brackets, percent and at signs in webhooks', () => {
    assert.equal(webhookJson({ a: 'é/@<%😀"\\' }), '{"a":"\\u00e9\\/\\u0040\\u003C\\u0025\\ud83d\\ude00\\"\\\\"}')
  })

  it('reads back as the same value, however it is escaped', () => {
    const value = { 'ключ/@': ['<b>100 % – "é"</b>', '\u2028\n\\u0040', { deep: '😀' }] }
    assert.deepEqual(JSON.parse(webhookJson(value)), value)
    assert.deepEqual(JSON.parse(replyJson(value)), value)
  })

  it('accepts a number with a plus and separators, and refuses a number that is not E.164', () => {
    assert.equal(digitsOf('+1 (555) 010-0.999'), '15550100999')
    const wrong = ['', '+', '0155501', '12345', '1234567890123456', '1555x100999', '١٥٥٥٠١٠٠٩٩٩']
    assert.deepEqual(wrong.filter((to) => digitsOf(to) !== undefined), [])
  })

  it('reports numbers of Brazil, Mexico, Argentina, Ivory Coast and Benin in another form, and others as they are', () => {
    assert.deepEqual(
      [
        '5511987654321', '525512345678', '541112345678', '551187654321', '5215512345678', '5491112345678', '4915112345678', '2250707123456',
        '22507123456', '2290197123456', '22997123456',
      ].map(waIdOf),
      [
        '551187654321', '5215512345678', '5491112345678', '551187654321', '5215512345678', '5491112345678', '4915112345678', '22507123456',
        '22507123456', '22997123456', '22997123456',
      ],
    )
  })

  it('gives a person always the same user id within a portfolio, with the country in front', () => {
    assert.match(makeUserId('one', '4915112345678'), /^DE\.[0-9]+$/)
    assert.match(makeUserId('one', 'MX.123 1'), /^MX\.[0-9]+$/)
    assert.equal(makeUserId('one', '4915112345678'), makeUserId('one', '4915112345678'))
    assert.notEqual(makeUserId('one', '4915112345678'), makeUserId('one', '4915112345679'))
    assert.notEqual(makeUserId('one', '4915112345678'), makeUserId('other', '4915112345678'))
  })

  it('finds the country of a number by its calling code, and uses US for every other', () => {
    assert.deepEqual(
      [
        '15550100999', '18761234567', '33639980001', '3530000000', '551187654321', '79123456789', '6641234567', '99912345678',
        '971501234567',
      ].map(countryOfNumber),
      ['US', 'JM', 'FR', 'IE', 'BR', 'RU', 'TH', 'US', 'AE'],
    )
  })
})
