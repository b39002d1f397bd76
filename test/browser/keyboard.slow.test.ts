// Slow: shows many pages of the console in a real browser.
import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { makeScryptHasher } from '../../adapters/scrypt/scrypt-hasher.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { bucketStart } from '../../core/messages/statistics.js'
import { rightOf } from '../support/right-of.js'
import { makeBatches } from './batches.js'
import { describeInBrowser } from './chromium.js'
import { axeFaults, type Dashboard, type Look, openDashboard } from './dashboard.js'
import { type Keyboard, keyboardOf } from './keyboard.js'
import { membersOf } from '../support/use-cases.js'

const CUSTOMER = '4915123456789'
const [EMAIL, PASSWORD] = ['kay@example.com', 'three blind otters']

/** The steps of a test, with what the page shows and its address. */
type Story = (keyboard: Keyboard, text: () => Promise<string>, url: () => string) => Promise<void>

describeInBrowser('The console by keyboard alone', () => {
  let dashboard: Dashboard
  before(async () => {
    dashboard = await openDashboard()
    await dashboard.tenant.customerWrites(CUSTOMER)
    await dashboard.tenant.ask('POST', '/v1/messages/send-text', { json: { to: CUSTOMER, text: 'Hello' } })
  })
  after(() => dashboard.close())

  const withKeyboard = async (path: string, look: Look, use: Story): Promise<void> => {
    const { page, faults, close } = await dashboard.open(path, look)
    try {
      await use(keyboardOf(page), () => page.locator('main').innerText(), () => page.url())
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  }
  /** Goes from the overview of the workspace to one of its pages. */
  const inWorkspace = (section: string, look: Look, use: Story) =>
    withKeyboard(`/console/workspaces/${dashboard.tenant.id}`, { as: 'owner', ...look }, async (keyboard, text, url) => {
      if (look.width !== undefined) {
        await keyboard.tabTo('summary', 'Menu')
        await keyboard.press('Enter')
      }
      await keyboard.tabTo('a', section)
      await keyboard.go()
      await use(keyboard, text, url)
    })
  const keys = async () => rightOf(await dashboard.gateway.storage.keyStore.list(dashboard.tenant.id))
  const alerts = async () => rightOf(await dashboard.gateway.storage.walletAlerts.alertsOf(dashboard.tenant.id))
  const messages = async () => rightOf(await dashboard.gateway.storage.messageLog.list(dashboard.tenant.id, { limit: 50 })).items
  // The gateway's own way to keep passwords.
  const members = () => membersOf(dashboard.gateway.storage, makeScryptHasher())

  it('finds a customer from any page, by a slash', () =>
    inWorkspace('Wallet', {}, async (keyboard, text, url) => {
      await keyboard.type('/+49 (0)151 23456789')
      await keyboard.go()
      assert.match(url(), /\/customers\/4915123456789$/)
      assert.include(await text(), 'Window open for another')
    }))

  it('opens the palette by Control and K, moves among its rows, and gives the focus back', async () => {
    const { page, faults, close } = await dashboard.open(`/console/workspaces/${dashboard.tenant.id}/wallet`, { as: 'owner' })
    const chosen = () => page.locator('.palette [aria-selected=true]').innerText()
    try {
      await page.getByRole('link', { name: 'Spend', exact: true }).first().focus()
      await page.keyboard.press('Control+k')
      const field = page.getByRole('combobox', { name: 'Search customers, messages, pages and actions' })
      assert.isTrue(await field.evaluate((one) => one === document.activeElement))
      // Both letters at once, because the rows of the first one alone would come between them on a slow machine.
      await page.keyboard.insertText('re')
      await page.locator('.palette mark').first().waitFor()
      assert.match(await chosen(), /^Requests/)
      await page.keyboard.press('ArrowDown')
      assert.match(await chosen(), /^API reference/)
      assert.equal(
        await field.getAttribute('aria-activedescendant'),
        await page.locator('.palette [aria-selected=true]').getAttribute('id'),
      )
      assert.deepEqual(await axeFaults(page), [])
      await page.keyboard.press('Escape')
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Spend')
      await Promise.all(['g', 'r'].map((key) => page.keyboard.press(key)))
      await page.waitForURL(/\/requests$/)
      await Promise.all(['c', 'k'].map((key) => page.keyboard.press(key)))
      await page.waitForURL(/\/keys\?new$/)
      assert.deepEqual(faults, [])
    } finally {
      await close()
    }
  })

  it('leaves a slash to who is typing', () =>
    inWorkspace('Customers', {}, async (keyboard) => {
      await keyboard.tabTo('input', 'Find a customer')
      await keyboard.type('49/151')
      assert.equal((await keyboard.focused()).name, 'Find a customer')
    }))

  it('answers a customer, and goes from a bar of the overview to its messages', async () => {
    await inWorkspace('Customers', {}, async (keyboard, text, url) => {
      await keyboard.tabTo('a', /^A customer/)
      await keyboard.go()
      await keyboard.tabTo('textarea', 'Text')
      await keyboard.type('Here I am.')
      await keyboard.tabTo('button', 'Send')
      await keyboard.go()
      assert.match(url(), /\/customers\/DE\.\d+$/)
      assert.match(await text(), /Text · \$0\.00/)
    })
    await withKeyboard(`/console/workspaces/${dashboard.tenant.id}?range=30d`, { as: 'viewer' }, async (keyboard, text, url) => {
      await dashboard.gateway.storage.messageStatistics.recount(dashboard.tenant.id, '1h', bucketStart('1h', Date.now()))
      await keyboard.tabTo('a', 'Overview')
      await keyboard.go()
      await keyboard.tabTo('a', '30 days')
      await keyboard.go()
      await keyboard.tabTo('a', /: [1-9][^·]* · /)
      await keyboard.go()
      assert.match(url(), /\/messages\?from=/)
      assert.include(await text(), '+49 151 234 567 89')
    })
  })

  it('signs in, and skips the navigation first', async () => {
    const { token } = rightOf(
      await members().inviteMember({ by: SYSTEM, email: EMAIL, access: { _tag: 'Role', workspace: dashboard.tenant.id, role: 'viewer' } }),
    )
    const signedIn = rightOf(await members().takeLink({ token, address: '127.0.0.1' }))
    rightOf(await members().setPassword({ signedIn, password: PASSWORD }))
    await withKeyboard('/console', { as: 'signed out' }, async (keyboard, text, url) => {
      assert.match(url(), /\/console\/sign-in$/)
      assert.equal((await keyboard.tab()).name, 'Skip to the content')
      await keyboard.tabTo('input', 'Email')
      await keyboard.type(EMAIL)
      await keyboard.tabTo('input', 'Password')
      await keyboard.type(PASSWORD)
      await keyboard.go()
      assert.match(url(), /\/console$/)
      assert.include(await text(), dashboard.tenant.id.slice(-6))
      assert.equal((await keyboard.tab()).name, 'Skip to the content')
      await keyboard.press('Enter')
      assert.isTrue((await keyboard.tab()).isInMain, 'the link leads past the navigation')
      await keyboard.tabTo('button', 'Sign out')
      await keyboard.go('Space')
      assert.match(url(), /\/console\/sign-in$/)
    })
  })

  it('makes a key and revokes it', () => inWorkspace('Keys', {}, async (keyboard, text) => {
    await keyboard.tabTo('a', 'Create key')
    await keyboard.go()
    await keyboard.type('till')
    await keyboard.tabTo('input', 'templates')
    await keyboard.press('Space')
    await keyboard.tabTo('button', 'Create key')
    await keyboard.go()
    assert.include(await text(), 'It cannot be shown again')
    const made = (await keys()).find(({ name }) => name === 'till')
    assert.deepEqual([made?.scopes.includes('templates'), made?.scopes.includes('send')], [false, true])
    await keyboard.tabTo('summary', 'Actions for the key till')
    await keyboard.press('Enter')
    await keyboard.tabTo('summary', 'Revoke the key till')
    await keyboard.press('Enter')
    await keyboard.tabTo('button', 'Revoke key')
    await keyboard.go('Space')
    assert.isDefined((await keys()).find(({ name }) => name === 'till')?.revokedAt)
  }))

  it('sends a text', () => inWorkspace('New message', {}, async (keyboard, text) => {
    await keyboard.tabTo('input', 'To')
    await keyboard.type(`+${CUSTOMER}`)
    await keyboard.tabTo('input', 'Text')
    for (const next of ['Template', 'Image']) {
      await keyboard.press('ArrowDown')
      assert.equal((await keyboard.focused()).name, next)
    }
    for (const _back of [1, 2]) await keyboard.press('ArrowUp')
    await keyboard.tabTo('button', 'Next')
    await keyboard.go('Space')
    await keyboard.tabTo('textarea', 'Text')
    await keyboard.type('Typed by hand')
    await keyboard.tabTo('button', 'Review')
    await keyboard.go()
    const before = (await messages()).length
    await keyboard.tabTo('button', /^Send for/)
    await keyboard.go()
    assert.include(await text(), 'The platform has accepted the message.')
    assert.lengthOf(await messages(), before + 1)
    await keyboard.tabTo('a', 'Show message')
    await keyboard.go()
    assert.include(await text(), '+49 151 234 567 89')
  }))

  it('filters messages', () => inWorkspace('Messages', {}, async (keyboard, text, url) => {
    await keyboard.tabTo('summary', 'Filter')
    await keyboard.press('Space')
    await keyboard.tabTo('input', 'Recipient')
    await keyboard.type('+49 151 0000000')
    await keyboard.go()
    assert.include(await text(), 'No messages match.')
    await keyboard.tabTo('a', 'Clear all')
    await keyboard.go()
    await keyboard.tabTo('summary', 'Filter')
    await keyboard.press('Enter')
    await keyboard.tabTo('select', 'State')
    await keyboard.press('ArrowDown')
    await keyboard.tabTo('button', 'Apply')
    await keyboard.go()
    assert.equal(new URL(url()).searchParams.get('state'), 'queued')
  }))

  it('changes the alert of a low balance', () => inWorkspace('Wallet', { width: 320, dark: true }, async (keyboard, text) => {
    await keyboard.tabTo('a', 'Alerts')
    await keyboard.go()
    await keyboard.tabTo('input', /^Alert below/)
    await keyboard.type('25')
    await keyboard.tabTo('button', 'Save')
    await keyboard.go()
    assert.equal(O.toUndefined(await alerts())?.threshold, 25_000_000n)
    assert.match(await text(), /Alert below\s+\$25\.00/)
  }))

  it('invites a member', () => inWorkspace('Members', { script: false }, async (keyboard, text) => {
    await keyboard.tabTo('a', 'Invite a person')
    await keyboard.go()
    await keyboard.type('new@example.com')
    await keyboard.tabTo('select', 'Access')
    // None is chosen before; the first is the owner.
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowDown')
    await keyboard.tabTo('button', 'Create invitation link')
    await keyboard.go()
    assert.match(await text(), /Send this link to new@example\.com/)
    const waiting = await members().listInvitations({ by: SYSTEM, workspace: dashboard.tenant.id })
    assert.deepInclude(rightOf(waiting).find(({ email }) => email === 'new@example.com')?.access, { role: 'developer' })
  }))

  it('sends a batch again to some of its recipients', async () => {
    await makeBatches(dashboard)
    for (const [look, button] of [
      [{ script: false }, 'Send again to this one'], [{ width: 320, dark: true }, 'Send again to those without a reply (2 received it)'],
    ] as const) await inWorkspace('Batches', look, async (keyboard, text) => {
      await keyboard.tabTo('a', /^Done(?! ·)/)
      await keyboard.go()
      await keyboard.tabTo('button', button)
      await keyboard.go()
      assert.match(await text(), /The draft has [12] recipients?\. Nothing is sent before you confirm it\./)
      await keyboard.tabTo('button', /^Send to [12] customers? for /)
    })
  })
})
