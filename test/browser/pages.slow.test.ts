// Slow: shows many pages of the console in a real browser.
import { assert } from 'chai'
import type { Browser } from 'playwright-core'
import { HOUR_MS } from '../../core/kernel/time.js'
import { rightOf } from '../support/right-of.js'
import { makeBatches, pagesOfBatches } from './batches.js'
import { describeInBrowser, openChromium } from './chromium.js'
import { axeFaults, type Dashboard, type Look, openDashboard, openPage } from './dashboard.js'
import { PARTS_PATH, servePartsPage } from './parts-page.js'
import { OF_ALL, SHOWN } from './shown-pages.js'

const LOOKS: ReadonlyArray<Look> = [
  {}, { width: 1440 }, { width: 320 }, { dark: true }, { width: 320, dark: true, script: false }, { language: 'de' },
  { width: 320, language: 'de' }, { language: 'pt-BR' }, { width: 320, language: 'es', dark: true },
]

describeInBrowser('The pages of the console in a browser', () => {
  let browser: Browser
  let dashboard: Dashboard
  let [message, queued] = ['', '']
  let batches: ReadonlyArray<string> = []
  before(async () => {
    browser = await openChromium()
    dashboard = await openDashboard({}, browser)
    await dashboard.tenant.customerWrites('4915123456789')
    queued = await schedule(2)
    await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: '4915123456789', text: 'Hello' } })
    message = rightOf(await dashboard.gateway.storage.messageLog.list(dashboard.tenant.id, { limit: 1 })).items[0]?.id
      ?? assert.fail('nothing was sent')
    batches = pagesOfBatches(await makeBatches(dashboard), dashboard)
  })
  after(async () => {
    await dashboard.close()
    await browser.close()
  })

  /** Schedules a message for some hours later. */
  const schedule = async (hours: number): Promise<string> => {
    const { tenant, gateway: { storage } } = dashboard
    const sendAt = new Date(Date.now() + hours * HOUR_MS).toISOString()
    await tenant.ask('POST', '/v1/messages/send-text', { json: { to: '4915123456789', text: 'Later', send_at: sendAt } })
    return rightOf(await storage.messageLog.list(tenant.id, { limit: 1 })).items[0]?.id ?? assert.fail('nothing is queued')
  }

  const inWorkspace = (ends: ReadonlyArray<string>): ReadonlyArray<string> => ends.map((end) => `/console/workspaces/${dashboard.tenant.id}${end}`)

  /** All pages, in parts, so that no test is long on a busy machine. */
  const PARTS: Readonly<Record<string, () => ReadonlyArray<string>>> = {
    'those of all workspaces': () => OF_ALL,
    'the first of a workspace': () => inWorkspace(SHOWN.slice(0, SHOWN.length / 2)),
    'those of batches': () => inWorkspace(batches),
    'the others of a workspace': () =>
      inWorkspace([
        ...SHOWN.slice(SHOWN.length / 2), `/messages/${message}`, `/messages/${message}?list=`, `/messages/${queued}`,
        `/sender/${dashboard.tenant.phoneNumberId}`,
      ]),
  }

  for (const look of LOOKS) for (const [part, paths] of Object.entries(PARTS)) {
    it(`please axe, fit, complain of nothing and ask no other host, ${part}, ${JSON.stringify(look)}`, async () => {
      // One window for many pages, since opening one costs more than a page.
      const { page, faults, close } = await dashboard.open('/console', look)
      try {
        for (const path of paths()) {
          const reply = await page.goto(`${dashboard.gateway.url}${path}`)
          assert.equal(reply?.status(), 200, path)
          // Axe needs scripts.
          if (look.script !== false) assert.deepEqual(await axeFaults(page), [], path)
          assert.isAtMost(
            await page.locator('html').evaluate((html) => html.scrollWidth), look.width ?? 1280, `${path} is wider than the window`,
          )
          assert.deepEqual(faults, [], path)
        }
      } finally {
        await close()
      }
    })
  }

  for (const look of LOOKS) {
    it(`have parts that please axe and fit, in every state, ${JSON.stringify(look)}`, async () => {
      await using server = await servePartsPage()
      const { page, faults, close } = await openPage(browser, server.url, PARTS_PATH, { ...look, as: 'signed out' })
      try {
        if (look.script !== false) assert.deepEqual(await axeFaults(page), [])
        assert.isAtMost(await page.locator('html').evaluate((html) => html.scrollWidth), look.width ?? 1280)
        const broken = await page.locator('.money, time, .whole').evaluateAll((all) =>
          all.filter((one) => one.getClientRects().length > 1).map(({ textContent }) => textContent))
        assert.deepEqual(broken, [], 'what is broken over two lines')
        const cut = await page.locator('.stats > div').evaluateAll((all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth).map(({ textContent }) => textContent))
        assert.deepEqual(cut, [], 'what is cut')
        const shots = process.env['SHOTS']
        if (shots !== undefined) {
          await page.screenshot({ path: `${shots}/parts-${look.width ?? 1280}${look.dark === true ? '-dark' : ''}.png`, fullPage: true })
        }
        assert.deepEqual(faults, [])
      } finally {
        await close()
      }
    })
  }

  it('show moments in the time zone of the page, with a script and without', async () => {
    await using server = await servePartsPage()
    for (const [script, shown] of [[true, '26 Nov 2026, 00:00'], [false, '26 Nov 2026, 00:00']] as const) {
      const { page, close } = await openPage(browser, server.url, PARTS_PATH, { as: 'signed out', script, zone: 'Asia/Kolkata' })
      try {
        assert.deepEqual(await page.locator('time[data-as=minute]').allTextContents(), [shown])
        if (script) assert.match(await page.locator('time[data-as=ago]').first().textContent() ?? '', /^5 min ago$/)
      } finally {
        await close()
      }
    }
  })

  it('copy an id whole', async () => {
    await using server = await servePartsPage()
    const { page, close } = await openPage(browser, server.url, PARTS_PATH, { as: 'signed out' })
    try {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'Copy …8f3a1c' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'msg_01a215b9a98d737ea05bc567418f3a1c')
    } finally {
      await close()
    }
  })

  it('show what happens while they are open', async () => {
    const { page, faults, close } = await dashboard.open(`/console/workspaces/${dashboard.tenant.id}/messages`)
    try {
      assert.equal(await page.locator(`#${message}`).count(), 1)
      await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: '4915123456789', text: 'Hello again' } })
      const sent = rightOf(await dashboard.gateway.storage.messageLog.list(dashboard.tenant.id, { limit: 1 })).items[0]
      await page.locator(`#${sent?.id}`).waitFor()
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('cancel the queued message whose menu is open, although others join the queue before it', async () => {
    const { page, faults, close } = await dashboard.open(`/console/workspaces/${dashboard.tenant.id}/queue`)
    try {
      const row = page.locator(`#${queued}`)
      await row.locator('.more > summary').click()
      await row.locator('.behind > summary').click()
      assert.deepEqual(await axeFaults(page), [])
      const earlier = await schedule(1)
      await page.locator(`#${earlier}`).waitFor()
      await row.getByRole('button', { name: 'Cancel message' }).click()
      await page.getByText('The message was canceled.').waitFor()
      // The text is above the table.
      await page.waitForLoadState()
      assert.deepEqual([await row.count(), await page.locator(`#${earlier}`).count(), faults], [0, 1, []])
    } finally {
      await close()
    }
  })
})
