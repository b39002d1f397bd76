import { AssertionError } from 'node:assert'
import { assert } from 'chai'
import { walletLaws } from '../laws/wallet.js'
import { openNaiveFixture } from './naive-wallet.js'

const BROKEN = [
  'concurrent holds never overdraw',
  'concurrent holds of different prices never overdraw',
  'holding again for the same message changes nothing',
  'holding again for a message that was settled changes nothing',
  'a price in another currency than the wallet\'s is a PortFailure',
  'a hold in a workspace without a wallet is a PortFailure',
  'one bad hold among concurrent ones costs its neighbours nothing',
  'capturing again changes nothing',
  'releasing again changes nothing',
  'releasing a spent hold changes nothing',
  'refunding again changes nothing',
  'refunding a hold that was given back gives nothing back twice',
  'a refund is for good',
  'capture, release and refund give the same books in any order and however often they are repeated',
  'concurrent captures, releases and refunds give the same books as any order of them',
  'money is conserved under concurrent calls of every kind',
  'stale lists only holds still held that were made before the moment',
  'stale lists the holds of all workspaces, each in exactly one part',
  'stale parts lose no hold while those already listed are settled',
]

describe('a wallet that reads, waits and writes', () => {
  for (const { name, check } of walletLaws.filter((law) => BROKEN.includes(law.name))) {
    it(`breaks the law: ${name}`, async () => {
      const failure = await check(await openNaiveFixture()).then(() => undefined, (error: unknown) => error)
      assert.instanceOf(failure, AssertionError)
      assert.match(failure.message, /^\S.+?: (?:expected .+, )?saw \S/s, 'the failure names the promise and says what was seen')
    })
  }

  it('is measured by laws that exist', () => {
    assert.includeMembers(walletLaws.map(({ name }) => name), BROKEN)
  })

  it('keeps the laws that ask for one thing at a time', async () => {
    const kept = ['a hold sets the price of a message aside', 'a zero price is legal', 'capture spends a hold', 'release gives a hold back']
    for (const { check } of walletLaws.filter((law) => kept.includes(law.name))) await check(await openNaiveFixture())
  })
})
