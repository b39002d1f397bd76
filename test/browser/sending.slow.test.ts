// Slow: shows many pages of the console in a real browser.
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { closesAt } from '../../core/customers/window.js'
import { rightOf } from '../support/right-of.js'
import { describeInBrowser, openChromium } from './chromium.js'
import { axeFaults, type Dashboard, type Look, openDashboard } from './dashboard.js'

const CUSTOMER = '4915123456789'
const STRANGER = '4915123456780'
const SECRET_TEXT = 'Your parcel waits at the door <b>& "now"</b>'
const MINUTE_MS = 60_000
const LOOKS: ReadonlyArray<Look> = [{}, { width: 320 }, { dark: true }, { width: 320, dark: true, script: false }]

describeInBrowser('Sending, templates and the wallet in a browser', () => {
  let browser: Browser
  let dashboard: Dashboard
  let base: string
  let writtenAt: number
  before(async () => { browser = await openChromium() })
  after(() => browser.close())
  // Each look begins with an empty workspace, in the same browser.
  beforeEach(async () => {
    dashboard = await openDashboard({}, browser)
    base = `/console/workspaces/${dashboard.tenant.id}`
    writtenAt = Date.now()
    await dashboard.tenant.customerWrites(CUSTOMER, writtenAt)
  })
  afterEach(() => dashboard.close())

  const messages = async () => rightOf(await dashboard.gateway.storage.messageLog.list(dashboard.tenant.id, { limit: 50 })).items
  const sync = () => fetch(`${dashboard.gateway.url}${base}/templates/sync`, {
    method: 'POST', redirect: 'manual', body: new URLSearchParams(),
    headers: { Cookie: dashboard.cookieOf('developer'), Origin: dashboard.gateway.url },
  })

  const withPage = async (path: string, look: Look, use: (page: Page) => Promise<void>): Promise<void> => {
    const { page, faults, close } = await dashboard.open(path, look)
    try {
      await use(page)
      assert.deepEqual(faults, [], path)
    } finally {
      await close()
    }
  }
  const looksGood = async (page: Page, { width = 1280, script = true }: Look): Promise<void> => {
    // A click does not wait for the style sheet of the next page.
    await page.waitForLoadState('load')
    if (script) assert.deepEqual(await axeFaults(page), [], page.url())
    assert.isAtMost(await page.locator('html').evaluate((html) => html.scrollWidth), width, `${page.url()} is wider than the window`)
    const shots = process.env['SHOTS']
    if (shots !== undefined) {
      await page.screenshot({
        path: `${shots}/${page.url().replace(/.*workspaces.[^/]*/, '').replace(/\W+/g, '-')}-${await page.title().then((title) => title.slice(0, 8).trim())}-${width}-${String(script)}.png`,
        fullPage: true,
      })
    }
  }

  for (const look of LOOKS) {
    it(`send a text, a location and a template step by step, and show the catalogue and the wallet, ${JSON.stringify(look)}`, async () => {
      assert.match(await (await sync()).text(), /The list was updated: \d+ templates/)
      await withPage(`${base}/send`, { ...look, as: 'developer' }, async (page) => {
        await looksGood(page, look)
        await page.getByLabel('To', { exact: true }).fill('+49 151 23456789')
        const asked = Date.now()
        await page.getByRole('button', { name: 'Next' }).click()
        // A click does not wait for the whole next page.
        await page.waitForLoadState()
        const [, hours, minutes] = /open for another (\d+) h (\d+) min/.exec(await page.locator('main').innerText())
          ?? assert.fail('the window is not shown as open')
        const left = (now: number): number => Math.floor((closesAt(writtenAt) - now) / MINUTE_MS)
        assert.isAtMost(Number(hours) * 60 + Number(minutes), left(asked))
        assert.isAtLeast(Number(hours) * 60 + Number(minutes), left(Date.now()))
        await looksGood(page, look)
        await page.getByRole('textbox', { name: 'Text' }).fill(SECRET_TEXT)
        await page.getByRole('button', { name: 'Review' }).click()
        await looksGood(page, look)
        const text = await page.locator('main').innerText()
        assert.include(text, SECRET_TEXT)
        assert.include(text, '$POSTERN_KEY')
        await page.getByRole('button', { name: /^Send for/ }).click()
        await looksGood(page, look)
        await page.getByText('The platform has accepted the message.').waitFor()
      })
      await withPage(`${base}/send`, { ...look, as: 'developer' }, async (page) => {
        await page.getByLabel('To', { exact: true }).fill(CUSTOMER)
        await page.getByLabel('Location', { exact: true }).check()
        await page.getByRole('button', { name: 'Next' }).click()
        await looksGood(page, look)
        await page.getByLabel('Latitude').fill('52.5219')
        await page.getByLabel('Longitude').fill('13.4132')
        await page.getByLabel('Address of the place').fill('Alexanderplatz 1')
        await page.getByRole('button', { name: 'Review' }).click()
        await looksGood(page, look)
        assert.match(await page.locator('.bubble').innerText(), /52\.5219, 13\.4132\s+Alexanderplatz 1/)
        await page.getByRole('button', { name: /^Send for/ }).click()
        await page.getByText('The platform has accepted the message.').waitFor()
      })
      await withPage(`${base}/templates`, { ...look, as: 'developer' }, async (page) => {
        await looksGood(page, look)
        await page.getByLabel('Name').fill('ORDER_up')
        await page.getByRole('button', { name: 'Apply', exact: true }).click()
        await page.getByRole('link', { name: 'order_update' }).first().click()
        await looksGood(page, look)
        await page.getByRole('link', { name: 'Send template' }).first().click()
        await page.getByLabel('To', { exact: true }).fill(STRANGER)
        await page.getByRole('button', { name: 'Next' }).click()
        await looksGood(page, look)
        await page.getByLabel('Body, {{1}}').fill('Ann')
        await page.getByLabel('Body, {{2}}').fill('A-17')
        await page.getByRole('button', { name: 'Review' }).click()
        await looksGood(page, look)
        assert.match(await page.locator('.bubble').innerText(), /Ann[^]*A-17/)
        await page.getByRole('button', { name: /^Send for/ }).click()
        await page.getByText('The platform has accepted the message.').waitFor()
      })
      for (const path of ['/wallet', '/wallet/books', '/wallet/spend']) await withPage(base + path, look, (page) => looksGood(page, look))
      assert.deepEqual((await messages()).map(({ kind, to }) => [kind, to]), [
        ['template', STRANGER], ['location', CUSTOMER], ['text', CUSTOMER],
      ])
    })
  }
})
