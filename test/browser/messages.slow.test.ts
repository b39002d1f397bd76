// Slow: shows many pages of the console in a real browser.
import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { Currency } from '../../core/kernel/money.js'
import { messageIdOf, templateMessage } from '../../core/messages/message.js'
import { rightOf } from '../support/right-of.js'
import { describeInBrowser } from './chromium.js'
import { axeFaults, type Dashboard, openDashboard } from './dashboard.js'

const CUSTOMER = '4915123456789'

describeInBrowser('The pages of messages and customers in a browser', () => {
  let dashboard: Dashboard
  before(async () => {
    dashboard = await openDashboard()
    await dashboard.tenant.customerWrites(CUSTOMER)
    await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: CUSTOMER, text: 'Hello' } })
  })
  after(() => dashboard.close())
  const pathOf = (end: string): string => `/console/workspaces/${dashboard.tenant.id}${end}`

  it('filter by what is typed, and lead to the message and its customer', async () => {
    const { page, faults, close } = await dashboard.open(pathOf('/messages'), { as: 'viewer' })
    try {
      await page.locator('summary', { hasText: 'Filter' }).click()
      await page.getByLabel('Recipient').fill('+49 151 23456789')
      await page.getByRole('button', { name: 'Apply' }).click()
      assert.equal(await page.getByLabel('Recipient').inputValue(), '+49 151 23456789')
      // A click does not wait for the whole next page.
      await page.waitForLoadState()
      assert.equal(await page.locator('tbody tr').count(), 1)
      await page.locator('tbody tr a').first().click()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.getByText('Money charged').first().waitFor()
      await page.getByRole('link', { name: '+49 151 234 567 89' }).click()
      await page.getByRole('region', { name: 'Messages, oldest first' }).waitFor()
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('are walked through with j and k, opened with Enter and left with Escape', async () => {
    const { page, faults, close } = await dashboard.open(pathOf('/messages'), { as: 'viewer', width: 1440 })
    try {
      for (const key of ['j', 'j', 'k', 'k']) await page.keyboard.press(key)
      assert.isTrue(await page.locator('tbody tr a').first().evaluate((link) => link === document.activeElement))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.keyboard.press('Escape')
      await page.waitForURL((url) => url.pathname.endsWith('/messages'))
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('are chosen with x, as far as Shift goes, and let go with Escape; without a script with checkboxes', async () => {
    await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: CUSTOMER, text: 'Hello again' } })
    const { page, faults, close } = await dashboard.open(pathOf('/messages'), { as: 'developer' })
    try {
      const chosen = page.locator('tbody .pick :checked')
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await page.keyboard.press('j')
      await page.keyboard.press('X')
      assert.equal(await chosen.count(), 2)
      assert.isTrue(await page.locator('.selection').isVisible())
      assert.isFalse(await page.getByRole('button', { name: 'Send again' }).isVisible(), 'they did not fail')
      assert.deepEqual(await axeFaults(page), [])
      await page.keyboard.press('Escape')
      assert.equal(await chosen.count(), 0)
      assert.isFalse(await page.locator('.selection').isVisible())
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
    const plain = await dashboard.open(pathOf('/messages'), { as: 'developer', script: false, width: 375 })
    try {
      await plain.page.locator('tbody .pick input').first().check()
      const file = plain.page.waitForEvent('download')
      await plain.page.getByRole('button', { name: 'Export' }).click()
      assert.equal((await file).suggestedFilename(), 'messages.csv')
      assert.isAtMost(await plain.page.locator('html').evaluate((html) => html.scrollWidth), 375)
    } finally {
      await plain.close()
    }
  })

  it('show what happens to the open message, and settle it by keyboard, at 320 px in the dark', async () => {
    const { tenant: { id: workspace }, gateway: { storage } } = dashboard
    const [id, at, amount] = [messageIdOf(uuidv7()), Date.now(), { micros: 10_000n, currency: 'USD' as Currency }]
    const message = { _tag: 'Text', to: CUSTOMER as PhoneNumber, text: 'Hello' } as const
    rightOf(await storage.messageLog.open({ id, workspace, at, message, price: { ...amount, category: 'service' } }))
    rightOf(await storage.wallet.hold({ workspace, message: id, amount, at }))
    const { page, faults, close } = await dashboard.open(pathOf(`/messages/${id}`), { width: 320, dark: true })
    try {
      rightOf(await storage.messageLog.apply(workspace, id, { state: 'unconfirmed', at: Date.now(), error: { code: 131_000 } }))
      await page.getByText('The platform had an internal error.').waitFor()
      assert.deepEqual(await axeFaults(page), [])
      await page.locator('summary', { hasText: 'Resolve' }).focus()
      await page.keyboard.press('Enter')
      await page.getByLabel('It was not sent').focus()
      await page.keyboard.press('Space')
      await page.getByLabel('Evidence').fill('looked it up')
      await page.keyboard.press('Enter')
      await page.getByText('Money released').waitFor()
      await page.getByText('looked it up').first().waitFor()
      assert.deepEqual([await axeFaults(page), faults], [[], []])
      assert.isAtMost(await page.locator('html').evaluate((html) => html.scrollWidth), 320)
    } finally {
      await close()
    }
  })

  it('have nothing on paper that stays in its place while rows pass under it, on narrow and wide paper', async () => {
    for (const width of [800, 1_600]) {
      for (const end of ['/messages', '/customers', '/wallet']) {
        const { page, close } = await dashboard.open(pathOf(end), { width })
        try {
          await page.emulateMedia({ media: 'print' })
          const kept = await page.locator('body *').evaluateAll((all) =>
            all.filter((one) => one.getClientRects().length > 0 && ['sticky', 'fixed'].includes(getComputedStyle(one).position))
              .map(({ outerHTML }) => outerHTML.slice(0, 80)))
          assert.deepEqual(kept, [], end)
        } finally {
          await close()
        }
      }
    }
  })

  it('repeat the head of a statement on each sheet of paper, break no row, and print no link to another page', async () => {
    for (const end of [`/wallet/days/${new Date().toISOString().slice(0, 10)}`, `/wallet/months/${new Date().toISOString().slice(0, 7)}`]) {
      const { page, close } = await dashboard.open(pathOf(end))
      try {
        await page.emulateMedia({ media: 'print' })
        const styles = (selector: string) => page.locator(selector).evaluateAll((all) => all.map((one) => {
          const { display, breakInside } = getComputedStyle(one)
          return `${display} ${breakInside}`
        }))
        assert.deepEqual(await styles('.statement'), ['table auto'], end)
        assert.deepEqual(await styles('.statement > .columns'), ['table-header-group avoid'], end)
        assert.deepEqual(new Set(await styles('.statement .entry')), new Set(['grid avoid']), end)
        assert.equal(await page.locator('main a:visible:not(.statement a)').count(), 0, end)
      } finally {
        await close()
      }
    }
  })

  it('show why a message failed beside its state, over nothing else, in a list on a phone', async () => {
    const { tenant: { id: workspace }, gateway: { storage } } = dashboard
    const [id, at] = [messageIdOf(uuidv7()), Date.now()]
    const price = { micros: 10_000n, currency: 'USD' as Currency, category: 'utility' } as const
    rightOf(await storage.messageLog.open({
      id, workspace, at, price, message: templateMessage({ to: CUSTOMER as PhoneNumber, name: 'order_update' }),
    }))
    rightOf(await storage.messageLog.apply(workspace, id, { state: 'failed', at, error: { code: 131_026 } }))
    for (const language of ['en', 'de', 'es', 'pt-BR']) {
      const { page, close } = await dashboard.open(pathOf('/messages?state=failed'), { width: 375, language })
      try {
        const boxes = await page.locator(`tr[id="${id}"] td`).evaluateAll((cells) => cells.map((cell) => {
          const range = document.createRange()
          range.selectNodeContents(cell)
          // What ends in an ellipsis is not seen beyond its cell.
          const end = getComputedStyle(cell).overflowX === 'hidden' ? cell.getBoundingClientRect().right : Infinity
          return [...range.getClientRects()].map(({ left, top, right, bottom }) => ({
            left, top, right: Math.min(right, end), bottom,
          })).filter(({ left, right }) => left < right)
        }))
        const covered = boxes.flatMap((mine, index) => mine.flatMap((one) => boxes.slice(index + 1).flat()
          .filter((other) =>
            one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1)))
        assert.isAbove(boxes.length, 3)
        assert.deepEqual(covered, [], language)
      } finally {
        await close()
      }
    }
  })
})
