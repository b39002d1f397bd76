// Slow: shows many pages of the console in a real browser.
import { assert } from 'chai'
import { axeFaults, openDashboard, type Dashboard, type Look } from './dashboard.js'
import { describeInBrowser } from './chromium.js'

/** The pages that all members of a workspace may see, by the end of their addresses. */
const SHOWN = [
  '', '?range=90d', '/messages', '/messages?state=failed&template=order_update', '/customers', '/customers/4915123456789', '/keys', '/endpoints', '/sender', '/settings', '/send', '/templates', '/wallet',
  '/wallet/books', '/wallet/spend',
]
/** The pages of an operator that belong to no workspace. */
const OF_ALL = ['/console', '/console/health', '/console/members', '/console/audit', '/console/account', '/console/password']
const LOOKS: ReadonlyArray<Look> = [{}, { width: 320 }, { dark: true }, { width: 320, dark: true, script: false }]

describeInBrowser('The pages of the console in a browser', () => {
  let dashboard: Dashboard
  before(async () => {
    dashboard = await openDashboard()
    await dashboard.tenant.customerWrites('4915123456789')
    await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: '4915123456789', text: 'Hello' } })
  })
  after(() => dashboard.close())

  for (const look of LOOKS) {
    it(`please axe, fit, complain of nothing and ask no other host, ${JSON.stringify(look)}`, async () => {
      const paths = [...OF_ALL, ...SHOWN.map((end) => `/console/workspaces/${dashboard.tenant.id}${end}`)]
      // One window for all pages, since opening one costs more than a page.
      const { page, faults, close } = await dashboard.open('/console', look)
      try {
        for (const path of paths) {
          await page.goto(`${dashboard.gateway.url}${path}`)
          // Axe needs scripts.
          if (look.script !== false) assert.deepEqual(await axeFaults(page), [], path)
          assert.isAtMost(await page.locator('html').evaluate((html) => html.scrollWidth), look.width ?? 1280, `${path} is wider than the window`)
          assert.deepEqual(faults, [], path)
        }
      } finally {
        await close()
      }
    })
  }

  it('show what happens while they are open', async () => {
    const { page, faults, close } = await dashboard.open(`/console/workspaces/${dashboard.tenant.id}/messages`)
    try {
      assert.equal(await page.locator('tbody tr').count(), 1)
      await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: '4915123456789', text: 'Hello again' } })
      await page.locator('tbody tr').nth(1).waitFor()
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })
})
