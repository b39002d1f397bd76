import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { writeDays } from '../../../../../adapters/console/language.js'
import { moneyParts, writeMoney } from '../../../../../adapters/console/money.js'
import type { PhoneNumber } from '../../../../../core/customers/customer.js'
import type { Currency } from '../../../../../core/kernel/money.js'
import { DAY_MS } from '../../../../../core/kernel/time.js'
import { messageIdOf } from '../../../../../core/messages/message.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { rightOf } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

describe('The statement of a month', () => {
  let console: OpenConsole
  let viewer: string
  beforeEach(async () => {
    console = await openConsole()
    // An entry has the moment at which it is written in its id.
    console.clock.at = Date.now()
    viewer = `postern_session=${(await console.join('vic@example.com', role(console.workspace, 'viewer'))).token}`
  })
  afterEach(() => console.close())
  const read = async (end: string) => (await console.get(`/console/workspaces/${console.workspace}/wallet/${end}`, viewer))
  const monthNow = (): string => new Date(console.clock.at).toISOString().slice(0, 7)
  const dayNow = (): string => new Date(console.clock.at).toISOString().slice(0, 10)
  /** The texts of a page without its tags. */
  const words = (text: string): string => text.replace(/<title>[^]*?<\/title>|<[^>]+>/g, '').replaceAll('&#39;', '’')

  const charged = async (template: string, micros: bigint, error?: number): Promise<void> => {
    const { storage, workspace } = console
    const [id, at] = [messageIdOf(uuidv7().replaceAll('-', '')), console.clock.at]
    const amount = { micros, currency: 'USD' as Currency }
    rightOf(await storage.messageLog.open({
      id, workspace, at, price: { ...amount, category: 'utility' },
      message: { _tag: 'Template', to: '4915123456789' as PhoneNumber, name: template, language: 'en' },
    }))
    rightOf(await storage.wallet.hold({ workspace, message: id, amount, at }))
    rightOf(await storage.wallet.capture({ workspace, message: id, at }))
    if (error === undefined) return
    rightOf(await storage.messageLog.apply(workspace, id, { state: 'accepted', at, platformId: `wamid.${id}` as never }))
    rightOf(await storage.messageLog.apply(workspace, id, { state: 'failed', at, error: { code: error } }))
    rightOf(await storage.wallet.refund({ workspace, message: id, at }))
  }

  it('says what each movement was, oldest first, with the balance after it, and adds up', async () => {
    const { storage, workspace } = console
    rightOf(await storage.ledger.topUp({ workspace, micros: 500_000_000n, reference: 'invoice 2026-1108', at: console.clock.at }))
    rightOf(await storage.ledger.adjust({ workspace, micros: 5_000_000n, note: 'goodwill', reference: 'G-1', at: console.clock.at }))
    await charged('appointment_reminder', 46_200n)
    await charged('appointment_reminder', 40_100n, 131026)
    await charged('free_one', 0n)
    const { status, text } = await read(`months/${monthNow()}`)
    assert.equal(status, 200)
    const said = words(text)
    const order = [
      'Opening balance', 'Top-up, invoice 2026-1108', '+$500.00', 'Adjustment: goodwill', '+$5.00', 'appointment_reminder to +49 151 234 567 89',
      '−$0.0462', 'Refund: +49 151 234 567 89 is not on WhatsApp', '+$0.0401', 'Balance now',
    ]
    let at = said.indexOf('When (UTC)')
    for (const one of order) {
      at = said.indexOf(one, at)
      assert.isAtLeast(at, 0, one)
    }
    assert.include(said, 'Spent, less refunds−$0.0462')
    assert.notInclude(said, 'free_one')
    assert.include(said, '1 row of $0.00 is hidden. Show them')
    assert.include(words((await read(`months/${monthNow()}?free=show`)).text), 'free_one to')
    assert.equal((await read(`months/${monthNow()}?free=x`)).status, 400)
  })

  it('opens a day to all its movements, page by page', async () => {
    rightOf(await console.storage.ledger.topUp({ workspace: console.workspace, micros: 9_000_000n, reference: 'a', at: console.clock.at }))
    for (let sent = 0; sent < 51; sent += 1) await charged('order_update', 10_000n)
    const { status, text } = await read(`days/${dayNow()}`)
    assert.equal(status, 200)
    const next = /href="[^"]*\/wallet\/(days\/[^"]*cursor=[^"]*)"/.exec(text)?.[1] ?? assert.fail('no further page')
    const rest = words((await read(next.replaceAll('&amp;', '&'))).text)
    assert.include(rest, 'order_update to')
    assert.include(rest, 'Closing balance')
    for (const wrong of ['x', '2026-02-31', '2026-1-1']) assert.equal((await read(`days/${wrong}`)).status, 404, wrong)
    const nothing = new Date(console.clock.at - 40 * DAY_MS).toISOString().slice(0, 10)
    assert.include((await read(`days/${nothing}`)).text, 'The balance did not change.')
  })
})

describe('The wallet', () => {
  it('begins with what is available and on hold, and its latest movements, newest first, with the balance after each', async () => {
    const console = await openConsole()
    try {
      const { storage, workspace } = console
      console.clock.at = Date.now()
      const viewer = `postern_session=${(await console.join('vic@example.com', role(workspace, 'viewer'))).token}`
      const at = console.clock.at
      rightOf(await storage.ledger.topUp({ workspace, micros: 500_000_000n, reference: 'invoice 2026-1108', at }))
      const [id, amount] = [messageIdOf(uuidv7().replaceAll('-', '')), { micros: 46_200n, currency: 'USD' as Currency }]
      const to = '4915123456789' as PhoneNumber
      const price = { ...amount, category: 'utility' } as const
      rightOf(await storage.messageLog.open({ id, workspace, at, price, message: { _tag: 'Text', to, text: 'x' } }))
      rightOf(await storage.wallet.hold({ workspace, message: id, amount, at }))
      rightOf(await storage.ledger.adjust({ workspace, micros: 5_000_000n, note: 'goodwill', reference: 'G-1', at }))
      const { text } = await console.get(`/console/workspaces/${workspace}/wallet`, viewer)
      const balance = (O.toUndefined(rightOf(await storage.ledger.balance(workspace)))?.available ?? 0n) + amount.micros
      const said = text.replace(/<title>[^]*?<\/title>|<[^>]+>/g, '')
      assert.include(said, '$0.0462 on hold for one message')
      const order = ['Adjustment: goodwill', '+$5.00', writeMoney(balance, 'USD'), 'Top-up, invoice 2026-1108', '+$500.00']
      let place = said.indexOf('When (UTC)')
      for (const one of order) {
        place = said.indexOf(one, place)
        assert.isAtLeast(place, 0, one)
      }
      assert.notInclude(said, 'Hold')
      for (const tab of ['/months', '/alerts', '/books', '/entries']) assert.include(text, `/wallet${tab}"`)
    } finally {
      await console.close()
    }
  })
})

describe('An amount in a column', () => {
  it('is parted at the usual decimals of its currency', () => {
    const parts = (micros: bigint, currency: string, isMovement = false) => Object.values(moneyParts(micros, currency, isMovement))
    assert.deepEqual(parts(995_001_200n, 'USD'), ['$995.00', '12', ''])
    assert.deepEqual(parts(-46_200n, 'USD', true), ['−$0.04', '62', ''])
    assert.deepEqual(parts(5_000_000n, 'USD', true), ['+$5.00', '', ''])
    assert.deepEqual(parts(1_000_000_000n, 'JPY'), ['¥1,000', '', ''])
  })
})

describe('Days in words', () => {
  it('are one day, or the first and the last', () => {
    const [first, last] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 8)]
    assert.equal(writeDays(first, first), '1 Nov')
    assert.match(writeDays(first, last), /^1\s?–\s?8 Nov$/)
  })
})
