import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../../../../core/customers/customer.js'
import type { Currency } from '../../../../../core/kernel/money.js'
import { messageIdOf } from '../../../../../core/messages/message.js'
import { makeRollUpMessages } from '../../../../../core/messages/statistics.js'
import { makeListMonths, templateCsvLines } from '../../../../../core/money/use-cases.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { LONG_NUMBERS } from '../../../../laws/ids.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

const CUSTOMER = '4915123456789' as PhoneNumber

describe('The months of a wallet', () => {
  let console: OpenConsole
  let viewer: string
  beforeEach(async () => {
    console = await openConsole()
    console.clock.at = Date.UTC(2026, 10, 26, 12)
    viewer = `postern_session=${(await console.join('vic@example.com', role(console.workspace, 'viewer'))).token}`
    await sent(Date.UTC(2026, 9, 31, 23, 59), 'order_update')
    await sent(Date.UTC(2026, 9, 1), 'order_update')
    await sent(Date.UTC(2026, 9, 15))
    await sent(Date.UTC(2026, 10, 1), 'order_update')
    await done(makeRollUpMessages({ ...console.storage, now: () => console.clock.at })(() => Promise.resolve(true)))
  })
  afterEach(() => console.close())

  const sent = async (at: number, name?: string): Promise<void> => {
    const id = messageIdOf(`${at.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`)
    const { workspace } = console
    const price = { micros: 46_200n, currency: 'USD' as Currency, category: name === undefined ? 'service' : 'utility' } as const
    await done(console.storage.messageLog.open({
      id, workspace, at, price,
      message: name === undefined
        ? { _tag: 'Text', to: CUSTOMER, text: 'Hello' }
        : { _tag: 'Template', to: CUSTOMER, name, language: 'en' },
    }))
    await done(console.storage.messageLog.apply(workspace, id, { state: 'read', at }))
  }
  const pathOf = (end: string): string => `/console/workspaces/${console.workspace}/wallet${end}`

  it('are those that are counted whole, and each message is in one', async () => {
    const months = async (now: number) => (await done(makeListMonths({ ...console.storage, now: () => now })(console.workspace)))
      .map(({ start, categories }) =>
        [new Date(start).toISOString().slice(0, 10), categories.reduce((sum, { messages }) => sum + messages, 0)])
    assert.deepEqual(await months(console.clock.at), [['2026-11-01', 1], ['2026-10-01', 3], ['2026-09-01', 0]])
    // 91 days before the last day of August is in the first day of June, of which a part is no longer counted.
    assert.deepEqual((await months(Date.UTC(2026, 7, 31, 12))).map(([start]) => start), ['2026-08-01', '2026-07-01'])
    assert.deepEqual((await months(Date.UTC(2027, 0, 1))).map(([start]) => start), ['2027-01-01', '2026-12-01', '2026-11-01'])
  })

  it('lead to a statement, with what was spent by category, market and template, and the money that came', async () => {
    const spend = await console.get(pathOf('/spend'), viewer)
    assert.match(spend.text, /months\/2026-11">November 2026<[^]*months\/2026-10">October 2026<[^]*\$0\.1386/)
    const { status, text } = await console.get(pathOf('/months/2026-10'), viewer)
    assert.equal(status, 200)
    for (const said of [
      'Statement, October 2026', 'Opening balance, 1 Oct', 'Closing balance, 31 Oct',
      '$0.1386', '$0.0924', 'order_update', 'no template', 'By key', 'no key',
      '+49', 'statement.csv?from=2026-10-01Z&amp;to=2026-10-31Z',
    ]) {
      assert.include(text, said)
    }
    assert.include(text, '/wallet/months/2026-10/templates.csv"')
    const csv = await console.get(pathOf('/months/2026-10/templates.csv'), viewer)
    assert.equal(csv.text.replace(/^\ufeff/, ''), 'template,messages,cost,currency\r\norder_update,2,0.092400,USD\r\n,1,0.046200,USD\r\n')
    const part = { category: 'utility', messages: 7, micros: 700_000n } as const
    const report = {
      categories: [part],
      shares: [],
      templates: [{ template: 'order_update', messages: 5, micros: 400_000n }],
      keys: [],
      messages: 5,
      reachedBack: 1,
    }
    assert.deepEqual(templateCsvLines(report, 'USD' as Currency), ['order_update,5,0.400000,USD\r\n', '(not looked at),2,0.300000,USD\r\n'])
    assert.include((await console.get(pathOf('/months/2026-11'), viewer)).text, 'Balance now')
    for (const name of ['2026-13', '2025-10', 'x', '2026-12']) {
      for (const end of ['', '/templates.csv']) assert.equal((await console.get(pathOf(`/months/${name}${end}`), viewer)).status, 404, name)
    }
  })
})

describe('The statement of a wallet', () => {
  it('has what went wrong with a message beside the money that came back, and its code in the file', async () => {
    const console = await openConsole()
    try {
      const { storage, workspace } = console
      const [id, at] = [messageIdOf(uuidv7()), Date.now()]
      const price = { micros: 46_200n, currency: 'USD' as Currency, category: 'service' } as const
      await done(storage.ledger.topUp({ workspace, micros: 1_000_000n, reference: 'INV-1', at }))
      await done(storage.messageLog.open({ id, workspace, at, price, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' } }))
      await done(storage.wallet.hold({ workspace, message: id, amount: price, at }))
      await done(storage.messageLog.apply(workspace, id, {
        state: 'failed', at, error: { code: 131026, title: 'Message undeliverable', ...LONG_NUMBERS },
      }))
      await done(storage.wallet.refund({ workspace, message: id, at }))
      const viewer = `postern_session=${(await console.join('vic@example.com', role(workspace, 'viewer'))).token}`
      const path = `/console/workspaces/${workspace}/wallet`
      assert.match((await console.get(`${path}/entries`, viewer)).text, /Release <span class="soft why" title="131026">not on WhatsApp<\/span>/)
      assert.include((await console.get(`/console/workspaces/${workspace}/messages/${id}`, viewer)).text, '&quot;catalog_id&quot;: 122097329108006499')
      assert.match((await console.get(`${path}/statement.csv`, viewer)).text, new RegExp(`,release,0\\.046200,USD,${id},,,131026\r\n`))
    } finally {
      await console.close()
    }
  })
})
