import { readFileSync } from 'node:fs'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { callingCodeIn, type PhoneNumber } from '../../../core/customers/customer.js'
import { zonesOf } from '../../../core/customers/time-zones.js'

const zonesIn = (number: string): ReadonlyArray<string> | undefined => {
  const zones = zonesOf(number as PhoneNumber)
  return E.isRight(zones) ? zones.right : undefined
}

/** The codes of several offsets, besides 1, 7 and 55. */
const SEVERAL = ['34', '52', '56', '61', '62', '64', '86', '243', '262', '299', '351', '380', '593', '675', '686', '689', '691', '976']

/** Codes that `callingCodeIn` knows, found with numbers of every beginning. */
const CODES = [...new Set(Array.from({ length: 999 }, (_, index) => callingCodeIn(`${index + 1}`.padEnd(11, '0') as PhoneNumber)))]
  .filter((code) => code !== undefined)

describe('The time zones of a phone number', () => {
  for (const [number, zones] of [
    ['12045550100', 'America/Winnipeg'],
    ['12125550100', 'America/New_York'],
    ['14745550100', 'America/Edmonton America/Regina America/Winnipeg'],
    ['16845550100', 'Pacific/Pago_Pago'],
    ['18085550100', 'Pacific/Honolulu'],
    ['18095550100', 'America/Santo_Domingo'],
    ['5511987654321', 'America/Sao_Paulo'],
    ['5568987654321', 'America/Rio_Branco'],
    ['5581987654321', 'America/Recife America/Noronha'],
    ['77011234567', 'Asia/Almaty'],
    ['4915123456789', 'Europe/Berlin'],
    ['67231234', 'Pacific/Norfolk'],
    ['380501234567', 'Europe/Kyiv Europe/Simferopol'],
  ] as const) {
    it(`of ${number} are ${zones.replaceAll(' ', ', ')}`, () => { assert.deepEqual(zonesIn(number), zones.split(' ')) })
  }

  it('of a Russian number are those of all of Russia, because it may be a mobile number', () => {
    for (const number of ['79161234567', '74951234567', '73431234567', '78121234567']) {
      assert.includeMembers([...zonesIn(number) ?? []], ['Europe/Kaliningrad', 'Europe/Moscow', 'Asia/Vladivostok', 'Asia/Kamchatka'])
    }
  })

  it('of an Australian number are those of all states and islands', () => {
    assert.includeMembers([...zonesIn('61412345678') ?? []], ['Australia/Sydney', 'Australia/Perth', 'Australia/Lord_Howe', 'Indian/Cocos'])
  })

  for (const number of [
    '10005550100', '18005550100', '19995550100', '71231234567', '5510987654321', '5500987654321', '6721123456', '9991234567',
  ]) {
    it(`of ${number} are unknown, and not guessed`, () => {
      assert.deepEqual(zonesOf(number as PhoneNumber), E.left({ _tag: 'TimezoneUnknown' }))
    })
  }

  it('are known of every calling code: of one, unless its countries have several offsets', () => {
    assert.isAbove(CODES.length, 200)
    for (const code of [...CODES, '247', '383']) {
      if (['1', '7', '55', '672'].includes(code)) continue
      const zones = zonesIn(code.padEnd(11, '5'))
      assert.isAtLeast(zones?.length ?? 0, SEVERAL.includes(code) ? 2 : 1, code)
      assert.isAtMost(zones?.length ?? 0, SEVERAL.includes(code) ? 9 : 1, code)
    }
  })

  it('have names that this version of Node.js knows, and each prefix once', () => {
    const source = readFileSync(new URL('../../../core/customers/time-zones.ts', import.meta.url), 'utf8')
    const names = new Set(source.match(/\b[A-Z][a-z]+\/[A-Za-z_/-]+\b/g))
    assert.isAbove(names.size, 250)
    for (const name of names) assert.doesNotThrow(() => new Intl.DateTimeFormat('en-US', { timeZone: name }), undefined, name)
    const [areas = ''] = /const AREAS = \[[^\]]*\]/.exec(source) ?? []
    const codes = areas.match(/\b[2-9][0-9]{2}\b/g) ?? []
    assert.isAbove(codes.length, 430)
    assert.lengthOf(codes, new Set(codes).size)
  })
})
