import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

describe('the forms of a wallet', () => {
  let console: OpenConsole
  let cookie: string
  let wallet: string
  beforeEach(async () => {
    console = await openConsole()
    wallet = `/console/workspaces/${console.workspace}/wallet`
    cookie = `postern_session=${(await console.join('ann@example.com')).token}`
  })
  afterEach(() => console.close())

  const available = async () => O.toUndefined(await done(console.storage.ledger.balance(console.workspace)))?.available ?? 0n
  const post = (end: string, form: Readonly<Record<string, string>>) => console.post(`${wallet}/${end}`, form, cookie)

  /** What the next page says of the form. */
  const saidAfter = async (end: string, form: Readonly<Record<string, string>>) =>
    /<p class="note" role="status">(.*?)<\/p>/.exec((await post(end, form)).text)?.[1]

  it('ask before a large amount is added, with what will happen and the amount on the button', async () => {
    const before = await available()
    const form = { amount: ' 2500000 ', reference: 'invoice 7' }
    const asked = await post('top-up', form)
    assert.equal(asked.status, 200)
    assert.include(asked.text, `data-history="${wallet}"`, 'the history of the browser has an address that can be read again')
    assert.equal((await console.get(wallet, cookie)).status, 200)
    assert.notInclude((await console.get(wallet, cookie)).text, 'data-history')
    assert.match(asked.text, /This adds \$2,500,000\.00 to the wallet of [^]*New balance[^]*name="reference" value="invoice 7"[^]*<button name="sure" value="2500000\.000000">Add \$2,500,000\.00</)
    assert.equal(await available(), before)
    assert.equal((await post('top-up', { ...form, sure: '1000.000000' })).status, 200, 'a yes to another amount')
    assert.equal(await available(), before)
    assert.equal(await saidAfter('top-up', { ...form, sure: '2500000.000000' }), '$2,500,000.00 was added with the reference “invoice 7”.')
    assert.equal(await available(), before + 2_500_000_000_000n)
    assert.match(await saidAfter('top-up', { ...form, sure: '2500000.000000' }) ?? '', /\+\$2,500,000\.00 with the reference “invoice 7” was already recorded/)
    assert.equal(await available(), before + 2_500_000_000_000n)
  })

  it('ask where an amount may be meant as a thousand times as much', async () => {
    const before = await available()
    const buttons = (text: string) =>
      Array.from(text.matchAll(/<button name="sure" value="([^"]+)"[^>]*>([^<]+)</g), ([, value, says]) => [value, says])
    for (const [amount, small, large] of [
      ['2.500', 'Add $2.50', 'Add $2,500.00'], ['12,500', 'Add $12.50', 'Add $12,500.00'], [' 999.999 ', 'Add $999.999', 'Add $999,999.00'],
    ] as const) {
      const { status, text } = await post('top-up', { amount, reference: 'a' })
      assert.equal(status, 200)
      assert.deepEqual(buttons(text).map(([, says]) => says), [small, large], amount)
      assert.include(text, `“${amount.trim()}” can be read as two amounts`)
      assert.notInclude(text, 'because the amount is large')
    }
    assert.equal(await available(), before)
    assert.equal(await saidAfter('top-up', { amount: '2,500', reference: 'small', sure: '2.500000' }), '$2.50 was added with the reference “small”.')
    assert.equal(await saidAfter('top-up', { amount: '2.500', reference: 'large', sure: '2500.000000' }), '$2,500.00 was added with the reference “large”.')
    assert.include((await post('top-up', { amount: '2.500', reference: 'other', sure: '25.000000' })).text, 'can be read as two amounts')
    assert.equal(await available(), before + 2_502_500_000n)
    assert.deepEqual(buttons((await post('adjust', { amount: '-1.250', reference: 'a', note: 'n' })).text), [
      ['-1.250000', 'Remove $1.25'], ['-1250.000000', 'Remove $1,250.00'],
    ])
    assert.equal((await post('top-up', { amount: '2,50', reference: 'c' })).status, 422)
    for (const [at, amount] of ['1.25', '0.125', '1.2505'].entries()) {
      assert.match(await saidAfter('top-up', { amount, reference: `b${at}` }) ?? '', /was added/, amount)
    }
  })

  it('are behind the first act of the page, for those who may add money', async () => {
    assert.include((await console.get(wallet, cookie)).text, `href="${wallet}?new"`)
    assert.notInclude((await console.get(wallet, cookie)).text, '/wallet/top-up"')
    assert.match((await console.get(`${wallet}?new`, cookie)).text, /<dialog[^]*action="[^"]*\/wallet\/top-up"/)
    const viewer = `postern_session=${(await console.join('viewer@example.com', role(console.workspace, 'viewer'))).token}`
    assert.notMatch((await console.get(`${wallet}?new`, viewer)).text, /\/wallet\/top-up"|\?new/)
  })

  it('lead back to what was typed', async () => {
    const { status, text } = await post('adjust', { amount: '1000', reference: 'r 1', note: 'a gift', change: 'on' })
    assert.equal(status, 200)
    assert.match(text, /<dialog class="side-panel" open[^]*value="1000"[^]*value="r 1"[^]*value="a gift"/)
    assert.notInclude(text, 'role="alert"')
  })

  it('ask before a large amount is taken away, and refuse at once what cannot be done', async () => {
    await done(
      console.storage.ledger.topUp({ workspace: console.workspace, micros: 5_000_000_000n, reference: 'much', at: console.clock.at }),
    )
    const before = await available()
    const form = { amount: '-1000', reference: 'r', note: 'typed twice' }
    assert.match((await post('adjust', form)).text, /This removes \$1,000\.00[^]*>Remove \$1,000\.00</)
    for (const refused of [{ amount: '-100000' }, { note: '' }, { reference: '' }]) {
      assert.equal((await post('adjust', { ...form, ...refused })).status, 422)
    }
    assert.equal(await available(), before)
    assert.equal(await saidAfter('adjust', { ...form, sure: '-1000.000000' }), '$1,000.00 was removed with the reference “r”.')
    assert.equal(await available(), before - 1_000_000_000n)
  })

  it('add less without a question', async () => {
    assert.equal(await saidAfter('top-up', { amount: '999.99', reference: 'r' }), '$999.99 was added with the reference “r”.')
    assert.match(await saidAfter('adjust', { amount: '-0.25', reference: 'r', note: 'n' }) ?? '', /^\$0\.25 was removed/)
  })

  it('ask no one who may not do it, and note who tried', async () => {
    cookie = `postern_session=${(await console.join('owner@example.com', role(console.workspace, 'owner'))).token}`
    assert.equal((await post('top-up', { amount: '5000', reference: 'r' })).status, 403)
    assert.deepEqual((await console.entries()).filter(({ act }) => act === 'wallet.top_up').map(({ outcome }) => outcome), ['refused'])
  })
})
