// Slow: does ten tasks of four roles in a real browser.
import { readFile } from 'node:fs/promises'
import { assert } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { platformErrorOf } from '../../core/explanations/platform-errors.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS } from '../../core/kernel/time.js'
import { type MessageId, messageIdOf } from '../../core/messages/message.js'
import { bucketStart, makeRollUpMessages } from '../../core/messages/statistics.js'
import { eventually } from '../support/eventually.js'
import { rightOf } from '../support/right-of.js'
import { describeInBrowser } from './chromium.js'
import type { Viewer } from './console.js'
import { type Dashboard, openDashboard } from './dashboard.js'

const ANN = '4915123456789' as PhoneNumber
const BEN = '4915123456700' as PhoneNumber
const NOT_ON_WHATSAPP = '15550100126'
const ACCOUNT = '102290129340398'

/** What a task may take at most, from the page after the sign-in: clicks, where Enter is one, and fields in which something is typed. */
const MOST: Readonly<Record<string, { readonly as: Viewer; readonly clicks: number; readonly fields: number }>> = {
  'Support: what happened to the last message to Ann': { as: 'developer', clicks: 1, fields: 1 },
  'Support: answer her while her window is open': { as: 'developer', clicks: 2, fields: 2 },
  'Support: why did messages of today fail': { as: 'developer', clicks: 1, fields: 0 },
  'Billing: the spend of the last month by template, as CSV': { as: 'viewer', clicks: 4, fields: 0 },
  'Billing: add 250.00 against an invoice': { as: 'operator', clicks: 2, fields: 2 },
  'Billing: print the statement of the last month': { as: 'viewer', clicks: 4, fields: 0 },
  'Operator: a new tenant, from nothing to its first message': { as: 'operator', clicks: 15, fields: 7 },
  'Operator: which tenant runs out of money this week': { as: 'operator', clicks: 0, fields: 0 },
  'Operator: resolve a message whose outcome is unknown': { as: 'operator', clicks: 6, fields: 1 },
  'Developer: what to change, by the id of a refused request': { as: 'developer', clicks: 1, fields: 1 },
}

/** A person at the console, whose clicks and fields are counted. */
type Person = {
  readonly page: Page
  readonly click: (what: Locator) => Promise<void>
  readonly type: (field: Locator, text: string) => Promise<void>
  /** Types into the field of the search, and presses Enter. */
  readonly search: (text: string) => Promise<void>
}

describeInBrowser('Ten tasks at the console', () => {
  let dashboard: Dashboard
  let poor: WorkspaceId
  let refusedRequest: string
  const done: Array<string> = []
  const lastMonth = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 15, 12))

  before(async () => {
    dashboard = await openDashboard({ MESSAGE_CONTENT: 'keep' })
    const { tenant, gateway: { storage, tenant: newTenant } } = dashboard
    rightOf(await storage.workspaces.rename(tenant.id, 'Meridian Clinics'))
    await tenant.customerWrites(ANN)
    const answer = await tenant.ask('POST', '/v1/messages/send-text', { json: { to: ANN, text: 'Your results are here' } })
    await eventually('the message to Ann is read', async () => (await tenant.messageOf(answer))['state'] === 'read' || undefined)
    // After the reports about the message: the platform gives a name in each, and the newest name replaces the others.
    rightOf(await storage.customers.learn(tenant.id, ANN, { _tag: 'Named', name: 'Ann Lovelace', at: Date.now() }))
    for (const _ of [1, 2]) await tenant.send(NOT_ON_WHATSAPP)
    refusedRequest = (await tenant.ask('POST', '/v1/messages/send-text', {
      json: { to: '4915123450000', text: 'Hello' },
    })).headers.get('X-Request-Id')
      ?? assert.fail('no id')
    await sent(tenant.id, lastMonth.getTime(), 2_500_000n)
    poor = (await newTenant('2')).id
    rightOf(await storage.workspaces.rename(poor, 'Corner Shop'))
    await sent(poor, Date.now() - DAY_MS, 3_000_000n)
    await left(tenant.id)
    rightOf(await makeRollUpMessages({ ...storage, now: Date.now })(() => Promise.resolve(true)))
  })
  after(async () => {
    process.stdout.write(`\n${done.join('\n')}\n`)
    await dashboard.close()
  })

  /** A message of a template that was read, with the time in its id. */
  const sent = async (workspace: WorkspaceId, at: number, micros: bigint): Promise<void> => {
    const { messageLog, messageStatistics } = dashboard.gateway.storage
    const id = messageIdOf(`${at.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`)
    const price = { micros, currency: 'USD' as Currency, category: 'utility' } as const
    rightOf(
      await messageLog.open({ id, workspace, at, price, message: { _tag: 'Template', to: ANN, name: 'order_update', language: 'en' } }),
    )
    rightOf(await messageLog.apply(workspace, id, { state: 'read', at }))
    // The gateway has counted the past when it began.
    rightOf(await messageStatistics.recount(workspace, '1h', bucketStart('1h', at)))
  }
  /** A message whose outcome is unknown. */
  const left = async (workspace: WorkspaceId): Promise<MessageId> => {
    const { messageLog, wallet } = dashboard.gateway.storage
    const [id, at, amount] = [messageIdOf(uuidv7()), Date.now(), { micros: 10_000n, currency: 'USD' as Currency }]
    rightOf(await messageLog.open({
      id, workspace, at, message: { _tag: 'Text', to: BEN, text: 'Hello' }, price: { ...amount, category: 'service' },
    }))
    rightOf(await wallet.hold({ workspace, message: id, amount, at }))
    rightOf(await messageLog.apply(workspace, id, { state: 'unconfirmed', at, error: { code: 131_000 } }))
    return id
  }

  const task = (name: string, act: (person: Person) => Promise<void>): void => {
    it(name, async () => {
      const most = MOST[name] ?? assert.fail(`the table has no ${name}`)
      const { page, faults, close } = await dashboard.open('/console', { as: most.as })
      let [clicks, fields] = [0, 0]
      const click: Person['click'] = async (what) => { clicks += 1; await what.click() }
      const type: Person['type'] = async (field, text) => { fields += 1; await field.fill(text) }
      const search: Person['search'] = async (text) => {
        await page.keyboard.press('/')
        await type(page.locator('.palette input:focus'), text)
        clicks += 1
        await page.keyboard.press('Enter')
      }
      try {
        await act({ page, click, type, search })
        done.push(`  ${String(clicks).padStart(2)} clicks, ${fields} fields: ${name}`)
        assert.deepEqual({ clicks, fields }, { clicks: most.clicks, fields: most.fields }, 'the table is the record: change it with the page')
        assert.deepEqual(faults, [])
      } finally {
        await close()
      }
    })
  }
  const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true }).first()
  const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name })
  const openWorkspace = ({ page, click }: Person) =>
    click(page.getByRole('main').getByRole('link', { name: 'Meridian Clinics', exact: true }))
  const openLastMonth = async (person: Person): Promise<void> => {
    await openWorkspace(person)
    await person.click(link(person.page, 'Spend'))
    await person.click(link(person.page, lastMonth.toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })))
  }

  task('Support: what happened to the last message to Ann', async ({ page, search }) => {
    await search('lovelace')
    await page.getByRole('heading', { name: 'Ann Lovelace' }).waitFor()
    const last = page.getByRole('region', { name: 'Messages, oldest first' }).locator('li.to').last()
    await last.filter({ hasText: 'Your results are here' }).filter({ hasText: 'Read' }).waitFor()
  })

  task('Support: answer her while her window is open', async ({ page, search, type, click }) => {
    await search('ann')
    await page.getByText('Window open for another').waitFor()
    await type(page.getByRole('textbox', { name: 'Text' }), 'We call you back')
    await click(page.getByRole('button', { name: 'Send', exact: true }))
    await page.getByLabel('Messages, oldest first').getByText('We call you back').waitFor()
  })

  task('Support: why did messages of today fail', async (person) => {
    await openWorkspace(person)
    const why = person.page.getByRole('region', { name: 'Why messages fail' })
    await why.getByText('Not on WhatsApp').waitFor()
    await why.getByText(platformErrorOf(131_026)?.fix ?? '').waitFor()
  })

  task('Billing: the spend of the last month by template, as CSV', async (person) => {
    await openLastMonth(person)
    const download = person.page.waitForEvent('download')
    await person.click(link(person.page, 'Download CSV by template'))
    const file = await (await download).path()
    assert.include(await readFile(file, 'utf8'), 'order_update,1,2.500000,USD')
  })

  task('Billing: add 250.00 against an invoice', async ({ page, click, type }) => {
    await click(page.getByTitle('Add money to Meridian Clinics'))
    await type(page.locator('#top-up-amount'), '250.00')
    await type(page.locator('#top-up-reference'), 'INV-2026-117')
    await click(button(page, 'Add money'))
    await page.locator('.entry', { hasText: 'INV-2026-117' }).getByText('+$250.00').waitFor()
  })

  task('Billing: print the statement of the last month', async (person) => {
    await person.page.addInitScript('window.printed = 0; window.print = () => { window.printed += 1 }')
    await openLastMonth(person)
    await person.page.getByText('$2.50').first().waitFor()
    await person.click(button(person.page, 'Print statement'))
    assert.equal(await person.page.evaluate('window.printed'), 1)
  })

  task('Operator: a new tenant, from nothing to its first message', async ({ page, click, type }) => {
    await click(link(page, 'Create workspace'))
    await type(page.getByLabel('Name', { exact: true }), 'Night Pharmacy')
    await click(button(page, 'Create workspace'))
    await click(page.getByRole('main').getByRole('link', { name: 'Add number' }).first())
    await type(page.getByLabel('Phone number id'), '1900')
    await type(page.getByLabel('Business account id'), ACCOUNT)
    await type(page.getByLabel('Access token'), 'a-token-of-the-pharmacy')
    await click(button(page, 'Add number'))
    await click(link(page, 'Wallet'))
    await click(link(page, 'Add money'))
    await type(page.locator('#top-up-amount'), '50')
    await type(page.locator('#top-up-reference'), 'INV-1')
    await click(button(page, 'Add money'))
    await click(link(page, 'Templates'))
    await click(button(page, 'Update list now'))
    await click(link(page, 'Back to the templates'))
    await click(link(page, 'hello_world'))
    await click(link(page, 'Send template'))
    await type(page.getByLabel('To', { exact: true }), '+49 151 23456780')
    await click(button(page, 'Next'))
    await click(button(page, 'Review'))
    await click(button(page, /^Send for/))
    await page.getByText('The platform has accepted the message.').waitFor()
  })

  task('Operator: which tenant runs out of money this week', async ({ page }) => {
    const row = page.getByRole('row').filter({ hasText: 'Corner Shop' })
    await row.getByText('4 days').waitFor()
    assert.equal(await page.locator('.soon').count(), 1, 'and no other')
  })

  task('Operator: resolve a message whose outcome is unknown', async (person) => {
    const { page, click, type } = person
    await openWorkspace(person)
    await click(link(page, 'Resolve'))
    await click(page.locator('tbody tr a').first())
    await click(page.locator('summary', { hasText: 'Resolve' }))
    await click(page.getByLabel('It was not sent'))
    await type(page.getByLabel('Evidence'), 'It is not in the account of the platform')
    await click(button(page, 'Resolve message'))
    await page.getByText('Money released').waitFor()
  })

  task('Developer: what to change, by the id of a refused request', async ({ page, search }) => {
    // The log of requests is written a second later.
    await eventually('the request in the log', async () =>
      rightOf(await dashboard.gateway.storage.requestLog.list(dashboard.tenant.id, { requestId: refusedRequest, limit: 1 })).items[0])
    await search(refusedRequest)
    await page.getByText('window closed').first().waitFor()
    await page.getByText(/Send an approved template with/).waitFor()
  })
})
