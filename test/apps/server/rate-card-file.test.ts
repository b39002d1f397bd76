import { rename, rm, writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../../../adapters/koa/index.js'
import { loadRateCards, rateCardFile, type RateCardFile, watchRateCards } from '../../../apps/server/rate-card.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

const cardFrom = (effective: string, currency = 'USD') =>
  ({ currency, effective, default: { service: '0.0077', marketing: '0.0625', utility: '0.0077', authentication: '0.0077' } })

describe('The file of the rate cards', () => {
  let scratch: Scratch
  let lines: Array<readonly [level: string, event: string, fields: object]>
  beforeEach(async () => {
    scratch = await makeScratch()
    lines = []
  })
  afterEach(() => scratch.remove())

  const log: Log = (level, event, fields) => void lines.push([level, event, fields])
  const path = (): string => scratch.path('rates.json')
  const write = (content: unknown): Promise<void> => writeFile(path(), typeof content === 'string' ? content : JSON.stringify(content))
  const dates = ({ cards }: Pick<RateCardFile, 'cards'>): ReadonlyArray<string> => cards().map(({ effective }) => effective)

  /** A file that the gateway has read at its start. */
  const started = async (content: unknown = cardFrom('2026-10-01')): Promise<RateCardFile> => {
    await write(content)
    return rateCardFile(path(), rightOf(await loadRateCards(path())), log)
  }

  it('is not needed: the built-in card has the rates confirmed for October 2026', async () => {
    const [card, ...others] = rightOf(await loadRateCards(undefined))
    assert.isEmpty(others)
    assert.equal(card.effective, '2026-10-01')
    assert.deepEqual([card.markets.get('55')?.service, card.markets.get('33')?.marketing, card.default.service], [6_800n, 85_900n, 7_700n])
    assert.equal(card.freeServiceMessages, 1_000)
  })

  it('may begin with a byte order mark', async () => {
    await write(`\uFEFF${JSON.stringify(cardFrom('2026-10-01'))}`)
    assert.equal(rightOf(await loadRateCards(path()))[0].effective, '2026-10-01')
  })

  it('stops the start if it is not JSON or is missing', async () => {
    await write('{')
    assert.deepEqual(await loadRateCards(path()), E.left([`The rate card ${path()}, which RATE_CARD names, is not JSON.`]))
    assert.deepEqual(await loadRateCards(scratch.path('none.json')), E.left([`The rate card ${scratch.path('none.json')}, which RATE_CARD names, cannot be read.`]))
  })

  it('names the option of a command that names the file', async () => {
    await write('{')
    const missing = scratch.path('none.json')
    assert.deepEqual(await loadRateCards(path(), '--rate-card'), E.left([`The rate card ${path()}, which --rate-card names, is not JSON.`]))
    assert.deepEqual(
      await loadRateCards(missing, '--rate-card'), E.left([`The rate card ${missing}, which --rate-card names, cannot be read.`]),
    )
  })

  it('takes effect when it changes, written in place or replaced by another file', async () => {
    const file = await started()
    await write([cardFrom('2026-10-01'), cardFrom('2027-01-01')])
    await file.refresh()
    assert.deepEqual(dates(file), ['2026-10-01', '2027-01-01'])
    await writeFile(scratch.path('next.json'), JSON.stringify(cardFrom('2027-04-01')))
    await rename(scratch.path('next.json'), path())
    await file.refresh()
    assert.deepEqual(dates(file), ['2027-04-01'])
    assert.deepEqual(lines, [
      ['info', 'rate_card_changed', { effective: '2026-10-01, 2027-01-01' }], ['info', 'rate_card_changed', { effective: '2027-04-01' }],
    ])
  })

  it('logs nothing while it has the same prices, however it is written', async () => {
    const file = await started()
    await file.refresh()
    await write(JSON.stringify(cardFrom('2026-10-01'), null, 2))
    await file.refresh()
    assert.isEmpty(lines)
  })

  const FAULTS: ReadonlyArray<readonly [what: string, content: unknown, fault: string]> = [
    ['is no JSON', '{', 'The rate card PATH, which RATE_CARD names, is not JSON.'],
    ['has a fault', { ...cardFrom('2027-01-01'), effective: 'soon' }, 'Rate card: effective must be a date, such as 2026-10-01.'],
    ['has another currency', cardFrom('2027-01-01', 'EUR'),
      'Rate card: its currency is now EUR, but the gateway started with USD; restart it to change the currency.'],
  ]

  for (const [what, content, fault] of FAULTS)
    it(`is logged once if it ${what}, and the cards stay as they were`, async () => {
      const file = await started()
      await write(content)
      for (const _ of [1, 2, 3]) await file.refresh()
      assert.deepEqual(dates(file), ['2026-10-01'])
      assert.deepEqual(lines, [['error', 'rate_card_refused', { fault: fault.replace('PATH', path()) }]])
    })

  it('is logged once if it is gone, and again if it is faulty in another way, until it is right', async () => {
    const file = await started()
    await rm(path())
    for (const _ of [1, 2]) await file.refresh()
    await write('[]')
    for (const _ of [1, 2]) await file.refresh()
    await write(cardFrom('2027-01-01'))
    for (const _ of [1, 2]) await file.refresh()
    assert.deepEqual(dates(file), ['2027-01-01'])
    assert.deepEqual(lines.map(([, event]) => event), ['rate_card_refused', 'rate_card_refused', 'rate_card_changed'])
  })

  it('is read again and again until it is closed', async () => {
    await write(cardFrom('2026-10-01'))
    const watched = watchRateCards(path(), rightOf(await loadRateCards(path())), log, 1)
    try {
      for (const day of ['2027-01-01', '2027-04-01']) {
        await write(cardFrom(day))
        await eventually(`the card of ${day}`, () => (dates(watched)[0] === day ? true : undefined))
      }
    } finally {
      watched.close()
    }
  })

  it('leaves no timer behind when it is closed', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const cards = rightOf(await loadRateCards(undefined))
    const before = timers()
    const watched = watchRateCards(path(), cards, log)
    assert.equal(timers(), before + 1)
    watched.close()
    assert.equal(timers(), before)
  })
})
