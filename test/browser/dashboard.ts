import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { assert } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openConsole, type Console, type Viewer } from './console.js'
import { openChromium } from './chromium.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** How a page is looked at. */
export type Look = {
  readonly as?: Viewer | 'signed out'
  readonly width?: number
  readonly dark?: boolean
  readonly script?: boolean
  readonly zone?: string
  readonly language?: string
}

/** A page, and what it did that no page of ours may do: complain, or ask another host for anything. */
export type Looked = { readonly page: Page; readonly faults: ReadonlyArray<string>; readonly close: () => Promise<void> }

/** A whole gateway with a workspace, a member in each role, and a browser. */
export type Dashboard = Console & {
  /** Opens an address of the console. */
  readonly open: (path: string, look?: Look) => Promise<Looked>
}

/** Starts a gateway, and a browser if none is given; closing it closes what it started. */
export const openDashboard = async (env: Readonly<Record<string, string>> = {}, given?: Browser): Promise<Dashboard> => {
  const browser = given ?? await openChromium()
  const console = await openConsole(env)
  return {
    ...console,
    open: (path, look = {}) => openPage(browser, console.gateway.url, path, look, console.tokenOf),
    close: async () => {
      if (given === undefined) await browser.close()
      await console.close()
    },
  }
}

/** Opens a page of a server. */
export const openPage = async (
  browser: Browser, url: string, path: string, look: Look, tokenOf: Console['tokenOf'] = () => '',
): Promise<Looked> => {
  const { as = 'operator', width = 1280, dark = false, script = true, zone = 'UTC', language = 'en' } = look
  const context = await browser.newContext({
    viewport: { width, height: 900 }, colorScheme: dark ? 'dark' : 'light', javaScriptEnabled: script, timezoneId: zone, locale: language,
  })
  if (as !== 'signed out') await context.addCookies([{ name: 'postern_session', value: tokenOf(as), url }])
  const faults: Array<string> = []
  await watch(context, url, faults)
  const page = await context.newPage()
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`) })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  await page.goto(url + path)
  return { page, faults, close: () => context.close() }
}

const watch = (context: BrowserContext, url: string, faults: Array<string>): Promise<unknown> =>
  context.route('**/*', async (route) => {
    const asked = route.request().url()
    if (asked.startsWith(`${url}/`)) return route.continue()
    faults.push(`asked ${asked}`)
    return route.abort()
  })

/** What axe finds wrong with a page, a sentence each. Axe runs beside the page, so that the page's own policy stays as it is. */
export const axeFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  // The debugger's own world may run what the page may not.
  const session = await page.context().newCDPSession(page)
  const run = async (expression: string) => session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  await run(`${AXE};0`)
  // A colour that still changes has a contrast that no person reads.
  await run('Promise.allSettled(document.getAnimations().map((animation) => animation.finished)).then(() => 0)')
  const { result } = await run('axe.run().then(({ violations }) => violations.map(({ id, help, nodes }) => id + ": " + help + " " + nodes.map(({ html }) => html).join(" ")))')
  assert.isArray(result.value, 'axe did not run')
  return result.value as ReadonlyArray<string>
}
