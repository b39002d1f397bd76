import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { phoneNumberOf } from '../../../../../core/customers/customer.js'
import type { Currency } from '../../../../../core/kernel/money.js'
import { DAY_MS } from '../../../../../core/kernel/time.js'
import { messageIdOf, type MessageState } from '../../../../../core/messages/message.js'
import { senderIdOf } from '../../../../../core/senders/sender.js'
import { body, templateOf } from '../../../../core/template-samples.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

const USD = 'USD' as Currency
const SENDER = senderIdOf('106001')

describe('The results on the page of a template', () => {
  let console: OpenConsole
  let cookie: string
  let base: string
  beforeEach(async () => {
    console = await openConsole()
    cookie = `postern_session=${(await console.join('ann@example.com')).token}`
    base = `/console/workspaces/${console.workspace}/templates/order_update`
    const { storage, workspace, clock } = console
    await done(storage.senders.assign(workspace, { phoneNumberId: SENDER, accessToken: 'token', businessAccountId: '2001' }))
    await done(storage.templateCatalogue.replaceAll('2001', [
      templateOf([body('Hello')]), templateOf([body('Hallo')], { language: 'de' }),
    ], clock.at))
  })
  afterEach(() => console.close())

  /** Sends the template so many days ago. */
  const send = async (daysAgo: number, state: Exclude<MessageState, 'queued' | 'pending'>, language = 'en'): Promise<void> => {
    const { storage, workspace, clock } = console
    const at = clock.at - daysAgo * DAY_MS
    const id = messageIdOf(`${at.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`)
    const to = phoneNumberOf(`49151${1_000_000 + daysAgo}`)
    await done(storage.messageLog.open({
      id, workspace, at, sender: SENDER, price: { micros: 40_000n, currency: USD, category: 'utility' },
      message: { _tag: 'Template', to, name: 'order_update', language },
    }))
    await done(storage.messageLog.apply(workspace, id, { state, at }))
    if (state === 'read') {
      await done(storage.templateResults.noteReply({ workspace, to: { ids: [SENDER], orNone: true }, from: [{ id: to }], at: at + 1_000 }))
    }
  }
  const page = async (query = ''): Promise<string> => (await console.get(`${base}${query}`, cookie)).text
  /** The figures of the steps, in their order. */
  const stepsOf = (text: string): ReadonlyArray<string | undefined> =>
    Array.from((/<dl class="stats card">[^]*?<\/dl>/.exec(text)?.[0] ?? '').matchAll(/<strong>([^<]*)</g), ([, figure]) => figure)

  it('are a funnel, a chart, the price of a reply and every figure, for each period and language', async () => {
    const sent = [[0, 'read'], [1, 'delivered'], [2, 'failed'], [30, 'read'], [60, 'accepted']] as const
    for (const [ago, state] of sent) await send(ago, state)
    await send(3, 'read', 'de')
    assert.deepEqual(stepsOf(await page()), ['4', '3', '2', '2'])
    assert.deepEqual(stepsOf(await page('?period=quarter')), ['6', '4', '3', '3'])
    assert.deepEqual(stepsOf(await page('?period=week&language=de')), ['1', '1', '1', '1'])
    const text = await page()
    for (const shown of [
      'aria-current="true">4 weeks', '75% of sent', '66.7% of delivered', '>$0.06<', 'Stopped within 24 hours', '0 · 0%', '1 · 25%',
      `${base}/results.csv?period=month`, 'template=order_update', 'All figures', '>Today<', 'class="active"', 'All languages',
    ]) assert.include(text, shown)
  })

  it('are compared with the time before, if there was any', async () => {
    for (const [ago, state] of [[1, 'read'], [2, 'read'], [3, 'delivered'], [8, 'read'], [9, 'read']] as const) await send(ago, state)
    const text = await page('?period=week')
    assert.include(text, '+50% vs. the period before')
    assert.lengthOf(text.split('vs. the period before'), 3)
    assert.notInclude(await page('?period=quarter'), 'vs. the period before')
  })

  it('are an empty page if nothing was sent, and unknown words choose the usual period', async () => {
    for (const query of ['', '?period=nonsense', '?period=week&language=xx']) {
      assert.include(await page(query), 'This template was not sent in this period.', query)
    }
  })

  it('are a file with a line for each part', async () => {
    await send(0, 'read')
    const { status, text } = await console.get(`${base}/results.csv?period=quarter&language=en`, cookie)
    assert.equal(status, 200)
    const lines = text.trimEnd().split('\r\n')
    assert.lengthOf(lines, 13)
    assert.match(lines.at(-1) ?? '', /,order_update,en,1,1,1,0,1,0,0\.040000,0\.040000,USD$/)
  })

  it('are shown to members of the workspace alone', async () => {
    const elsewhere = { _tag: 'Role', workspace: await console.newWorkspace(), role: 'owner' } as const
    const other = `postern_session=${(await console.join('bob@example.com', elsewhere)).token}`
    for (const path of [base, `${base}/results.csv`]) assert.equal((await console.get(path, other)).status, 403)
  })
})
