import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { Currency } from '../../core/kernel/money.js'
import { messageIdOf, templateMessage } from '../../core/messages/message.js'
import { rightOf } from '../support/right-of.js'
import { openChromium } from './chromium.js'
import { type Look, openDashboard } from './dashboard.js'
import { makeBatches, pagesOfBatches } from './batches.js'
import { OF_ALL, SHOWN } from './shown-pages.js'

// Photographs every page of the console in a folder, and puts the pictures of each state and look on one sheet, to be looked at by a person. It also says which
// pages are wider than their window, and where a sum of money or a moment is broken over two lines or outside of its card.
const LOOKS: Readonly<Record<string, Look>> = {
  wide: { width: 1440 }, narrow: { width: 375 }, dark: { width: 1440, dark: true }, german: { width: 1440, language: 'de' },
  'narrow-dark-german': { width: 375, dark: true, language: 'de' },
}
const MESSAGES = 10_000
const AT_ONCE = 250
const USD = 'USD' as Currency
const LONG_NAME = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & Söhne'

const folder = resolve(process.argv[2] ?? 'contact-sheet')
await mkdir(folder, { recursive: true })
const browser = await openChromium()
const dashboard = await openDashboard({}, browser)
const { gateway: { storage }, tenant } = dashboard
let batches: ReadonlyArray<string> = ['/batches', '/batches/new']

/** Some batches, and ten thousand messages to customers with long names, of every outcome, at prices of all sizes. */
const fill = async (): Promise<void> => {
  const { id: workspace } = tenant
  rightOf(await storage.ledger.topUp({
    workspace, micros: 98_765_432_100_000_000n, reference: 'bank transfer 2026-11-0000000000000000000000000000000017', at: Date.now(),
  }))
  await tenant.customerWrites('4915123456789')
  batches = pagesOfBatches(await makeBatches(dashboard), dashboard)
  rightOf(await storage.workspaces.rename(workspace, LONG_NAME))
  rightOf(await storage.customers.learn(workspace, '4915123456789' as PhoneNumber, { _tag: 'Named', name: LONG_NAME, at: Date.now() }))
  for (let done = 0; done < MESSAGES; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, place) => {
      const nth = done + place
      const [id, at] = [messageIdOf(uuidv7()), Date.now()]
      const micros = nth % 97 === 0 ? 1_234_567_890_123n : BigInt(7_700 * (1 + (nth % 5)))
      const price = { micros, currency: USD, category: 'marketing' } as const
      const to = `4915123${String(456_789 + (nth % 400)).padStart(6, '0')}` as PhoneNumber
      const name = nth % 3 === 0 ? 'order_update' : 'a_template_whose_name_is_as_long_as_names_of_templates_may_well_be'
      rightOf(await storage.messageLog.open({ id, workspace, price, at, message: templateMessage({ to, name }) }))
      rightOf(await storage.wallet.hold({ workspace, message: id, amount: price, at }))
      const state = (['read', 'delivered', 'failed', 'accepted'] as const)[nth % 4] ?? 'read'
      rightOf(await storage.messageLog.apply(
        workspace, id, state === 'failed' ? { state, at, error: { code: 131_026, message: 'Message undeliverable' } } : { state, at },
      ))
      rightOf(await storage.wallet[state === 'failed' ? 'refund' : 'capture']({ workspace, message: id, at }))
    }))
  }
}

const photograph = async (state: string, name: string, look: Look): Promise<void> => {
  const paths = [...OF_ALL, ...[...SHOWN, ...batches].map((end) => `/console/workspaces/${tenant.id}${end}`)]
  const { page, close } = await dashboard.open('/console', look)
  const figures: string[] = []
  try {
    for (const [index, path] of paths.entries()) {
      await page.goto(`${dashboard.gateway.url}${path}`)
      const file = `${state}-${name}-${String(index).padStart(2, '0')}.png`
      await page.screenshot({ path: join(folder, file), fullPage: true })
      const shown = path.replace(tenant.id, '…')
      figures.push(`<figure><img src="${file}" alt=""><figcaption>${shown}</figcaption></figure>`)
      const width = await page.locator('html').evaluate((html) => html.scrollWidth)
      if (width > (look.width ?? 0)) process.stdout.write(`${state} ${name} ${shown}: ${width} px wide\n`)
      const broken = await page.locator('.money, time, .whole').evaluateAll((all) =>
        all.filter((one) => one.getClientRects().length > 1).map(({ textContent }) => textContent))
      const outside = await page.locator('.card .money, .card time').evaluateAll((all) =>
        all.filter((one) => one.getBoundingClientRect().right > Number(one.closest('.card')?.getBoundingClientRect().right))
          .map(({ textContent }) => textContent))
      if (outside.length > 0) process.stdout.write(`${state} ${name} ${shown}: outside of their card: ${outside.join(', ')}\n`)
      if (broken.length > 0) process.stdout.write(`${state} ${name} ${shown}: broken over lines: ${broken.join(', ')}\n`)
    }
  } finally {
    await close()
  }
  const [columns, cell] = (look.width ?? 0) > 500 ? [6, 380] : [10, 230]
  const html = `<!doctype html><meta charset="utf-8"><style>body{margin:8px;font:12px sans-serif;display:grid;gap:8px;grid-template-columns:repeat(${columns},${cell}px)}
figure{margin:0;border:1px solid #888;height:${cell}px;overflow:hidden;position:relative}img{width:100%}figcaption{position:absolute;bottom:0;background:#fffc;width:100%}</style>${figures.join('')}`
  const sheet = join(folder, `${state}-${name}.html`)
  await writeFile(sheet, html)
  const context = await browser.newContext({ viewport: { width: columns * (cell + 8) + 16, height: 800 } })
  const whole = await context.newPage()
  await whole.goto(`file://${sheet}`)
  await whole.screenshot({ path: join(folder, `${state}-${name}.png`), fullPage: true })
  await context.close()
  process.stdout.write(`${join(folder, `${state}-${name}.png`)}\n`)
}

try {
  for (const state of ['empty', 'full'] as const) {
    if (state === 'full') await fill()
    for (const [name, look] of Object.entries(LOOKS)) await photograph(state, name, look)
  }
} finally {
  await dashboard.close()
  await browser.close()
}
