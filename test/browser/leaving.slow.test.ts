// Slow: shows pages of the console in a real browser, and waits for what they do by themselves.
import { assert } from 'chai'
import { describeInBrowser } from './chromium.js'
import { axeFaults, type Dashboard, openDashboard } from './dashboard.js'

const CUSTOMER = '4915123456789'

describeInBrowser('A page that a person leaves, or that is no longer true', () => {
  let dashboard: Dashboard
  let base: string
  before(async () => {
    dashboard = await openDashboard()
    base = `/console/workspaces/${dashboard.tenant.id}`
    await dashboard.tenant.customerWrites(CUSTOMER)
  })
  after(() => dashboard.close())

  it('is found again by the way back, also if it was the reply to a form', async () => {
    const { page, faults, close } = await dashboard.open(`${base}/send`, { as: 'developer' })
    try {
      await page.getByLabel('To', { exact: true }).fill('+49 151 23456789')
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('textbox', { name: 'Text' }).fill('Hello')
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: /^Send for/ }).click()
      await page.getByRole('heading', { name: 'Sent' }).waitFor()
      await page.goBack()
      await page.getByLabel('To', { exact: true }).waitFor()
      assert.equal(new URL(page.url()).pathname, `${base}/send`)
      await page.reload()
      await page.getByLabel('To', { exact: true }).waitFor()
      assert.lengthOf(dashboard.gateway.simulator.received(), 1)
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('leads to the sign-in once its person has signed out in another tab', async () => {
    const { page, close } = await dashboard.open(`${base}/customers`, { as: 'viewer' })
    try {
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.getByRole('button', { name: 'Sign out' }).click()
      await other.waitForURL('**/console/sign-in')
      await page.waitForURL('**/console/sign-in?back=*')
      assert.notInclude(await page.locator('body').innerText(), CUSTOMER.slice(-3))
    } finally {
      await close()
    }
  })

  it('says that it is not live while the gateway is away, and only then', async () => {
    const { gateway } = dashboard
    const { page, close } = await dashboard.open(`${base}/customers`, { as: 'owner', width: 375 })
    try {
      const said = page.getByText('This page is no longer updated')
      await page.locator('tbody tr').waitFor()
      assert.isFalse(await said.isVisible())
      await gateway.server().stop()
      await said.waitFor()
      assert.isAtMost(await page.locator('html').evaluate((html) => html.scrollWidth), 375)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await axeFaults(page), [], colorScheme)
        const shots = process.env['SHOTS']
        if (shots !== undefined) await page.screenshot({ path: `${shots}/not-live-${colorScheme}.png` })
      }
      await gateway.restart({ PORT: new URL(page.url()).port })
      await said.waitFor({ state: 'hidden' })
    } finally {
      await close()
    }
  })
})
