// Slow: shows many pages of the console in a real browser.
import { assert } from 'chai'
import { axeFaults, openDashboard, type Dashboard, type Look } from './dashboard.js'
import { describeInBrowser } from './chromium.js'

describeInBrowser('Keys, endpoints, the numbers, settings, workspaces and health in a browser', () => {
  let dashboard: Dashboard
  let base: string
  before(async () => {
    dashboard = await openDashboard()
    base = `/console/workspaces/${dashboard.tenant.id}`
  })
  after(() => dashboard.close())

  const looks: ReadonlyArray<Look> = [{ as: 'operator' }, { as: 'operator', width: 320, dark: true, script: false }]

  for (const look of looks) {
    it(`make a workspace and a key that works, ${JSON.stringify(look)}`, async () => {
      const { page, faults, close } = await dashboard.open('/console', look)
      try {
        await page.getByRole('link', { name: 'Create workspace' }).click()
        await page.getByLabel('Name', { exact: true }).fill(`Shop ${JSON.stringify(look)}`)
        await page.getByRole('button', { name: 'Create workspace' }).press('Enter')
        await page.waitForURL(/\/console\/workspaces\/ws_/)
        if (look.width !== undefined) await page.getByLabel('Menu').click()
        await page.getByRole('link', { name: 'Keys' }).click()
        await page.getByRole('link', { name: 'Create key' }).click()
        await page.getByLabel('Name', { exact: true }).fill('first')
        await page.getByRole('button', { name: 'Create key' }).click()
        const key = await page.locator('code.secret').innerText()
        assert.match(key, /^pst_/)
        const reply = await fetch(`${dashboard.gateway.url}/v1/key`, { headers: { Authorization: `Bearer ${key}` } })
        assert.equal(reply.status, 200)
        assert.deepEqual(faults, [])
      } finally {
        await close()
      }
    })
  }

  it('add an endpoint, deliver a test to it, and show the delivery while it is open', async () => {
    const { page, faults, close } = await dashboard.open(`${base}/endpoints`, { as: 'developer' })
    try {
      await page.getByRole('link', { name: 'Add endpoint' }).click()
      await page.getByLabel('Address').fill(`${dashboard.gateway.url}/health/live`)
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      assert.match(await page.locator('code.secret').innerText(), /^whsec_/)
      await page.getByRole('link', { name: /Open the endpoint/ }).click()
      await page.getByRole('button', { name: 'Send test' }).click()
      await page.getByText('The endpoint did not accept the test.').waitFor()
      await page.getByRole('link', { name: 'Endpoints' }).click()
      await page.locator('tbody tr a').first().click()
      const row = await page.locator('tbody tr').first().getAttribute('id')
      await page.locator('tbody tr summary').first().click()
      await dashboard.tenant.customerWrites('4915123456789')
      await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: '4915123456789', text: 'Hello' } })
      await page.locator('tbody tr').nth(2).waitFor()
      assert.deepEqual(await page.locator('tbody tr:has(details[open])').evaluateAll((rows) => rows.map(({ id }) => id)), [row], 'what was opened stays open, and nothing else opens')
      await page.locator('tbody tr a').first().click()
      await page.getByRole('button', { name: 'Redeliver this event' }).waitFor()
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('keep what was typed in a panel that Escape closed, and give the focus back', async () => {
    const { page, faults, close } = await dashboard.open(`${base}/keys?new`, { as: 'developer' })
    try {
      assert.equal(await page.locator(':focus').getAttribute('id'), 'name')
      await page.keyboard.type('till')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.waitForURL(/\/keys$/)
      const act = page.getByRole('link', { name: 'Create key' })
      assert.isTrue(await act.evaluate((link) => link === document.activeElement))
      await act.press('Enter')
      assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'till')
      assert.deepEqual(await axeFaults(page), [])
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('have their rare acts in a menu, which Escape and a click elsewhere close', async () => {
    const { page, faults, close } = await dashboard.open(`${base}/settings`)
    try {
      const act = page.locator('summary', { hasText: 'Archive' })
      for (const leave of [() => page.keyboard.press('Escape'), () => page.locator('h1').click()]) {
        await page.locator('summary[aria-label="More actions"]').click()
        assert.isTrue(await act.isVisible())
        assert.deepEqual(await axeFaults(page), [])
        await leave()
        assert.isFalse(await act.isVisible())
      }
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('check a number with the platform', async () => {
    const { page, faults, close } = await dashboard.open(`${base}/sender/${dashboard.tenant.phoneNumberId}`, { as: 'owner' })
    try {
      await page.getByRole('button', { name: 'Check number' }).click()
      await page.getByText('GREEN').waitFor()
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('run the checks of the doctor, and show the gateway that is alive', async () => {
    const { page, faults, close } = await dashboard.open('/console/health')
    try {
      await page.getByText(`process ${process.pid}`).waitFor()
      await page.getByRole('link', { name: 'Run checks' }).click()
      await page.getByText(/checks found/).waitFor()
      await page.getByText('database', { exact: true }).waitFor()
      assert.deepEqual(await axeFaults(page), [])
      await page.getByRole('main').getByRole('link', { name: 'Health' }).click()
      await page.getByRole('button', { name: 'Reconcile now' }).click()
      await page.getByText(/became unconfirmed/).waitFor()
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })
})
