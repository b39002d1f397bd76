// Slow: shows the forms of every kind of message in a real browser.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { formKinds } from '../../adapters/console/pages/sending/send-form.js'
import { rightOf } from '../support/right-of.js'
import { describeInBrowser, openChromium } from './chromium.js'
import { axeFaults, type Dashboard, type Look, openDashboard } from './dashboard.js'

const CUSTOMER = '4915123456789'
const MIB = 1024 * 1024
/** A picture of one red point, as a browser reads it. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64')

/** What is typed for each kind besides texts and templates; kinds with a file need nothing. */
const TYPED: Readonly<Record<Exclude<keyof ReturnType<typeof formKinds>, 'text' | 'template'>, Readonly<Record<string, string>>>> = {
  image: { Caption: 'Your boots' }, video: {}, audio: {}, document: { 'File name': 'invoice.pdf' }, sticker: {},
  location: { Latitude: '52.5219', Longitude: '13.4132' }, contact: { Name: 'Ada', 'Phone number': '+49 151 5555' },
  reaction: { 'Id of the customer’s message': 'wamid.HBgN', Emoji: '👍' },
  buttons: { Text: 'Tomorrow?', 'Button 1': 'Yes', 'Button 2': 'No' },
  list: { Text: 'Which size?', 'Button that opens the list': 'Sizes', 'Row 1': '36', 'Description of row 1': 'The last pair' },
  link: { Text: 'Track it', 'Button 1': 'Track', 'Address that the button opens': 'https://shop.example/t' },
  'ask-location': { Text: 'Where?' }, 'ask-number': { Text: 'Which number?' },
  json: { 'Type and content': '{"type":"interactive","interactive":{"type":"catalog_message","body":{"text":"Our shoes"},"action":{"name":"catalog_message"}}}' },
}
const FILES: ReadonlyArray<string> = ['image', 'video', 'audio', 'document', 'sticker']

describeInBrowser('Every kind of message in a browser', () => {
  let browser: Browser
  let dashboard: Dashboard
  let folder: string
  let send: string
  before(async () => { [browser, folder] = await Promise.all([openChromium(), mkdtemp(join(tmpdir(), 'postern-files-'))]) })
  after(() => Promise.all([browser.close(), rm(folder, { recursive: true })]))
  beforeEach(async () => {
    dashboard = await openDashboard({}, browser)
    send = `/console/workspaces/${dashboard.tenant.id}/send`
    await dashboard.tenant.customerWrites(CUSTOMER)
  })
  afterEach(() => dashboard.close())

  const messages = async () => rightOf(await dashboard.gateway.storage.messageLog.list(dashboard.tenant.id, { limit: 50 })).items
  const withPage = async (look: Look, use: (page: Page) => Promise<void>): Promise<void> => {
    const { page, faults, close } = await dashboard.open(send, { as: 'developer', ...look })
    try {
      await use(page)
      assert.deepEqual(faults.filter((fault) => !/status of 422/.test(fault)), [])
    } finally {
      await close()
    }
  }
  /** Waits for the page with a button, and everything that it loads. */
  const isOpen = async (page: Page, button: string): Promise<void> => {
    await page.getByRole('button', { name: button }).waitFor()
    await page.waitForLoadState()
  }
  /** Waits for a field to have the focus: `autofocus` moves it there when the page is first drawn, which may be after it was read. */
  const hasFocus = (page: Page, id: string): Promise<void> => page.locator(`#${id}:focus`).waitFor()
  /** Goes to the last step of a kind. */
  const compose = async (
    page: Page, kind: keyof typeof TYPED, at: (page: Page) => Promise<void> = async () => undefined,
  ): Promise<void> => {
    await page.getByLabel('To', { exact: true }).fill(CUSTOMER)
    await page.locator(`#what-${kind}`).check()
    await page.getByRole('button', { name: 'Next' }).click()
    await isOpen(page, 'Review')
    for (const [label, value] of Object.entries(TYPED[kind])) await page.getByLabel(label, { exact: true }).fill(value)
    await at(page)
    await page.getByRole('button', { name: 'Review' }).click()
    await isOpen(page, 'Change')
    await at(page)
  }
  const fileOf = async (name: string, bytes: Buffer): Promise<string> => {
    await writeFile(join(folder, name), bytes)
    return join(folder, name)
  }

  for (const kind of Object.keys(TYPED) as Array<keyof typeof TYPED>) {
    it(`has a form and a preview of ${kind}, wide and narrow, with nothing that axe finds fault with or that is too wide`, async () => {
      const looks: ReadonlyArray<Look> = [{}, { width: 375, dark: true }]
      for (const look of looks) {
        await withPage(look, async (page) => {
          await compose(page, kind, async () => {
            assert.deepEqual(await axeFaults(page), [])
            assert.isAtMost(await page.locator('html').evaluate((html) => html.scrollWidth), look.width ?? 1280)
          })
          await page.locator('.bubble').waitFor()
          if (FILES.includes(kind)) return
          await page.getByRole('button', { name: /^Send for/ }).click()
          await page.getByText('The platform has accepted the message.').waitFor()
        })
      }
      assert.lengthOf(await messages(), FILES.includes(kind) ? 0 : looks.length)
    })
  }

  for (const script of [true, false]) {
    it(`sends a file that was chosen, and sends nothing again when the page is loaded again, ${script ? 'with' : 'without'} a script`, async () => {
      await withPage({ script }, async (page) => {
        await compose(page, 'image')
        await page.getByLabel('File').setInputFiles(await fileOf('boots.png', PNG))
        if (script) {
          await page.locator('.bubble canvas').waitFor()
          assert.match(await page.locator('.bubble').innerText(), /boots\.png, 1 KiB\s+Your boots/)
        }
        await page.getByRole('button', { name: /^Send for/ }).click()
        await page.getByText('The platform has accepted the message.').waitFor()
        await page.reload()
        await page.goBack()
      })
      assert.deepEqual((await messages()).map(({ kind, to }) => [kind, to]), [['image', CUSTOMER]])
    })
  }

  it('says at once that a file is too large, and sends none of it', async () => {
    await withPage({}, async (page) => {
      await compose(page, 'image')
      const asked: Array<string> = []
      page.on('request', (request) => asked.push(request.url()))
      await page.getByLabel('File').setInputFiles(await fileOf('large.png', Buffer.concat([PNG, Buffer.alloc(6 * MIB)])))
      await page.getByRole('button', { name: /^Send for/ }).click()
      assert.equal(await page.evaluate('document.querySelector("#file").validationMessage'), 'The file is too large: an image may have at most 5 MiB. Nothing was sent.')
      assert.deepEqual(asked, [])
    })
  })

  it('shows why a large file is refused, whether it was read or not, and takes another one', async () => {
    await withPage({}, async (page) => {
      await compose(page, 'document')
      await page.getByLabel('File').setInputFiles(
        await fileOf('no.pdf', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(40 * MIB)])),
      )
      await page.getByRole('button', { name: /^Send for/ }).click()
      assert.match(await page.locator('#file-fault').innerText(), /declared as application\/pdf, but its first bytes show .* Nothing was sent\./)
      await hasFocus(page, 'file')
      await page.getByLabel('File').setInputFiles(await fileOf('invoice.txt', Buffer.from('Your invoice')))
      await page.getByRole('button', { name: /^Send for/ }).click()
      await page.getByText('The platform has accepted the message.').waitFor()
    })
    assert.deepEqual((await messages()).map(({ kind }) => kind), ['document'])
  })

  it('asks those to sign in whose session has ended while they chose a file', async () => {
    await withPage({}, async (page) => {
      await compose(page, 'document')
      await page.getByLabel('File').setInputFiles(await fileOf('large.txt', Buffer.alloc(20 * MIB, 'x')))
      await page.context().clearCookies()
      await page.getByRole('button', { name: /^Send for/ }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    })
    assert.isEmpty(await messages())
  })

  it('is composed by keyboard alone, which is led to the first fault', async () => {
    await withPage({}, async (page) => {
      await page.getByLabel('To', { exact: true }).focus()
      await page.keyboard.type(CUSTOMER)
      await page.keyboard.press('Tab')
      for (let at = Object.keys(formKinds()).indexOf('link'); at > 0; at -= 1) await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page.getByLabel('Header').focus()
      for (const typed of ['', 'Track it', 'Track', 'shop.example']) {
        await page.keyboard.type(typed)
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('Enter')
      await page.locator('#url-fault').waitFor()
      await hasFocus(page, 'url')
      assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Track it')
      await page.keyboard.press('Home')
      await page.keyboard.type('https://')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: /^Send for/ }).waitFor()
    })
  })
})
