// Slow: shows the reference of the API in a real browser.
import { assert } from 'chai'
import type { Browser, Locator, Page } from 'playwright-core'
import { describeInBrowser, openChromium } from './chromium.js'
import { axeFaults, type Dashboard, type Look, openDashboard } from './dashboard.js'

const CUSTOMER = '4915123456789'
const LOOKS: ReadonlyArray<Look> = [
  { width: 1440 }, { width: 375 }, { width: 1440, dark: true }, { width: 375, dark: true }, { width: 375, script: false },
]

/** The form of an operation, opened. */
const formOf = async (page: Page, operation: string): Promise<Locator> => {
  const section = page.locator(`#${operation}`)
  await section.locator('summary', { hasText: 'Try it' }).click()
  return section.locator('form')
}

const shownSections = (page: Page): Promise<ReadonlyArray<string>> =>
  page.locator('main section[id]:visible').evaluateAll((sections) => sections.map(({ id }) => id))

describeInBrowser('The reference of the API in a browser', () => {
  let browser: Browser
  let dashboard: Dashboard
  before(async () => {
    browser = await openChromium()
    dashboard = await openDashboard({}, browser)
    await dashboard.tenant.customerWrites(CUSTOMER)
  })
  after(async () => {
    await dashboard.close()
    await browser.close()
  })

  const open = (look: Look = {}, path = '/docs') => dashboard.open(path, { as: 'signed out', width: 1440, ...look })

  for (const look of LOOKS) {
    it(`pleases axe, fits, complains of nothing and asks no other host, ${JSON.stringify(look)}`, async () => {
      const { page, faults, close } = await open(look)
      try {
        for (const path of ['/errors', '/errors/window_closed', '/docs']) {
          await page.goto(dashboard.gateway.url + path)
          if (look.script !== false) {
            await page.evaluate(() =>
              document.querySelectorAll('#sendMessage details, #getMessage details, #uploadMedia details')
                .forEach((one) => one.setAttribute('open', '')))
            assert.deepEqual(await axeFaults(page), [], path)
          }
          assert.isAtMost(await page.locator('html').evaluate((html) => html.scrollWidth), look.width ?? 1280, path)
        }
        assert.deepEqual(faults, [])
      } finally {
        await close()
      }
    })
  }

  it('finds errors while one types, from the keyboard alone, and without a script by the address', async () => {
    const { page, faults, close } = await open({}, '/errors')
    const shown = () => page.locator('.errors li:visible code').allTextContents()
    try {
      await page.keyboard.press('/')
      await page.keyboard.type('window CLOSED')
      assert.include(await shown(), 'window_closed')
      assert.notInclude(await shown(), 'unauthenticated')
      await page.keyboard.type(' nothing')
      assert.equal(await page.getByRole('status').innerText(), 'No error has these words.')
      await page.keyboard.press('Escape')
      assert.include(await shown(), 'unauthenticated')
      await page.keyboard.type('131047')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Error 131047 of the platform' }).waitFor()
      await page.getByRole('link', { name: 'Console' }).waitFor()
      await page.getByRole('main').getByRole('link', { name: 'Errors' }).click()
      await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
    const plain = await open({ script: false }, '/errors')
    try {
      await plain.page.getByRole('searchbox').fill('131047')
      await plain.page.keyboard.press('Enter')
      await plain.page.waitForURL(/q=131047$/)
      assert.deepEqual(await plain.page.locator('.errors li:visible a code').allTextContents(), ['131047'])
    } finally {
      await plain.close()
    }
  })

  it('can be read without its script: languages change, and what needs the script is not shown', async () => {
    const { page, close } = await open({ script: false })
    try {
      const section = page.locator('#sendText')
      assert.isTrue(await section.locator('.sample.curl').isVisible())
      await section.getByLabel('Python').check()
      assert.deepEqual(
        [await section.locator('.sample.curl').isVisible(), await section.locator('.sample.python').isVisible()], [false, true],
      )
      for (const hidden of ['#search', '#sendText form', '.key']) assert.isFalse(await page.locator(hidden).first().isVisible(), hidden)
      assert.include(await section.locator('.sample.python').textContent(), 'https://postern.example.com/v1/messages/send-text')
    } finally {
      await close()
    }
  })

  it('shows the address of its own gateway, and one language in all samples', async () => {
    const { page, close } = await open()
    try {
      assert.equal((await page.locator('#start code').textContent())?.trim(), `${dashboard.gateway.url}/v1`)
      await page.locator('#sendText').getByLabel('JavaScript').check()
      assert.include(await page.locator('#getWallet .sample.javascript').innerText(), `fetch("${dashboard.gateway.url}/v1/wallet"`)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.locator('#getWallet').getByRole('button', { name: 'Copy' }).click()
      await page.locator('#getWallet').getByRole('button', { name: 'Copied' }).waitFor()
      assert.include(await page.evaluate(() => navigator.clipboard.readText()), `await fetch("${dashboard.gateway.url}/v1/wallet"`)
    } finally {
      await close()
    }
  })

  it('finds operations by path, summary, field and error code, from the keyboard alone', async () => {
    const { page, faults, close } = await open()
    try {
      const search = page.getByRole('searchbox')
      await page.keyboard.press('/')
      assert.isTrue(await search.evaluate((field) => field === document.activeElement))
      for (const [words, found] of [
        ['wallet entries', 'listEntries'], ['/v1/key', 'getKey'], ['look up a CUSTOMER', 'getCustomer'], ['template_name', 'sendTemplate'],
        ['window_closed', 'sendText'],
      ] as const) {
        await search.fill(words)
        const shown = await shownSections(page)
        assert.include([...shown], found, words)
        assert.notInclude([...shown], 'isLive', words)
        assert.isTrue(await page.locator(`.places a[href="#${found}"]`).isVisible(), words)
        assert.isFalse(await page.locator('.places a[href="#isLive"]').isVisible(), words)
      }
      await search.fill('template_name idempotency-key')
      await page.keyboard.press('Enter')
      assert.equal(await page.evaluate(() => document.activeElement?.closest('section')?.id), 'sendTemplate')
      await page.keyboard.press('/')
      await page.keyboard.press('ArrowDown')
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('href')), '#sendTemplate')
      await page.keyboard.press('ArrowUp')
      await search.fill('nothing has this')
      assert.equal(await page.getByText('Nothing has these words').count(), 1)
      assert.deepEqual(await shownSections(page), [])
      await page.keyboard.press('Escape')
      assert.include([...await shownSections(page)], 'isLive')
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('sends a message with a key that is typed once, and keeps nothing of it', async () => {
    const { page, faults, close } = await open()
    try {
      const asked: Array<string> = []
      page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`))
      const { tenant } = dashboard
      await page.locator('#authentication').getByLabel('API key').fill(tenant.key)
      const form = await formOf(page, 'sendText')
      assert.equal(await form.getByLabel('API key').inputValue(), tenant.key)
      assert.match(await form.getByLabel('Idempotency-Key').inputValue(), /^try-[0-9a-f]{24}$/)
      await form.getByLabel('Body').fill(JSON.stringify({ to: CUSTOMER, text: 'From the reference <b>' }))
      const send = form.getByRole('button', { name: 'Send now: this costs money' })
      await send.click()
      await form.getByText('200 OK').waitFor()
      const answer = await form.locator('.answer').innerText()
      assert.match(answer, /x-request-id\n[^]*postern-message\nmsg_[0-9a-f]{32}[^]*"message_id": "wamid\./)
      // The same key again sends nothing twice.
      await send.click()
      await form.getByText('idempotency-replayed').waitFor()
      assert.deepEqual(dashboard.gateway.simulator.received().map(({ text }) => text), ['From the reference <b>'])
      const read = await formOf(page, 'getMessage')
      const [id = ''] = /msg_[0-9a-f]{32}/.exec(answer) ?? []
      await read.getByLabel('id').fill(id)
      await read.getByRole('button', { name: 'Send the request' }).click()
      await read.getByText('"state":').waitFor()
      assert.deepEqual(asked.filter((one) => one.includes(tenant.key)), [])
      assert.deepEqual(await page.context().cookies(), [])
      assert.notInclude(JSON.stringify(await page.context().storageState({ indexedDB: true })), tenant.key)
      assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0)
      await page.reload()
      assert.deepEqual(
        Array.from(new Set(await page.locator('.key').evaluateAll((fields) => fields.map((field) => 'value' in field && field.value)))),
        [''],
      )
      await page.goto(`${dashboard.gateway.url}/errors`)
      await page.goBack()
      assert.equal(await page.locator('.key').first().inputValue(), '')
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('shows a refusal with the page of its code, and asks for the key where there is none', async () => {
    const { page, close } = await open({ width: 375 })
    try {
      const form = await formOf(page, 'getWallet')
      const button = form.getByRole('button', { name: 'Send the request' })
      await button.click()
      assert.isTrue(await form.getByLabel('API key').evaluate((field) => field.matches(':invalid') && field === document.activeElement))
      await form.getByLabel('API key').fill('pst_nobodys')
      await button.click()
      await form.getByText('401 Unauthorized').waitFor()
      assert.equal(await form.getByRole('link', { name: 'unauthenticated' }).getAttribute('href'), 'errors/unauthenticated')
      await page.route('**/v1/wallet', (route) => route.abort())
      await button.click()
      await form.getByText('There was no answer').waitFor()
    } finally {
      await close()
    }
  })

  it('asks with what is typed for the parameters, and with a file', async () => {
    const { page, close } = await open()
    try {
      await page.locator('.key').first().fill(dashboard.tenant.key)
      const list = await formOf(page, 'listMessages')
      await list.getByLabel('state').selectOption('failed')
      await list.getByLabel('metadata').fill('order=A=17')
      await list.getByLabel('limit').fill('5')
      const asked = page.waitForRequest(/\/v1\/messages\?/)
      await list.getByRole('button', { name: 'Send the request' }).click()
      const { searchParams } = new URL((await asked).url())
      assert.deepEqual([...searchParams], [['state', 'failed'], ['metadata[order]', 'A=17'], ['limit', '5']])
      await list.getByText('200 OK').waitFor()
      const upload = await formOf(page, 'uploadMedia')
      await upload.locator('input[type=file]').setInputFiles({
        name: 'invoice.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n%%EOF\n'),
      })
      await upload.getByRole('button', { name: 'Send the request' }).click()
      await upload.getByText('201 Created').waitFor()
    } finally {
      await close()
    }
  })

  it('is led to by the console, and leads back', async () => {
    const { page, close } = await open({ as: 'developer' }, `/console/workspaces/${dashboard.tenant.id}`)
    try {
      await page.getByRole('link', { name: 'API reference' }).click()
      await page.getByRole('heading', { level: 1, name: 'Postern: the HTTP API' }).waitFor()
      await page.getByRole('link', { name: 'Console' }).click()
      await page.waitForURL(/\/console/)
    } finally {
      await close()
    }
  })

  it('has a menu on a narrow screen that works without a script', async () => {
    const { page, close } = await open({ width: 375, script: false })
    try {
      const link = page.locator('.places a[href="#getWallet"]')
      assert.isFalse(await link.isVisible())
      await page.locator('.menu summary').click()
      await link.click()
      assert.match(page.url(), /#getWallet$/)
    } finally {
      await close()
    }
  })
})
