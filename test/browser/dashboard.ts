import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { assert } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { makeMemberUseCases } from '../../core/use-cases/member-use-cases.js'
import type { Access } from '../../core/member.js'
import { SYSTEM } from '../../core/principal.js'
import type { WorkspaceId } from '../../core/workspace.js'
import { memberDepsOf } from '../../apps/server/member-deps.js'
import { plainHasher } from '../core/use-cases/plain-hasher.js'
import { startGateway, type GatewayFixture, type Tenant } from '../support/gateway.js'
import { rightOf } from '../support/right-of.js'
import { openChromium } from './chromium.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Who looks: an operator, the roles of a workspace, and a member of another workspace. */
export const VIEWERS = ['operator', 'owner', 'developer', 'viewer', 'stranger'] as const
export type Viewer = (typeof VIEWERS)[number]

/** How a page is looked at. */
export type Look = { readonly as?: Viewer | 'signed out'; readonly width?: number; readonly dark?: boolean; readonly script?: boolean }

/** A page, and what it did that no page of ours may do: complain, or ask another host for anything. */
export type Looked = { readonly page: Page; readonly faults: ReadonlyArray<string>; readonly close: () => Promise<void> }

/** A whole gateway with a workspace, a member in each role, and a browser. */
export type Dashboard = {
  readonly gateway: GatewayFixture
  readonly tenant: Tenant
  /** Opens an address of the console. */
  readonly open: (path: string, look?: Look) => Promise<Looked>
  /** The cookie of a member's session, as a header. */
  readonly cookieOf: (viewer: Viewer) => string
  readonly close: () => Promise<void>
}

/** Starts a gateway and a browser. */
export const openDashboard = async (env: Readonly<Record<string, string>> = {}): Promise<Dashboard> => {
  const gateway = await startGateway({ EVENTS_ALLOW: '127.0.0.0/8', ...env })
  const browser = await openChromium()
  const tenant = await gateway.workspace({ funds: '100', businessAccountId: '102290129340398' })
  const other = await gateway.workspace()
  const members = makeMemberUseCases({ ...memberDepsOf(gateway.storage), passwords: plainHasher() })
  const tokens = new Map<Viewer, string>()
  for (const viewer of VIEWERS) {
    const { token } = rightOf(await members.inviteMember({ by: SYSTEM, email: `${viewer}@example.com`, access: accessOf(viewer, tenant.id, other.id) })())
    tokens.set(viewer, rightOf(await members.takeLink({ token, address: '127.0.0.1' })()).token)
  }
  const cookieOf = (viewer: Viewer): string => `postern_session=${tokens.get(viewer) ?? ''}`
  return {
    gateway, tenant, cookieOf,
    open: (path, look = {}) => openPage(browser, gateway.url, path, look, tokens),
    close: async () => {
      await browser.close()
      await gateway.close()
    },
  }
}

const accessOf = (viewer: Viewer, workspace: WorkspaceId, other: WorkspaceId): Access => {
  if (viewer === 'operator') return { _tag: 'Operator' }
  return viewer === 'stranger' ? { _tag: 'Role', workspace: other, role: 'owner' } : { _tag: 'Role', workspace, role: viewer }
}

const openPage = async (browser: Browser, url: string, path: string, look: Look, tokens: ReadonlyMap<Viewer, string>): Promise<Looked> => {
  const { as = 'operator', width = 1280, dark = false, script = true } = look
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? 'dark' : 'light', javaScriptEnabled: script })
  if (as !== 'signed out') await context.addCookies([{ name: 'postern_session', value: tokens.get(as) ?? '', url }])
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
  const { result } = await run('axe.run().then(({ violations }) => violations.map(({ id, help, nodes }) => id + ": " + help + " " + nodes.map(({ html }) => html).join(" ")))')
  assert.isArray(result.value, 'axe did not run')
  return result.value as ReadonlyArray<string>
}
